"""The tree of entities: attach, detach, walk, despawn and clone whole branches.

An entity hangs where its `Parent` says; `hierarchy_index` decides what that means when a file holds
a link that is dead or part of a cycle. Nothing here recurses, and nothing changes when an operation
is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from engine.ecs import World
from engine.errors import SceneError
from engine.math import decompose
from engine.reflect import (
    ComponentRecord,
    Entity,
    Kind,
    SceneComponent,
    component_fields,
    from_record,
    has_derived_codec,
    to_record,
)
from engine.scene.components import (
    KeptRecords,
    LocalMatrix,
    LocalTransform,
    Parent,
    WorldTransform,
)
from engine.scene.hierarchy_index import ROOT, HierarchyIndex
from engine.scene.node_paths import NodePaths

Float64Matrix = NDArray[np.float64]

_PLAIN_WALK = 64


def set_parent(
    world: World, child: Entity, parent: Entity | None = None, *, keep_world: bool = False
) -> None:
    """Hang `child` under `parent`; None or the null entity makes it a root.

    Parameters
    ----------
    keep_world : bool
        Change the local placement so that the entity stays where it is in the world. A placement
        that then needs shear is kept exactly by a `LocalMatrix`.

    Raises
    ------
    SceneError
        The parent is the child itself or hangs under it, or the world placement cannot be kept
        because the parent is scaled to nothing. Nothing changed.
    EntityError
        One of the entities is not alive.
    """
    world.types(child)
    parent = Entity(parent or 0)
    if parent:
        world.types(parent)
        _refuse_cycle(world, child, parent)
    if parent == parent_of(world, child):
        keep_world = False
    placement = _local_under(world, child, parent) if keep_world else None
    if parent:
        world.add(child, Parent(parent))
    elif world.has(child, Parent):
        world.remove(child, Parent)
    if placement is not None:
        _place(world, child, placement)


def _refuse_cycle(world: World, child: Entity, parent: Entity) -> None:
    above = parent
    for _ in range(_PLAIN_WALK):
        if above == child:
            raise _cycle(child, parent)
        if not world.has(above, Parent):
            return
        above = world.get(above, Parent).entity
        if not world.alive(above):
            return
    index = HierarchyIndex.of(world)
    if index.slot(child) in index.ancestor_slots(index.slot(parent)):
        raise _cycle(child, parent)


def _cycle(child: Entity, parent: Entity) -> SceneError:
    if child == parent:
        return SceneError(f"set_parent: entity {child} cannot be its own parent")
    return SceneError(f"set_parent: entity {parent} hangs under {child}, expected one outside it")


def _local_under(world: World, child: Entity, parent: Entity) -> Float64Matrix | None:
    """Return the local matrix that keeps `child` in place under `parent`; None has no placement."""
    if local_matrix(world, child) is None:
        return None
    above = world_matrix(world, parent) if parent else np.eye(4)
    try:
        local = np.asarray(np.linalg.solve(above, world_matrix(world, child)), np.float64)
    except np.linalg.LinAlgError:
        local = np.full((4, 4), np.nan)
    if not np.isfinite(local).all():
        raise SceneError(
            f"set_parent: entity {parent} is scaled to zero, so {child} cannot keep its place"
        )
    local[3] = (0.0, 0.0, 0.0, 1.0)
    return local


def _place(world: World, entity: Entity, local: Float64Matrix) -> None:
    try:
        world.add(entity, LocalTransform.from_matrix(local))
    except SceneError:
        world.add(entity, LocalTransform(*decompose(local)))
        world.add(entity, LocalMatrix(local.astype(np.float32)))
        return
    if world.has(entity, LocalMatrix):
        world.remove(entity, LocalMatrix)


def local_matrix(world: World, entity: Entity) -> Float64Matrix | None:
    """Return ``parent_from_local`` (4, 4) float64; None for an entity without a placement."""
    if world.has(entity, LocalMatrix):
        return np.asarray(world.get(entity, LocalMatrix).matrix, np.float64)
    if world.has(entity, LocalTransform):
        return np.asarray(world.get(entity, LocalTransform).to_matrix(), np.float64)
    return None


def world_matrix(world: World, entity: Entity) -> Float64Matrix:
    """Return ``world_from_local`` (4, 4) float64, computed from the placements as they are now.

    An entity without a placement of its own takes its parent's, unless somebody gave it a
    `WorldTransform`.
    """
    index = HierarchyIndex.of(world)
    matrix: Float64Matrix = np.eye(4)
    slot = index.slot(entity)
    while slot != ROOT:
        here = Entity(index.handle[slot])
        local = local_matrix(world, here)
        if local is None and world.has(here, WorldTransform):
            above = np.asarray(world.get(here, WorldTransform).matrix, np.float64)
            return np.asarray(above @ matrix, np.float64)
        matrix = matrix if local is None else local @ matrix
        slot = int(index.parent[slot])
    return matrix


def children(world: World, entity: Entity) -> list[Entity]:
    """Return the children of an entity, or the roots for the null entity, in order.

    An entity that is not alive has none.
    """
    index = HierarchyIndex.of(world)
    slot = index.slot(entity)
    if entity and slot == ROOT:
        return []
    return index.entities(index.child_slots(slot))


def parent_of(world: World, entity: Entity) -> Entity:
    """Return the effective parent of an entity; the null entity for a root."""
    world.types(entity)
    index = HierarchyIndex.of(world)
    return Entity(index.handle[index.parent[index.slot(entity)]])


def ancestors(world: World, entity: Entity) -> Iterator[Entity]:
    """Yield the parent, its parent and so on up to the root."""
    world.types(entity)
    index = HierarchyIndex.of(world)
    for slot in index.ancestor_slots(index.slot(entity)):
        yield Entity(index.handle[slot])


def descendants(world: World, entity: Entity) -> list[Entity]:
    """Return everything below an entity, parents first, siblings in order."""
    world.types(entity)
    index = HierarchyIndex.of(world)
    return index.entities(np.fromiter(index.descendant_slots(index.slot(entity)), np.int64))


def is_enabled(world: World, entity: Entity) -> bool:
    """Whether neither the entity nor any ancestor is switched off."""
    world.types(entity)
    index = HierarchyIndex.of(world)
    disabled = index.disabled(world)
    return disabled is None or not disabled[index.slot(entity)]


def despawn_recursive(world: World, entity: Entity) -> None:
    """Despawn an entity and everything below it."""
    for doomed in reversed([entity, *descendants(world, entity)]):
        world.despawn(doomed)


def clone_recursive(world: World, entity: Entity) -> Entity:
    """Copy an entity and everything below it, beside the original.

    References between the copied entities point to the copies; references to others stay. Records
    kept for components that no class stands for are copied too.

    Returns
    -------
    Entity
        The copy of `entity`.
    """
    originals = [entity, *descendants(world, entity)]
    clones = [Entity(e) for e in world.reserve_many(len(originals)).tolist()]
    clone_of: dict[int, Entity] = dict(zip(originals, clones, strict=True))
    paths = NodePaths.of(world)
    for original, clone in clone_of.items():
        values = [repointed(value, clone_of) for value in world.values(Entity(original))]
        world.restore(clone, *values)
        step = paths.step_to(Entity(original))
        if step is not None and step[0] in clone_of:
            paths.bind(clone_of[step[0]], step[1], clone)
    return clones[0]


def repointed(value: SceneComponent, clone_of: Mapping[int, Entity]) -> SceneComponent:
    """Return `value`, an own copy, with references to originals turned to their clones."""
    if isinstance(value, KeptRecords):
        for _, record in value.records:
            _repoint_record(record, clone_of)
        return value
    if not component_fields(type(value)) and not has_derived_codec(type(value)):
        record = to_record(value)
        return from_record(type(value), record) if _repoint_record(record, clone_of) else value
    for spec in component_fields(type(value)):
        if spec.record_kind is Kind.ENTITY:
            target = getattr(value, spec.name)
            setattr(value, spec.name, clone_of.get(target, target))
    return value


def _repoint_record(record: ComponentRecord, clone_of: Mapping[int, Entity]) -> bool:
    changed = False
    for field in record.fields:
        if field.kind is Kind.ENTITY and field.integer in clone_of:
            field.integer = int(clone_of[field.integer])
            changed = True
    return changed
