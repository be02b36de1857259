"""Placing and opening without waiting: boxes first, props when their files are read."""

import json

import pytest

from engine.errors import AssetError, SceneError
from engine.scene import GltfInstance, LocalTransform, Name
from tests.editor.document.props import files_below, write_pack, write_prop
from tests.patience import PATIENCE_S


def test_the_box_of_a_missing_asset_stands_for_its_instance(document, tmp_path):
    document.save(tmp_path / "a.scene")
    entity = document.spawn(Name("gone"), LocalTransform(), GltfInstance(asset="no.glb"))
    [box] = document.children(entity)
    with pytest.raises(SceneError, match="stands in"):
        document.set_fields(box, LocalTransform, scale=(2, 2, 2))
    document.select([box])
    document.delete()
    assert document.children() == []
    document.undo()
    document.settle()
    assert document.children(entity) == [box]
    assert document.selection == [box]


def test_a_first_save_waits_for_what_is_still_loading(document, tmp_path):
    pack = write_pack(tmp_path / "Kenney")
    document.place(pack, wait=False)
    document.save(tmp_path / "project" / "a.scene")
    assert (tmp_path / "project/props/Kenney/Textures/colormap.png").is_file()


def later(document):
    """Frames as the window makes them, until every file is read."""
    document.app.frame(0.0)
    document.app.assets.wait(timeout=PATIENCE_S)
    document.app.frame(0.0)


def test_placing_without_waiting_shows_a_box_first(document, tmp_path):
    write_pack(tmp_path / "p" / "models")
    document.save(tmp_path / "p" / "a.scene")
    entity = document.place("models/crate.gltf", wait=False)
    assert document.selection == [entity]
    document.app.frame(0.0)
    assert len(document.children(entity)) == 1
    later(document)
    assert [document.label(e) for e in document.children(entity)] == ["Body"]
    document.undo()
    assert not document.world.alive(entity)


def test_a_file_that_turns_out_to_be_broken_keeps_its_box_and_is_told_of(document, tmp_path):
    path = write_prop(tmp_path / "p" / "models")
    document.save(tmp_path / "p" / "a.scene")
    broken = json.loads(path.read_text())
    broken["accessors"][0]["count"] = 10**6
    path.write_text(json.dumps(broken))
    messages = []
    document.message_posted.connect(messages.append)
    entity = document.place(path, wait=False)
    later(document)
    [message] = messages
    assert (message.level, message.entity, message.path) == ("error", entity, path)
    assert document.world.alive(entity)
    assert len(document.children(entity)) == 1
    assert document.history.count == 1


@pytest.mark.parametrize("content", [b"", b"hello", b"{}x", b"glTF" + b"\xff" * 40])
def test_what_is_no_gltf_file_at_all_is_refused_at_once(document, tmp_path, content):
    path = tmp_path / "a.glb"
    path.write_bytes(content)
    with pytest.raises(AssetError, match=r"a\.glb"):
        document.place(path, wait=False)
    assert document.history.count == 0


def test_a_placement_given_up_leaves_no_file(document, tmp_path):
    pack = write_pack(tmp_path / "Kenney")
    document.save(tmp_path / "project" / "a.scene")
    gesture = document.begin_gesture("Place")
    document.place(pack, wait=False)
    later(document)
    gesture.cancel()
    assert files_below(tmp_path / "project") == ["a.scene"]
    kept = document.place(pack, wait=False)
    gesture = document.begin_gesture("Place")
    document.place(pack, wait=False)
    gesture.cancel()
    later(document)
    assert document.children(kept)
    assert "props/Kenney/Textures/colormap.png" in files_below(tmp_path / "project")


def test_what_is_put_under_the_box_of_a_missing_asset_hangs_under_its_instance(document):
    gone = document.spawn(Name("gone"), LocalTransform(), GltfInstance(asset="no/such.glb"))
    [box] = document.children(gone)
    first = document.spawn(Name("first"), LocalTransform(), parent=box)
    second = document.spawn(Name("second"), LocalTransform())
    document.order([second], box, first)
    assert document.parent(first) == document.parent(second) == gone
    assert [e for e in document.children(gone) if e != box] == [second, first]
    document.undo()
    assert document.parent(second) is None
