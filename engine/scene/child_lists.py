"""`ChildLists`: the children of every slot in order, as one sorted array with patches.

Sorting is put off until somebody asks. A few changed parents get a list of their own, so that an
edit never sorts the level again.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

Slots = NDArray[np.int64]
ROOT = -1
"""Stands for "no parent"; as an index it selects the last, empty element of every array."""

_PATCH_LIMIT = 64


class ChildLists:
    """Children by rank, then in file order; `ROOT` has the roots."""

    def __init__(self) -> None:
        self._order: Slots | None = None
        self._first: Slots = np.zeros(2, np.int64)
        self._patches: dict[int, Slots] = {}

    @property
    def is_sorted(self) -> bool:
        """Whether the lists are in their order now."""
        return self._order is not None

    def forget(self) -> None:
        """Drop everything; `sort` follows before the next question."""
        self._order = None
        self._patches.clear()

    def sort(self, handle: Slots, parent: Slots, rank: Slots, serial: Slots) -> None:
        """Sort the children of all slots. The arrays have one element per slot and an empty one."""
        live = np.flatnonzero(handle)
        live = live[_in_order(live, rank, serial)]
        parents = parent[live]
        self._order = live[np.argsort(parents, kind="stable")]
        counts = np.bincount(parents + 1, minlength=len(handle))
        self._first = np.concatenate([[0], np.cumsum(counts)])
        self._patches.clear()

    def below(self, slot: int) -> Slots:
        """Return the children of a slot; `sort` ran before."""
        patch = self._patches.get(slot)
        if patch is not None:
            return patch
        assert self._order is not None
        if slot + 2 >= len(self._first):
            return self._order[:0]
        return self._order[self._first[slot + 1] : self._first[slot + 2]]

    def patch(
        self,
        parents: Iterable[int],
        changed: Slots,
        handle: Slots,
        parent: Slots,
        rank: Slots,
        serial: Slots,
    ) -> None:
        """Take in that `changed` slots came, went or moved between `parents`."""
        if self._order is None:
            return
        affected = set(parents)
        if len(self._patches.keys() | affected) > _PATCH_LIMIT:
            self.forget()
            return
        for slot in affected:
            kept = self.below(slot)
            kept = kept[~np.isin(kept, changed)]
            found = np.concatenate([kept, changed])
            found = found[(parent[found] == slot) & (handle[found] != 0)]
            self._patches[slot] = found[_in_order(found, rank, serial)]


def _in_order(slots: Slots, rank: Slots, serial: Slots) -> Slots:
    if rank[slots].any():
        return np.lexsort((serial[slots], rank[slots]))
    return np.argsort(serial[slots], kind="stable")
