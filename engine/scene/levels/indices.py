"""Which entity is which record of a level's file, for life."""

from __future__ import annotations

import numpy as np

from engine.ecs import World
from engine.reflect import Entity
from engine.scene.levels.scene_file import level_entities
from engine.scene.registry.file_index import IntArray


class EntityIndices:
    """The handles of a level by file index, dead ones included.

    Parameters
    ----------
    handles : (n,) int64
        The handle of each record of the opened file, 0 for empty ones. An empty record stays
        empty: new entities are appended, so that adding never rewrites what is there.
    """

    def __init__(self, handles: IntArray) -> None:
        self._handles = handles
        used = np.flatnonzero(handles)
        pairs = zip(handles[used].tolist(), used.tolist(), strict=True)
        self._index_of: dict[int, int] = dict(pairs)

    @property
    def handles(self) -> IntArray:
        """The handle of each record, dead ones included; 0 for none."""
        return self._handles

    def __len__(self) -> int:
        return len(self._handles)

    def draft(self, room: int) -> EntityIndices:
        """Return a copy to number on, of `room` records at least."""
        empty = np.zeros(max(0, room - len(self)), np.int64)
        return EntityIndices(np.concatenate([self._handles, empty]))

    def index_of(self, entity: int) -> int:
        """Return the index of a handle, or -1."""
        return self._index_of.get(int(entity), -1)

    def entity_at(self, index: int) -> Entity:
        """Return the handle of a record, null where there is none."""
        is_inside = 0 <= index < len(self._handles)
        return Entity(int(self._handles[index])) if is_inside else Entity.null()

    def living(self, world: World) -> IntArray:
        """Return the handles with 0 for those that are dead."""
        table_ids, _ = world.locate(self._handles)
        return np.where(table_ids >= 0, self._handles, 0)

    def give(self, index: int, entity: int) -> None:
        """Give an entity the record of one that went; nothing happens where there is none."""
        if 0 <= index < len(self._handles) and self.index_of(entity) < 0:
            self._index_of.pop(int(self._handles[index]), None)
            self._handles[index] = entity
            self._index_of[int(entity)] = index

    def number(self, first: int, handles: IntArray) -> None:
        """Give `handles` the indices from `first` on that they got in another session.

        An index stays empty where the handle is 0 or has one already.
        """
        room = np.zeros(max(0, first + len(handles) - len(self)), np.int64)
        self._handles = np.concatenate([self._handles, room])
        for index, handle in enumerate(handles.tolist(), first):
            if handle and not self._handles[index]:
                self.give(index, handle)

    def extend(self, world: World) -> None:
        """Give an index to every entity of the level that has none, in spawn order."""
        current = level_entities(world)
        is_new = ~np.isin(current, self._handles)
        self.append(current[is_new])

    def append(self, handles: IntArray) -> None:
        """Give the next indices to `handles`."""
        first = len(self._handles)
        self._handles = np.concatenate([self._handles, handles])
        self._index_of.update(zip(handles.tolist(), range(first, len(self._handles)), strict=True))
