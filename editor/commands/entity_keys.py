"""`EntityKeys`: names of entities that another session understands.

A handle means something in one world only. An entity that the level's file holds is called by its
index there, another one by a negative number of its own; a node of an instance by the instance and
its path, since it may be made anew at any time.
"""

from __future__ import annotations

from collections.abc import Callable

from engine.reflect import Entity


class EntityKeys:
    """Handles to keys and back.

    Parameters
    ----------
    index_of : callable
        The file index of a handle, dead ones included; -1 where it has none.
    entity_at : callable
        The living entity of a file index, or null.
    give_index : callable, optional
        Gives an entity a file index that no living one has.
    """

    def __init__(
        self,
        index_of: Callable[[int], int],
        entity_at: Callable[[int], Entity],
        give_index: Callable[[int, Entity], None] = lambda _index, _entity: None,
    ) -> None:
        self._index_of = index_of
        self._entity_at = entity_at
        self._give_index = give_index
        self._keys: dict[Entity, int] = {}
        self._entities: dict[int, Entity] = {}
        self._next = -1

    def key_of(self, entity: Entity) -> int:
        """Return the key of an entity, a new one where it has none yet."""
        key = self._keys.get(entity)
        if key is None:
            key = self._index_of(entity)
            if key < 0:
                key = self._next
            self.bind(key, entity)
        return key

    def entity_of(self, key: int) -> Entity:
        """Return the entity of a key; null where none is known."""
        known = self._entities.get(key)
        if known is not None:
            return known
        return self._entity_at(key) if key >= 0 else Entity.null()

    def claim(self, key: int, entity: Entity) -> None:
        """Let a key mean an entity that has just come back, in the file too."""
        self.bind(key, entity)
        if key >= 0:
            self._give_index(key, entity)

    def bind(self, key: int, entity: Entity) -> None:
        """Let a key mean an entity from now on."""
        self._keys[entity] = key
        self._entities[key] = entity
        self._next = min(self._next, key - 1)
