"""`HierarchyIndex`: who hangs under whom, as arrays over entity slots, kept with each world.

`Parent` components are the truth; a file may hold one that is itself, dead or in a cycle. The
index gives every live entity its *effective* parent, which is always a tree: such an entity is a
root, and of a cycle the first in file order (the lowest spawn serial). It is compared with the
tables only when they changed, tells which slots got another parent, and answers for children,
descendants and depth without recursion, however deep the tree is.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from engine.ecs import World
from engine.reflect import Entity
from engine.reflect.entity import INDEX_MASK
from engine.scene.components import Enabled, Order, Parent

Slots = NDArray[np.int64]
ROOT = -1
"""Stands for "no parent"; as an index it selects the last, empty element of every array."""

_PATCH_LIMIT = 64


class HierarchyIndex:
    """The tree of one world. Arrays have one element per slot and an empty one at the end.

    Attributes
    ----------
    version : int
        Grows whenever an entity appears, vanishes or gets another effective parent.
    handle : (n + 1,) int64
        The live entity of each slot, 0 where there is none.
    parent : (n + 1,) int64
        The slot of the effective parent, or `ROOT`.
    depth : (n + 1,) int32
        Number of ancestors.
    changed_at : (n + 1,) int64
        The `version` at which the slot last got another entity or parent.
    """

    def __init__(self) -> None:
        self.version = 0
        self.handle = np.zeros(1, np.int64)
        self.parent = np.full(1, ROOT, np.int64)
        self.depth = np.zeros(1, np.int32)
        self.changed_at = np.zeros(1, np.int64)
        self._rank = np.zeros(1, np.int64)
        self._serial = np.zeros(1, np.int64)
        self._jumps: list[Slots] = []
        self._tick = -1
        self._stamp: tuple[int, ...] = ()
        self._order: Slots | None = None
        self._first: Slots = np.zeros(2, np.int64)
        self._patches: dict[int, Slots | None] = {}
        self._disabled: NDArray[np.bool_] | None = None
        self._disabled_stamp: tuple[int, int] = (-1, -1)

    @classmethod
    def of(cls, world: World) -> HierarchyIndex:
        """Return the index of `world`, up to date."""
        index = world.resource(cls, cls)
        index._sync(world)
        return index

    def slot(self, entity: int) -> int:
        """Return the slot of a live entity, or `ROOT`."""
        slot = entity & INDEX_MASK
        is_known = slot < len(self.handle) - 1 and entity > 0 and self.handle[slot] == entity
        return slot if is_known else ROOT

    def entities(self, slots: Slots) -> list[Entity]:
        """Return the entities of slots."""
        return [Entity(e) for e in self.handle[slots].tolist()]

    # -- reading the world -------------------------------------------------------------------

    def _sync(self, world: World) -> None:
        if world.tick == self._tick:
            return
        self._tick = world.tick
        stamp = (world.version(Parent), world.version(Order), world.structure)
        if stamp != self._stamp:
            self._stamp = stamp
            self._read(world)

    def _read(self, world: World) -> None:
        filled = [(table, table.entities & INDEX_MASK) for table in world.tables if len(table)]
        size = 1 + max((int(slots.max()) for _, slots in filled), default=-1)
        size = max(size, len(self.handle) - 1)
        handle, rank = np.zeros(size + 1, np.int64), np.zeros(size + 1, np.int64)
        linked = np.zeros(size + 1, np.int64)
        for table, slots in filled:
            handle[slots] = table.entities
            if Parent in table:
                linked[slots] = table.view(Parent, "entity")
            if Order in table:
                rank[slots] = table.view(Order, "rank")
        serial = np.zeros(size + 1, np.int64)
        serial[:-1] = world.serials(np.arange(size)) if size else 0
        parent = _valid_parents(handle, linked)
        self._take(handle, parent, rank, serial)

    def _take(self, handle: Slots, parent: Slots, rank: Slots, serial: Slots) -> None:
        depth, jumps = _measure(parent)
        stuck = _in_cycles(jumps)
        if len(stuck):
            _break_cycles(parent, stuck, serial)
            depth, jumps = _measure(parent)
        old_handle, old_parent = _grown(self.handle, len(handle)), _grown(self.parent, len(handle))
        changed_at, old_rank = _grown(self.changed_at, len(handle)), _grown(self._rank, len(handle))
        other = (handle != old_handle) | (parent != old_parent)
        moved = other | (rank != old_rank)
        if other.any():
            self.version += 1
            changed_at[other] = self.version
        self._patch(np.concatenate([old_parent[moved], parent[moved]]))
        self.handle, self.parent, self.depth = handle, parent, depth
        self.changed_at, self._rank, self._serial = changed_at, rank, serial
        self._jumps = jumps

    # -- children ----------------------------------------------------------------------------

    def child_slots(self, slot: int) -> Slots:
        """Return the slots of the children, by rank, then in file order; `ROOT` asks for roots."""
        if slot in self._patches:
            patch = self._patches[slot]
            if patch is None:
                patch = self._patches[slot] = self._scan(slot)
            return patch
        if self._order is None:
            self._sort()
            assert self._order is not None
        if slot + 2 >= len(self._first):
            return self._order[:0]
        return self._order[self._first[slot + 1] : self._first[slot + 2]]

    def descendant_slots(self, slot: int) -> Iterator[int]:
        """Yield every slot below, parents first, siblings in order."""
        todo = self.child_slots(slot)[::-1].tolist()
        while todo:
            found = todo.pop()
            yield found
            todo.extend(self.child_slots(found)[::-1].tolist())

    def ancestor_slots(self, slot: int) -> Iterator[int]:
        """Yield the slots above, nearest first."""
        slot = int(self.parent[slot])
        while slot != ROOT:
            yield slot
            slot = int(self.parent[slot])

    def _patch(self, parents: Slots) -> None:
        """Forget the sorted children of `parents`, one by one while they are few."""
        if self._order is None:
            return
        if len(parents) <= 4 * _PATCH_LIMIT:
            self._patches.update(dict.fromkeys(parents.tolist()))
        if len(parents) > 4 * _PATCH_LIMIT or len(self._patches) > _PATCH_LIMIT:
            self._patches.clear()
            self._order = None

    def _scan(self, slot: int) -> Slots:
        found = np.flatnonzero((self.parent == slot) & (self.handle != 0))
        return found[np.lexsort((self._serial[found], self._rank[found]))]

    def _sort(self) -> None:
        live = np.flatnonzero(self.handle)
        if self._rank.any():
            live = live[np.lexsort((self._serial[live], self._rank[live]))]
        else:
            live = live[np.argsort(self._serial[live], kind="stable")]
        parents = self.parent[live]
        self._order = live[np.argsort(parents, kind="stable")]
        counts = np.bincount(parents + 1, minlength=len(self.handle))
        self._first = np.concatenate([[0], np.cumsum(counts)])

    # -- inheritance -------------------------------------------------------------------------

    def spread(self, flags: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return (n + 1,) flags that are set where a slot's own or any ancestor's is."""
        spread = flags.copy()
        spread[ROOT] = False
        for above in self._jumps:
            spread |= spread[above]
        return spread

    def disabled(self, world: World) -> NDArray[np.bool_] | None:
        """Return (n + 1,) flags of what is off, itself or above; None when everything is on."""
        stamp = (world.version(Enabled), self.version)
        if stamp != self._disabled_stamp:
            self._disabled_stamp = stamp
            off = np.zeros(len(self.handle), np.bool_)
            for table in world.tables:
                if Enabled in table and len(table):
                    off[table.entities & INDEX_MASK] = ~table.view(Enabled, "on")
            self._disabled = self.spread(off) if off.any() else None
        return self._disabled


def _grown(array: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    """Return a copy with the empty last element moved to the new end."""
    fill = array[-1]
    grown = np.full(size, fill, array.dtype)
    grown[: len(array) - 1] = array[:-1]
    return grown


def _valid_parents(handle: Slots, linked: Slots) -> Slots:
    """Return parent slots; `ROOT` where the link is null, dead or the entity itself."""
    above = linked & INDEX_MASK
    above[(linked <= 0) | (above >= len(handle) - 1)] = ROOT
    dead = (handle[above] != linked) | (linked == handle)
    above[dead] = ROOT
    return above


def _measure(parent: Slots) -> tuple[NDArray[np.int32], list[Slots]]:
    """Return the depths and the ancestors 1, 2, 4, ... steps above, by pointer doubling."""
    depth = (parent != ROOT).astype(np.int32)
    jumps: list[Slots] = []
    above = parent
    while len(jumps) <= len(parent).bit_length() and (above != ROOT).any():
        jumps.append(above)
        depth += depth[above]
        above = above[above]
    return depth, jumps


def _in_cycles(jumps: list[Slots]) -> Slots:
    """Return the slots that lie on cycles, given the ancestors far enough above."""
    if not jumps or len(jumps) <= len(jumps[0]).bit_length():
        return np.zeros(0, np.int64)
    last = jumps[-1]
    return np.unique(last[last != ROOT])


def _break_cycles(parent: Slots, stuck: Slots, serial: Slots) -> None:
    """Make the first in file order of each cycle a root."""
    unseen = set(stuck.tolist())
    for start in stuck[np.argsort(serial[stuck], kind="stable")].tolist():
        if start not in unseen:
            continue
        slot = start
        while slot in unseen:
            unseen.discard(slot)
            slot = int(parent[slot])
        parent[start] = ROOT
