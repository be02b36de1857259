"""Placing a prop: which files are used and copied, where it stands, and what a failure leaves."""

import json

import numpy as np
import pytest

from editor.document import LevelDocument
from editor.model.folders import data_folder
from engine.app import App
from engine.errors import AssetError, EntityError
from engine.reflect import Entity
from engine.scene import LocalTransform, Name
from tests.editor.document.placed import below
from tests.editor.document.props import (
    TRIANGLE,
    asset_of,
    files_below,
    gltf,
    write_pack,
    write_prop,
)


def test_a_file_of_the_project_is_used_where_it_is(document, tmp_path):
    document.save(tmp_path / "a.scene")
    inside = write_prop(tmp_path / "models")
    for path in (inside, "models/crate.gltf"):
        assert asset_of(document, document.place(path)) == "models/crate.gltf"
    assert files_below(tmp_path) == ["a.scene", "models/crate.gltf"]


def test_a_file_from_outside_is_copied_with_its_side_files(document, tmp_path):
    pack = write_pack(tmp_path / "Kenney")
    document.save(tmp_path / "project" / "a.scene")
    entity = document.place(pack)
    assert asset_of(document, entity) == "props/Kenney/crate.gltf"
    assert files_below(tmp_path / "project" / "props") == [
        "Kenney/Textures/colormap.png",
        "Kenney/crate.bin",
        "Kenney/crate.gltf",
    ]
    copied = tmp_path / "project" / "props" / "Kenney"
    for name in ("crate.gltf", "crate.bin", "Textures/colormap.png"):
        assert (copied / name).read_bytes() == (pack.parent / name).read_bytes()


def test_equal_content_is_not_copied_twice(document, tmp_path):
    pack = write_pack(tmp_path / "Kenney")
    document.save(tmp_path / "project" / "a.scene")
    document.place(pack)
    stamp = (tmp_path / "project/props/Kenney/crate.gltf").stat().st_mtime_ns
    document.place(pack)
    write_pack(tmp_path / "elsewhere" / "Kenney", "barrel")
    document.place(tmp_path / "elsewhere" / "Kenney" / "barrel.gltf")
    assert (tmp_path / "project/props/Kenney/crate.gltf").stat().st_mtime_ns == stamp
    assert [p.name for p in (tmp_path / "project/props").iterdir()] == ["Kenney"]


def test_other_content_of_the_same_name_goes_into_a_folder_of_its_own(document, tmp_path):
    png = write_pack(tmp_path / "one" / "Models").parent / "Textures" / "colormap.png"
    other = png.read_bytes() + b"trailing"
    for i, folder in enumerate(("two", "three"), start=2):
        write_pack(tmp_path / folder / "Models", "crate", other * i)
    document.save(tmp_path / "project" / "a.scene")
    assets = [
        asset_of(document, document.place(tmp_path / folder / "Models" / "crate.gltf"))
        for folder in ("one", "two", "three", "two")
    ]
    assert assets == [
        "props/Models/crate.gltf",
        "props/Models-2/crate.gltf",
        "props/Models-3/crate.gltf",
        "props/Models-2/crate.gltf",
    ]
    copied = tmp_path / "project/props/Models-2/Textures/colormap.png"
    assert copied.read_bytes() == other * 2


def test_side_files_may_lie_beside_the_folder_in_a_project(document, tmp_path):
    (tmp_path / "pack").mkdir()
    (tmp_path / "pack" / "project.json").write_text("{}")
    write_prop(tmp_path / "pack" / "models", buffer="../data/crate.bin")
    (tmp_path / "pack" / "data").mkdir()
    (tmp_path / "pack" / "data" / "crate.bin").write_bytes(TRIANGLE)
    document.save(tmp_path / "project" / "a.scene")
    entity = document.place(tmp_path / "pack" / "models" / "crate.gltf")
    assert asset_of(document, entity) == "props/pack/models/crate.gltf"
    assert below(document, entity, "Body", "Arm")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"glTF\x02\x00\x00\x00\xff\xff\xff\xff",
        b'{"asset": {"version": "2.0"}, "extensionsRequired": ["NO_such"]}',
        json.dumps(gltf(buffer="missing.bin")).encode(),
        json.dumps(gltf(buffer="../../../../etc/passwd")).encode(),
        json.dumps(gltf(buffer="http://example.com/a.bin")).encode(),
        b"[" * 100_000,
    ],
)
def test_a_broken_or_hostile_file_changes_nothing(document, tmp_path, content):
    bad = tmp_path / "bad" / "bad.gltf"
    bad.parent.mkdir()
    bad.write_bytes(content)
    document.save(tmp_path / "project" / "a.scene")
    a = document.spawn(Name("a"))
    document.select([a])
    messages = []
    document.message_posted.connect(messages.append)
    with pytest.raises(AssetError):
        document.place(bad)
    assert (document.history.index, document.selection, len(document.world)) == (2, [a], 1)
    assert files_below(tmp_path / "project") == ["a.scene"]
    assert [(m.level, m.path) for m in messages] == [("error", bad)]


def test_a_missing_file_changes_nothing(document, tmp_path):
    for path in (tmp_path / "no.glb", "no.glb", tmp_path, ""):
        with pytest.raises(AssetError):
            document.place(path)
    assert document.history.count == 0


def test_under_a_parent_that_is_gone_nothing_is_copied(document, tmp_path):
    pack = write_pack(tmp_path / "Kenney")
    document.save(tmp_path / "project" / "a.scene")
    gone = document.spawn(Name("gone"))
    document.delete([gone])
    with pytest.raises(EntityError):
        document.place(pack, parent=gone)
    assert files_below(tmp_path / "project") == ["a.scene"]


def test_names_are_new_among_siblings(document, prop):
    parent = document.spawn(Name("parent"))
    names = [document.label(document.place(prop, parent=p)) for p in (None, None, parent)]
    assert names == ["crate", "crate 2", "crate"]


def test_under_a_parent_it_stands_where_it_was_asked(document, prop):
    parent = document.spawn(Name("p"), LocalTransform((5, 0, 0), (0, 0, 0, 1), (2, 2, 2)))
    matrix = np.eye(4, dtype=np.float32)
    matrix[:3, 3] = (7, 0, 2)
    entity = document.place(prop, matrix, parent)
    assert list(document.world.get(entity, LocalTransform).translation) == [1, 0, 1]


def test_a_level_that_was_never_saved_takes_its_props_along(document, tmp_path):
    pack = write_pack(tmp_path / "Kenney")
    entity = document.place(pack)
    scratch = document.root
    assert not scratch.is_relative_to(tmp_path / "project")
    document.save(tmp_path / "project" / "a.scene")
    assert files_below(tmp_path / "project") == [
        "a.scene",
        "props/Kenney/Textures/colormap.png",
        "props/Kenney/crate.bin",
        "props/Kenney/crate.gltf",
    ]
    assert not scratch.exists()
    assert below(document, entity, "Body", "Arm")
    assert document.issues() == []
    assert not document.dirty


def test_saving_beside_other_content_moves_the_unit_and_the_history_follows(document, tmp_path):
    pack = write_pack(tmp_path / "Kenney")
    taken = tmp_path / "project" / "props" / "Kenney"
    write_pack(taken, "crate")
    (taken / "Textures" / "colormap.png").write_bytes(b"somebody else's")
    entity = document.place(pack)
    document.undo()
    document.redo()
    document.save(tmp_path / "project" / "a.scene")
    assert asset_of(document, entity) == "props/Kenney-2/crate.gltf"
    assert (taken / "Textures" / "colormap.png").read_bytes() == b"somebody else's"
    document.undo()
    document.redo()
    assert asset_of(document, entity) == "props/Kenney-2/crate.gltf"
    document.settle()
    assert document.issues() == []
    assert 'asset="props/Kenney-2/crate.gltf"' in (tmp_path / "project" / "a.scene").read_text()


def test_a_save_that_fails_leaves_no_copies(document, tmp_path):
    entity = document.place(write_pack(tmp_path / "Kenney"))
    target = tmp_path / "project" / "a.scene"
    target.mkdir(parents=True)
    with pytest.raises(Exception, match=r"a\.scene"):
        document.save(target)
    assert files_below(tmp_path / "project") == []
    assert document.dirty
    assert below(document, entity, "Body", "Arm")


def test_a_parent_of_null_is_none(document, prop):
    entity = document.place(prop, parent=Entity.null())
    assert document.children() == [entity]


def test_it_works_without_a_window_in_another_document(prop):
    document = LevelDocument()
    entity = document.place(prop)
    assert document.children(entity)
    document.close()


def test_importing_copies_without_placing(document, tmp_path):
    document.save(tmp_path / "project" / "a.scene")
    pack = write_pack(tmp_path / "Kenney")
    assert document.import_asset(pack) == "props/Kenney/crate.gltf"
    sky = tmp_path / "skies" / "noon.hdr"
    sky.parent.mkdir()
    sky.write_bytes(b"#?RADIANCE")
    assert document.import_asset(sky) == "props/skies/noon.hdr"
    assert document.import_asset("props/skies/noon.hdr") == "props/skies/noon.hdr"
    assert (document.history.count, document.dirty) == (0, False)
    with pytest.raises(AssetError):
        document.import_asset(tmp_path / "no.hdr")
    with pytest.raises(AssetError, match=r"\.gltf or \.glb"):
        document.place(sky)


def test_a_document_over_an_app_takes_its_level_and_project(tmp_path, prop):
    write_prop(tmp_path / "game" / "models")
    app = App(tmp_path / "game")
    document = LevelDocument(app)
    assert document.root == tmp_path / "game"
    document.place("models/crate.gltf")
    document.save(tmp_path / "game" / "a.scene")
    document.close()
    app = App()
    app.load(tmp_path / "game" / "a.scene")
    document = LevelDocument(app)
    assert document.path == tmp_path / "game" / "a.scene"
    document.close()
    document = LevelDocument(App())
    document.place(prop)
    assert document.root.is_relative_to(data_folder())
    document.close()
