"""Cases that other editors got wrong: unknown components, odd strings, references, versions."""

import json

import numpy as np
import pytest

from engine.app import App
from engine.ecs import World
from engine.errors import SceneError
from engine.reflect import ComponentRecord, Entity, Field, Kind, SceneComponent, component
from engine.scene import (
    Scene,
    SceneRegistry,
    load_scene,
    save_scene,
    spawn_scene,
    world_to_scene,
)
from engine.scene.components import LocalTransform, Name, Parent
from engine.scene.document import SCENE_VERSION, EntityRecord, SceneDoc
from engine.scene.levels import LevelFile, level_registry


@component(id=901, name="acme.Loot")
class Loot(SceneComponent):
    table: str = ""
    rolls: int = 0
    nested: str = ""


@component(id=902)
class Opens(SceneComponent):
    def __init__(self, target, extra=()):
        self.target, self.extra = target, list(extra)

    def write_scene(self, w):
        w.entity("target", self.target)
        for i, entity in enumerate(self.extra):
            w.entity(f"extra.{i}", entity)

    @classmethod
    def read_scene(cls, r):
        count = sum(field.name.startswith("extra.") for field in r.record.fields)
        return cls(r.entity("target"), [r.entity(f"extra.{i}") for i in range(count)])


def case(shared, name):
    return json.loads((shared / "bugcases" / name).read_text())


def opened(path, *types):
    world = World()
    return world, LevelFile.open(path, world, level_registry(*types))


def test_34_a_component_that_only_a_plug_in_knows(shared, tmp_path):
    told = case(shared, "34_unknown_component.txt")
    expected = told["expect"]["acme.Loot"]
    # The six kinds have no nested data: it is one string.
    values = expected | {"nested": json.dumps(expected["nested"])}
    path = tmp_path / "a.scene"
    world = World()
    place = told["entities"][0]["components"]["Transform"]["translation"]
    world.spawn(Name("crate"), LocalTransform(place), Loot(**values))
    LevelFile.new(world, level_registry(Loot)).save(path)
    before = path.read_text().splitlines()

    world, level = opened(path)
    (crate,) = world.entities()
    moved = world.get(crate, LocalTransform)
    moved.translation = moved.translation + np.float32([1, 0, 0])
    world.set(crate, moved)
    level.save()

    changed = [a for a, b in zip(before, path.read_text().splitlines(), strict=True) if a != b]
    assert [line.split()[0] for line in changed] == ["LocalTransform"]
    world, _ = opened(path, Loot)
    (crate,) = world.entities()
    loot = world.get(crate, Loot)
    assert {"table": loot.table, "rolls": loot.rolls, "nested": json.loads(loot.nested)} == expected
    where = world.get(crate, LocalTransform).translation.tolist()
    assert where == told["expect"]["Transform.translation"]


def odd_strings(shared):
    lines = (shared / "bugcases/37_strings.txt").read_text().split("\n")
    return [json.loads(line) for line in lines if line]


@pytest.mark.parametrize("name", ["a.scene", "a.cscn"])
def test_37_strings(shared, tmp_path, name):
    strings = odd_strings(shared)
    assert len(strings) == 21
    path = tmp_path / name
    world = World()
    for text in strings:
        world.spawn(Name(text), Loot(table=text))
    LevelFile.new(world, level_registry(Loot)).save(path)

    def found():
        world, level = opened(path, Loot)
        entities = [level.entity_at(i) for i in range(len(strings))]
        return [(world.get(e, Name).text, world.get(e, Loot).table) for e in entities]

    assert found() == [(text, text) for text in strings]
    if name == "a.scene":
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
        assert found() == [(text, text) for text in strings]


def keyed_level(path):
    world = World()
    world.despawn(world.spawn(Name("tmp")))
    outside = world.spawn(Name("outside"))
    door, key = world.spawn(Name("door")), world.spawn(Name("key"))
    world.add(key, Opens(door, [door, key, outside]))
    world.add(key, Parent(door))
    world.despawn(outside)
    save_scene(world_to_scene(world, level_registry(Opens)), path)


@pytest.mark.parametrize("name", ["a.scene", "a.cscn"])
def test_38_references_stay_inside_their_copy(tmp_path, name):
    path = tmp_path / name
    keyed_level(path)
    world = World()
    others = [world.spawn(Name(f"other {i}")) for i in range(100)]
    for _ in range(2):
        door, key = spawn_scene(world, level_registry(Opens), load_scene(path))
        opens = world.get(key, Opens)
        assert opens.target == door
        # What was not saved is null, never somebody else.
        assert opens.extra == [door, key, Entity.null()]
        assert world.get(key, Parent).entity == door
        assert not {door, key} & set(others)
        others += [door, key]


OLD = 'cinder-scene 1\nentity 0\n  Name text="a"\n  Health hp=5.0\n'


def test_42_an_older_file_stays_until_it_is_saved(tmp_path):
    path = tmp_path / "a.scene"
    path.write_text(OLD)
    _, level = opened(path)
    assert (level.upgraded_from, path.read_text()) == (1, OLD)
    assert "upgraded from version 1" in level.warnings[0]
    level.save()
    assert path.read_text() == OLD.replace("scene 1", "scene 2").replace("hp=", "health=")


@pytest.mark.parametrize(
    ("version", "words"),
    [
        (str(SCENE_VERSION + 1), f"version {SCENE_VERSION + 1}.*{SCENE_VERSION}"),
        ("0", "missing header"),
        ("banana", "missing header"),
        ("null", "missing header"),
        ("", "missing header"),
    ],
)
def test_42_versions_that_are_refused(tmp_path, version, words):
    path = tmp_path / "a.scene"
    content = OLD.replace("scene 1", f"scene {version}")
    path.write_text(content)
    app = App()
    before = app.world.spawn(Name("open already"))
    with pytest.raises(SceneError, match=words):
        app.load(path)
    assert path.read_text() == content
    assert app.world.entities() == [before]


def test_42_a_migration_that_raises(tmp_path):
    path = tmp_path / "a.scene"
    path.write_text(OLD)
    registry = SceneRegistry(keep_unknown=True)

    def fails(doc):
        doc.entities[0].components.clear()
        raise RuntimeError("no")

    registry.add_migration(1, fails)
    world = World()
    kept = world.spawn(Name("open already"))
    with pytest.raises(SceneError):
        LevelFile.open(path, world, registry)
    assert world.entities() == [kept]
    assert path.read_text() == OLD


def test_42_what_nobody_knows_is_kept(tmp_path):
    """A file has no keys beside its entities: an entity that only holds the unknown is kept."""
    meta = EntityRecord()
    meta.components.append(ComponentRecord("acme.meta", [Field.of("a", Kind.INT, 1)]))
    doc = SceneDoc()
    doc.entities.append(meta)
    path = tmp_path / "a.scene"
    world = World()
    save_scene(Scene("a", doc), path)
    spawn_scene(world, level_registry(), load_scene(path))
    save_scene(world_to_scene(world, level_registry()), path)
    assert load_scene(path).doc == doc
