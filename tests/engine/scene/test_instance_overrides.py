"""What the level says of single nodes of a prop, laid over what the asset says."""

import pytest

from engine.reflect import ComponentRecord, Entity, Field, Kind
from engine.scene import (
    Enabled,
    GltfInstance,
    InstanceNode,
    KeptRecords,
    LightSource,
    LocalTransform,
    MeshRenderer,
    Name,
    Parent,
    Realised,
    is_enabled,
)
from engine.scene.hierarchy import descendants, parent_of
from engine.scene.instances import find_node, node_path
from tests.engine.scene.instance_stage import ARM


def test_a_reload_keeps_the_fields_that_were_set_and_takes_the_others(stage):
    root = stage.place()
    arm = stage.node(root, "Body/Arm")
    stage.override(arm, "LocalTransform", scale=(Kind.FLOATS, [2, 2, 2]))
    assert stage.realiser.sync() == [root]
    moved = [dict(node) for node in ARM]
    moved[1]["translation"] = [5, 0, 0]
    stage.rewrite(moved)
    placed = stage.world.get(arm, LocalTransform)
    assert placed.translation.tolist() == [5, 0, 0]
    assert placed.scale.tolist() == [2, 2, 2]
    kept = stage.world.get(arm, KeptRecords).records[0][1]
    assert [f.name for f in kept.fields] == ["scale"]


def test_an_override_stays_when_the_base_comes_to_equal_it(stage):
    root = stage.place()
    arm = stage.node(root, "Body/Arm")
    stage.override(arm, "LocalTransform", translation=(Kind.FLOATS, [7, 0, 0]))
    for x in (7, 9):
        changed = [dict(node) for node in ARM]
        changed[1]["translation"] = [x, 0, 0]
        stage.rewrite(changed)
        assert stage.world.get(arm, LocalTransform).translation.tolist() == [7, 0, 0]


def test_taking_the_records_away_lets_the_node_inherit_again(stage):
    root = stage.place()
    arm = stage.node(root, "Body/Arm")
    stage.override(arm, "LocalTransform", translation=(Kind.FLOATS, [7, 0, 0]))
    stage.override(arm, "LightSource", intensity=(Kind.FLOAT, 3.0))
    stage.realiser.sync()
    assert stage.world.get(arm, LightSource).intensity == 3.0
    stage.world.remove(arm, KeptRecords)
    stage.world.remove(arm, InstanceNode)
    assert stage.realiser.sync() == [root]
    assert stage.world.get(arm, LocalTransform).translation.tolist() == [1, 0, 0]
    assert not stage.world.has(arm, LightSource)


def test_inherited_is_the_base_with_the_records_laid_over_it(stage):
    root = stage.place()
    arm = stage.node(root, "Body/Arm")
    stage.override(arm, "Name", text=(Kind.STRING, "Left arm"))
    values = {type(v): v for v in stage.realiser.inherited(arm)}
    assert values[Name] == Name("Left arm")
    assert values[LocalTransform].translation.tolist() == [1, 0, 0]
    assert MeshRenderer in values


def test_renaming_a_node_does_not_change_its_path(stage):
    root = stage.place()
    arm = stage.node(root, "Body/Arm")
    stage.override(arm, "Name", text=(Kind.STRING, "Left arm"))
    stage.realiser.sync()
    assert stage.world.get(arm, Name).text == "Left arm"
    assert node_path(stage.world, arm) == (root, "Body/Arm")


def test_unknown_records_are_kept_and_change_nothing(stage):
    root = stage.place()
    arm = stage.node(root, "Body/Arm")
    stage.override(arm, "acme.Loot", gold=(Kind.INT, 5))
    stage.realiser.sync()
    assert stage.world.get(arm, KeptRecords).find("acme.Loot") is not None
    assert stage.realiser.issues == {}


def test_a_record_of_the_wrong_kind_is_an_issue_and_leaves_the_base(stage):
    root = stage.place()
    arm = stage.node(root, "Body/Arm")
    stage.override(arm, "LocalTransform", translation=(Kind.STRING, "far"))
    stage.realiser.sync()
    assert "translation" in stage.realiser.issues[arm]
    assert stage.world.get(arm, LocalTransform).translation.tolist() == [1, 0, 0]


def test_an_entity_with_an_instance_node_is_the_realised_node(stage):
    world = stage.world
    root = world.spawn(Name("prop"), GltfInstance("arm.gltf"))
    record = ComponentRecord("LocalTransform", [Field.of("translation", Kind.FLOATS, [0, 9, 0])])
    node = world.spawn(InstanceNode(root, "Body/Arm"), KeptRecords([(1, record)]))
    stage.realiser.settle()
    assert stage.node(root, "Body/Arm") == node
    assert parent_of(world, node) == stage.node(root, "Body")
    assert world.get(node, LocalTransform).translation.tolist() == [0, 9, 0]
    assert world.has(node, Realised)
    assert world.has(node, MeshRenderer)


def test_of_two_records_for_one_node_the_first_counts_and_both_stay(stage):
    world = stage.world
    root = world.spawn(GltfInstance("arm.gltf"))
    first = world.spawn(InstanceNode(root, "Body/Arm"))
    second = world.spawn(InstanceNode(root, "Body/Arm"))
    stage.realiser.settle()
    assert stage.node(root, "Body/Arm") == first
    assert parent_of(world, second) == root
    assert world.has(second, Name)
    assert second in stage.realiser.issues
    tick = world.tick
    assert stage.realiser.sync() == []
    assert world.tick == tick


@pytest.mark.parametrize("target", ["itself", "nobody", "another", "a node"])
def test_a_record_whose_root_is_no_instance_hangs_nowhere_and_harms_nobody(stage, target):
    world = stage.world
    root = stage.place()
    plain = world.spawn(Name("plain"))
    lost = world.spawn(InstanceNode(Entity.null(), "Body"))
    roots = {"itself": lost, "nobody": Entity.null(), "another": plain}
    world.set(lost, InstanceNode(roots.get(target, stage.node(root, "Body")), "Body"))
    for _ in range(2):
        stage.realiser.settle()
    assert world.alive(lost)
    assert find_node(world, root, "Body") != lost


def test_a_removed_node_is_off_with_all_below_it(stage):
    root = stage.place()
    arm = stage.node(root, "Body/Arm[2]")
    stage.world.add(arm, InstanceNode(root, "Body/Arm[2]", removed=True))
    stage.realiser.sync()
    assert not is_enabled(stage.world, stage.node(root, "Body/Arm[2]/#3"))
    assert is_enabled(stage.world, stage.node(root, "Body/Arm"))
    stage.world.add(arm, InstanceNode(root, "Body/Arm[2]"))
    stage.realiser.sync()
    assert not stage.world.has(arm, Enabled)


def test_removed_components_are_left_out_until_they_come_back(stage):
    root = stage.place()
    arm = stage.node(root, "Body/Arm")
    link = InstanceNode(root, "Body/Arm", removed_components="MeshRenderer,LocalTransform")
    stage.world.add(arm, link)
    # What says what a node is cannot be removed by a file.
    stage.realiser.sync()
    assert not stage.world.has(arm, LocalTransform)
    assert not stage.world.has(arm, MeshRenderer)
    stage.world.add(arm, InstanceNode(root, "Body/Arm", removed_components="Realised,Parent"))
    stage.realiser.sync()
    assert stage.world.has(arm, LocalTransform)
    assert stage.world.has(arm, Parent)
    assert stage.world.has(arm, Realised)


def test_a_changed_node_of_what_is_no_instance_is_parked(stage):
    plain = stage.world.spawn(Name("plain"), LocalTransform())
    node = stage.world.spawn(InstanceNode(plain, "Body/Arm"))
    lost = stage.world.spawn(InstanceNode(Entity.null(), "Leg"))
    stage.realiser.sync()
    assert descendants(stage.world, plain) == [node]
    assert [stage.world.get(e, Name).text for e in (node, lost)] == ["Arm", "Leg"]


def test_a_variant_that_the_asset_drops_is_kept_and_told_of(stage):
    offers = {"KHR_materials_variants": {"variants": [{"name": "worn"}]}}
    more = {"extensionsUsed": ["KHR_materials_variants"], "extensions": offers}
    stage.rewrite(ARM, **more)
    root = stage.place(variant="worn")
    assert root not in stage.realiser.issues
    stage.rewrite(ARM)
    assert "arm.gltf has no variant 'worn'" in stage.realiser.issues[root]
    assert stage.world.get(root, GltfInstance).variant == "worn"
    stage.rewrite(ARM, **more)
    assert root not in stage.realiser.issues
    stage.world.set(root, GltfInstance("arm.gltf", variant="new"))
    stage.realiser.sync()
    assert "'new'" in stage.realiser.issues[root]
    stage.world.set(root, GltfInstance("arm.gltf"))
    stage.realiser.sync()
    assert root not in stage.realiser.issues
