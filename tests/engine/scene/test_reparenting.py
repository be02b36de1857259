"""Attaching an entity elsewhere: what is refused, and where it stands then."""

import numpy as np
import pytest

from engine.ecs import EntityError
from engine.errors import SceneError
from engine.scene.components import (
    LocalMatrix,
    LocalTransform,
    Parent,
    WorldTransform,
)
from engine.scene.hierarchy import (
    children,
    parent_of,
    set_parent,
    world_matrix,
)
from tests.engine.scene.conftest import NULL, chain


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
