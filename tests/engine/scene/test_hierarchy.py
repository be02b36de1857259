"""Parents and children: attach, refuse, order, walk, despawn and clone."""

import numpy as np
import pytest

from engine.ecs import EntityError, World
from engine.errors import SceneError
from engine.reflect import ComponentRecord, Entity, Field, Kind, SceneComponent, component
from engine.scene.components import (
    Enabled,
    InstanceNode,
    KeptRecords,
    LocalMatrix,
    LocalTransform,
    Name,
    Order,
    Parent,
    WorldTransform,
)
from engine.scene.hierarchy import (
    ancestors,
    children,
    clone_recursive,
    descendants,
    despawn_recursive,
    is_enabled,
    parent_of,
    set_parent,
    world_matrix,
)

NULL = Entity.null()


@pytest.fixture
def world():
    return World()


def chain(world, length):
    """A root with one child with one child and so on."""
    handles = world.reserve_many(length)
    above = np.concatenate([[0], handles[:-1]])
    world.restore_many(handles, {LocalTransform: {}, Parent: {"entity": above}})
    return [Entity(e) for e in handles.tolist()]


# -- children and order ------------------------------------------------------------------------


def test_children_are_those_whose_parent_it_is(world):
    top = world.spawn()
    first, second = world.spawn(Parent(top)), world.spawn(Parent(top))
    assert children(world, top) == [first, second]
    assert children(world, first) == []
    assert children(world, NULL) == [top]


def test_children_follow_every_kind_of_change(world):
    top, other = world.spawn(), world.spawn()
    child = world.spawn(Parent(top))
    assert children(world, top) == [child]
    world.set(child, Parent(other))
    assert (children(world, top), children(world, other)) == ([], [child])
    world.remove(child, Parent)
    assert children(world, NULL) == [top, other, child]
    world.add(child, Parent(top))
    world.despawn(child)
    assert children(world, top) == []


def test_siblings_stand_by_rank_then_in_the_order_of_their_making(world):
    top = world.spawn()
    a, b, c = (world.spawn(Parent(top)) for _ in range(3))
    late = world.spawn(Parent(top), Order(-1))
    world.add(a, Order(10))
    assert children(world, top) == [late, b, c, a]
    world.set(a, Order(-2))
    assert children(world, top) == [a, late, b, c]


def test_a_restored_entity_stands_where_it_stood(world):
    top = world.spawn()
    a, b = world.spawn(Parent(top)), world.spawn(Parent(top))
    world.despawn(a, reserve=True)
    assert children(world, top) == [b]
    world.restore(a, Parent(top))
    assert children(world, top) == [a, b]


def test_a_reused_slot_does_not_inherit_children(world):
    top = world.spawn()
    child = world.spawn(Parent(top))
    world.despawn(top)
    again = world.spawn()
    assert again.index == top.index
    assert children(world, again) == []
    assert set(children(world, NULL)) == {child, again}


def test_many_changes_between_two_reads(world):
    tops = [world.spawn() for _ in range(5)]
    kids = [world.spawn(Parent(tops[0])) for _ in range(200)]
    assert children(world, tops[0]) == kids
    for i, kid in enumerate(kids):
        world.set(kid, Parent(tops[i % 5]))
    for k, top in enumerate(tops):
        assert children(world, top) == kids[k::5]
    world.set(kids[7], Parent(tops[0]))
    assert kids[7] in children(world, tops[0])
    assert kids[7] not in children(world, tops[2])


def test_walking_up_and_down(world):
    top = world.spawn()
    a, b = world.spawn(Parent(top)), world.spawn(Parent(top))
    leaf = world.spawn(Parent(a))
    assert list(ancestors(world, leaf)) == [a, top]
    assert descendants(world, top) == [a, leaf, b]
    assert parent_of(world, leaf) == a
    assert parent_of(world, top) == NULL


@pytest.mark.parametrize("walk", [descendants, parent_of, is_enabled])
def test_asking_about_a_dead_entity_raises(world, walk):
    entity = world.spawn()
    world.despawn(entity)
    with pytest.raises(EntityError):
        walk(world, entity)


def test_a_dead_entity_has_no_children(world):
    top = world.spawn()
    world.spawn(Parent(top))
    world.despawn(top)
    assert children(world, top) == []


# -- what files may hold -----------------------------------------------------------------------


def test_its_own_parent_is_a_root_and_keeps_the_field(world):
    entity = world.spawn(Parent(NULL))
    world.set(entity, Parent(entity))
    assert children(world, NULL) == [entity]
    assert children(world, entity) == []
    assert world.get(entity, Parent).entity == entity


def test_a_dead_parent_leaves_a_root(world):
    top = world.spawn()
    child = world.spawn(Parent(top))
    world.despawn(top)
    assert children(world, NULL) == [child]
    assert parent_of(world, child) == NULL


def test_the_first_in_file_order_breaks_a_cycle(world):
    a, b, c = (world.spawn(Parent(NULL)) for _ in range(3))
    hanging = world.spawn(Parent(c))
    for child, parent in ((a, c), (b, a), (c, b)):
        world.set(child, Parent(parent))
    assert children(world, NULL) == [a]
    assert descendants(world, a) == [b, c, hanging]
    assert world.get(a, Parent).entity == c


def test_two_cycles_are_broken_each_for_itself(world):
    a, b, c, d = (world.spawn(Parent(NULL)) for _ in range(4))
    for child, parent in ((a, b), (b, a), (c, d), (d, c)):
        world.set(child, Parent(parent))
    assert children(world, NULL) == [a, c]


def test_deep_chains_do_not_recurse(world):
    links = chain(world, 100_000)
    assert len(descendants(world, links[0])) == 99_999
    assert sum(1 for _ in ancestors(world, links[-1])) == 99_999
    world.add(links[0], Enabled(False))
    assert not is_enabled(world, links[-1])
    despawn_recursive(world, links[1])
    assert len(world) == 1


# -- set_parent --------------------------------------------------------------------------------


def test_set_parent_attaches_and_none_detaches(world):
    top, child = world.spawn(), world.spawn()
    set_parent(world, child, top)
    assert parent_of(world, child) == top
    set_parent(world, child)
    assert parent_of(world, child) == NULL
    assert not world.has(child, Parent)


@pytest.mark.parametrize("depth", [0, 1, 5, 500])
def test_a_cycle_is_refused_and_nothing_changes(world, depth):
    links = chain(world, depth + 1)
    before = world.get(links[0], Parent)
    with pytest.raises(SceneError):
        set_parent(world, links[0], links[-1], keep_world=True)
    assert world.get(links[0], Parent) == before
    assert world.get(links[0], LocalTransform) == LocalTransform()


def test_a_dead_end_is_refused(world):
    entity, gone = world.spawn(), world.spawn()
    world.despawn(gone)
    with pytest.raises(EntityError):
        set_parent(world, entity, gone)
    with pytest.raises(EntityError):
        set_parent(world, gone, entity)
    assert not world.has(entity, Parent)


def test_a_cycle_of_a_file_can_be_taken_apart(world):
    a, b = world.spawn(Parent(NULL)), world.spawn(Parent(NULL))
    world.set(a, Parent(b))
    world.set(b, Parent(a))
    set_parent(world, a)
    assert children(world, NULL) == [a]
    assert children(world, a) == [b]


def test_without_keep_world_the_local_placement_stays(world):
    top = world.spawn(LocalTransform((5, 0, 0)))
    child = world.spawn(LocalTransform((0, 1, 0)))
    set_parent(world, child, top)
    assert world.get(child, LocalTransform) == LocalTransform((0, 1, 0))
    assert world_matrix(world, child)[:3, 3].tolist() == [5, 1, 0]


def test_keep_world_under_a_turned_and_scaled_parent(world):
    half = np.sqrt(0.5)
    top = world.spawn(LocalTransform((1, 2, 3), (0, 0, half, half), (2, 2, 2)))
    child = world.spawn(LocalTransform((4, 5, 6), (half, 0, 0, half), (1, 2, 3)))
    before = world_matrix(world, child)
    set_parent(world, child, top, keep_world=True)
    assert np.allclose(world_matrix(world, child), before, atol=1e-5)
    assert not world.has(child, LocalMatrix)
    set_parent(world, child, None, keep_world=True)
    assert np.allclose(world_matrix(world, child), before, atol=1e-5)


def test_keep_world_out_of_a_mirrored_parent_keeps_the_mirror(world):
    """Known bug: the child's scale collapses (godotengine/godot#109044)."""
    angle = np.radians(30) / 2
    top = world.spawn(LocalTransform((5, 0, 0), scale=(-1, 1, 1)))
    child = world.spawn(
        LocalTransform((2, 1, 0), (0, 0, np.sin(angle), np.cos(angle))), Parent(top)
    )
    expected = [[-0.866025, 0.5, 0, 3], [0.5, 0.866025, 0, 1], [0, 0, 1, 0], [0, 0, 0, 1]]
    assert np.allclose(world_matrix(world, child), expected, atol=1e-5)
    set_parent(world, child, None, keep_world=True)
    assert np.allclose(world_matrix(world, child), expected, atol=1e-5)
    assert np.linalg.det(world_matrix(world, child)) < 0


def test_a_placement_that_needs_shear_is_kept_as_a_matrix_and_lost_again_without(world):
    half = np.sin(np.pi / 8)
    turned = (0, 0, half, np.cos(np.pi / 8))
    top = world.spawn(LocalTransform(scale=(3, 1, 1)))
    child = world.spawn(LocalTransform((1, 0, 0), turned))
    before = world_matrix(world, child)
    set_parent(world, child, top, keep_world=True)
    assert world.has(child, LocalMatrix)
    assert np.allclose(world_matrix(world, child), before, atol=1e-6)
    set_parent(world, child, None, keep_world=True)
    assert not world.has(child, LocalMatrix)
    assert np.allclose(world_matrix(world, child), before, atol=1e-5)


def test_keep_world_under_a_parent_scaled_to_nothing_is_refused(world):
    flat = world.spawn(LocalTransform(scale=(1, 0, 1)))
    child = world.spawn(LocalTransform((1, 2, 3)))
    with pytest.raises(SceneError):
        set_parent(world, child, flat, keep_world=True)
    assert not world.has(child, Parent)
    assert world.get(child, LocalTransform) == LocalTransform((1, 2, 3))


def test_keep_world_under_the_same_parent_changes_no_bit(world):
    top = world.spawn(LocalTransform((0.1, 0.2, 0.3), scale=(0.7, 0.7, 0.7)))
    placed = LocalTransform((1 / 3, 0.1, 7), scale=(-2, 1, 1))
    child = world.spawn(placed, Parent(top))
    set_parent(world, child, top, keep_world=True)
    assert world.get(child, LocalTransform) == placed


def test_keep_world_of_an_entity_without_a_placement_only_attaches(world):
    top, child = world.spawn(LocalTransform((1, 0, 0))), world.spawn()
    set_parent(world, child, top, keep_world=True)
    assert world.types(child) == (Parent,)


# -- despawn, enabled --------------------------------------------------------------------------


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


# -- clone -------------------------------------------------------------------------------------


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


# -- world_matrix ------------------------------------------------------------------------------


def test_an_entity_without_a_placement_hands_its_parents_place_on(world):
    top = world.spawn(LocalTransform((1, 0, 0)))
    group = world.spawn(Parent(top))
    leaf = world.spawn(LocalTransform((0, 1, 0)), Parent(group))
    assert world_matrix(world, leaf)[:3, 3].tolist() == [1, 1, 0]


def test_a_world_transform_that_somebody_gave_counts(world):
    given = np.eye(4)
    given[0, 3] = 7
    top = world.spawn(WorldTransform(given))
    leaf = world.spawn(LocalTransform((0, 1, 0)), Parent(top))
    assert world_matrix(world, leaf)[:3, 3].tolist() == [7, 1, 0]


# -- any sequence of edits ---------------------------------------------------------------------


class Model:
    """The tree by the words of the specification, slowly."""

    def __init__(self, world):
        self.world = world
        live = sorted(world.entities(), key=world.serial)
        self.live = live
        self.parent = {e: self.linked(e) for e in live}
        for entity in live:
            if entity in self.above(entity):
                self.parent[entity] = NULL

    def linked(self, entity):
        if not self.world.has(entity, Parent):
            return NULL
        parent = self.world.get(entity, Parent).entity
        return parent if parent != entity and self.world.alive(parent) else NULL

    def above(self, entity):
        seen, at = [], self.parent[entity]
        while at and at not in seen:
            seen.append(at)
            at = self.parent[at]
        return seen

    def rank(self, entity):
        return self.world.get(entity, Order).rank if self.world.has(entity, Order) else 0

    def children(self, parent):
        below = [e for e in self.live if self.parent[e] == parent]
        return sorted(below, key=lambda e: (self.rank(e), self.world.serial(e)))

    def is_enabled(self, entity):
        has, get = self.world.has, self.world.get
        chain = [entity, *self.above(entity)]
        return all(not has(e, Enabled) or get(e, Enabled).on for e in chain)


def random_edit(world, known, rng):
    alive = [e for e in known if world.alive(e)]
    some = alive[int(rng.integers(len(alive)))] if alive else None
    other = known[int(rng.integers(len(known)))] if known else NULL
    choice = int(rng.integers(8))
    if some is None or choice == 0:
        known.append(world.spawn(Parent(other)))
    elif choice == 1:
        world.despawn(some, reserve=True)
    elif choice == 2:
        gone = [e for e in known if not world.alive(e)]
        if gone:
            world.restore(gone[int(rng.integers(len(gone)))], Parent(other))
    elif choice == 3:
        world.add(some, Order(int(rng.integers(-2, 3))))
    elif choice == 4:
        world.add(some, Enabled(bool(rng.integers(2))))
    elif choice == 5 and world.has(some, Parent):
        world.remove(some, Parent)
    else:
        world.add(some, Parent(other))


@pytest.mark.parametrize("most", [2, 5, 400])
@pytest.mark.parametrize("seed", range(4))
def test_after_any_edits_the_tree_is_what_the_links_say(world, seed, most):
    rng = np.random.default_rng(seed)
    known = []
    for _ in range(60 if most < 100 else 3):
        for _ in range(int(rng.integers(1, most))):
            random_edit(world, known, rng)
        model = Model(world)
        for parent in (NULL, *model.live):
            assert children(world, parent) == model.children(parent)
        for entity in model.live:
            assert parent_of(world, entity) == model.parent[entity]
            assert list(ancestors(world, entity)) == model.above(entity)
            assert is_enabled(world, entity) == model.is_enabled(entity)
