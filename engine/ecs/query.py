"""`QuerySpec`: which tables to look at, kept and reused."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any
from weakref import WeakKeyDictionary

from engine.ecs.table import ComponentType, Table
from engine.ecs.world import World
from engine.reflect import Entity


class QuerySpec:
    """The tables that carry all of `types` and none of `without`.

    Keep one and reuse it: it remembers, for each world, the tables that match and looks only at
    those that appeared since.
    """

    def __init__(self, *types: ComponentType, without: Sequence[ComponentType] = ()) -> None:
        self.types = types
        self.without = tuple(without)
        self._matching: WeakKeyDictionary[World, tuple[int, list[Table]]] = WeakKeyDictionary()

    def tables(self, world: World) -> list[Table]:
        """Return the tables that match, empty ones included; do not change the list."""
        seen, matching = self._matching.get(world, (0, None))
        tables = world.tables
        if matching is not None and seen == len(tables):
            return matching
        matching = [*(matching or ()), *(t for t in tables[seen:] if self._matches(t))]
        self._matching[world] = (len(tables), matching)
        return matching

    def _matches(self, table: Table) -> bool:
        return all(t in table for t in self.types) and not any(t in table for t in self.without)

    def each(self, world: World) -> Iterator[tuple[Any, ...]]:
        """Yield ``(entity, *components)`` for every match; the values are copies.

        The world may be changed while iterating: entities that no longer match are passed over,
        those that come to match after the start are not visited.
        """
        found = [e for table in self.tables(world) for e in table.entities.tolist()]
        for handle in found:
            entity = Entity(handle)
            if world.alive(entity) and self._matches_entity(world, entity):
                yield (entity, *(world.get(entity, type_) for type_ in self.types))

    def _matches_entity(self, world: World, entity: Entity) -> bool:
        carried = world.types(entity)
        return all(t in carried for t in self.types) and not any(t in carried for t in self.without)
