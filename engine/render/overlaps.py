"""Which of a set of oriented boxes run into each other, and who hangs together by that.

Surfaces that show others through are drawn one after the other, from the farthest. Boxes that
are apart can be told behind or before; of two that run into each other each is partly before the
other, and no order of the two is right.
"""

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

F64 = NDArray[np.float64]
Int = NDArray[np.int64]

# Boxes that share a face, or lie in one plane, touch: they can be told apart.
_TOUCH = 1e-4
_PAIRS_AT_ONCE = 1 << 18
_MOST_PAIRS = 1 << 22


class Boxes:
    """Oriented boxes.

    Parameters
    ----------
    centers
        (n, 3) float64; what isn't finite runs into nothing.
    halves
        (n, 3, 3) float64, from the centre to the middles of three sides, one per row.
    """

    def __init__(self, centers: F64, halves: F64) -> None:
        self.centers = centers
        self.halves = halves
        self.reach: F64 = np.abs(halves).sum(axis=1)

    @staticmethod
    def of_meshes(world_from_local: NDArray[Any], lo: NDArray[Any], hi: NDArray[Any]) -> "Boxes":
        """Boxes of meshes in the world: (n, 4, 4) matrices, (n, 3) corners."""
        matrices = world_from_local.astype(np.float64)
        linear, middle = matrices[:, :3, :3], 0.5 * (lo.astype(np.float64) + hi)
        centers = np.einsum("nij,nj->ni", linear, middle) + matrices[:, :3, 3]
        halves = linear.transpose(0, 2, 1) * (0.5 * (hi.astype(np.float64) - lo))[:, :, None]
        return Boxes(centers, halves)


def overlap_groups(boxes: Boxes) -> Int:
    """(n,) the smallest index of those a box hangs together with, its own where it stands alone.

    A crowd so dense that its pairs can't be looked at one by one counts as one group.
    """
    with np.errstate(all="ignore"):
        return _groups(boxes)


def _groups(boxes: Boxes) -> Int:
    every = np.arange(len(boxes.centers))
    lo, hi = boxes.centers - boxes.reach, boxes.centers + boxes.reach
    known = np.flatnonzero(np.isfinite(lo).all(axis=1) & np.isfinite(hi).all(axis=1))
    if len(known) < 2:
        return every
    axis = int(np.argmax(np.ptp(boxes.centers[known], axis=0)))
    rows = known[np.argsort(lo[known, axis], kind="stable")]
    ends = np.searchsorted(lo[rows, axis], hi[rows, axis], side="right")
    counts = np.maximum(ends - np.arange(len(rows)) - 1, 0)
    if counts.sum() > _MOST_PAIRS:
        every[known] = known.min()
        return every
    found = []
    for first, last in _pieces(counts):
        a = np.repeat(np.arange(first, last), counts[first:last])
        starts = np.cumsum(counts[first:last]) - counts[first:last]
        b = a + 1 + np.arange(len(a)) - np.repeat(starts, counts[first:last])
        a, b = rows[a], rows[b]
        near = ((lo[a] <= hi[b]) & (lo[b] <= hi[a])).all(axis=1)
        a, b = a[near], b[near]
        found.append(np.column_stack([a, b])[_run_into(boxes, a, b)])
    return _joined(every, np.concatenate(found))


def _pieces(counts: Int) -> list[tuple[int, int]]:
    """Ranges of rows with about as many pairs as are looked at in one go."""
    total = np.cumsum(counts)
    cuts = np.searchsorted(total, np.arange(_PAIRS_AT_ONCE, total[-1], _PAIRS_AT_ONCE))
    bounds = [0, *sorted(set((cuts + 1).tolist())), len(counts)]
    return [(a, b) for a, b in pairwise(bounds) if a < b]


def _run_into(boxes: Boxes, a: Int, b: Int) -> NDArray[np.bool_]:
    """(n,) which pairs no plane separates: the 15 axes of the separating axis theorem."""
    between = boxes.centers[b] - boxes.centers[a]
    first, second = _axes(boxes.halves[a]), _axes(boxes.halves[b])
    crossed = np.cross(first[:, :, None], second[:, None, :]).reshape(-1, 9, 3)
    axes = np.concatenate([first, second, crossed], axis=1)
    lengths = np.linalg.norm(axes, axis=2, keepdims=True)
    # Sides that are parallel name no axis of their own.
    axes = np.where(lengths > 1e-6, axes / np.maximum(lengths, 1e-30), 0.0)
    reach = np.zeros(axes.shape[:2])
    for halves in (boxes.halves[a], boxes.halves[b]):
        reach += np.abs(np.einsum("nkj,nij->nki", axes, halves)).sum(axis=2)
    apart = np.abs(np.einsum("nkj,nj->nk", axes, between))
    size = _TOUCH * np.minimum(boxes.reach[a].max(axis=1), boxes.reach[b].max(axis=1))
    separates = (lengths[:, :, 0] > 1e-6) & (apart > reach - size[:, None])
    return np.asarray(~separates.any(axis=1))


def _axes(halves: F64) -> F64:
    """(n, 3, 3) unit normals of the sides; a side without a length gets the one that is missing."""
    # Normals of a skewed box are cross products of its sides. A flat one has two sides at least.
    padded = halves.copy()
    lengths = np.linalg.norm(halves, axis=2)
    largest = lengths.max(axis=1)
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        flat = lengths[:, k] <= 1e-7 * largest
        normal = np.cross(halves[flat, i], halves[flat, j])
        padded[flat, k] = normal
    turned = padded[:, [1, 2, 0]], padded[:, [2, 0, 1]]
    normals = np.cross(*turned)
    size = np.linalg.norm(normals, axis=2, keepdims=True)
    return np.asarray(np.where(size > 0.0, normals / np.maximum(size, 1e-300), 0.0))


def _joined(labels: Int, pairs: Int) -> Int:
    """Give all that pairs join, directly or through others, their smallest label."""
    while len(pairs):
        before = labels.copy()
        smallest = np.minimum(labels[pairs[:, 0]], labels[pairs[:, 1]])
        np.minimum.at(labels, pairs[:, 0], smallest)
        np.minimum.at(labels, pairs[:, 1], smallest)
        labels = labels[labels]
        if np.array_equal(labels, before):
            break
    return labels
