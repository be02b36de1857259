"""Whether records that were found lie one behind the other, checked for all of them at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.scene.document.checks import MAX_COMPONENTS
from engine.scene.document.columns import IndexArray


def tile(
    data: bytes, at: int, entity_count: int, starts: IndexArray, ends: IndexArray
) -> tuple[IndexArray, IndexArray] | None:
    """Check that `entity_count` entities from byte `at` consist of the records found, and no more.

    Parameters
    ----------
    data : bytes
    at : int
        Where an entity's count of components stands.
    entity_count : int
    starts, ends : (n,) int64
        The extents of records, in any order; those before `at` are ignored.

    Returns
    -------
    counts : (entity_count,) int64
        How many components each entity has.
    rows : (m,) int64
        Which of the records they are, in file order.
    None where anything does not fit: then a walk from record to record has to tell.
    """
    order = np.argsort(starts)
    order = order[np.searchsorted(starts[order], at) :]
    if not len(order):
        return None
    starts, ends = starts[order], ends[order]
    before = np.concatenate([np.array([at], np.int64), ends[:-1]])
    gaps = starts - before
    if gaps[0] <= 0 or (gaps < 0).any() or (gaps % 4).any():
        return None
    opens = np.flatnonzero(gaps)
    declared = _words(data, starts[opens] - 4)
    found = np.diff(np.append(opens, len(starts)))
    entity = np.cumsum(gaps[opens] // 4) - 1
    if (declared != found).any() or int(found.max()) > MAX_COMPONENTS:
        return None
    if not _are_empty(data, before[opens], starts[opens] - 4, int(ends[-1]), entity_count, entity):
        return None
    counts = np.zeros(entity_count, np.int64)
    counts[entity] = found
    return counts, order


def _words(data: bytes, at: IndexArray) -> IndexArray:
    windows: NDArray[np.void] = np.ndarray((len(data) - 3,), "V4", data, strides=(1,))
    return windows[at].view("<u4").astype(np.int64)


def _are_empty(
    data: bytes,
    gap_starts: IndexArray,
    gap_ends: IndexArray,
    end: int,
    entity_count: int,
    entity: IndexArray,
) -> bool:
    """Whether what lies between the records, and behind the last, are entities of nothing."""
    behind = entity_count - 1 - int(entity[-1])
    if behind < 0 or end + 4 * behind > len(data) or any(data[end : end + 4 * behind]):
        return False
    wide = np.flatnonzero(gap_ends > gap_starts)
    pairs = zip(gap_starts[wide].tolist(), gap_ends[wide].tolist(), strict=True)
    return not any(any(data[a:b]) for a, b in pairs)
