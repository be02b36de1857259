"""`Slots`: which handle lives where.

A slot is free, reserved (despawned by a command that may bring it back) or alive. Reserving keeps
the generation, so that a restored entity is the same handle; freeing raises it, so that old
handles go stale.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import EntityError
from engine.reflect import Entity
from engine.reflect.entity import INDEX_BITS, INDEX_MASK, MAX_GENERATION

FREE = -1
RESERVED = -2
FIRST_CAPACITY = 64


class Slots:
    """The table, row, generation and spawn serial of every slot."""

    def __init__(self) -> None:
        self.table = np.full(FIRST_CAPACITY, FREE, np.int32)
        self.row = np.full(FIRST_CAPACITY, -1, np.int32)
        self.generation = np.ones(FIRST_CAPACITY, np.int64)
        self.serial = np.zeros(FIRST_CAPACITY, np.int64)
        self.count = 0
        self._free: list[int] = []
        self._next_serial = 1

    def take(self) -> int:
        """Reserve one slot and return its handle."""
        if self._free:
            slot = self._free.pop()
        else:
            self._grow(1)
            slot = self.count
            self.count += 1
        self.table[slot] = RESERVED
        self.serial[slot] = self._next_serial
        self._next_serial += 1
        return int(self.generation[slot]) << INDEX_BITS | slot

    def take_many(self, n: int) -> NDArray[np.int64]:
        """Reserve `n` slots; handles in the order of their serials, (n,) int64."""
        reused = [self._free.pop() for _ in range(min(n, len(self._free)))]
        fresh = n - len(reused)
        self._grow(fresh)
        slots = np.concatenate(
            [np.array(reused, np.int64), np.arange(self.count, self.count + fresh)]
        )
        self.count += fresh
        self.table[slots] = RESERVED
        self.serial[slots] = np.arange(self._next_serial, self._next_serial + n)
        self._next_serial += n
        handles: NDArray[np.int64] = self.generation[slots] << INDEX_BITS | slots
        return handles

    def _grow(self, extra: int) -> None:
        needed, capacity = self.count + extra, len(self.table)
        if needed <= capacity:
            return
        capacity = max(needed, 2 * capacity)
        for name, fill in (("table", FREE), ("row", -1), ("generation", 1), ("serial", 0)):
            old = getattr(self, name)
            grown: NDArray[Any] = np.full(capacity, fill, old.dtype)
            grown[: len(old)] = old
            setattr(self, name, grown)

    def place(self, entity: int, table: int, row: int) -> None:
        """Note where an entity lives."""
        slot = entity & INDEX_MASK
        self.table[slot] = table
        self.row[slot] = row

    def is_current(self, entity: int) -> bool:
        """Whether the handle's generation is that of its slot."""
        slot = entity & INDEX_MASK
        is_known = entity > 0 and slot < self.count
        return is_known and bool(self.generation[slot] == entity >> INDEX_BITS)

    def is_alive(self, entity: int) -> bool:
        """Whether the handle is that of an entity in a table."""
        return self.is_current(entity) and bool(self.table[entity & INDEX_MASK] >= 0)

    def is_reserved(self, entity: int) -> bool:
        """Whether the handle is out of the world and may come back."""
        return self.is_current(entity) and bool(self.table[entity & INDEX_MASK] == RESERVED)

    def reserve(self, entity: int) -> None:
        """Take a live slot out of the world but keep its generation."""
        self.place(entity, RESERVED, -1)

    def free(self, entity: int) -> None:
        """Give a slot back; its old handles go stale."""
        slot = entity & INDEX_MASK
        self.place(entity, FREE, -1)
        self.generation[slot] += 1
        # A slot whose generations are used up is retired: a handle must stay inside int64.
        if self.generation[slot] < MAX_GENERATION:
            self._free.append(slot)

    def locate(self, entities: NDArray[np.int64]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Return the table and row of each handle, -1 where it is not alive."""
        entities = np.asarray(entities, np.int64)
        slots = entities & INDEX_MASK
        known = (entities > 0) & (slots < self.count)
        slots = np.where(known, slots, 0)
        current = known & (self.generation[slots] == entities >> INDEX_BITS)
        tables = np.where(current, self.table[slots], FREE).astype(np.int32)
        alive = tables >= 0
        return np.where(alive, tables, -1).astype(np.int32), np.where(alive, self.row[slots], -1)

    def expect_alive(self, entity: int) -> int:
        """Return the slot of a live handle, or raise EntityError."""
        if not self.is_alive(entity):
            raise EntityError(f"entity {Entity(entity)}: {self._state(entity)}, expected alive")
        return entity & INDEX_MASK

    def expect_reserved(self, entity: int) -> None:
        """Raise EntityError unless the handle is reserved."""
        if not self.is_reserved(entity):
            raise EntityError(f"entity {Entity(entity)}: {self._state(entity)}, expected reserved")

    def expect_all_reserved(self, entities: NDArray[np.int64]) -> None:
        """Raise EntityError unless every handle is reserved and none stands twice."""
        slots = entities & INDEX_MASK
        is_known = (entities > 0) & (slots < self.count)
        slots = np.where(is_known, slots, 0)
        is_current = is_known & (self.generation[slots] == entities >> INDEX_BITS)
        is_reserved = is_current & (self.table[slots] == RESERVED)
        if not is_reserved.all():
            self.expect_reserved(int(entities[np.argmin(is_reserved)]))
        if len(np.unique(entities)) != len(entities):
            raise EntityError("a handle stands twice among those to restore")

    def _state(self, entity: int) -> str:
        if not entity:
            return "the null entity"
        if self.is_alive(entity):
            return "in use"
        return "reserved" if self.is_reserved(entity) else "a stale handle"
