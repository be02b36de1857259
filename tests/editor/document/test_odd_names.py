"""Files that a glTF names belong to it, whatever they are called."""

import pytest

from editor.document import LevelDocument
from engine.errors import AssetError
from tests.editor.document.props import PNG, TRIANGLE, asset_of, files_below, picture, write_prop

SIDES = ["body", "colours.dat", "points.tmp"]


@pytest.fixture(params=SIDES)
def buffer(request):
    return request.param


def write_odd(folder, buffer):
    """Write a prop whose buffer and picture have names that tell nothing."""
    path = write_prop(folder, "crate", buffer=buffer, image="paint")
    (folder / buffer).write_bytes(TRIANGLE)
    (folder / "paint").write_bytes(PNG)
    return path


@pytest.fixture
def project(tmp_path, document: LevelDocument, buffer):
    (tmp_path / "project.json").write_text("{}")
    write_odd(tmp_path / "props", buffer)
    document.save(tmp_path / "a.scene")
    document.place("props/crate.gltf")
    document.save()
    document.contents.read()
    return tmp_path


def test_dropping_and_the_first_save_take_them_along(document, tmp_path, buffer):
    prop = write_odd(tmp_path / "Pack", buffer)
    entity = document.place(prop)
    document.save(tmp_path / "project" / "a.scene")
    document.settle()
    names = ["props/Pack/crate.gltf", "props/Pack/paint", f"props/Pack/{buffer}"]
    assert files_below(tmp_path / "project") == sorted(["a.scene", *names])
    assert asset_of(document, entity) == "props/Pack/crate.gltf"
    assert document.issues() == []


def test_they_are_known_by_content_and_by_who_names_them(project, document, buffer):
    contents = document.contents
    assert contents.assets_naming(f"props/{buffer}") == ["props/crate.gltf"]
    assert document.is_used(f"props/{buffer}")
    before = contents.digest("props/crate.gltf")
    (project / "props" / buffer).write_bytes(TRIANGLE + b"more")
    contents.read()
    assert contents.digest("props/crate.gltf") != before
    (project / "sets").mkdir()
    for name in ("crate.gltf", buffer, "paint"):
        (project / "props" / name).rename(project / "sets" / name)
    (project / "sets/crate.gltf").rename(project / "sets/box.gltf")
    contents.read()
    assert document.relink_candidates("props/crate.gltf") == ["sets/box.gltf"]


def test_they_move_with_what_names_them(project, document, buffer):
    document.rename_asset("props", "sets")
    assert files_below(project / "sets") == sorted(["crate.gltf", "paint", buffer])
    document.undo()
    document.move_assets(["props/crate.gltf"], "shelf")
    assert files_below(project / "shelf") == sorted(["crate.gltf", "paint", buffer])
    document.settle()
    assert document.issues() == []


def test_they_are_not_written_over_by_what_moves(project, document, buffer):
    for name in (buffer, "paint"):
        write_prop(project / "shelf", f"other {name}", buffer=name)
        (project / "shelf" / name).write_bytes(TRIANGLE + b"other")
    with pytest.raises(AssetError, match="something else is there already"):
        document.move_assets(["props/crate.gltf"], "shelf")
    assert (project / "shelf" / buffer).read_bytes() == TRIANGLE + b"other"


def test_changing_one_shows_at_the_next_look(project, document, buffer):
    path = project / "props/paint"
    path.write_bytes(picture((1, 2, 3, 255)))
    assert str(path) in document.app.sources()
    assert str(project / "props" / buffer) in document.app.sources()
    document.app.check_for_changes()
    document.settle()
    asset = document.app.assets.get("props/crate.gltf").asset
    assert asset.images[0].pixels[0, 0].tolist() == [1, 2, 3, 255]
