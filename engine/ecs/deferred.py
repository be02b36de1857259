"""`DeferredOps`: changes queued while systems run over columns, applied together later."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from engine.ecs.table import ComponentType
from engine.reflect import Entity, SceneComponent

if TYPE_CHECKING:
    from engine.ecs.world import World

Op = Callable[[], None]


class DeferredOps:
    """Queued spawns, despawns, adds and removes; those on entities that died are dropped.

    `despawn_recursive` follows the component type that names its field in a class attribute
    ``hierarchy_link`` (``Parent.hierarchy_link == "entity"``).
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self._ops: list[Op] = []

    def __len__(self) -> int:
        return len(self._ops)

    def spawn(self, *components: SceneComponent) -> Entity:
        """Queue a spawn; the handle that is returned comes alive with `flush`."""
        world = self._world
        entity = Entity(world.reserve_many(1)[0])
        values = [component.copy() for component in components]
        self._ops.append(lambda: world.restore(entity, *values))
        return entity

    def despawn(self, entity: Entity) -> None:
        """Remove an entity at the next flush."""
        world = self._world
        self._queue(entity, lambda: world.despawn(entity))

    def despawn_recursive(self, entity: Entity) -> None:
        """Queue the despawn of an entity and of all that hangs under it at that time."""
        world = self._world

        def apply() -> None:
            for member in subtree(world, entity):
                world.despawn(member)

        self._queue(entity, apply)

    def add(self, entity: Entity, component: SceneComponent) -> None:
        """Add a component, or replace its value, at the next flush; the value is copied now."""
        world, value = self._world, component.copy()
        self._queue(entity, lambda: world.add(entity, value))

    def remove(self, entity: Entity, type_: ComponentType) -> None:
        """Remove a component at the next flush, if it is there then."""
        world = self._world

        def apply() -> None:
            if world.has(entity, type_):
                world.remove(entity, type_)

        self._queue(entity, apply)

    def _queue(self, entity: Entity, op: Op) -> None:
        world = self._world

        def guarded() -> None:
            if world.alive(entity):
                op()

        self._ops.append(guarded)

    def flush(self) -> int:
        """Apply what is queued, in order, and return how many operations there were."""
        ops, self._ops = self._ops, []
        for op in ops:
            op()
        return len(ops)


def subtree(world: World, root: Entity) -> list[Entity]:
    """Return `root` and everything linked under it, each once, parents first."""
    found, seen, level = [root], {int(root)}, np.array([root], np.int64)
    while len(level):
        below: list[int] = []
        for table in world.tables:
            for type_ in table.types:
                link = getattr(type_, "hierarchy_link", None)
                if isinstance(link, str) and len(table):
                    hangs = np.isin(table.view(type_, link), level)
                    below += [e for e in table.entities[hangs].tolist() if e not in seen]
                    seen.update(below)
        found += [Entity(e) for e in below]
        level = np.array(below, np.int64)
    return found
