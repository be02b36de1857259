"""An entity with all below it: taken away, switched off, cloned."""

from engine.reflect import ComponentRecord, Entity, Field, Kind, SceneComponent, component
from engine.scene.components import (
    Enabled,
    InstanceNode,
    KeptRecords,
    LocalTransform,
    Name,
    Parent,
)
from engine.scene.hierarchy import (
    children,
    clone_recursive,
    despawn_recursive,
    is_enabled,
    set_parent,
)


def test_despawn_recursive_takes_all_below_and_nothing_else(world):
    top = world.spawn()
    branch = world.spawn(Parent(top))
    world.spawn(Parent(branch))
    beside = world.spawn(Parent(top))
    despawn_recursive(world, branch)
    assert world.entities() == [top, beside]


def test_deferred_despawn_recursive_takes_all_below(world):
    top = world.spawn()
    branch = world.spawn(Parent(top))
    world.spawn(Parent(branch))
    world.deferred.despawn_recursive(branch)
    world.deferred.flush()
    assert world.entities() == [top]


def test_off_means_everything_below_is_off(world):
    top = world.spawn()
    branch = world.spawn(Parent(top), Enabled(True))
    leaf = world.spawn(Parent(branch))
    assert is_enabled(world, leaf)
    world.add(top, Enabled(False))
    assert not any(is_enabled(world, e) for e in (top, branch, leaf))
    set_parent(world, branch)
    assert is_enabled(world, leaf)
    assert not is_enabled(world, top)


@component(id=920, name="CloneLink")
class Link(SceneComponent):
    target: Entity = Entity.null()


@component(id=921, name="CloneSet")
class EntitySet(SceneComponent):
    def __init__(self, members=()):
        self.members = list(members)

    def write_scene(self, w):
        w.int("count", len(self.members))
        for i, member in enumerate(self.members):
            w.entity(f"m{i}", member)

    @classmethod
    def read_scene(cls, r):
        return cls([r.entity(f"m{i}") for i in range(r.int("count", 0))])


def test_a_clone_refers_to_itself_inside_and_to_the_same_outside(world):
    outside = world.spawn()
    top = world.spawn(Name("top"))
    leaf = world.spawn(Parent(top), Link(top))
    world.add(top, EntitySet([leaf, outside]))
    copy = clone_recursive(world, top)
    (copied_leaf,) = children(world, copy)
    assert copied_leaf != leaf
    assert world.get(copied_leaf, Link).target == copy
    assert world.get(copy, EntitySet).members == [copied_leaf, outside]
    assert world.get(leaf, Link).target == top
    assert children(world, top) == [leaf]


def test_a_clone_hangs_beside_its_original(world):
    top = world.spawn()
    child = world.spawn(Parent(top), Link(top))
    copy = clone_recursive(world, child)
    assert children(world, top) == [child, copy]
    assert world.get(copy, Link).target == top


def test_a_clone_copies_kept_records_with_their_references(world):
    top = world.spawn()
    outside = world.spawn()
    fields = [Field.of("a", Kind.ENTITY, top), Field.of("b", Kind.ENTITY, outside)]
    world.add(top, KeptRecords([(4, ComponentRecord("acme.Loot", fields))]))
    world.spawn(Parent(top), InstanceNode(top, "x"))
    copy = clone_recursive(world, top)
    ((place, record),) = world.get(copy, KeptRecords).records
    assert place == 4
    assert [f.integer for f in record.fields] == [copy, outside]
    assert world.get(children(world, copy)[0], InstanceNode).root == copy
    assert world.get(top, KeptRecords).records[0][1].fields[0].integer == top


def test_a_clone_shares_no_values(world):
    top = world.spawn(LocalTransform((1, 2, 3)), KeptRecords([]))
    copy = clone_recursive(world, top)
    world.set(copy, LocalTransform((9, 9, 9)))
    assert world.get(top, LocalTransform) == LocalTransform((1, 2, 3))
