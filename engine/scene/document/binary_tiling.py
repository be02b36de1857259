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
    found = tile_front(data, at, entity_count, starts, ends)
    if found is None:
        return None
    counts, rows, end = found
    behind = entity_count - len(counts)
    is_all = len(rows) == int((starts >= at).sum())
    if not is_all or end + 4 * behind > len(data) or any(data[end : end + 4 * behind]):
        return None
    return np.concatenate([counts, np.zeros(behind, np.int64)]), rows


def tile_front(
    data: bytes, at: int, most: int, starts: IndexArray, ends: IndexArray
) -> tuple[IndexArray, IndexArray, int] | None:
    """Return as many entities from byte `at`, at most `most`, as consist of the records found.

    Parameters
    ----------
    As those of `tile`.

    Returns
    -------
    counts : (k,) int64
        How many components each entity has; the last one has some.
    rows : (m,) int64
        Which of the records they are, in file order.
    end : int
        The byte behind the last of them.
    None where not even the first record stands where it has to.
    """
    order = np.argsort(starts)
    order = order[np.searchsorted(starts[order], at) :]
    starts, ends = starts[order], ends[order]
    before = np.concatenate([np.array([at], np.int64), ends[:-1]])
    gaps = starts - before if len(starts) else starts
    is_behind = (gaps >= 0) & (gaps % 4 == 0)
    is_behind[:1] &= gaps[:1] > 0
    gaps = gaps[: _leading(is_behind)]
    opens = np.flatnonzero(gaps)
    found = np.diff(np.append(opens, len(gaps)))
    entity = np.cumsum(gaps[opens] // 4) - 1
    is_whole = (_words(data, starts[opens] - 4) == found) & (found <= MAX_COMPONENTS)
    is_whole &= (entity < most) & _are_empty(data, before[opens], starts[opens] - 4)
    whole = _leading(is_whole)
    if not whole:
        return None
    records = int(found[:whole].sum())
    counts = np.zeros(int(entity[whole - 1]) + 1, np.int64)
    counts[entity[:whole]] = found[:whole]
    return counts, order[:records], int(ends[records - 1])


def _leading(flags: NDArray[np.bool_]) -> int:
    """Return how many flags are set before the first that is not."""
    return len(flags) if flags.all() else int(flags.argmin())


def _words(data: bytes, at: IndexArray) -> IndexArray:
    if not len(at):
        return at
    windows: NDArray[np.void] = np.ndarray((len(data) - 3,), "V4", data, strides=(1,))
    return windows[at].view("<u4").astype(np.int64)


def _are_empty(data: bytes, gap_starts: IndexArray, gap_ends: IndexArray) -> NDArray[np.bool_]:
    """Return whether what lies in each gap between records are entities of nothing."""
    is_empty = np.ones(len(gap_starts), np.bool_)
    for i in np.flatnonzero(gap_ends > gap_starts).tolist():
        is_empty[i] = not any(data[gap_starts[i] : gap_ends[i]])
    return is_empty
