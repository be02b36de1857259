"""The realiser: what a placed prop stands for in the world, and what survives a change on disk."""

import pytest

from engine.errors import SceneError
from engine.reflect import Entity, Kind
from engine.scene import (
    GltfInstance,
    InstanceNode,
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
    propagate_transforms,
)
from engine.scene.hierarchy import descendants
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


def test_siblings_stand_as_in_the_asset_whichever_entity_they_are(stage):
    world = stage.world
    root = world.spawn(GltfInstance("arm.gltf"))
    second = world.spawn(InstanceNode(root, "Body/Arm[2]"))
    stage.realiser.settle()
    added = world.spawn(Name("lamp"), Parent(stage.node(root, "Body")))
    first = stage.node(root, "Body/Arm")
    assert children(world, stage.node(root, "Body")) == [first, second, added]


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
