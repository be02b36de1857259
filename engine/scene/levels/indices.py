"""Which entity is which record of a level's file, for life.

An entity of the level is known by its handle, a node of an instance by its place: the instance and
its path there. Assets make nodes anew as other entities, and the record of a node stays what it is.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from engine.ecs import World
from engine.reflect import Entity
from engine.scene.components.instance_node import InstanceNode
from engine.scene.components.realised import Realised
from engine.scene.registry.file_index import IntArray

Place = tuple[Entity, str]


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
        self._at_place: dict[Place, tuple[int, ...]] = {}
        # Where nodes are that got an index by their place.
        self._node_at: dict[int, int] = {}
        # Nobody has said yet whether a node or an entity of the level is there.
        self._is_open = handles != 0

    @property
    def handles(self) -> IntArray:
        """The handle of each record, dead ones included; 0 for none."""
        return self._handles

    def __len__(self) -> int:
        return len(self._handles)

    def draft(self, room: int) -> EntityIndices:
        """Return a copy to number on, of `room` records at least."""
        empty = np.zeros(max(0, room - len(self)), np.int64)
        draft = EntityIndices(np.empty(0, np.int64))
        draft._handles = np.concatenate([self._handles, empty])
        draft._index_of = dict(self._index_of)
        draft._node_at = dict(self._node_at)
        draft._is_open = np.concatenate([self._is_open, empty != 0])
        draft._at_place = dict(self._at_place)
        return draft

    def index_of(self, entity: int) -> int:
        """Return the index of a handle, or -1."""
        return self._node_at.get(int(entity), self._index_of.get(int(entity), -1))

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
            self._is_open[index] = True

    def number(self, first: int, handles: IntArray) -> None:
        """Give `handles` the indices from `first` on that they got in another session.

        An index stays empty where the handle is 0 or has one already.
        """
        room = np.zeros(max(0, first + len(handles) - len(self)), np.int64)
        self._handles = np.concatenate([self._handles, room])
        self._is_open = np.concatenate([self._is_open, room != 0])
        for index, handle in enumerate(handles.tolist(), first):
            if handle and not self._handles[index]:
                self.give(index, handle)

    def extend(self, world: World, own: IntArray) -> None:
        """Give an index to each of the level's own entities that has none, in their order.

        One that lost its index to a node while it was dead gets it back.
        """
        for handle in own[np.isin(own, np.fromiter(self._node_at, np.int64))].tolist():
            self._leave(handle)
        new = own[~np.isin(own, self._handles)]
        known = np.array([self._index_of.get(handle, -1) for handle in new.tolist()], np.int64)
        self._handles[known[known >= 0]] = new[known >= 0]
        self._is_open[np.isin(self._handles, own)] = False
        self.append(new[known < 0])

    def place(self, world: World, places: Mapping[int, Place], taken: set[int]) -> bool:
        """Give the records of nodes the indices of their places; return whether any changed.

        Parameters
        ----------
        world : World
        places : mapping of int to (Entity, str)
            By handle; the first of two for one place comes first.
        taken : set of int
            The handles of nodes that have their index; those of `places` are added.
        """
        moved: list[int] = []
        for node, place in places.items():
            seats = self._at_place.get(place)
            if seats is not None and self._handles[seats[0]] == node:
                taken.add(node)
            else:
                moved.append(node)
        moved.sort(key=lambda node: (self.index_of(places[node][0]), places[node][1]))
        new: list[int] = []
        is_other = False
        for node in moved:
            at = self._free_index(world, node, places[node], taken)
            is_other = is_other or at < 0 or self._handles[at] != node
            self._leave(node)
            if at < 0:
                at = len(self) + len(new)
                new.append(node)
            else:
                self._handles[at] = node
                self._is_open[at] = False
            known = self._at_place.get(places[node], ())
            if at not in known:
                self._at_place[places[node]] = (*known, at)
            self._node_at[node] = at
            taken.add(node)
        self.append(np.array(new, np.int64))
        return is_other

    def _leave(self, handle: int) -> None:
        """Let nothing be where a handle is now."""
        at = self._node_at.pop(handle, self._index_of.get(handle, -1))
        if at >= 0 and self._handles[at] == handle:
            self._handles[at] = 0

    def _free_index(self, world: World, node: int, place: Place, taken: set[int]) -> int:
        """Return the index of a place that no other record has, or one given to the node; or -1."""
        given = self._index_of.get(node, -1)
        known = self._at_place.get(place, ())
        for at in (*known, given) if given >= 0 and self._is_open[given] else known:
            if at >= len(self):
                continue
            holder = Entity(int(self._handles[at]))
            if holder == node or not (holder in taken or _is_own(world, holder)):
                return int(at)
        return -1

    def append(self, handles: IntArray) -> None:
        """Give the next indices to `handles`."""
        for index, handle in enumerate(handles.tolist(), len(self)):
            self._index_of.setdefault(handle, index)
        self._handles = np.concatenate([self._handles, handles])
        self._is_open = np.concatenate([self._is_open, np.zeros(len(handles), np.bool_)])


def _is_own(world: World, entity: Entity) -> bool:
    """Whether an entity is the level's own, and no node."""
    is_alive = world.alive(entity)
    return is_alive and not (world.has(entity, Realised) or world.has(entity, InstanceNode))
