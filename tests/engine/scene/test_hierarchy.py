"""Parents and children: which, and in which order, whatever a file or an edit did."""

import numpy as np
import pytest

from engine.ecs import EntityError
from engine.scene.components import (
    Enabled,
    Order,
    Parent,
)
from engine.scene.hierarchy import (
    ancestors,
    children,
    descendants,
    despawn_recursive,
    is_enabled,
    parent_of,
)
from tests.engine.scene.conftest import NULL, chain


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
