"""Whose change wins where, of levels in levels."""

import json

from engine.scene import (
    GltfInstance,
    InstanceNode,
    LightSource,
    LocalTransform,
    Name,
    Parent,
    children,
    is_enabled,
)
from engine.scene.instances import find_node
from tests.engine.scene.instance_stage import ARM, write_asset
from tests.engine.scene.level_stage import ARM_PATH, HOUSE, SHELF


def test_the_changes_of_every_level_lie_over_those_of_the_levels_inside(project):
    project.write(
        "house",
        HOUSE + f'entity 1\n  InstanceNode root=#0 path="{ARM_PATH}"\n'
        "  LocalTransform rotation=[0.0,1.0,0.0,0.0]\n",
    )
    root = project.open()
    arm = project.app.world.get(project.node(root, ARM_PATH), LocalTransform)
    assert arm.translation.tolist() == [0, 5, 0]
    assert arm.scale.tolist() == [2, 2, 2]
    assert arm.rotation.tolist() == [0, 1, 0, 0]


def test_a_change_further_out_wins_over_one_further_in(project):
    project.write(
        "house",
        HOUSE + f'entity 1\n  InstanceNode root=#0 path="{ARM_PATH}"\n'
        "  LocalTransform scale=[7.0,7.0,7.0]\n",
    )
    root = project.open()
    arm = project.node(root, ARM_PATH)
    assert project.app.world.get(arm, LocalTransform).scale.tolist() == [7, 7, 7]
    inherited = {type(v): v for v in project.app.realiser.inherited(arm)}
    assert inherited[LocalTransform].scale.tolist() == [7, 7, 7]
    project.app.world.remove(arm, InstanceNode)
    project.app.settle()
    assert project.app.world.get(arm, LocalTransform).scale.tolist() == [2, 2, 2]


def test_what_hangs_under_a_node_inside_follows_that_node(project):
    root = project.open()
    lamp = project.node(root, "Room/\\@Lamp")
    world = project.app.world
    assert world.get(lamp, Parent).entity == project.node(root, ARM_PATH)
    write_asset(project.folder / "arm.gltf", [{"name": "Body", "mesh": 0}])
    project.app.assets.check_for_changes(force=True)
    project.app.settle()
    assert world.get(lamp, Parent).entity == project.node(root, "Room")
    write_asset(project.folder / "arm.gltf", ARM)
    project.app.assets.check_for_changes(force=True)
    project.app.settle()
    assert world.get(lamp, Parent).entity == project.node(root, ARM_PATH)
    assert world.get(lamp, LightSource).intensity == 3


def test_what_a_level_hangs_under_a_prop_never_meets_a_node_of_the_same_name(project):
    root = project.open()
    book = project.node(root, "Room/Shelf/\\+Book")
    write_asset(project.folder / "arm.gltf", [{"name": "Book", "mesh": 0}])
    project.app.assets.check_for_changes(force=True)
    project.app.settle()
    node = project.node(root, "Room/Shelf/Book")
    assert node != book
    assert project.node(root, "Room/Shelf/\\+Book") == book
    shelf = project.node(root, "Room/Shelf")
    assert children(project.app.world, shelf) == [node, book]


def test_a_placed_level_that_changes_keeps_the_overrides_and_the_entities(project):
    project.write(
        "house",
        HOUSE + 'entity 1\n  InstanceNode root=#0 path="Room/Shelf"\n  Name text="Mine"\n',
    )
    root = project.open()
    world = project.app.world
    shelf, body = (project.node(root, p) for p in ("Room/Shelf", "Room/Shelf/Body"))
    project.rewrite("shelf", SHELF.replace("[1.0,0.0,0.0]", "[4.0,0.0,0.0]"))
    assert project.node(root, "Room/Shelf") == shelf
    assert project.node(root, "Room/Shelf/Body") == body
    assert world.get(shelf, LocalTransform).translation.tolist() == [4, 0, 0]
    assert world.get(shelf, Name).text == "Mine"


def test_what_a_level_inside_drops_goes_and_a_change_of_it_is_parked(project):
    project.write(
        "house",
        HOUSE + f'entity 1\n  InstanceNode root=#0 path="{ARM_PATH}"\n'
        "  LocalTransform scale=[7.0,7.0,7.0]\n",
    )
    root = project.open()
    world = project.app.world
    arm, body = project.node(root, ARM_PATH), project.node(root, "Room/Shelf/Body")
    project.rewrite("shelf", "cinder-scene 2\n")
    assert not world.alive(body)
    assert world.alive(arm)
    assert world.get(arm, Parent).entity == root
    assert project.app.realiser.parked(root) == {arm: ARM_PATH}
    assert ARM_PATH in project.app.realiser.issues[arm]
    project.rewrite("shelf", SHELF)
    assert project.node(root, ARM_PATH) == arm
    assert world.get(arm, Parent).entity == project.node(root, "Room/Shelf/Body")
    assert world.get(arm, LocalTransform).scale.tolist() == [7, 7, 7]
    assert project.app.realiser.issues == {}
    assert project.app.realiser.parked(root) == {}


def test_a_change_follows_what_was_moved_in_the_level_inside(project):
    project.write(
        "house",
        HOUSE + f'entity 1\n  InstanceNode root=#0 path="{ARM_PATH}"\n'
        "  LocalTransform scale=[7.0,7.0,7.0]\n",
    )
    root = project.open()
    arm = project.node(root, ARM_PATH)
    grouped = SHELF.replace('text="Shelf"\n', 'text="Shelf"\n  Parent entity=#6\n')
    project.rewrite("shelf", grouped + 'entity 6\n  Name text="Group"\n')
    assert project.app.world.get(arm, Parent).entity == project.node(root, "Room/Group/Shelf/Body")
    assert project.app.world.get(arm, LocalTransform).scale.tolist() == [7, 7, 7]


def test_settings_of_a_prop_inside_can_be_overridden(project):
    write_asset(project.folder / "cube.gltf", [{"name": "Cube", "mesh": 0}])
    project.write(
        "house",
        HOUSE + 'entity 1\n  InstanceNode root=#0 path="Room/Shelf"\n'
        '  GltfInstance asset="cube.gltf"\n',
    )
    root = project.open()
    assert project.node(root, "Room/Shelf/Cube")
    assert not find_node(project.app.world, root, "Room/Shelf/Body")
    assert project.node(root, "Room/Shelf/\\+Book")


def test_a_removed_prop_inside_is_off_with_its_nodes(project):
    project.write("house", HOUSE + 'entity 1\n  InstanceNode root=#0 path="Room" removed=true\n')
    root = project.open()
    assert not is_enabled(project.app.world, project.node(root, "Room/Shelf/Body"))


def test_a_name_and_a_path_that_go_nowhere_are_kept(project):
    text = HOUSE + 'entity 1\n  InstanceNode root=#0 path="Room/None"\n  acme.Loot gold=3\n'
    project.write("house", text)
    root = project.open()
    assert list(project.app.realiser.parked(root).values()) == ["Room/None"]
    assert project.text() == text
    assert json.loads((project.folder / "project.json").read_text()) == {}


def test_a_node_of_a_level_can_be_told_to_show_something_else_but_not_become_an_instance(project):
    project.write(
        "house",
        HOUSE + 'entity 1\n  InstanceNode root=#0 path="Room/Eye"\n'
        '  GltfInstance asset="arm.gltf"\n',
    )
    root = project.open()
    eye = project.node(root, "Room/Eye")
    assert not project.app.world.has(eye, GltfInstance)
    assert "can't become an instance" in project.app.realiser.issues[eye]


def test_a_node_held_by_a_child_is_found_by_its_name_when_its_prop_is_another_one(project):
    root = project.open()
    world = project.app.world
    arm = project.node(root, ARM_PATH)
    hat = world.spawn(Name("hat"), Parent(arm))
    nodes = [{"name": "Top", "children": [1]}, {"name": "Arm", "mesh": 0}]
    write_asset(project.folder / "arm.gltf", nodes)
    project.app.assets.check_for_changes(force=True)
    project.app.settle()
    assert project.node(root, "Room/Shelf/Top/Arm") == arm
    assert world.get(hat, Parent).entity == arm
    assert project.app.realiser.parked(root) == {}
