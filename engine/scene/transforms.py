"""`propagate_transforms`: world placements from local ones, for what changed.

Once per frame: gather what was marked or set since the last time, add what hangs below, order
parents before children, compute ``parent.world @ local`` (or the local placement of a root) in
batches, and forget the marks. Setting or adding a `LocalTransform`, `LocalMatrix` or `Parent` marks
by itself; writing into a column needs `mark_dirty`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine.ecs import QuerySpec, World
from engine.reflect import Entity
from engine.reflect.entity import INDEX_MASK
from engine.scene.components import LocalMatrix, LocalTransform, WorldTransform
from engine.scene.hierarchy_index import HierarchyIndex, Slots
from engine.scene.transform_plan import Placement, TransformPlan, placement_of, slots_of

_FEW = 64
_WALK_LIMIT = 2048


def mark_dirty(world: World, entities: ArrayLike) -> None:
    """Have the next propagation recompute entities and what hangs below them.

    Parameters
    ----------
    entities : Entity or (n,) array of handles
        Handles that are not alive by then are ignored.
    """
    cache = world.resource(TransformCache, TransformCache)
    cache.marked.append(np.array(entities, np.int64, ndmin=1))


def propagate_transforms(world: World) -> int:
    """Bring every `WorldTransform` up to date, adding it where it is missing.

    It goes with the last local placement; one that was written without any stays as given.

    Returns
    -------
    int
        The number of world transforms recomputed.
    """
    with np.errstate(all="ignore"):
        return world.resource(TransformCache, TransformCache).propagate(world)


class TransformCache:
    """What the propagation of one world remembers."""

    def __init__(self) -> None:
        self.marked: list[NDArray[np.int64]] = []
        self._unplaced = (
            QuerySpec(LocalTransform, without=(WorldTransform,)),
            QuerySpec(LocalMatrix, without=(WorldTransform,)),
        )
        self._given = QuerySpec(WorldTransform, without=(LocalTransform, LocalMatrix))
        self._tick = -1
        self._index_version = -1
        self._structure = -1
        self._placement = np.zeros(1, np.int8)
        self._position = np.full(1, -1, np.int64)
        self._full: TransformPlan | None = None
        self._full_key = (-1, -1)

    def propagate(self, world: World) -> int:
        """Recompute what is dirty; return how many entities that are."""
        if world.tick == self._tick and not self.marked:
            return 0
        self._remove_left(world)
        added = self._add_missing(world)
        index = HierarchyIndex.of(world)
        flags = self._dirty(world, index, added)
        self.marked.clear()
        count = self._recompute(world, index, flags)
        self._tick = world.tick
        return count

    def _remove_left(self, world: World) -> None:
        """Take the place computed before from what has lost its local one: nothing derives it."""
        for table in self._given.tables(world):
            if table.structure <= self._tick or not len(table):
                continue
            slots = slots_of(table)
            slots = np.where(slots < len(self._placement), slots, -1)
            was_derived = np.isin(self._placement[slots], (Placement.TRANSFORM, Placement.MATRIX))
            # One that was written since then is somebody's own.
            was_derived &= table.row_ticks(WorldTransform) <= self._tick
            for handle in table.entities[was_derived].tolist():
                world.remove(Entity(handle), WorldTransform)

    def _add_missing(self, world: World) -> list[Slots]:
        added = []
        for query in self._unplaced:
            for table in query.tables(world):
                if len(table):
                    entities = table.entities.copy()
                    added.append(entities & INDEX_MASK)
                    world.add_many(entities, WorldTransform)
        return added

    # -- what changed ------------------------------------------------------------------------

    def _dirty(self, world: World, index: HierarchyIndex, added: list[Slots]) -> NDArray[np.bool_]:
        """Return (n + 1,) flags of the slots whose own placement or parent changed."""
        flags = np.zeros(len(index.handle), np.bool_)
        for handles in self.marked:
            slots = handles & INDEX_MASK
            slots = np.where(slots < len(flags) - 1, slots, -1)
            flags[slots[(index.handle[slots] == handles) & (handles > 0)]] = True
        for slots in added:
            flags[slots] = True
        if index.version != self._index_version:
            flags |= index.changed_at > self._index_version
            self._index_version = index.version
        if world.structure != self._structure:
            self._structure = world.structure
            self._note_placements(world, flags)
        self._flag_written(world, flags)
        return flags

    def _note_placements(self, world: World, flags: NDArray[np.bool_]) -> None:
        """Flag the entities whose placement comes from another component than before."""
        moved = world.moved_after(self._tick)
        if moved is None or len(self._placement) != len(flags):
            self._note_all_placements(world, flags)
            return
        handles = np.array(sorted(moved), np.int64)
        tables, _ = world.locate(handles)
        for handle, table_id in zip(handles.tolist(), tables.tolist(), strict=True):
            slot = handle & INDEX_MASK
            found = placement_of(world.table(table_id)) if table_id >= 0 else Placement.NONE
            flags[slot] |= found != self._placement[slot]
            self._placement[slot] = found

    def _note_all_placements(self, world: World, flags: NDArray[np.bool_]) -> None:
        placement = np.zeros(len(flags), np.int8)
        for table in world.tables:
            if len(table):
                placement[slots_of(table)] = placement_of(table)
        old = np.zeros(len(flags), np.int8)
        old[: len(self._placement) - 1] = self._placement[:-1]
        flags |= placement != old
        self._placement = placement
        if len(self._position) != len(flags):
            self._position = np.full(len(flags), -1, np.int64)

    def _flag_written(self, world: World, flags: NDArray[np.bool_]) -> None:
        sources = {
            Placement.TRANSFORM: LocalTransform,
            Placement.MATRIX: LocalMatrix,
            Placement.GIVEN: WorldTransform,
        }
        newer = {p: t for p, t in sources.items() if world.version(t) > self._tick}
        if not newer:
            return
        for table in world.tables:
            type_ = newer.get(placement_of(table))
            if type_ is not None and len(table):
                rows = np.flatnonzero(table.row_ticks(type_) > self._tick)
                if len(rows):
                    flags[slots_of(table)[rows]] = True

    # -- recomputing -------------------------------------------------------------------------

    def _recompute(self, world: World, index: HierarchyIndex, flags: NDArray[np.bool_]) -> int:
        seeds = np.flatnonzero(flags)
        seeds = seeds[index.handle[seeds] != 0]
        if not len(seeds):
            return 0
        slots = _walk(index, seeds) if len(seeds) <= _FEW else None
        if slots is None:
            slots = np.flatnonzero(index.spread(flags) & (index.handle != 0))
        if len(slots) == len(world):
            return self._full_plan(world, index, slots).run(world, index)
        return TransformPlan(world, index, slots, self._position).run(world, index)

    def _full_plan(self, world: World, index: HierarchyIndex, slots: Slots) -> TransformPlan:
        key = (index.version, self._structure)
        if self._full is None or self._full_key != key:
            self._full = TransformPlan(world, index, slots, self._position)
            self._full_key = key
        return self._full


def _walk(index: HierarchyIndex, seeds: Slots) -> Slots | None:
    """Return the seeds and all below them, or None when that turns out to be many."""
    found = dict.fromkeys(seeds.tolist())
    todo = list(found)
    while todo:
        below = [slot for slot in index.child_slots(todo.pop()).tolist() if slot not in found]
        found.update(dict.fromkeys(below))
        todo.extend(below)
        if len(found) > _WALK_LIMIT:
            return None
    return np.array(list(found), np.int64)
