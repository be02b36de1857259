"""What a drag moves: entities with the state they had when it began, and their new values.

A result is always computed from the state at the start, in float64, and holds only the fields that
the gesture is about: moving never rewrites rotation or scale, so a negative scale stays as it is.
World motions are taken into the parent's space with the inverse of the parent's full matrix, so a
child follows the cursor exactly under rotated, scaled and flipped parents.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from editor.tools.projection import Vector
from engine.ecs import World
from engine.math import (
    matrix_from_quat,
    quat_from_axis_angle,
    quat_from_matrix,
    quat_multiply,
    quat_normalize,
)
from engine.reflect import Entity, SceneComponent
from engine.scene.components import LocalMatrix, LocalTransform
from engine.scene.hierarchy import ancestors, local_matrix, parent_of, world_matrix

# Radians; less is the rounding of a ring that was turned back to where it was grabbed.
_NO_TURN = 1e-9

Fields = Mapping[str, NDArray[np.float32]]


@dataclass(frozen=True)
class Target:
    """One entity of a gesture, as it was when the gesture began.

    Attributes
    ----------
    entity : Entity
    world_from_parent, local : (4, 4) float64
    rotation : (4,) float64 or None
        Quaternion x y z w; None when the entity holds a LocalMatrix.
    scale, translation : (3,) float64
    """

    entity: Entity
    world_from_parent: Vector
    local: Vector
    translation: Vector
    rotation: Vector | None
    scale: Vector

    @property
    def world(self) -> Vector:
        return np.asarray(self.world_from_parent @ self.local)

    @property
    def origin(self) -> Vector:
        return self.world[:3, 3]

    @property
    def axes(self) -> Vector:
        """Its own axes in world space, (3, 3) orthonormal and right-handed columns."""
        linear = self.world_from_parent[:3, :3] @ _rotation_part(self)
        return orthonormal(linear)


@dataclass(frozen=True)
class Edit:
    """New values for some fields of one component of one entity."""

    entity: Entity
    component: type[SceneComponent]
    fields: Fields


def targets_of(world: World, entities: Iterable[Entity]) -> list[Target]:
    """Return the topmost of `entities` that have a place, in their order.

    An entity whose ancestor is chosen too follows that ancestor and is left out.
    """
    chosen = [e for e in entities if world.alive(e)]
    members = set(chosen)
    return [
        read_target(world, entity)
        for entity in chosen
        if members.isdisjoint(ancestors(world, entity)) and has_place(world, entity)
    ]


def has_place(world: World, entity: Entity) -> bool:
    return world.has(entity, LocalTransform) or world.has(entity, LocalMatrix)


def read_target(world: World, entity: Entity) -> Target:
    """Return the present state of an entity that has a place."""
    above = parent_of(world, entity)
    parent = world_matrix(world, above) if above else np.eye(4)
    local = local_matrix(world, entity)
    assert local is not None, "the caller checks has_place"
    if world.has(entity, LocalMatrix):
        return Target(entity, parent, local, local[:3, 3].copy(), None, np.ones(3))
    place = world.get(entity, LocalTransform)
    return Target(
        entity,
        parent,
        local,
        np.asarray(place.translation, np.float64),
        np.asarray(place.rotation, np.float64),
        np.asarray(place.scale, np.float64),
    )


def moved(targets: Sequence[Target], offset: Vector) -> list[Edit]:
    """Move every target by one world vector."""
    return [_placed_at(target, target.origin + offset) for target in targets]


def rotated(
    targets: Sequence[Target], axes: Sequence[Vector], angle: float, pivots: Sequence[Vector]
) -> list[Edit]:
    """Turn each target by `angle` radians around its own world axis through its pivot."""
    if abs(angle) < _NO_TURN:
        return [_as_it_was(target) for target in targets]
    edits = []
    for target, axis, pivot in zip(targets, axes, pivots, strict=True):
        turn = axis_rotation(axis, angle)
        origin = pivot + turn @ (target.origin - pivot)
        if target.rotation is None:
            world = target.world.copy()
            world[:3, :3] = turn @ world[:3, :3]
            world[:3, 3] = origin
            edits.append(_matrix_edit(target, np.linalg.inv(target.world_from_parent) @ world))
            continue
        frame = polar_rotation(target.world_from_parent[:3, :3])
        handed = 1.0 if np.linalg.det(frame) > 0 else -1.0
        local_turn = quat_from_axis_angle(frame.T @ axis, angle * handed)
        fields = {"rotation": quat_normalize(quat_multiply(local_turn, target.rotation))}
        if not np.array_equal(pivot, target.origin):
            fields["translation"] = _local_point(target, origin)
        edits.append(Edit(target.entity, LocalTransform, fields))
    return edits


def scaled(
    targets: Sequence[Target], axes: Vector, factors: Vector, pivots: Sequence[Vector]
) -> list[Edit]:
    """Scale each target along its own axes, and its distance from its pivot along `axes`.

    Parameters
    ----------
    targets : sequence of Target
    axes : (3, 3) float64
        Columns, the gizmo's axes in world space.
    factors : (3,) float64
        One per axis.
    pivots : sequence of (3,) float64
        One per target.
    """
    stretch = axes @ np.diag(factors) @ axes.T
    edits = []
    for target, pivot in zip(targets, pivots, strict=True):
        origin = pivot + stretch @ (target.origin - pivot)
        if target.rotation is None:
            local = target.local.copy()
            local[:3, :3] = local[:3, :3] * factors
            local[:3, 3] = _local_point(target, origin)
            edits.append(_matrix_edit(target, local))
            continue
        fields = {"scale": _float32(target.scale * factors)}
        if not np.array_equal(pivot, target.origin):
            fields["translation"] = _local_point(target, origin)
        edits.append(Edit(target.entity, LocalTransform, fields))
    return edits


def aimed(target: Target, axes: Vector, origin: Vector) -> Edit:
    """Turn a target so that its own axes are `axes`, and put it at `origin`.

    Parameters
    ----------
    target : Target
    axes : (3, 3) float64
        World space, orthonormal and right-handed columns.
    origin : (3,) float64
    """
    *axis, w = (float(v) for v in quat_from_matrix(axes @ target.axes.T))
    sine = float(np.linalg.norm(axis))
    direction = np.asarray(axis) / sine if sine > _NO_TURN else np.array([0.0, 1.0, 0.0])
    (turned,) = rotated([target], [direction], 2.0 * math.atan2(sine, w), [target.origin])
    if target.rotation is None:
        local = np.asarray(turned.fields["matrix"], np.float64)
        local[:3, 3] = _local_point(target, origin)
        return _matrix_edit(target, local)
    fields = {**turned.fields, "translation": _local_point(target, origin)}
    return Edit(target.entity, LocalTransform, fields)


def _as_it_was(target: Target) -> Edit:
    """Return what a drag began with, bit by bit: one that comes back there changes nothing."""
    if target.rotation is None:
        return _matrix_edit(target, target.local)
    fields = {
        "rotation": _float32(target.rotation),
        "translation": _float32(target.translation),
    }
    return Edit(target.entity, LocalTransform, fields)


def _placed_at(target: Target, origin: Vector) -> Edit:
    if target.rotation is None:
        local = target.local.copy()
        local[:3, 3] = _local_point(target, origin)
        return _matrix_edit(target, local)
    return Edit(target.entity, LocalTransform, {"translation": _local_point(target, origin)})


def _matrix_edit(target: Target, local: Vector) -> Edit:
    return Edit(target.entity, LocalMatrix, {"matrix": _float32(local)})


def _local_point(target: Target, point: Vector) -> NDArray[np.float32]:
    parent = target.world_from_parent
    offset = point - target.origin
    linear = parent[:3, :3]
    if abs(np.linalg.det(linear)) < 1e-18:
        return _float32(target.translation + np.linalg.pinv(linear) @ offset)
    return _float32(target.translation + np.linalg.solve(linear, offset))


def _rotation_part(target: Target) -> Vector:
    if target.rotation is None:
        return target.local[:3, :3]
    return matrix_from_quat(target.rotation)


def _float32(values: Vector) -> NDArray[np.float32]:
    return np.asarray(values, np.float32)


def axis_rotation(axis: Vector, angle: float) -> Vector:
    """Return the (3, 3) matrix of a turn by `angle` radians around a unit axis."""
    return matrix_from_quat(quat_from_axis_angle(axis, angle))


def polar_rotation(linear: Vector) -> Vector:
    """Return the orthogonal matrix nearest to `linear`; a mirror stays one."""
    if not np.isfinite(linear).all():
        # LAPACK would look for its singular values for ever.
        return np.eye(3)
    left, _, right = np.linalg.svd(linear)
    return np.asarray(left @ right)


def orthonormal(linear: Vector) -> Vector:
    """Return right-handed orthonormal axes that follow the columns of `linear` in order."""
    lengths = np.linalg.norm(linear, axis=0)
    if np.any(lengths < 1e-12):
        return np.eye(3)
    first = linear[:, 0] / lengths[0]
    second = linear[:, 1] - first * float(first @ linear[:, 1])
    length = float(np.linalg.norm(second))
    if length < 1e-9 * lengths[1]:
        return np.eye(3)
    second = second / length
    return np.stack([first, second, np.cross(first, second)], axis=1)
