"""What is not renamed, moved or imported, and changes nothing then."""

import os
from pathlib import Path

import pytest

from editor.commands import RenameFiles
from editor.model.file_moves import FileMoves
from engine.errors import AssetError, EngineError, SceneError
from tests.editor.document.moves.conftest import OTHER, assets, files


@pytest.mark.parametrize(
    ("asset", "name", "words"),
    [
        ("props/crate.gltf", "lamp.gltf", "something is there already"),
        ("props/crate.gltf", "a/b.gltf", "a name holds none of"),
        ("props/crate.gltf", " ", "no name for a file"),
        ("props/gone.gltf", "new.gltf", "there is no such file"),
        ("props/Textures/colormap.png", "b.png", "crate.gltf would not find"),
        ("props/Textures", "Pictures", "crate.gltf would not find"),
        ("yard.scene", "court.scene", "is open"),
    ],
)
def test_what_would_break_something_is_refused(project, document, asset, name, words) -> None:
    before, steps = files(project), document.history.count
    with pytest.raises(AssetError, match=words):
        document.rename_asset(asset, name)
    assert files(project) == before
    assert document.history.count == steps
    assert (project / "other.scene").read_text() == OTHER


def test_a_level_that_cannot_be_written_keeps_everything_as_it_was(
    project, document, monkeypatch
) -> None:
    (project / "third.scene").write_text(OTHER.replace("by hand", "third"))
    before = {path: (project / path).read_bytes() for path in files(project)}
    from editor.document import file_mover

    real, written = file_mover.write_file, []

    def write(path, data, **options) -> None:
        written.append(path)
        if len(written) == 2:
            raise SceneError(f"{path}: the disk is full")
        real(path, data, **options)

    monkeypatch.setattr(file_mover, "write_file", write)
    with pytest.raises(SceneError, match="the disk is full"):
        document.rename_asset("props/crate.gltf", "chest.gltf")
    assert {path: (project / path).read_bytes() for path in files(project)} == before
    assert assets(document) == ["props/crate.gltf", "props/lamp.gltf"]
    assert not document.dirty
    assert not document.changed_on_disk


def test_an_undo_that_is_in_something_s_way_changes_nothing(project, document) -> None:
    document.rename_asset("props/crate.gltf", "chest.gltf")
    (project / "props/crate.gltf").write_text("another")
    index = document.history.index
    with pytest.raises(AssetError, match="already"):
        document.undo()
    assert document.history.index == index
    assert "props/chest.gltf" in assets(document)
    assert (project / "props/crate.gltf").read_text() == "another"


@pytest.mark.parametrize("text", ["", "5", "{}", "[]", '[[["a"]], [], [], ""]', "[1, 2, 3, 4]"])
def test_moves_that_are_damaged_in_a_journal_are_refused(text) -> None:
    with pytest.raises(ValueError, match=r"."):
        FileMoves.from_text(text)


def test_no_step_moves_files_of_other_places(project, document, tmp_path_factory) -> None:
    outside = tmp_path_factory.mktemp("outside") / "secret.glb"
    outside.write_text("mine")
    away = Path(os.path.relpath(outside, project)).as_posix()
    for pairs in ((away, "props/got.glb"), ("props/lamp.gltf", away + "2")):
        moves = FileMoves((pairs,), (), (pairs,), str(project))
        assert FileMoves.from_text(moves.to_text()) == moves
        with pytest.raises(AssetError, match="leaves the project"):
            document.push(RenameFiles("steal", moves, []))
    assert outside.read_text() == "mine"
    assert (project / "props/lamp.gltf").is_file()


NO_NAMES = ["a\0b", "\ud800", "n" * 300]


@pytest.mark.parametrize("name", NO_NAMES, ids=["null", "surrogate", "long"])
def test_what_no_file_can_be_called_is_refused_by_every_command_in_words(project, document, name):
    before = files(project)
    root = document.app.level_file.entity_at(0)
    for attempt in (
        lambda: document.make_folder("", name),
        lambda: document.rename_asset("props/crate.gltf", f"{name}.gltf"),
        lambda: document.move_assets(["props/crate.gltf"], name),
        lambda: document.copy_file("props/crate.gltf", f"{name}.gltf"),
        lambda: document.make_instance(f"{name}.scene", [root]),
        lambda: document.import_into([Path(name)], "props"),
        lambda: document.place(f"{name}.gltf"),
        lambda: document.save(f"{name}.scene"),
    ):
        with pytest.raises(EngineError):
            attempt()
    assert files(project) == before


def test_a_device_is_no_file_to_import(project, document):
    with pytest.raises(AssetError, match="no such file"):
        document.import_into([Path(os.devnull)], "props")


def test_a_link_that_leads_nowhere_is_in_the_way(project, document):
    (project / "props/nowhere.gltf").symlink_to("nix")
    with pytest.raises(AssetError, match="already"):
        document.rename_asset("props/crate.gltf", "nowhere.gltf")
