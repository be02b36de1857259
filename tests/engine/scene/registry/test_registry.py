import pytest

from engine.ecs import World
from engine.errors import EntityError, SceneError
from engine.reflect import ComponentRecord, Entity, Field, Kind, SceneComponent, component
from engine.scene.components import Name, Parent
from engine.scene.document import (
    SCENE_VERSION,
    EntityRecord,
    SceneDoc,
    read_binary,
    read_text,
    write_binary,
    write_text,
)
from engine.scene.registry import SceneRegistry, scene_registry
from tests.engine.scene.registry.game_components import (
    GAME_COMPONENTS,
    Curve,
    Inventory,
    Marked,
    Position,
    Velocity,
)


def registry(*, keep_unknown=False):
    result = SceneRegistry(keep_unknown)
    for type_ in (Name, Parent, *GAME_COMPONENTS):
        result.register(type_)
    return result


def full_world():
    world = World()
    a = world.spawn(Name("a"), Position(1.5, 7, False, "x", Entity.null(), (1, 2, 3)))
    b = world.spawn(Name("b"), Parent(a), Inventory([a, Entity.null()], "two"), Velocity(2.0))
    c = world.spawn(Curve([1, 2]), Marked(), Position(target=b))
    d = world.spawn(Curve([]))
    a_value = world.get(a, Position)
    a_value.target = c
    a_value.frame[0, 3] = 9
    world.set(a, a_value)
    return world, [a, b, c, d]


def test_a_world_comes_back_in_another_world():
    world, entities = full_world()
    reg = registry()
    doc = reg.to_doc(world, entities)
    other = World()
    stranger = other.spawn(Name("stranger"))
    for stored in (read_text(write_text(doc)), read_binary(write_binary(doc))):
        spawned = reg.instantiate(other, stored)
        assert len(spawned) == 4
        assert stranger not in spawned
        assert write_text(reg.to_doc(other, spawned)) == write_text(doc)
        a, b, c, _ = spawned
        assert other.get(a, Position).target == c
        assert other.get(a, Position).frame[0, 3] == 9
        assert other.get(b, Inventory).items == [a, Entity.null()]
        assert other.get(b, Velocity).metres_per_second == 2


def test_record_order_is_that_of_registration():
    world, entities = full_world()
    names = [r.name for r in registry().to_doc(world, entities).entities[1].components]
    assert names == ["Name", "Parent", "Inventory", "Speed"]


def test_all_entities_in_archetype_order_and_nulls_as_empty_records():
    world, entities = full_world()
    reg = registry()
    assert len(reg.to_doc(world)) == len(world)
    doc = reg.to_doc(world, [Entity.null(), entities[0], Entity.null()])
    assert [len(e.components) for e in doc.entities] == [0, 2, 0]
    assert len(reg.to_doc(World())) == 0


def test_references_to_what_is_not_in_the_document_are_null():
    world = World()
    a, b = world.spawn(Name("a")), world.spawn(Name("b"))
    link = world.spawn(Parent(a), Inventory([b]))
    world.despawn(a)
    reused = world.spawn(Name("stranger"))
    assert reused.index == a.index
    doc = registry().to_doc(world, [reused, link])
    assert doc.entities[1].components[0].get("entity").value == -1
    assert doc.entities[1].components[1].get("item.0").value == -1


def test_a_dead_entity_cannot_be_written():
    world, entities = full_world()
    world.despawn(entities[0])
    with pytest.raises(EntityError):
        registry().to_doc(world, entities)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("Unheard a=1", "unknown component: Unheard"),
        ("Name text=5", "field text: expected a string"),
        ("Position x=true", "field x: expected a float"),
        ("Position layer=1.5", "field layer: expected an int"),
        ("Position visible=1", "field visible: expected a bool"),
        ("Position offset=[1,2]", "field offset: expected 3 floats"),
        ("Position frame=1", "field frame: expected 16 floats"),
        ("Inventory count=1.5", "field count: expected an int"),
        ("Speed kmh=true", "field kmh: expected a float"),
    ],
)
def test_a_failed_instantiate_leaves_the_world_as_it_was(line, words):
    world, entities = full_world()
    reg = registry()
    before = write_text(reg.to_doc(world, entities))
    doc = read_text(f'cinder-scene 2\nentity 0\n  Name text="x"\nentity 1\n  {line}\n')
    with pytest.raises(SceneError, match=words):
        reg.instantiate(world, doc)
    assert len(world) == 4
    assert write_text(reg.to_doc(world, entities)) == before
    assert write_text(reg.to_doc(world)) == write_text(reg.to_doc(full_world()[0]))


def test_a_component_that_refuses_its_record():
    @component(id=30)
    class Fussy(SceneComponent):
        def __init__(self, n=0):
            self.n = n

        def write_scene(self, w):
            w.int("n", self.n)

        @classmethod
        def read_scene(cls, r):
            return cls(10 // r.int("n"))

    reg = registry()
    reg.register(Fussy)
    world = World()
    doc = read_text("cinder-scene 2\nentity 0\n  Marked\nentity 1\n  Fussy n=0\n")
    with pytest.raises(ZeroDivisionError):
        reg.instantiate(world, doc)
    assert len(world) == 0


def test_integers_read_as_floats_and_defaults_fill_in():
    reg, world = registry(), World()
    text = "cinder-scene 2\nentity 0\n  Position x=3\nentity 1\n  Position layer=4 target=1\n"
    a, b = reg.instantiate(world, read_text(text))
    assert world.get(a, Position) == Position(3.0)
    assert world.get(b, Position) == Position(layer=4)


def test_references_out_of_range_are_null():
    reg, world = registry(), World()
    (a,) = reg.instantiate(world, read_text("cinder-scene 2\nentity 0\n  Parent entity=#9\n"))
    assert world.get(a, Parent).entity == Entity.null()


def test_a_component_twice_is_refused():
    doc = SceneDoc()
    doc.entities.append(EntityRecord([ComponentRecord("Marked"), ComponentRecord("Marked")]))
    with pytest.raises(SceneError, match="twice"):
        registry().instantiate(World(), doc)


def test_registering_a_name_or_an_id_twice():
    @component(id=20)
    class SameId(SceneComponent):
        pass

    @component(id=99, name="Position")
    class SameName(SceneComponent):
        pass

    @component(id=98, name="a b")
    class BadName(SceneComponent):
        pass

    class Undeclared(SceneComponent):
        pass

    reg = registry()
    for type_ in (SameId, SameName, BadName, Undeclared, Position, int):
        with pytest.raises(SceneError):
            reg.register(type_)
    assert reg.type_named("Position") is Position
    assert reg.type_named("SameId") is None


def old_doc():
    return read_text("cinder-scene 1\nentity 0\n  Health hp=5\n  Gone a=1\n")


def test_a_migration_edits_with_list_code():
    def to_two(doc):
        for entity in doc.entities:
            del entity.components[entity.find("Gone")]
            entity.components[entity.find("Health")].rename_field("hp", "health")
            entity.components.append(ComponentRecord("New", [Field.of("on", Kind.BOOL, True)]))

    reg, doc = SceneRegistry(), old_doc()
    reg.add_migration(1, to_two)
    reg.migrate(doc)
    assert doc.version == SCENE_VERSION
    assert write_text(doc) == "cinder-scene 2\nentity 0\n  Health health=5\n  New on=true\n"
    reg.migrate(doc)
    with pytest.raises(SceneError, match="already"):
        reg.add_migration(1, to_two)


def test_a_migration_that_raises_leaves_the_document_alone():
    def breaks(doc):
        doc.entities[0].components.clear()
        raise KeyError("hp")

    reg, doc = SceneRegistry(), old_doc()
    doc.entities[0].components[0].fields[0].value = 6
    before = write_text(doc)
    reg.add_migration(1, breaks)
    with pytest.raises(SceneError, match=r"migration from version 1 failed: KeyError"):
        reg.migrate(doc)
    assert doc.version == 1
    assert write_text(doc) == before


@pytest.mark.parametrize("version", [0, -1, "2", None, True, 1.0])
def test_what_is_no_version_is_not_migrated(version):
    reg, doc = SceneRegistry(), SceneDoc(version)
    reg.add_migration(0, lambda doc: None)
    with pytest.raises(SceneError, match="missing header"):
        reg.migrate(doc)
    assert doc.version is version


@pytest.mark.parametrize(("steps", "is_too_old"), [(1000, False), (1001, True)])
def test_migrations_end_after_a_thousand_steps(monkeypatch, steps, is_too_old):
    monkeypatch.setattr(scene_registry, "SCENE_VERSION", steps + 1)
    reg, doc = SceneRegistry(), SceneDoc(1)
    calls = []
    for version in range(1, steps + 1):
        reg.add_migration(version, lambda doc: calls.append(doc.version))
    if is_too_old:
        with pytest.raises(SceneError, match="more than 1000 migrations old"):
            reg.migrate(doc)
        assert doc.version == 1
    else:
        reg.migrate(doc)
        assert doc.version == steps + 1
    assert calls == list(range(1, 1001))


def test_versions_that_cannot_be_reached():
    with pytest.raises(SceneError, match="no migration to 2"):
        SceneRegistry().migrate(old_doc())
    with pytest.raises(SceneError, match="newer than this engine"):
        SceneRegistry().migrate(SceneDoc(3))
    with pytest.raises(SceneError, match="newer than this engine"):
        SceneRegistry().instantiate(World(), SceneDoc(3))
    with pytest.raises(SceneError, match="migrate"):
        SceneRegistry().instantiate(World(), SceneDoc(1))
