"""Known bugs 28 and 30: drags under transformed parents, and fields that must stay as they are."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from editor.tools.targets import (
    axis_rotation,
    moved,
    rotated,
    scaled,
    targets_of,
)
from editor.tools.transform import write_edits
from engine.scene.components import LocalMatrix, LocalTransform, Name, Parent
from engine.scene.hierarchy import world_matrix

HALF = np.sqrt(0.5)


def local(level, entity):
    return level.world.get(entity, LocalTransform)


def test_a_child_of_a_turned_and_scaled_parent_moves_exactly_in_world_space(level):
    parent = level.spawn(rotation=(0, 0, HALF, HALF), scale=(2, 2, 2))
    child = level.spawn(parent=parent)
    before = world_matrix(level.world, child)
    write_edits(level, moved(targets_of(level.world, [child]), np.array([1.0, 0, 0])))
    assert world_matrix(level.world, child)[:3, 3] - before[:3, 3] == pytest.approx(
        [1, 0, 0], abs=1e-6
    )
    assert local(level, child).translation == pytest.approx([0, -0.5, 0], abs=1e-6)


def test_moving_leaves_a_negative_scale_and_the_rotation_bit_equal(level):
    entity = level.spawn(rotation=(0.1, 0.2, 0.3, 0.9), scale=(-2, 1, 1))
    before = local(level, entity)
    write_edits(level, moved(targets_of(level.world, [entity]), np.array([0.1, 0.2, 0.3])))
    after = local(level, entity)
    assert after.scale.tobytes() == before.scale.tobytes()
    assert after.rotation.tobytes() == before.rotation.tobytes()
    assert after.translation == pytest.approx([0.1, 0.2, 0.3])


number = st.floats(-3, 3)
factor = st.floats(0.3, 3).flatmap(lambda v: st.sampled_from([v, -v]))
vector = st.tuples(number, number, number)
turn = st.tuples(st.floats(-1, 1), st.floats(-1, 1), st.floats(-1, 1), st.floats(0.2, 1))


@given(vector, turn, st.tuples(factor, factor, factor), vector, turn, vector)
def test_world_moves_are_exact_under_any_parent(
    make_level, place, spin, scale, at, own_spin, offset
):
    level = make_level()
    parent = level.spawn(place, spin, scale)
    child = level.spawn(at, own_spin, (1, -1, 2), parent=parent)
    before = world_matrix(level.world, child)
    write_edits(level, moved(targets_of(level.world, [child]), np.array(offset)))
    expected = before.copy()
    expected[:3, 3] += offset
    assert world_matrix(level.world, child) == pytest.approx(expected, abs=2e-4)


@given(vector, turn, factor, vector, turn, turn, st.floats(-3, 3))
def test_turning_under_a_similar_or_flipped_parent_turns_the_world(
    make_level, place, spin, scale, at, own_spin, axis, angle
):
    level = make_level()
    parent = level.spawn(place, spin, (scale, abs(scale), abs(scale)))
    child = level.spawn(at, own_spin, (1, 2, -1), parent=parent)
    unit = np.array(axis[:3]) / max(np.linalg.norm(axis[:3]), 1e-9)
    if np.linalg.norm(unit) < 0.5:
        return
    before = world_matrix(level.world, child)
    pivot = np.array([1.0, 2, 3])
    write_edits(level, rotated(targets_of(level.world, [child]), [unit], angle, [pivot]))
    after = world_matrix(level.world, child)
    spun = axis_rotation(unit, angle)
    assert after[:3, :3] == pytest.approx(spun @ before[:3, :3], abs=2e-4)
    assert after[:3, 3] == pytest.approx(pivot + spun @ (before[:3, 3] - pivot), abs=2e-4)


def test_turning_in_place_writes_the_rotation_only(level):
    entity = level.spawn((1, 2, 3), (0, 0, 0, 1), (-2, 1, 1))
    (target,) = targets_of(level.world, [entity])
    (edit,) = rotated([target], [np.array([0.0, 1, 0])], 0.5, [target.origin])
    assert set(edit.fields) == {"rotation"}


def test_scaling_multiplies_the_scale_and_the_distance_from_the_pivot(level):
    entity = level.spawn((2, 0, 0), scale=(1, -1, 1))
    targets = targets_of(level.world, [entity])
    write_edits(level, scaled(targets, np.eye(3), np.array([3.0, 2, 1]), [np.zeros(3)]))
    assert local(level, entity).scale.tolist() == [3, -2, 1]
    assert local(level, entity).translation.tolist() == [6, 0, 0]


def test_a_sheared_entity_is_moved_turned_and_scaled_through_its_matrix(level):
    matrix = np.eye(4, dtype=np.float32)
    matrix[0, 1] = 0.5
    entity = level.world.spawn(Name("sheared"), LocalMatrix(matrix))
    write_edits(level, moved(targets_of(level.world, [entity]), np.array([1.0, 2, 3])))
    stored = np.asarray(level.world.get(entity, LocalMatrix).matrix)
    assert stored[:3, 3].tolist() == [1, 2, 3]
    assert stored[:3, :3].tolist() == matrix[:3, :3].tolist()
    targets = targets_of(level.world, [entity])
    write_edits(level, rotated(targets, [np.array([0.0, 0, 1])], np.pi / 2, [np.zeros(3)]))
    assert np.asarray(level.world.get(entity, LocalMatrix).matrix)[:3, 3] == pytest.approx(
        [-2, 1, 3], abs=1e-6
    )


def test_what_follows_a_chosen_parent_is_not_moved_twice(level):
    parent = level.spawn()
    child = level.spawn(parent=parent)
    grandchild = level.spawn(parent=child)
    assert [t.entity for t in targets_of(level.world, [grandchild, parent])] == [parent]


def test_things_without_a_place_and_the_dead_are_left_out(level):
    placeless = level.world.spawn(Name("environment"))
    gone = level.spawn()
    level.world.despawn(gone)
    assert targets_of(level.world, [placeless, gone]) == []


def test_a_cycle_of_parents_ends(level):
    first = level.spawn((1, 0, 0))
    second = level.spawn((0, 1, 0), parent=first)
    level.world.add(first, Parent(second))
    (target,) = targets_of(level.world, [first])
    assert np.all(np.isfinite(target.world))


def test_a_parent_of_zero_scale_gives_finite_results(level):
    parent = level.spawn(scale=(0, 1, 1))
    child = level.spawn(parent=parent)
    write_edits(level, moved(targets_of(level.world, [child]), np.array([1.0, 1, 0])))
    assert np.all(np.isfinite(local(level, child).translation))


def test_turning_below_a_parent_of_endless_size_comes_to_an_end(level):
    far = level.spawn(scale=(np.inf, 1.0, 0.0))
    child = level.spawn(parent=far)
    with np.errstate(all="ignore"):
        targets = targets_of(level.world, [child])
        assert not np.isfinite(targets[0].world_from_parent).all()
        (edit,) = rotated(targets, [np.array([0.0, 1.0, 0.0])], 0.5, [targets[0].origin])
    assert np.isfinite(edit.fields["rotation"]).all()
