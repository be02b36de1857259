"""Nodes that are gone from their asset: what the level keeps of them, and what becomes of it."""

import pytest

from engine.reflect import ComponentRecord, Entity, Field, Kind, SceneComponent, component
from engine.scene import (
    GltfInstance,
    InstanceNode,
    KeptRecords,
    LocalTransform,
    MeshRenderer,
    Name,
    Parent,
    Placeholder,
    Realised,
    children,
)
from engine.scene.hierarchy import descendants, parent_of
from engine.scene.instances import find_node, node_path
from tests.engine.scene.instance_stage import ARM


def test_what_people_hang_under_a_node_survives_a_reload(stage):
    root = stage.place()
    lamp = stage.world.spawn(Name("lamp"), Parent(stage.node(root, "Body/Arm")))
    stage.rewrite(ARM)
    assert parent_of(stage.world, lamp) == stage.node(root, "Body/Arm")


def test_a_node_that_is_gone_goes_but_not_what_the_level_keeps_there(stage):
    root = stage.place()
    plain, changed, host = (
        stage.node(root, path) for path in ("Body/Arm[2]/#3", "Body/Arm[2]", "Body/Arm")
    )
    stage.override(changed, "LocalTransform", translation=(Kind.FLOATS, [0, 0, 4]))
    lamp = stage.world.spawn(Name("lamp"), Parent(host))
    stage.realiser.sync()
    stage.rewrite([{"name": "Body", "mesh": 0}])
    assert not stage.world.alive(plain)
    for parked, path in ((changed, "Body/Arm[2]"), (host, "Body/Arm")):
        assert parent_of(stage.world, parked) == root
        assert stage.node(root, path) == parked
        assert path in stage.realiser.issues[parked]
        assert not stage.world.has(parked, MeshRenderer)
    assert parent_of(stage.world, lamp) == host
    assert stage.world.get(changed, LocalTransform).translation.tolist() == [0, 0, 4]


@component(id=930, name="SignLink")
class SignLink(SceneComponent):
    target: Entity = Entity.null()


@pytest.mark.parametrize("kept", [False, True])
def test_a_node_that_is_gone_stays_for_what_refers_to_it(stage, kept):
    root = stage.place()
    arm = stage.node(root, "Body/Arm")
    if kept:
        record = ComponentRecord("acme.Link", [Field.of("to", Kind.ENTITY, arm)])
        stage.world.spawn(Name("sign"), KeptRecords([(1, record)]))
    else:
        stage.world.spawn(Name("sign"), SignLink(arm))
    stage.rewrite([{"name": "Body", "mesh": 0}])
    assert stage.node(root, "Body/Arm") == arm
    assert stage.world.get(arm, InstanceNode) == InstanceNode(root, "Body/Arm")
    stage.rewrite(ARM)
    assert parent_of(stage.world, arm) == stage.node(root, "Body")


def test_a_parked_override_is_applied_again_when_the_node_is_back(stage):
    root = stage.place()
    arm = stage.node(root, "Body/Arm[2]")
    stage.override(arm, "LocalTransform", scale=(Kind.FLOATS, [3, 3, 3]))
    stage.realiser.sync()
    stage.rewrite([{"name": "Body", "mesh": 0}])
    stage.rewrite(ARM)
    assert stage.node(root, "Body/Arm[2]") == arm
    assert parent_of(stage.world, arm) == stage.node(root, "Body")
    placed = stage.world.get(arm, LocalTransform)
    assert placed.translation.tolist() == [-1, 0, 0]
    assert placed.scale.tolist() == [3, 3, 3]
    assert arm not in stage.realiser.issues


def test_a_parked_entity_without_overrides_is_no_node_of_an_asset_that_has_it_again(stage):
    root = stage.place()
    arm = stage.node(root, "Body/Arm[2]")
    stage.override(arm, "LocalTransform", scale=(Kind.FLOATS, [3, 3, 3]))
    stage.realiser.sync()
    stage.rewrite([{"name": "Body", "mesh": 0}])
    stage.world.remove(arm, KeptRecords)
    stage.world.remove(arm, InstanceNode)
    stage.rewrite(ARM)
    assert not stage.world.alive(arm)
    nodes = [e for e in descendants(stage.world, root) if stage.world.has(e, Realised)]
    assert sorted(node_path(stage.world, e)[1] for e in nodes) == [
        "Body",
        "Body/Arm",
        "Body/Arm[2]",
        "Body/Arm[2]/#3",
    ]


@pytest.mark.parametrize("is_held", [False, True])
def test_a_parked_entity_goes_with_its_last_override_unless_something_holds_it(stage, is_held):
    root = stage.place()
    arm = stage.node(root, "Body/Arm[2]")
    stage.override(arm, "LocalTransform", scale=(Kind.FLOATS, [3, 3, 3]))
    stage.realiser.sync()
    stage.rewrite([{"name": "Body", "mesh": 0}])
    if is_held:
        stage.world.spawn(Name("lamp"), Parent(arm))
    stage.world.remove(arm, KeptRecords)
    stage.world.remove(arm, InstanceNode)
    assert root in stage.realiser.sync()
    assert stage.world.alive(arm) is is_held
    assert find_node(stage.world, root, "Body/Arm[2]") == (arm if is_held else Entity.null())
    if is_held:
        assert stage.world.get(arm, LocalTransform).scale.tolist() == [1, 1, 1]
    assert (arm in stage.realiser.issues) is is_held


def test_an_override_finds_its_node_by_name_when_the_path_changed(stage):
    root = stage.place()
    body = stage.node(root, "Body")
    stage.override(body, "LocalTransform", scale=(Kind.FLOATS, [3, 3, 3]))
    stage.realiser.sync()
    stage.rewrite([{"name": "Top", "children": [1]}, {"name": "Body", "mesh": 0}])
    assert parent_of(stage.world, body) == stage.node(root, "Top")
    assert stage.world.get(body, LocalTransform).scale.tolist() == [3, 3, 3]
    assert stage.world.get(body, InstanceNode).path == "Body"
    assert stage.node(root, "Body") == body


def test_a_missing_asset_is_a_box_and_keeps_every_record(stage):
    world = stage.world
    root = world.spawn(Name("prop"), LocalTransform(), GltfInstance("gone.glb"))
    record = ComponentRecord("LocalTransform", [Field.of("scale", Kind.FLOATS, [2, 2, 2])])
    node = world.spawn(InstanceNode(root, "Body/Arm"), KeptRecords([(3, record)]))
    lamp = world.spawn(Name("lamp"), Parent(node))
    stage.realiser.settle()
    boxes = [e for e in children(world, root) if world.has(e, Placeholder)]
    assert len(boxes) == 1
    assert world.has(boxes[0], MeshRenderer)
    assert world.has(boxes[0], Realised)
    assert "gone.glb" in stage.realiser.issues[root]
    assert world.get(node, KeptRecords).records == [(3, record)]
    assert parent_of(world, node) == root
    assert parent_of(world, lamp) == node
    assert node_path(world, node) == (root, "Body/Arm")
