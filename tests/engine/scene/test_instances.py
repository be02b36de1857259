"""The realiser: what a placed prop stands for in the world, and what survives a change on disk."""

import pytest

from engine.errors import SceneError
from engine.reflect import ComponentRecord, Entity, Field, Kind, SceneComponent, component
from engine.scene import (
    Enabled,
    GltfInstance,
    InstanceNode,
    KeptRecords,
    LightSource,
    LocalTransform,
    MeshRenderer,
    Name,
    Order,
    Parent,
    Placeholder,
    Realised,
    WorldTransform,
    children,
    clone_recursive,
    despawn_recursive,
    is_enabled,
    propagate_transforms,
)
from engine.scene.hierarchy import descendants, parent_of
from engine.scene.instances import find_node, node_path
from tests.engine.scene.instance_stage import ARM, write_asset


def test_an_instance_gets_its_nodes_as_children_that_are_realised(stage):
    root = stage.place()
    body = stage.node(root, "Body")
    assert children(stage.world, root) == [body]
    assert all(stage.world.has(e, Realised) for e in descendants(stage.world, root))
    assert not stage.world.has(root, Realised)
    assert stage.realiser.issues == {}


def test_paths_number_equal_names_and_give_unnamed_nodes_their_index(stage):
    root = stage.place()
    paths = {node_path(stage.world, e)[1] for e in descendants(stage.world, root)}
    assert paths == {"Body", "Body/Arm", "Body/Arm[2]", "Body/Arm[2]/#3"}
    for path in paths:
        assert node_path(stage.world, stage.node(root, path)) == (root, path)


def test_a_slash_or_backslash_in_a_name_is_escaped(stage):
    write_asset(stage.folder / "odd.gltf", [{"name": "a/b\\c", "children": [1]}, {"name": "d"}])
    root = stage.place("odd.gltf")
    assert stage.node(root, "a\\/b\\\\c/d")
    assert not find_node(stage.world, root, "a/b\\c/d")


def test_what_is_no_node_has_no_path(stage):
    root = stage.place()
    with pytest.raises(SceneError):
        node_path(stage.world, root)
    assert find_node(stage.world, root, "Body/Leg") == Entity.null()


def test_sync_reports_a_root_once_and_then_does_nothing(stage):
    root = stage.world.spawn(GltfInstance("arm.gltf"))
    assert stage.realiser.settle() == [root]
    tick = stage.world.tick
    assert stage.realiser.sync() == []
    assert stage.world.tick == tick


def test_handles_of_nodes_survive_a_reload(stage):
    root = stage.place()
    before = {path: stage.node(root, path) for path in ("Body", "Body/Arm", "Body/Arm[2]")}
    moved = [dict(node) for node in ARM]
    moved[1]["translation"] = [5, 0, 0]
    assert stage.rewrite(moved) == [root]
    assert {path: stage.node(root, path) for path in before} == before
    arm = stage.world.get(before["Body/Arm"], LocalTransform)
    assert arm.translation.tolist() == [5, 0, 0]


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


def test_siblings_stand_as_in_the_asset_whichever_entity_they_are(stage):
    world = stage.world
    root = world.spawn(GltfInstance("arm.gltf"))
    second = world.spawn(InstanceNode(root, "Body/Arm[2]"))
    stage.realiser.settle()
    added = world.spawn(Name("lamp"), Parent(stage.node(root, "Body")))
    first = stage.node(root, "Body/Arm")
    assert children(world, stage.node(root, "Body")) == [first, second, added]


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


def test_the_box_gives_way_when_the_asset_appears(stage):
    root = stage.place("later.gltf")
    write_asset(stage.folder / "later.gltf", ARM)
    stage.library.check_for_changes()
    assert stage.realiser.settle() == [root]
    assert [stage.world.get(e, Name).text for e in children(stage.world, root)] == ["Body"]
    assert stage.realiser.issues == {}


def test_a_broken_asset_says_why(stage):
    (stage.folder / "broken.gltf").write_text("{")
    root = stage.place("broken.gltf")
    assert "broken.gltf" in stage.realiser.issues[root]
    assert any(stage.world.has(e, Placeholder) for e in children(stage.world, root))


def test_an_asset_that_breaks_on_disk_stays_as_it_was(stage):
    root = stage.place()
    body = stage.node(root, "Body")
    (stage.folder / "arm.gltf").write_text('{"asset"')
    stage.library.check_for_changes()
    stage.realiser.settle()
    assert stage.world.alive(body)
    assert root in stage.realiser.issues
    stage.rewrite(ARM)
    assert stage.realiser.issues == {}


@pytest.mark.parametrize("path", ["", "../arm.gltf", "/etc/passwd", "a\0b", "nul/../../x.glb"])
def test_a_path_that_leaves_the_project_is_refused(stage, path):
    root = stage.place(path)
    assert root in stage.realiser.issues
    assert any(stage.world.has(e, Placeholder) for e in children(stage.world, root))


def test_changing_the_asset_or_a_switch_realises_again(stage):
    root = stage.place()
    write_asset(stage.folder / "other.gltf", [{"name": "Cube", "mesh": 0}])
    stage.world.set(root, GltfInstance("other.gltf", cast_shadows=False))
    stage.realiser.settle()
    names = [stage.world.get(e, Name).text for e in descendants(stage.world, root)]
    assert names == ["Cube"]
    assert not stage.world.get(stage.node(root, "Cube"), MeshRenderer).cast_shadows


def test_removing_the_component_takes_the_nodes_away(stage):
    root = stage.place()
    lamp = stage.world.spawn(Name("lamp"), Parent(root))
    stage.world.remove(root, GltfInstance)
    stage.realiser.sync()
    assert descendants(stage.world, root) == [lamp]


def test_nodes_of_a_root_that_died_alone_go_too(stage):
    root = stage.place()
    stage.world.despawn(root)
    stage.realiser.sync()
    assert len(stage.world) == 0


def test_a_deleted_instance_that_is_restored_is_the_same_entities(stage):
    root = stage.place()
    world = stage.world
    members = [root, *descendants(world, root)]
    stored = [(e, world.values(e)) for e in members]
    for entity in reversed(members):
        world.despawn(entity, reserve=True)
    stage.realiser.sync()
    for entity, values in stored:
        world.restore(entity, *values)
    stage.realiser.sync()
    assert [root, *descendants(world, root)] == members
    assert stage.node(root, "Body/Arm[2]/#3") == members[-1]


def test_a_clone_of_an_instance_is_an_instance_with_its_own_nodes(stage):
    root = stage.place()
    stage.override(stage.node(root, "Body"), "Name", text=(Kind.STRING, "mine"))
    stage.realiser.sync()
    copy = clone_recursive(stage.world, root)
    count = len(stage.world)
    stage.realiser.sync()
    assert len(stage.world) == count
    body = stage.node(copy, "Body")
    assert body != stage.node(root, "Body")
    assert stage.world.get(body, InstanceNode).root == copy
    assert stage.world.get(body, Name).text == "mine"


def test_two_instances_share_one_import(stage):
    first, second = stage.place(), stage.place()
    assert len(stage.library.entries()) == 1
    assert stage.node(first, "Body") != stage.node(second, "Body")


def test_nodes_stand_where_the_asset_says_below_the_root(stage):
    root = stage.place()
    stage.world.set(root, LocalTransform((10, 0, 0), scale=(2, 2, 2)))
    propagate_transforms(stage.world)
    arm = stage.world.get(stage.node(root, "Body/Arm"), WorldTransform)
    assert arm.matrix[:3, 3].tolist() == [12, 0, 0]


def test_despawning_the_branch_leaves_nothing_behind(stage):
    root = stage.place()
    despawn_recursive(stage.world, root)
    assert stage.realiser.sync() == []
    assert len(stage.world) == 0
    assert stage.realiser.issues == {}


def test_realised_nodes_stand_before_what_people_add(stage):
    root = stage.place()
    lamp = stage.world.spawn(Name("lamp"), Parent(root))
    assert children(stage.world, root)[-1] == lamp
    assert stage.world.get(stage.node(root, "Body"), Order).rank < 0


def test_a_changed_node_of_what_is_no_instance_is_parked(stage):
    plain = stage.world.spawn(Name("plain"), LocalTransform())
    node = stage.world.spawn(InstanceNode(plain, "Body/Arm"))
    lost = stage.world.spawn(InstanceNode(Entity.null(), "Leg"))
    stage.realiser.sync()
    assert descendants(stage.world, plain) == [node]
    assert [stage.world.get(e, Name).text for e in (node, lost)] == ["Arm", "Leg"]
