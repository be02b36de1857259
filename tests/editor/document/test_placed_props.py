"""Props that are placed: their overrides, copies, deletion, and files that change."""

import json

from engine.scene import GltfInstance, InstanceNode, LocalTransform, Name, children, read_text
from tests.editor.document.placed import below
from tests.editor.document.props import gltf, write_prop


def test_undo_and_redo_bring_back_the_same_handles(document, prop):
    entity = document.place(prop)
    arm = below(document, entity, "Body", "Arm")
    document.undo()
    document.settle()
    assert len(document.world) == 0
    document.redo()
    document.settle()
    assert below(document, entity, "Body", "Arm") == arm
    assert len(document.world) == 3


def test_an_override_is_saved_as_exactly_its_fields(document, tmp_path, prop):
    document.save(tmp_path / "p" / "a.scene")
    entity = document.place(prop)
    arm = below(document, entity, "Body", "Arm")
    document.set_fields(arm, LocalTransform, translation=(0, 1, 0))
    document.save()
    text = document.path.read_text()
    assert 'InstanceNode root=#0 path="Body/Arm"' in text
    assert "  LocalTransform translation=[0.0,1.0,0.0]\n" in text
    document.open(document.path)
    arm = below(document, document.children()[0], "Body", "Arm")
    assert list(document.world.get(arm, LocalTransform).translation) == [0, 1, 0]
    [view] = [v for v in document.components(arm) if v.name == "LocalTransform"]
    assert view.overridden == {"translation"}
    document.save()
    assert document.path.read_text() == text


def test_undoing_an_override_leaves_no_trace_in_the_file(document, tmp_path, prop):
    document.save(tmp_path / "p" / "a.scene")
    entity = document.place(prop)
    document.save()
    before = document.path.read_bytes()
    arm = below(document, entity, "Body", "Arm")
    document.set_fields(arm, LocalTransform, translation=(0, 1, 0))
    document.delete([arm])
    document.settle()
    document.undo()
    document.undo()
    document.settle()
    assert not document.world.has(arm, InstanceNode)
    assert list(document.world.get(arm, LocalTransform).translation) == [0, 0, 0]
    document.save()
    assert document.path.read_bytes() == before


def test_a_changed_file_is_picked_up_without_losing_edits(document, tmp_path):
    document.save(tmp_path / "a.scene")
    path = write_prop(tmp_path / "models")
    entity = document.place(path)
    arm = below(document, entity, "Body", "Arm")
    document.set_fields(arm, LocalTransform, scale=(3, 3, 3))
    count = document.history.count
    nodes = gltf()["nodes"]
    nodes[1]["translation"] = [0, 5, 0]
    nodes[0]["children"] = [1, 2]
    nodes.append({"name": "Hat", "mesh": 0})
    path.write_text(json.dumps(gltf(nodes=nodes)))
    heard = []
    document.changed.connect(heard.append)
    assert document.reload_assets() == 1
    assert [c.realised for c in heard] == [(entity,)]
    transform = document.world.get(arm, LocalTransform)
    assert (list(transform.translation), list(transform.scale)) == ([0, 5, 0], [3, 3, 3])
    assert below(document, entity, "Body", "Hat")
    assert document.history.count == count
    document.undo()
    document.settle()
    transform = document.world.get(arm, LocalTransform)
    assert (list(transform.translation), list(transform.scale)) == ([0, 5, 0], [1, 1, 1])


def test_a_file_that_became_broken_keeps_what_is_shown(document, tmp_path):
    document.save(tmp_path / "a.scene")
    path = write_prop(tmp_path / "models")
    entity = document.place(path)
    path.write_text("{")
    document.reload_assets()
    assert below(document, entity, "Body", "Arm")
    assert [issue.entity for issue in document.issues()] == [entity]
    path.write_text(json.dumps(gltf()))
    document.reload_assets()
    assert document.issues() == []


def test_duplicating_an_instance_realises_the_copy(document, prop):
    entity = document.place(prop)
    arm = below(document, entity, "Body", "Arm")
    document.set_fields(arm, LocalTransform, scale=(2, 2, 2))
    [copy] = document.duplicate([entity])
    other = below(document, copy, "Body", "Arm")
    assert other != arm
    assert list(document.world.get(other, LocalTransform).scale) == [2, 2, 2]
    assert document.world.get(other, InstanceNode).root == copy
    assert len(children(document.world, copy)) == 1
    document.undo()
    document.settle()
    assert document.children() == [entity]
    document.redo()
    document.settle()
    assert below(document, copy, "Body", "Arm") == other


def test_a_copied_instance_holds_records_of_changed_nodes_only(document, prop):
    entity = document.place(prop)
    arm = below(document, entity, "Body", "Arm")
    document.set_fields(arm, LocalTransform, scale=(2, 2, 2))
    document.select([entity])
    copied = read_text(document.copy())
    links = [record.components[0].get("path").text for record in list(copied.entities)[1:]]
    assert links == ["Body/Arm"]


def test_an_instance_is_pasted_with_its_overrides(document, prop):
    entity = document.place(prop)
    arm = below(document, entity, "Body", "Arm")
    document.set_fields(arm, LocalTransform, scale=(2, 2, 2))
    document.spawn(Name("hat"), LocalTransform(), parent=arm)
    document.select([entity])
    [pasted] = document.paste(document.copy())
    other = below(document, pasted, "Body", "Arm")
    assert list(document.world.get(other, LocalTransform).scale) == [2, 2, 2]
    assert below(document, pasted, "Body", "Arm", "hat")
    document.undo()
    document.settle()
    assert document.children() == [entity]
    document.redo()
    document.settle()
    assert below(document, pasted, "Body", "Arm", "hat")


def test_deleting_an_instance_and_back(document, tmp_path, prop):
    document.save(tmp_path / "p" / "a.scene")
    entity = document.place(prop)
    arm = below(document, entity, "Body", "Arm")
    document.set_fields(arm, LocalTransform, scale=(2, 2, 2))
    hat = document.spawn(Name("hat"), parent=arm)
    document.save()
    before = document.path.read_bytes()
    document.delete([entity])
    document.settle()
    assert len(document.world) == 0
    document.undo()
    document.settle()
    assert document.children(arm) == [hat]
    assert below(document, entity, "Body", "Arm") == arm
    document.save()
    assert document.path.read_bytes() == before


def test_an_asset_may_be_swapped_and_back(document, tmp_path):
    document.save(tmp_path / "a.scene")
    write_prop(tmp_path / "m", "crate")
    write_prop(tmp_path / "m", "lamp", nodes=[{"name": "Post", "mesh": 0}])
    entity = document.place("m/crate.gltf")
    document.set_fields(entity, GltfInstance, asset="m/lamp.gltf")
    assert [document.label(e) for e in document.children(entity)] == ["Post"]
    document.undo()
    document.settle()
    assert below(document, entity, "Body", "Arm")


def test_a_selected_node_that_a_reload_takes_away_leaves_the_selection(document, tmp_path):
    document.save(tmp_path / "a.scene")
    path = write_prop(tmp_path / "models")
    entity = document.place(path)
    body = below(document, entity, "Body")
    document.select([entity, below(document, entity, "Body", "Arm")])
    heard = []
    document.selection_changed.connect(heard.append)
    path.write_text(json.dumps(gltf(nodes=[{"name": "Body", "mesh": 0}])))
    document.reload_assets()
    assert heard == [[entity]]
    assert document.children(body) == []
