"""Levels in levels: what becomes of their entities, and whose change wins where."""

import json
from pathlib import Path

import pytest

from engine.app import App
from engine.errors import SceneError
from engine.reflect import Entity
from engine.scene import (
    CameraComponent,
    Environment,
    GltfInstance,
    InstanceNode,
    LightSource,
    LocalTransform,
    MeshRenderer,
    Name,
    Parent,
    Placeholder,
    Realised,
    SceneInstance,
    children,
    clone_recursive,
    is_enabled,
    propagate_transforms,
    world_to_scene,
)
from engine.scene.export import export_level
from engine.scene.hierarchy import descendants, world_matrix
from engine.scene.instances import find_node, node_path
from tests.engine.scene.instance_stage import ARM, write_asset

SHELF = """cinder-scene 2
entity 0
  Name text="Shelf"
  LocalTransform translation=[1.0,0.0,0.0]
  GltfInstance asset="arm.gltf"
entity 1
  InstanceNode root=#0 path="Body/Arm"
  LocalTransform translation=[0.0,5.0,0.0]
entity 2
  Name text="Lamp"
  Parent entity=#1
  LightSource intensity=3.0
entity 3
  Name text="Book"
  Parent entity=#0
  LocalTransform translation=[0.0,0.0,2.0]
entity 4
  Name text="Eye"
  CameraComponent active=true
  acme.Watch at=#1 what=#3
entity 5
  Name text="Look"
  Environment exposure=4.0
"""
ROOM = """cinder-scene 2
entity 0
  Name text="Room"
  LocalTransform translation=[0.0,0.0,10.0]
  SceneInstance level="shelf.scene"
entity 1
  InstanceNode root=#0 path="Shelf/Body/Arm"
  LocalTransform scale=[2.0,2.0,2.0]
"""
HOUSE = """cinder-scene 2
entity 0
  Name text="House"
  LocalTransform translation=[0.0,100.0,0.0]
  SceneInstance level="room.scene"
"""


class Project:
    """A folder of levels, and an app that has one of them open."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "project.json").write_text("{}")
        write_asset(folder / "arm.gltf", ARM)
        for name, text in (("shelf", SHELF), ("room", ROOM), ("house", HOUSE)):
            self.write(name, text)
        self.app = App(folder)

    def write(self, name: str, text: str) -> None:
        (self.folder / f"{name}.scene").write_text(text)

    def rewrite(self, name: str, text: str) -> None:
        self.write(name, text)
        self.app.levels.check_for_changes(force=True)
        self.app.settle()

    def open(self, name: str = "house") -> Entity:
        self.app.load(self.folder / f"{name}.scene")
        self.app.settle()
        return self.app.level_file.entity_at(0)

    def node(self, root: Entity, path: str) -> Entity:
        found = find_node(self.app.world, root, path)
        assert found, path
        return found

    def paths(self) -> set[str]:
        world = self.app.world
        return {node_path(world, e)[1] for e in world.entities() if world.has(e, Realised)}

    def text(self, name: str = "house") -> str:
        self.app.save()
        return (self.folder / f"{name}.scene").read_text()


@pytest.fixture
def project(tmp_path):
    made = Project(tmp_path)
    yield made
    made.app.close()


ARM_PATH = "Room/Shelf/Body/Arm"


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


def test_the_look_and_the_cameras_of_a_placed_level_stay_its_own(project):
    root = project.open()
    world = project.app.world
    assert not any(world.has(e, Environment) for e in world.entities())
    assert not world.get(project.node(root, "Room/Eye"), CameraComponent).active


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


@pytest.mark.parametrize("around", ["house", "room"])
def test_a_level_that_holds_itself_is_refused_and_says_by_which_way(project, around):
    looped = SHELF + f'entity 6\n  Name text="Loop"\n  SceneInstance level="{around}.scene"\n'
    project.write("shelf", looped)
    chain = {
        "house": "house.scene -> room.scene -> shelf.scene -> house.scene",
        "room": "room.scene -> shelf.scene -> room.scene",
    }[around]
    with pytest.raises(SceneError, match=chain):
        project.open()
    assert len(project.app.world) == 0
    project.app.load(project.folder / "house.scene", allow_loops=True)
    project.app.settle()
    root = project.app.level_file.entity_at(0)
    loop = project.node(root, "Room/Loop")
    assert chain in project.app.realiser.issues[loop]
    assert project.app.world.has(project.node(root, "Room/Loop/#placeholder"), Placeholder)
    with pytest.raises(SceneError, match=chain):
        project.app.save()


def test_a_loop_that_comes_while_the_level_is_open_is_cut(project):
    root = project.open()
    looped = SHELF + 'entity 6\n  Name text="Loop"\n  SceneInstance level="room.scene"\n'
    project.rewrite("shelf", looped)
    loop = project.node(root, "Room/Loop")
    assert "room.scene -> shelf.scene -> room.scene" in project.app.realiser.issues[loop]
    assert project.node(root, "Room/Shelf/Body")
    project.rewrite("shelf", SHELF)
    assert project.app.realiser.issues == {}


def test_saving_a_level_over_one_that_it_places_is_refused(project):
    project.open()
    before = (project.folder / "shelf.scene").read_bytes()
    with pytest.raises(SceneError, match=r"shelf\.scene -> room\.scene -> shelf\.scene"):
        project.app.save(project.folder / "shelf.scene")
    assert (project.folder / "shelf.scene").read_bytes() == before


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


def test_levels_in_levels_hundreds_deep_open(project):
    depth = 400
    for i in range(depth):
        inner = f'SceneInstance level="deep{i + 1}.scene"'
        project.write(f"deep{i}", f'cinder-scene 2\nentity 0\n  Name text="d"\n  {inner}\n')
    project.write(f"deep{depth}", 'cinder-scene 2\nentity 0\n  Name text="end"\n')
    root = project.open("deep0")
    path = "/".join(["d"] * (depth - 1) + ["end"])
    assert project.node(root, path)
    assert project.app.realiser.issues == {}


def holding(*levels):
    """Return a level that places levels."""
    placed = (
        f'entity {at}\n  LocalTransform\n  SceneInstance level="{level}.scene"\n'
        for at, level in enumerate(levels)
    )
    return "cinder-scene 2\n" + "".join(placed)


def test_levels_that_multiply_are_refused_with_how_many_they_come_to(project):
    for at in range(30):
        project.write(f"twice{at}", holding(f"twice{at + 1}", f"twice{at + 1}"))
    project.write("twice30", holding())
    project.write("house", holding("twice0"))
    root = project.open()
    assert "2,147,483,647 levels inside each other" in project.app.realiser.issues[root]
    assert len(project.app.world) < 10
    # What is wrong lies deep inside, and so does the mending.
    project.rewrite("twice2", holding())
    assert root not in project.app.realiser.issues
    assert len(project.paths()) == 6


def test_levels_that_are_too_deep_are_refused(project):
    for at in range(600):
        project.write(f"deep{at}", holding(f"deep{at + 1}"))
    project.write("deep600", holding())
    project.write("house", holding("deep0", "deep590"))
    root = project.open()
    assert "601 deep" in project.app.realiser.issues[root]
    assert len(project.paths()) < 15


def test_levels_with_too_many_entities_are_refused(project):
    entities = "".join(f"entity {at}\n  LocalTransform\n" for at in range(1000))
    project.write("many", "cinder-scene 2\n" + entities)
    project.write("row", holding(*["many"] * 300))
    project.write("house", holding("row"))
    root = project.open()
    assert "comes to 300,300 entities" in project.app.realiser.issues[root]


def test_levels_stop_where_all_together_are_too_many(project, monkeypatch):
    monkeypatch.setattr("engine.scene.instances._MOST_LEVELS", 3)
    project.write("one", SHELF)
    project.write("house", holding(*["one"] * 5))
    project.open()
    told = [text for text in project.app.realiser.issues.values() if "placed already" in text]
    assert len(told) == 2
