"""Files of a project that are renamed, moved and found again, with everything that names them."""

import json
import os
import random
from pathlib import Path

import pytest

from editor.commands import RenameFiles
from editor.document import LevelDocument
from editor.model.file_moves import FileMoves
from engine.assets.cache_folder import CACHE_FOLDER
from engine.errors import AssetError, EngineError, SceneError
from engine.scene import Environment, GltfInstance, Name
from tests.editor.document.props import PNG, write_pack, write_prop
from tests.editor.document.test_recovery import crash

OTHER = (
    "cinder-scene 1\n# by hand\n"
    'entity 0\n  Name text="a"\n  GltfInstance  asset="props/crate.gltf"  lods=false\n'
    'entity 1\n  Loot note=" asset=" model="props/crate.gltf" amount=1.50\n'
)


@pytest.fixture
def project(tmp_path, document: LevelDocument):
    (tmp_path / "project.json").write_text('{\n "root_scene_path": "yard.scene"\n}\n')
    write_pack(tmp_path / "props")
    write_prop(tmp_path / "props", "lamp")
    (tmp_path / "yard.scene").write_text(
        "cinder-scene 2\n# mine\n"
        'entity 0\n  Name text="a"\n  GltfInstance asset="props/crate.gltf"\n'
        'entity 1\n  Name text="b"\n  GltfInstance asset="props/lamp.gltf"\n'
        'entity 2\n  Name text="c"\n  Quest prize="props/crate.gltf"\n'
    )
    (tmp_path / "other.scene").write_text(OTHER)
    document.open(tmp_path / "yard.scene")
    return tmp_path


def assets(document: LevelDocument) -> list[str]:
    return sorted(document.uses.assets())


def files(project) -> set[str]:
    """What an artist put there; the import cache is filled and emptied as it likes."""
    found = (p.relative_to(project) for p in project.rglob("*") if p.is_file())
    return {path.as_posix() for path in found if path.parts[0] != CACHE_FOLDER}


def test_a_rename_takes_every_reference_along_as_one_step(project, document) -> None:
    before = files(project)
    shown = document.app.assets.get("props/crate.gltf").asset
    steps, yard = document.history.index, (project / "yard.scene").read_bytes()
    assert document.rename_asset("props/crate.gltf", "chest.gltf") == ["other.scene"]
    assert document.history.index == steps + 1
    assert assets(document) == ["props/chest.gltf", "props/lamp.gltf"]
    assert document.uses.count("props/chest.gltf") == 2
    assert files(project) == before - {"props/crate.gltf"} | {"props/chest.gltf"}
    # Other levels follow on disk, and nothing else of them changes.
    assert (project / "other.scene").read_text() == OTHER.replace("props/crate", "props/chest")
    # What is on disk of this level finds its props, too, though it was not saved.
    assert (project / "yard.scene").read_bytes() == yard.replace(b"props/crate", b"props/chest")
    assert not document.changed_on_disk
    # The prop that was read stays.
    assert document.app.assets.get("props/chest.gltf").asset is shown
    document.undo()
    assert files(project) == before
    assert (project / "other.scene").read_text() == OTHER
    assert (project / "yard.scene").read_bytes() == yard
    assert assets(document) == ["props/crate.gltf", "props/lamp.gltf"]
    assert not document.dirty
    document.redo()
    assert (project / "props/chest.gltf").is_file()
    assert "props/chest.gltf" in assets(document)
    document.save()
    document.open(project / "yard.scene")
    assert document.missing_assets() == []
    assert document.issues() == []


def test_a_move_takes_side_files_along(project, document) -> None:
    document.move_assets(["props/crate.gltf"], "props/town")
    assert "props/town/crate.bin" in files(project)
    assert "props/town/Textures/colormap.png" in files(project)
    assert "props/crate.bin" not in files(project)
    document.settle()
    assert document.app.assets.get("props/town/crate.gltf").error == ""
    document.app.assets.check_for_changes(force=True)
    document.settle()
    assert document.app.assets.get("props/town/crate.gltf").error == ""
    document.undo()
    assert "props/Textures/colormap.png" in files(project)
    assert not (project / "props/town").exists()


def test_side_files_that_others_need_are_copied(project, document) -> None:
    write_pack(project / "props", "box")
    document.move_assets(["props/crate.gltf"], "props/town")
    there = files(project)
    assert {"props/Textures/colormap.png", "props/town/Textures/colormap.png"} <= there
    assert "props/crate.bin" not in there
    document.undo()
    assert "props/town/Textures/colormap.png" not in files(project)
    assert "props/Textures/colormap.png" in files(project)
    document.redo()
    assert files(project) == there


def test_assets_that_share_their_side_files_move_together(project, document) -> None:
    write_pack(project / "props", "box")
    document.move_assets(["props/crate.gltf", "props/box.gltf"], "props/town")
    assert "props/Textures/colormap.png" not in files(project)
    assert "props/town/Textures/colormap.png" in files(project)


def test_a_folder_moves_as_a_whole(project, document) -> None:
    document.rename_asset("props", "things")
    assert assets(document) == ["things/crate.gltf", "things/lamp.gltf"]
    assert 'asset="things/crate.gltf"' in (project / "other.scene").read_text()
    document.undo()
    assert assets(document) == ["props/crate.gltf", "props/lamp.gltf"]


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

    def write(path, data) -> None:
        written.append(path)
        if len(written) == 2:
            raise SceneError(f"{path}: the disk is full")
        real(path, data)

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


def test_renaming_another_level_follows_in_the_project_file(project, document) -> None:
    document.open(project / "other.scene")
    document.rename_asset("yard.scene", "court.scene")
    assert json.loads((project / "project.json").read_text())["root_scene_path"] == "court.scene"
    document.undo()
    assert (project / "project.json").read_text() == '{\n "root_scene_path": "yard.scene"\n}\n'


def test_a_missing_asset_is_found_by_content_then_by_name(project, document) -> None:
    document.contents.read()
    (project / "sets").mkdir()
    (project / "props/lamp.gltf").rename(project / "sets/light.gltf")
    write_prop(project / "sets", "lamp", nodes=[{"name": "other"}])
    document.contents.read()
    assert document.missing_assets() == ["props/lamp.gltf"]
    assert document.relink_candidates("props/lamp.gltf") == ["sets/light.gltf", "sets/lamp.gltf"]


def test_content_is_remembered_by_the_next_session(project, document) -> None:
    document.contents.read()
    document.close()
    (project / "props/lamp.gltf").rename(project / "light.gltf")
    later = LevelDocument()
    later.open(project / "yard.scene")
    later.contents.read()
    assert later.relink_candidates("props/lamp.gltf") == ["light.gltf"]
    later.close()


def test_a_relink_changes_all_users_here_and_elsewhere(project, document) -> None:
    (project / "other.scene").write_text(
        OTHER + 'entity 2\n  GltfInstance asset="props/lamp.gltf"\n'
    )
    (project / "props/crate.gltf").unlink()
    before = (project / "other.scene").read_text()
    assert document.relink("props/crate.gltf", "props/lamp.gltf") == ["other.scene"]
    assert assets(document) == ["props/lamp.gltf"]
    assert (project / "other.scene").read_text() == before.replace("props/crate", "props/lamp")
    document.undo()
    # Who named the other file all along still does.
    assert (project / "other.scene").read_text() == before
    assert document.uses.count("props/crate.gltf") == 2


def test_a_move_outlives_a_crash(project, document, tmp_path) -> None:
    document.rename_asset("props/crate.gltf", "chest.gltf")
    there = files(project)
    crash(document)
    later = LevelDocument()
    later.recover(later.recoverable()[0])
    assert files(project) == there
    assert assets(later) == ["props/chest.gltf", "props/lamp.gltf"]
    later.undo()
    assert (project / "props/crate.gltf").is_file()
    assert assets(later) == ["props/crate.gltf", "props/lamp.gltf"]
    later.close()


def test_uses_follow_every_kind_of_step(project, document) -> None:
    world = document.world
    first = document.uses.users("props/crate.gltf")[0]
    assert document.asset_user_count("props/crate.gltf") == 2
    copy = document.duplicate([first])[0]
    assert document.asset_user_count("props/crate.gltf") == 3
    document.delete([copy])
    document.set_fields([first], GltfInstance, asset="props/lamp.gltf")
    assert document.asset_user_count("props/crate.gltf") == 1
    document.undo()
    document.undo()
    assert document.uses.users("props/crate.gltf")[-1] == copy
    look = document.spawn(Name("look"), Environment(image="sky.hdr"))
    assert document.asset_users("sky.hdr") == [look]
    document.rename(look, "x")
    assert document.missing_assets() == ["sky.hdr"]
    fresh = type(document.uses)(world, document.registry)
    assert {a: fresh.count(a) for a in fresh.assets()} == {
        a: document.uses.count(a) for a in document.uses.assets()
    }


def test_other_levels_are_listed_with_their_users(project, document) -> None:
    document.contents.read()
    assert document.other_levels_using("props/crate.gltf") == {"other.scene": 2}
    assert document.is_used("props/Textures/colormap.png")
    assert not document.is_used("other.scene")
    assert document.is_used("props/lamp.gltf")


def test_files_that_go_with_an_asset(project, document) -> None:
    document.contents.read()
    names = [p.name for p in document.files_of("props/crate.gltf")]
    assert names == ["crate.gltf", "crate.bin", "colormap.png"]
    write_pack(project / "props", "box", PNG)
    document.contents.read()
    assert [p.name for p in document.files_of("props/crate.gltf")] == ["crate.gltf", "crate.bin"]


def test_saving_elsewhere_takes_along_what_kept_records_name(project, document, tmp_path) -> None:
    target = tmp_path / "away"
    target.mkdir()
    (target / "project.json").write_text("{}")
    (target / "props").mkdir()
    (target / "props/crate.gltf").write_text("in the way")
    document.save(target / "yard.scene")
    text = (target / "yard.scene").read_text()
    assert 'Quest prize="props-2/crate.gltf"' in text
    assert 'asset="props-2/crate.gltf"' in text
    assert (target / "props-2/crate.gltf").is_file()
    assert document.missing_assets() == []


def test_one_user_of_many_gets_a_file_of_its_own(project, document) -> None:
    first = next(e for e in document.asset_users("props/crate.gltf") if document.label(e) == "a")
    steps = document.history.index
    assert document.make_unique([first], "props/crate.gltf") == "props/crate-2.gltf"
    assert document.history.index == steps + 1
    assert document.world.get(first, GltfInstance).asset == "props/crate-2.gltf"
    assert document.asset_user_count("props/crate.gltf") == 1
    assert document.app.assets.get("props/crate-2.gltf").error == ""
    assert (project / "other.scene").read_text() == OTHER
    document.undo()
    assert not (project / "props/crate-2.gltf").exists()
    assert document.asset_user_count("props/crate.gltf") == 2
    document.redo()
    assert document.asset_users("props/crate-2.gltf") == [first]


def test_files_come_into_a_folder_with_their_side_files(project, document, tmp_path) -> None:
    pack = write_pack(tmp_path / "outside" / "Town", "shop")
    (project / "sets").mkdir()
    assert document.import_into([pack], "sets") == ["sets/shop.gltf"]
    assert {"sets/shop.bin", "sets/Textures/colormap.png"} <= files(project)
    # Another picture of the same name is in the way: the unit goes into a folder of its own.
    other = write_pack(tmp_path / "outside" / "Farm", "barn", colour=PNG + b"x")
    assert document.import_into([other], "sets") == ["sets/Farm/barn.gltf"]
    assert document.import_into([tmp_path / "outside"], "") == ["outside"]
    assert "outside/Farm/Textures/colormap.png" in files(project)
    assert document.import_into([tmp_path / "outside"], "") == ["outside"]
    with pytest.raises(AssetError, match="holds the project itself"):
        document.import_into([project], "sets")


def test_favourites_are_the_user_s_and_follow_a_move(project, document) -> None:
    document.set_favourite("props/crate.gltf", True)
    document.rename_asset("props/crate.gltf", "chest.gltf")
    assert document.favourites == {"props/chest.gltf"}
    document.undo()
    later = LevelDocument()
    later.open(project / "yard.scene")
    assert later.favourites == {"props/crate.gltf"}
    later.close()


def test_a_large_level_is_searched_for_names_without_reading_its_records(
    project, document, monkeypatch
) -> None:
    from editor.document import project_contents

    document.contents.read()
    exact = document.other_levels_using("props/crate.gltf")
    monkeypatch.setattr(project_contents, "LARGE_LEVEL", 10)
    (project / "other.scene").write_text(OTHER + "\n")
    document.contents.read()
    assert document.other_levels_using("props/crate.gltf") == exact
    document.rename_asset("props/crate.gltf", "chest.gltf")
    assert (project / "other.scene").read_text() == OTHER.replace("props/crate", "props/chest") + (
        "\n"
    )


def test_nothing_is_looked_at_after_the_end(project, document) -> None:
    contents = document.contents
    contents.refresh()
    contents.refresh()
    contents.close()
    assert not contents.poll()
    contents.refresh()
    assert not contents.poll()


def test_what_was_renamed_before_a_save_elsewhere_stays_found_after_an_undo(
    document, prop, tmp_path
) -> None:
    document.place(prop)
    [asset] = document.uses.assets()
    document.rename_asset(asset, "chest.gltf")
    document.rename_asset("props/Town", "Village")
    document.undo()
    document.save(tmp_path / "away" / "a.scene")
    for _ in range(2):
        assert document.missing_assets() == []
        document.undo()
    document.redo()
    document.redo()
    document.redo()
    assert document.uses.assets() == ["props/Town/chest.gltf"]
    assert document.missing_assets() == []


@pytest.mark.parametrize("seed", range(4))
def test_random_moves_lose_nothing_and_are_taken_back_exactly(project, document, seed) -> None:
    rng = random.Random(seed)
    write_pack(project / "props", "box")
    write_pack(project / "sets" / "Farm", "barn", colour=PNG + b"x")
    (project / "other.scene").write_text(
        OTHER
        + 'entity 2\n  GltfInstance asset="sets/Farm/barn.gltf"\n'
        + 'entity 3\n  MaterialOverride base_color_texture="props/Textures/colormap.png"\n'
    )
    first = {path: (project / path).read_bytes() for path in files(project)}
    refused = 0
    for number in range(40):
        things = sorted(p for p in files(project) if not p.endswith((".bin", ".json")))
        folders = sorted({p.rpartition("/")[0] for p in things} - {""})
        chosen = rng.choice([*things, *folders])
        try:
            act = rng.randrange(4)
            if act == 0:
                document.rename_asset(chosen, f"n{number}{Path(chosen).suffix}")
            elif act == 1:
                document.move_assets([chosen], rng.choice(["", "new", *folders]))
            elif act == 2 and document.history.can_undo:
                document.undo()
            elif act == 3 and document.history.can_redo:
                document.redo()
        except AssetError:
            refused += 1
        assert document.missing_assets() == []
        assert not document.changed_on_disk
        document.contents.read()
        for path, content in document.contents.files.items():
            assert content.missing == (), path
            for used in content.uses or ():
                assert (project / used).is_file(), (path, used)
    assert refused < 40
    while document.history.can_undo:
        document.undo()
    assert {path: (project / path).read_bytes() for path in files(project)} == first
    assert not document.dirty


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
        lambda: document.copy_file("props/crate.gltf", f"{name}.gltf", wait=True),
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
