"""Propagation: what is recomputed, from what, and that it is right."""

import numpy as np
import pytest

from engine.ecs import World
from engine.math import compose
from engine.reflect import Entity
from engine.scene.components import (
    LocalMatrix,
    LocalTransform,
    Name,
    Parent,
    WorldTransform,
)
from engine.scene.hierarchy import set_parent
from engine.scene.transforms import mark_dirty, propagate_transforms


def place(world, entity):
    return world.get(entity, WorldTransform).matrix[:3, 3].tolist()


def expected_matrix(world, entity):
    matrix = np.eye(4)
    while entity:
        local = world.get(entity, LocalTransform)
        composed = compose(local.translation, local.rotation, local.scale)
        matrix = composed.astype(np.float64) @ matrix
        entity = world.get(entity, Parent).entity if world.has(entity, Parent) else None
    return matrix


def test_a_child_stands_relative_to_its_parent(world):
    top = world.spawn(LocalTransform((5, 0, 0)))
    child = world.spawn(LocalTransform((0, 1, 0)), Parent(top))
    assert propagate_transforms(world) == 2
    assert place(world, child) == [5, 1, 0]
    assert place(world, top) == [5, 0, 0]


def test_nothing_is_recomputed_when_nothing_changed(world):
    world.spawn(LocalTransform())
    propagate_transforms(world)
    tick = world.tick
    assert propagate_transforms(world) == 0
    assert world.tick == tick


def test_a_change_reaches_the_branch_below_it_and_no_other(world):
    top = world.spawn(LocalTransform())
    branch = world.spawn(LocalTransform(), Parent(top))
    leaf = world.spawn(LocalTransform((1, 0, 0)), Parent(branch))
    beside = world.spawn(LocalTransform(), Parent(top))
    propagate_transforms(world)
    mark_dirty(world, branch)
    assert propagate_transforms(world) == 2
    world.set(branch, LocalTransform((0, 2, 0)))
    assert propagate_transforms(world) == 2
    assert place(world, leaf) == [1, 2, 0]
    assert place(world, beside) == [0, 0, 0]


def test_writing_into_a_column_takes_effect_when_it_is_marked(world):
    entities = world.spawn_many(4, {LocalTransform: {}})
    propagate_transforms(world)
    (table,) = (t for t in world.tables if LocalTransform in t and len(t))
    table.column(LocalTransform, "translation")[:] = 3.0
    mark_dirty(world, entities[:2])
    assert propagate_transforms(world) == 2
    assert place(world, Entity(entities[0])) == [3, 3, 3]


def test_marking_takes_one_entity_many_and_the_dead(world):
    a, b = world.spawn(LocalTransform()), world.spawn(LocalTransform())
    propagate_transforms(world)
    mark_dirty(world, a)
    mark_dirty(world, np.array([a, b]))
    mark_dirty(world, [a, b, Entity.of(99, 3), Entity.null()])
    world.despawn(b)
    assert propagate_transforms(world) == 1


def test_setting_or_adding_marks_by_itself(world):
    top = world.spawn(LocalTransform((1, 0, 0)))
    child = world.spawn(LocalTransform())
    propagate_transforms(world)
    world.add(child, Parent(top))
    assert propagate_transforms(world) == 1
    assert place(world, child) == [1, 0, 0]
    world.add(child, LocalMatrix(compose((0, 5, 0), (0, 0, 0, 1), (1, 1, 1))))
    assert propagate_transforms(world) == 1
    assert place(world, child) == [1, 5, 0]
    world.remove(child, LocalMatrix)
    assert propagate_transforms(world) == 1
    assert place(world, child) == [1, 0, 0]
    world.remove(child, Parent)
    assert propagate_transforms(world) == 1
    assert place(world, child) == [0, 0, 0]


def test_three_levels_follow_and_side_branches_stay(world):
    """Known bug: grandchildren or side branches stop following (bevyengine/bevy#18314)."""
    parent = world.spawn(LocalTransform())
    child = world.spawn(LocalTransform((1.5, 0, 0)), Parent(parent))
    grandchild = world.spawn(LocalTransform((1.5, 0, 0)), Parent(child))
    side = world.spawn(LocalTransform())
    side_leaf = world.spawn(LocalTransform((0, 1, 0)), Parent(side))
    propagate_transforms(world)
    world.set(parent, LocalTransform((-1.5, 4, 0)))
    propagate_transforms(world)
    assert [place(world, e) for e in (parent, child, grandchild, side_leaf)] == [
        [-1.5, 4, 0],
        [0, 4, 0],
        [1.5, 4, 0],
        [0, 1, 0],
    ]
    world.set(side, LocalTransform((0, 0, 7)))
    propagate_transforms(world)
    assert place(world, side_leaf) == [0, 1, 7]
    set_parent(world, child)
    propagate_transforms(world)
    assert [place(world, child), place(world, grandchild)] == [[1.5, 0, 0], [3, 0, 0]]


def test_children_of_a_dead_parent_become_roots(world):
    top = world.spawn(LocalTransform((5, 0, 0)))
    child = world.spawn(LocalTransform((0, 1, 0)), Parent(top))
    propagate_transforms(world)
    world.despawn(top)
    assert propagate_transforms(world) == 1
    assert place(world, child) == [0, 1, 0]


def test_a_restored_parent_takes_its_children_back(world):
    top = world.spawn(LocalTransform((5, 0, 0)))
    child = world.spawn(LocalTransform((0, 1, 0)), Parent(top))
    propagate_transforms(world)
    world.despawn(top, reserve=True)
    propagate_transforms(world)
    world.restore(top, LocalTransform((7, 0, 0)), WorldTransform())
    propagate_transforms(world)
    assert place(world, child) == [7, 1, 0]


def test_links_of_a_broken_file_still_place_everything(world):
    a = world.spawn(LocalTransform((1, 0, 0)), Parent(Entity.null()))
    b = world.spawn(LocalTransform((0, 1, 0)), Parent(a))
    world.set(a, Parent(b))
    lost = world.spawn(LocalTransform((0, 0, 1)), Parent(Entity.of(77, 1)))
    selfish = world.spawn(LocalTransform((0, 0, 2)), Parent(Entity.null()))
    world.set(selfish, Parent(selfish))
    assert propagate_transforms(world) == 4
    assert place(world, a) == [1, 0, 0]
    assert place(world, b) == [1, 1, 0]
    assert place(world, lost) == [0, 0, 1]
    assert place(world, selfish) == [0, 0, 2]


def test_entities_without_a_placement_pass_their_parents_on(world):
    top = world.spawn(LocalTransform((1, 0, 0)))
    group = world.spawn(Name("group"), Parent(top))
    leaf = world.spawn(LocalTransform((0, 1, 0)), Parent(group))
    assert propagate_transforms(world) == 2
    assert place(world, leaf) == [1, 1, 0]
    assert not world.has(group, WorldTransform)
    mark_dirty(world, leaf)
    assert propagate_transforms(world) == 1
    assert place(world, leaf) == [1, 1, 0]
    world.set(top, LocalTransform((2, 0, 0)))
    propagate_transforms(world)
    assert place(world, leaf) == [2, 1, 0]


def test_a_placement_without_a_local_one_is_a_given_place(world):
    given = compose((0, 0, 9), (0, 0, 0, 1), (1, 1, 1))
    anchor = world.spawn(WorldTransform(given))
    leaf = world.spawn(LocalTransform((1, 0, 0)), Parent(anchor))
    assert propagate_transforms(world) == 1
    assert place(world, leaf) == [1, 0, 9]
    given[2, 3] = 4
    world.set(anchor, WorldTransform(given))
    assert propagate_transforms(world) == 1
    assert place(world, leaf) == [1, 0, 4]
    assert place(world, anchor) == [0, 0, 4]


@pytest.mark.parametrize("type_", [LocalTransform, LocalMatrix])
def test_the_place_goes_with_the_last_local_one_and_comes_back_with_it(world, type_):
    local = LocalTransform((5, 0, 0))
    top = world.spawn(local if type_ is LocalTransform else LocalMatrix(local.to_matrix()))
    leaf = world.spawn(LocalTransform((1, 0, 0)), Parent(top))
    propagate_transforms(world)
    value = world.get(top, type_)
    world.remove(top, type_)
    propagate_transforms(world)
    assert not world.has(top, WorldTransform)
    assert place(world, leaf) == [1, 0, 0]
    world.add(top, value)
    propagate_transforms(world)
    assert place(world, leaf) == [6, 0, 0]


def test_a_place_given_right_after_the_local_one_went_stays(world):
    entity = world.spawn(LocalTransform((5, 0, 0)))
    propagate_transforms(world)
    world.remove(entity, LocalTransform)
    world.set(entity, WorldTransform(compose((0, 0, 9), (0, 0, 0, 1), (1, 1, 1))))
    propagate_transforms(world)
    assert place(world, entity) == [0, 0, 9]


def test_a_world_transform_that_was_taken_away_comes_back(world):
    entity = world.spawn(LocalTransform((1, 2, 3)))
    propagate_transforms(world)
    world.remove(entity, WorldTransform)
    assert propagate_transforms(world) == 1
    assert place(world, entity) == [1, 2, 3]


def test_a_local_matrix_is_used_exactly(world):
    sheared = np.eye(4, dtype=np.float32)
    sheared[0, 1] = 0.3
    entity = world.spawn(LocalTransform((9, 9, 9)), LocalMatrix(sheared))
    propagate_transforms(world)
    assert np.array_equal(world.get(entity, WorldTransform).matrix, sheared)


def test_quaternions_need_not_be_of_unit_length(world):
    entity = world.spawn(LocalTransform(rotation=(0, 0, 2, 2)))
    still = world.spawn(LocalTransform(rotation=(0, 0, 0, 0)))
    propagate_transforms(world)
    matrix = world.get(entity, WorldTransform).matrix
    assert np.allclose(matrix[:3, :3], [[0, -1, 0], [1, 0, 0], [0, 0, 1]], atol=1e-6)
    assert np.array_equal(world.get(still, WorldTransform).matrix, np.eye(4))


def test_numbers_that_are_not_finite_do_no_harm_elsewhere(world):
    bad = world.spawn(LocalTransform((np.nan, 1, np.inf), scale=(1e38, 1e38, 1e38)))
    world.spawn(LocalTransform(scale=(1e38, 1, 1)), Parent(bad))
    good = world.spawn(LocalTransform((1, 2, 3)))
    assert propagate_transforms(world) == 3
    assert place(world, good) == [1, 2, 3]


def random_forest(world, count, rng):
    entities = []
    for i in range(count):
        local = LocalTransform(rng.normal(size=3), rng.normal(size=4), rng.uniform(0.5, 2, 3))
        parts = [local]
        if i and rng.random() < 0.8:
            parts.append(Parent(entities[rng.integers(i)]))
        if rng.random() < 0.3:
            parts.append(Name(str(i)))
        entities.append(world.spawn(*parts))
    return entities


def test_a_random_forest_is_right_after_random_edits(world):
    rng = np.random.default_rng(4)
    entities = random_forest(world, 150, rng)
    for _ in range(12):
        propagate_transforms(world)
        for entity in entities:
            got = world.get(entity, WorldTransform).matrix
            wanted = expected_matrix(world, entity)
            scale = max(1.0, float(np.abs(wanted).max()))
            assert np.allclose(got, wanted, atol=2e-5 * scale)
        for entity in rng.choice(entities, 10, replace=False).tolist():
            world.set(Entity(entity), LocalTransform(rng.normal(size=3), rng.normal(size=4)))
        for i in rng.integers(1, 150, 5).tolist():
            set_parent(world, entities[i], entities[int(rng.integers(i))] if i % 3 else None)


def test_a_partial_result_equals_the_full_one_bit_by_bit(world):
    rng = np.random.default_rng(5)
    entities = random_forest(world, 300, rng)
    propagate_transforms(world)
    full = [world.get(e, WorldTransform).matrix for e in entities]
    for some in ([entities[3]], rng.choice(entities, 100).tolist(), entities):
        mark_dirty(world, some)
        propagate_transforms(world)
        for entity, matrix in zip(entities, full, strict=True):
            assert np.array_equal(world.get(entity, WorldTransform).matrix, matrix)


def test_a_chain_of_twenty_thousand_is_propagated(world):
    count = 20_000
    handles = world.reserve_many(count)
    above = np.concatenate([[0], handles[:-1]])
    step = np.tile(np.float32([0, 0.25, 0]), (count, 1))
    columns = {
        LocalTransform: {"translation": step},
        Parent: {"entity": above},
        WorldTransform: {},
    }
    world.restore_many(handles, columns)
    assert propagate_transforms(world) == count
    assert place(world, Entity(handles[-1])) == [0, 5_000, 0]
    mark_dirty(world, Entity(handles[-1]))
    assert propagate_transforms(world) == 1
    mark_dirty(world, Entity(handles[0]))
    assert propagate_transforms(world) == count


def test_worlds_do_not_share_their_caches():
    one, two = World(), World()
    a, b = one.spawn(LocalTransform((1, 0, 0))), two.spawn(LocalTransform((2, 0, 0)))
    propagate_transforms(one)
    propagate_transforms(two)
    assert (place(one, a), place(two, b)) == ([1, 0, 0], [2, 0, 0])
