"""Levels in levels: what becomes of their entities."""

import pytest

from engine.scene import (
    CameraComponent,
    Environment,
    GltfInstance,
    MeshRenderer,
    Name,
    Parent,
    Placeholder,
    SceneInstance,
    children,
    clone_recursive,
    propagate_transforms,
    world_to_scene,
)
from engine.scene.export import export_level
from engine.scene.hierarchy import descendants, world_matrix
from engine.scene.instances import find_node
from tests.engine.scene.level_stage import ARM_PATH, HOUSE, ROOM


def test_a_level_stands_in_a_level_with_all_that_it_places(project):
    root = project.open()
    world = project.app.world
    assert project.paths() == {
        "Room",
        "Room/Shelf",
        "Room/Shelf/Body",
        "Room/Shelf/Body/Arm",
        "Room/Shelf/Body/Arm[2]",
        "Room/Shelf/Body/Arm[2]/#3",
        "Room/Shelf/\\+Book",
        "Room/\\@Lamp",
        "Room/Eye",
        "Room/Look",
    }
    body = project.node(root, "Room/Shelf/Body")
    assert world.has(body, MeshRenderer)
    propagate_transforms(world)
    assert world_matrix(world, body)[:3, 3].tolist() == [1, 100, 10]
    assert project.app.realiser.issues == {}


def test_nothing_of_a_placed_level_is_written(project):
    project.open()
    assert project.text() == HOUSE
    scene = world_to_scene(project.app.world, project.app.registry)
    assert len(scene.doc) == 1


def test_the_look_and_the_cameras_of_a_placed_level_stay_its_own(project):
    root = project.open()
    world = project.app.world
    assert not any(world.has(e, Environment) for e in world.entities())
    assert not world.get(project.node(root, "Room/Eye"), CameraComponent).active


@pytest.mark.parametrize("text", [None, "cinder-scene 99\n", "entity 0\n"])
def test_a_level_that_is_missing_or_broken_is_a_box_with_an_issue(project, text):
    if text is None:
        (project.folder / "room.scene").unlink()
    else:
        project.write("room", text)
    root = project.open()
    world = project.app.world
    assert [world.has(e, Placeholder) for e in children(world, root)] == [True]
    assert "room.scene" in project.app.realiser.issues[root]
    assert project.text() == HOUSE
    project.rewrite("room", ROOM)
    assert project.node(root, "Room/Shelf/Body")
    assert project.app.realiser.issues == {}


def test_a_level_that_breaks_on_disk_stays_as_it_was(project):
    root = project.open()
    body = project.node(root, "Room/Shelf/Body")
    project.rewrite("room", "cinder")
    assert project.app.world.alive(body)
    assert "room.scene" in project.app.realiser.issues[root]


def test_an_older_level_inside_is_upgraded_on_the_way(project):
    project.app.registry.add_migration(0, lambda doc: None)
    project.write("room", ROOM.replace("cinder-scene 2", "cinder-scene 1"))
    root = project.open()
    assert project.node(root, "Room/Shelf/Body")
    assert (project.folder / "room.scene").read_text().startswith("cinder-scene 1")


def test_a_copy_of_a_placed_level_is_one_with_its_own_nodes(project):
    root = project.open()
    world = project.app.world
    copy = clone_recursive(world, root)
    count = len(world)
    project.app.settle()
    assert len(world) == count
    assert project.node(copy, ARM_PATH) != project.node(root, ARM_PATH)


def test_a_placed_level_that_was_deleted_and_came_back_is_the_same_entities(project):
    root = project.open()
    world = project.app.world
    members = [root, *descendants(world, root)]
    stored = [(e, world.values(e)) for e in members]
    for entity in reversed(members):
        world.despawn(entity, reserve=True)
    project.app.settle()
    for entity, values in stored:
        world.restore(entity, *values)
    project.app.settle()
    assert [root, *descendants(world, root)] == members


def test_taking_the_component_away_takes_everything_below_away(project):
    root = project.open()
    project.app.world.remove(root, SceneInstance)
    project.app.settle()
    assert project.app.world.entities() == [root]


def test_a_reference_to_a_node_deep_inside_is_found_again(project):
    root = project.open()
    world = project.app.world
    world.spawn(Name("hat"), Parent(project.node(root, ARM_PATH)))
    saved = project.text()
    assert f'InstanceNode root=#0 path="{ARM_PATH}"' in saved
    root = project.open()
    hat = next(
        e
        for e in project.app.world.entities()
        if project.app.world.has(e, Name) and project.app.world.get(e, Name).text == "hat"
    )
    assert project.app.world.get(hat, Parent).entity == project.node(root, ARM_PATH)


def test_a_second_sync_does_nothing(project):
    project.open()
    tick = project.app.world.tick
    assert project.app.realiser.sync() == []
    assert project.app.world.tick == tick


def test_instances_inside_share_one_import_and_are_exported(project):
    project.write("house", HOUSE + HOUSE.split("\n", 1)[1].replace("entity 0", "entity 1"))
    project.open()
    assert [e.path for e in project.app.assets.entries()] == ["arm.gltf"]
    export = export_level(project.app.world, project.app.assets)
    names = [node.name for node in export.asset.nodes]
    assert names.count("Body") == 2
    assert export.warnings == []
    drawn = [node for node in export.asset.nodes if node.mesh is not None]
    assert len(drawn) == 6


def test_of_a_prop_and_a_level_on_one_entity_the_prop_is_shown_and_an_issue_says_so(project):
    root = project.open()
    project.app.world.add(root, GltfInstance("arm.gltf"))
    project.app.settle()
    assert project.node(root, "Body")
    assert not find_node(project.app.world, root, "Room")
    assert "only arm.gltf is shown" in project.app.realiser.issues[root]
    project.app.world.remove(root, GltfInstance)
    project.app.settle()
    assert project.node(root, "Room/Shelf/Body")
    assert project.app.realiser.issues == {}
