"""`HierarchyIndex`: who hangs under whom, as arrays over entity slots, kept with each world.

`Parent` components are the truth; a file may hold one that is itself, dead or in a cycle. The
index gives every live entity its *effective* parent, which is always a tree: such an entity is a
root, and of a cycle the first in file order (the lowest spawn serial). It follows single edits by
what the world says moved, and looks at all tables after many. It tells which slots got another
parent, and answers for children, descendants and depth without recursion, however deep the tree is.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from engine.ecs import World
from engine.reflect import Entity
from engine.reflect.entity import INDEX_MASK
from engine.scene.child_lists import ROOT, ChildLists, Slots
from engine.scene.components import Enabled, Order, Parent
from engine.scene.tree_arrays import (
    break_cycles,
    cycle_slots,
    measure_depths,
    valid_parents,
    walked_depths,
)

__all__ = ["ROOT", "HierarchyIndex", "Slots"]

_FEW = 256
_WALK_LIMIT = 20_000
_WALKED_DEPTHS = 2048


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
    changed_at : (n + 1,) int64
        The `version` at which the slot last got another entity or parent.
    """

    def __init__(self) -> None:
        self.version = 0
        self.handle = np.zeros(1, np.int64)
        self.parent = np.full(1, ROOT, np.int64)
        self.changed_at = np.zeros(1, np.int64)
        self._linked = np.zeros(1, np.int64)
        self._rank = np.zeros(1, np.int64)
        self._serial = np.zeros(1, np.int64)
        self._children = ChildLists()
        self._depth: NDArray[np.int32] | None = None
        self._jumps: list[Slots] = []
        self._dangling: set[int] = set()
        self._has_cycles = False
        self._tick = -1
        self._stamp: tuple[int, ...] = ()
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

    # -- questions ---------------------------------------------------------------------------

    def child_slots(self, slot: int) -> Slots:
        """Return the slots of the children, by rank, then in file order; `ROOT` asks for roots."""
        if not self._children.is_sorted:
            self._children.sort(self.handle, self.parent, self._rank, self._serial)
        return self._children.below(slot)

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

    def depths(self, slots: Slots) -> NDArray[np.int32]:
        """Return the number of ancestors of each slot."""
        if self._depth is None:
            if len(slots) <= _WALKED_DEPTHS:
                return walked_depths(self.parent, slots)
            self._depth, self._jumps = measure_depths(self.parent)
        return self._depth[slots]

    def spread(self, flags: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return (n + 1,) flags that are set where a slot's own or any ancestor's is."""
        if self._depth is None:
            self._depth, self._jumps = measure_depths(self.parent)
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

    # -- following the world -----------------------------------------------------------------

    def _sync(self, world: World) -> None:
        if world.tick == self._tick:
            return
        before, self._tick = self._tick, world.tick
        stamp = (world.version(Parent), world.version(Order), world.structure)
        if stamp == self._stamp:
            return
        self._stamp = stamp
        changed = None if self._has_cycles else _changed_since(world, before)
        if changed is None or not self._read_some(world, changed):
            self._read(world)

    def _read(self, world: World) -> None:
        """Look at every entity."""
        filled = [(table, table.entities & INDEX_MASK) for table in world.tables if len(table)]
        self._reserve(1 + max((int(slots.max()) for _, slots in filled), default=-1))
        size = len(self.handle)
        handle, linked, rank, serial = (np.zeros(size, np.int64) for _ in range(4))
        for table, slots in filled:
            handle[slots] = table.entities
            serial[slots] = world.serials(table.entities)
            if Parent in table:
                linked[slots] = table.view(Parent, "entity")
            if Order in table:
                rank[slots] = table.view(Order, "rank")
        parent = valid_parents(handle, linked)
        self._dangling = set(np.flatnonzero((linked > 0) & (parent == ROOT)).tolist())
        self._depth, self._jumps = measure_depths(parent)
        stuck = cycle_slots(self._jumps)
        self._has_cycles = len(stuck) > 0
        if self._has_cycles:
            break_cycles(parent, stuck, serial)
            self._depth, self._jumps = measure_depths(parent)
        is_moved = (handle != self.handle) | (parent != self.parent) | (rank != self._rank)
        moved = np.flatnonzero(is_moved)
        left, handles = self.parent[moved], self.handle[moved]
        is_other = (handle[moved] != handles) | (parent[moved] != left)
        self.handle, self.parent = handle, parent
        self._linked, self._rank, self._serial = linked, rank, serial
        self._note(moved, moved[is_other], left[handles != 0])

    def _read_some(self, world: World, changed: set[int]) -> bool:
        """Look at a few entities that changed; False when that does not do."""
        present = {handle & INDEX_MASK: 0 for handle in changed}
        present |= {h & INDEX_MASK: h for h in changed if world.alive(Entity(h))}
        self._reserve(1 + max(present, default=-1))
        links = {slot: _link(world, handle) for slot, handle in present.items()}
        parents = self._parents_after(present, links)
        if self._closes_cycle(parents):
            return False
        slots = np.fromiter(parents, np.int64)
        left, handles = self.parent[slots], self.handle[slots]
        ranks = {slot: _rank(world, handle) for slot, handle in present.items()}
        serials = world.serials(np.fromiter(present.values(), np.int64)).tolist()
        for (slot, handle), serial in zip(present.items(), serials, strict=True):
            self.handle[slot], self._linked[slot] = handle, links[slot]
            self._rank[slot], self._serial[slot] = ranks[slot], serial
        for slot, parent in parents.items():
            self.parent[slot] = parent
            is_lost = self._linked[slot] > 0 and parent == ROOT
            (self._dangling.add if is_lost else self._dangling.discard)(slot)
        is_other = (self.handle[slots] != handles) | (self.parent[slots] != left)
        if is_other.any():
            self._depth = None
        self._note(slots, slots[is_other], left[handles != 0])
        return True

    def _parents_after(self, present: dict[int, int], links: dict[int, int]) -> dict[int, int]:
        """Return the effective parents of all slots that these changes may give another one."""
        replaced = [s for s, handle in present.items() if self.handle[s] != handle]
        left = np.zeros(len(self.handle), np.bool_)
        left[replaced] = True
        left[ROOT] = False
        recheck = dict.fromkeys(present)
        if left.any():
            recheck.update(dict.fromkeys(np.flatnonzero(left[self.parent]).tolist()))
            recheck.update(dict.fromkeys(self._dangling))

        def now(slot: int) -> int:
            return present[slot] if slot in present else int(self.handle[slot])

        parents = {}
        for slot in recheck:
            link = links[slot] if slot in links else int(self._linked[slot])
            above = link & INDEX_MASK
            is_valid = link > 0 and above < len(self.handle) - 1 and above != slot
            parents[slot] = above if is_valid and now(slot) and now(above) == link else ROOT
        return parents

    def _closes_cycle(self, parents: dict[int, int]) -> bool:
        """Whether walking up from a slot that got another parent comes back, or does not end."""
        for start, above in parents.items():
            if above == self.parent[start]:
                continue
            steps = 0
            while above != ROOT:
                steps += 1
                if above == start or steps > _WALK_LIMIT:
                    return True
                above = parents[above] if above in parents else int(self.parent[above])
        return False

    def _reserve(self, count: int) -> None:
        """Make room for `count` slots; some are left over, so that spawning one rarely copies."""
        if count < len(self.handle):
            return
        size = count + count // 4 + 64
        for name in ("handle", "parent", "changed_at", "_linked", "_rank", "_serial"):
            setattr(self, name, _grown(getattr(self, name), size + 1))
        if self._depth is not None:
            self._depth = None

    def _note(self, moved: Slots, other: Slots, left: Slots) -> None:
        """Take in which slots moved among siblings and which got another entity or parent.

        Parameters
        ----------
        left
            The parents that the moved ones had before.
        """
        if len(other):
            self.version += 1
            self.changed_at[other] = self.version
        if len(moved) > _FEW:
            self._children.forget()
            return
        joined = self.parent[moved[self.handle[moved] != 0]]
        parents = {*left.tolist(), *joined.tolist()}
        arrays = (self.handle, self.parent, self._rank, self._serial)
        self._children.patch(parents, moved, *arrays)


def _changed_since(world: World, tick: int) -> set[int] | None:
    """Return the handles whose place in the tree may be another, or None when they are many."""
    moved = world.moved_after(tick)
    if moved is None or len(moved) > _FEW:
        return None
    changed = set(moved)
    for type_ in (Parent, Order):
        if world.version(type_) <= tick:
            continue
        for table in world.tables:
            if type_ not in table or not len(table):
                continue
            rows = np.flatnonzero(table.row_ticks(type_) > tick)
            if table.loaned(type_) > tick or len(rows) > _FEW:
                return None
            changed.update(table.entities[rows].tolist())
    return changed


def _link(world: World, handle: int) -> int:
    entity = Entity(handle)
    return int(world.get(entity, Parent).entity) if world.has(entity, Parent) else 0


def _rank(world: World, handle: int) -> int:
    entity = Entity(handle)
    return world.get(entity, Order).rank if world.has(entity, Order) else 0


def _grown(array: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    """Return a copy with the empty last element moved to the new end."""
    grown = np.full(size, array[-1], array.dtype)
    grown[: len(array) - 1] = array[:-1]
    return grown
