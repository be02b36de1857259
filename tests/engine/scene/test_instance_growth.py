"""Instances that are made many at once stand as each would that is made node by node."""

import pytest

from engine.app import App
from engine.ecs import QuerySpec
from engine.reflect import Entity, Kind, to_record
from engine.scene import (
    InstanceNode,
    KeptRecords,
    LightSource,
    LocalTransform,
    MeshRenderer,
    Name,
    Parent,
    Realised,
    SceneInstance,
    WorldTransform,
    children,
    is_enabled,
)
from engine.scene.instance_growth import InstanceGrowth
from engine.scene.instance_nodes import find_node
from engine.scene.node_paths import NodePaths
from tests.engine.scene.instance_stage import ARM, write_asset
from tests.engine.scene.level_stage import ROOM, SHELF, Project

COUNT = 12
_DRAWN = QuerySpec(MeshRenderer)
OVERRIDE = """entity {at}
  InstanceNode root=#{root} path="Room/Shelf/Body/Arm"
  LocalTransform translation=[0.0,{at}.0,0.0]
"""
# What the shelf becomes: other values, a step more, one less, another order, other components.
SHELVES = {
    "same": SHELF,
    "moved": SHELF.replace("[1.0,0.0,0.0]", "[4.0,0.0,0.0]"),
    "changed inside": SHELF.replace("[0.0,5.0,0.0]", "[0.0,6.0,0.0]"),
    "more": SHELF + 'entity 6\n  Name text="Cup"\n  Parent entity=#0\n',
    "first": SHELF.replace('text="Eye"', 'text="Aye"') + 'entity 6\n  Name text="Eye"\n',
    "less": SHELF.replace('entity 3\n  Name text="Book"\n  Parent entity=#0\n', "entity 3\n"),
    "renamed": SHELF.replace('"Lamp"', '"Light"'),
    "other components": SHELF.replace("  LightSource intensity=3.0\n", ""),
    "empty": "cinder-scene 2\n",
    "no prop": SHELF.replace('  GltfInstance asset="arm.gltf"\n', ""),
}


def street(*, is_changed: bool) -> str:
    """Many rooms, in some of which the open level changes a node."""
    text = "cinder-scene 2\n"
    for at in range(COUNT):
        text += f'entity {at}\n  Name text="House {at}"\n  SceneInstance level="room.scene"\n'
    if is_changed:
        for i, root in enumerate((2, 7)):
            text += OVERRIDE.format(at=COUNT + i, root=root)
    return text


def shown(app: App) -> dict[tuple[int, str], dict[str, object]]:
    """Return what stands under every root by path, with paths for handles."""
    world, found = app.world, {}
    roots = [app.level_file.entity_at(at) for at in range(COUNT)]
    for i, root in enumerate(roots):
        for node in NodePaths.of(world).below(root):
            if world.alive(node):
                above, path = NodePaths.of(world).place(node)
                assert above == root
                found[i, path] = {
                    type(value).__name__: said(app, value)
                    for value in world.values(node)
                    if not isinstance(value, WorldTransform)
                }
    return found


def said(app: App, value: object) -> list[tuple[str, str]]:
    fields = to_record(value).fields
    return [(f.name, place_of(app, f) if f.kind is Kind.ENTITY else str(f.value)) for f in fields]


def place_of(app: App, item) -> str:
    place = NodePaths.of(app.world).place(Entity(item.integer))
    return str(place[1] if place else app.level_file.index_of(Entity(item.integer)))


def alone(monkeypatch) -> None:
    """Have every node made by itself."""
    monkeypatch.setattr(InstanceGrowth, "_is_bare", lambda *_: False)
    monkeypatch.setattr(InstanceGrowth, "_way_on", lambda *_: None)


@pytest.fixture
def project(tmp_path):
    return Project(tmp_path)


def opened(project, *, is_changed: bool) -> App:
    project.write("room", ROOM)
    project.write("shelf", SHELF)
    project.write("house", street(is_changed=is_changed))
    project.app = App(project.folder)
    project.open()
    return project.app


@pytest.mark.parametrize("is_changed", [False, True])
def test_they_stand_as_if_made_node_by_node(project, monkeypatch, is_changed):
    together = shown(opened(project, is_changed=is_changed))
    alone(monkeypatch)
    assert len(together) >= 10 * COUNT
    assert together == shown(opened(project, is_changed=is_changed))


@pytest.mark.parametrize("is_changed", [False, True])
@pytest.mark.parametrize("kind", SHELVES)
def test_they_follow_a_file_as_if_made_node_by_node(project, monkeypatch, kind, is_changed):
    found = []
    for is_alone in (False, True):
        if is_alone:
            alone(monkeypatch)
        app = opened(project, is_changed=is_changed)
        before = {key: find_node(app.world, root_of(app, key), key[1]) for key in shown(app)}
        project.write("shelf", SHELVES[kind])
        app.check_for_changes(force=True)
        app.settle()
        now = shown(app)
        nodes = {key: find_node(app.world, root_of(app, key), key[1]) for key in now}
        kept = {key for key, node in nodes.items() if before.get(key) == node}
        found.append((now, kept, sorted(map(str, app.realiser.issues.values())), len(app.world)))
    assert found[0] == found[1]


def root_of(app: App, key: tuple[int, str]) -> Entity:
    return app.level_file.entity_at(key[0])


def test_frames_make_them_bit_by_bit(project, monkeypatch):
    monkeypatch.setattr("engine.scene.instance_growth._PORTION", 5)
    opened(project, is_changed=True)
    whole = shown(project.app)
    app = App(project.folder)
    app.load(project.folder / "house.scene")
    app.assets.get("arm.gltf")
    # Not a matter of how fast it is read: all that is left are the nodes.
    app.assets.take_all()
    app.levels.read("room.scene")
    sizes = []
    for _ in range(200):
        app.realise(20)
        sizes.append(len(app.world))
        if not app.is_loading:
            break
    assert len(set(sizes)) > COUNT / 2
    assert shown(app) == whole
    assert app.realiser.sync() == []


def test_a_change_that_is_taken_in_bit_by_bit_keeps_the_nodes(project, monkeypatch):
    monkeypatch.setattr("engine.scene.instance_growth._PORTION", 5)
    app = opened(project, is_changed=True)
    nodes = {key: find_node(app.world, root_of(app, key), key[1]) for key in shown(app)}
    project.write("shelf", SHELVES["moved"])
    app.check_for_changes(force=True)
    # Not a matter of how fast it is read: all that is left are the nodes.
    app.assets.take_all()
    assert app.realise(1)
    assert app.realiser.is_behind
    while app.is_loading:
        app.realise(1)
    assert nodes == {key: find_node(app.world, root_of(app, key), key[1]) for key in shown(app)}


class Store:
    """A renderer that knows what it holds, and can't put anything in the place of another."""

    def __init__(self):
        self.live, self.given = set(), 0

    @property
    def resources(self):
        return self

    def add_mesh(self, *_):
        self.given += 1
        self.live.add(self.given)
        return self.given

    add_material = add_texture = add_mesh

    def add_sampler(self, _sampler):
        return 0

    def remove_mesh(self, number):
        self.live.remove(number)

    remove_material = remove_texture = remove_mesh


def test_what_is_drawn_stays_while_a_newer_version_is_taken_in_bit_by_bit(project, monkeypatch):
    monkeypatch.setattr("engine.scene.instance_growth._PORTION", 1)
    monkeypatch.setattr("engine.app.app._NODES_PER_FRAME", 20)
    app = opened(project, is_changed=False)
    store = Store()
    app.attach(store)
    app.settle()
    write_asset(project.folder / "arm.gltf", [*ARM, {"name": "New"}], roots=[0, 4])
    app.check_for_changes()
    app.assets.wait()
    kinds = set()
    while app.is_loading:
        app.frame(0.0)
        drawn = {
            mesh
            for table in _DRAWN.tables(app.world)
            for mesh in table.view(MeshRenderer, "mesh").tolist()
        }
        assert drawn <= store.live
        kinds.add(frozenset(drawn))
    assert len(kinds) > 1, "some instances follow before others"


def test_what_goes_beyond_all_that_can_be_shown_is_refused(project, monkeypatch):
    monkeypatch.setattr("engine.scene.instance_growth._MOST_NODES", 20)
    app = opened(project, is_changed=False)
    refused = [text for text in app.realiser.issues.values() if "more than 20 nodes" in text]
    assert len(refused) >= COUNT - 4
    assert len(app.world) < 100


def test_an_edit_between_two_frames_is_kept(project):
    opened(project, is_changed=False)
    app = App(project.folder)
    app.load(project.folder / "house.scene")
    app.realise(20)
    gone, moved = app.level_file.entity_at(3), app.level_file.entity_at(COUNT - 1)
    app.world.despawn(gone)
    app.world.set(moved, SceneInstance("shelf.scene"))
    app.settle()
    assert not [e for e in NodePaths.of(app.world).below(gone) if app.world.alive(e)]
    assert find_node(app.world, moved, "Shelf/Body/Arm")
    assert not find_node(app.world, moved, "Room")
    names = [app.world.get(e, Name).text for e in app.world.entities() if app.world.has(e, Name)]
    assert names.count("Room") == COUNT - 2
    assert not any(app.world.has(e, InstanceNode) for e in app.world.entities())


WRONG = """entity {at}
  InstanceNode root=#0 path="Shelf/wrong {at}"{more}
  LocalTransform translation=[0.0,{at}.0,0.0]
  LightSource intensity={at}.5
  acme.Unknown what=[1.0,2.0]
"""


def test_many_changes_without_a_node_are_kept_as_they_are(project):
    text = 'cinder-scene 2\nentity 0\n  Name text="House"\n  SceneInstance level="shelf.scene"\n'
    left_out = {3: " removed=true", 4: ' removed_components="LocalTransform"'}
    text += "".join(WRONG.format(at=at, more=left_out.get(at, "")) for at in range(1, 300))
    project.write("house", text)
    root = project.open()
    app, world = project.app, project.app.world
    parked = app.realiser.parked(root)
    assert sorted(parked.values()) == sorted(f"Shelf/wrong {at}" for at in range(1, 300))
    for at in range(1, 300):
        node = app.level_file.entity_at(at)
        values = {type(value): value for value in world.values(node)}
        expected = {type(value): value for value in app.realiser.inherited(node)}
        assert values.keys() - {WorldTransform, InstanceNode, KeptRecords} == expected.keys()
        assert all(values[type_] == value for type_, value in expected.items())
        assert values[LightSource].intensity == at + 0.5
        assert (LocalTransform in values) is (at != 4)
        assert is_enabled(world, node) is (at != 3)
        assert f"has no node 'Shelf/wrong {at}'" in app.realiser.issues[node]
    app.save()
    assert (project.folder / "house.scene").read_text() == text
    world.remove(app.level_file.entity_at(5), InstanceNode)
    app.settle()
    assert len(app.realiser.parked(root)) == 298


def test_an_entity_that_waits_for_a_new_node_becomes_it(stage):
    """As one does that a step made a node before its file has it."""
    stage.rewrite([{"name": "Body", "mesh": 0}])
    root = stage.place()
    body = stage.node(root, "Body")
    waiting = stage.world.spawn(Name("Arm"), Parent(body), Realised())
    NodePaths.of(stage.world).bind(body, "Arm", waiting)
    stage.rewrite([{"name": "Body", "mesh": 0, "children": [1]}, {"name": "Arm", "mesh": 0}])
    assert stage.node(root, "Body") == body
    assert stage.node(root, "Body/Arm") == waiting
    assert children(stage.world, body) == [waiting]
    assert stage.world.has(waiting, MeshRenderer)
