"""Strips, fans, loops and lists to plain index lists (glTF 2.0, 3.7.2.1)."""

import numpy as np
from numpy.typing import NDArray

from engine.assets.mesh import Topology

Indices = NDArray[np.uint32]

TOPOLOGIES: tuple[Topology, ...] = (
    "points",
    "lines",
    "lines",
    "lines",
    "triangles",
    "triangles",
    "triangles",
)


def _pairs(indices: Indices) -> Indices:
    return np.stack([indices[:-1], indices[1:]], axis=1).reshape(-1)


def _strip(indices: Indices) -> Indices:
    count = max(len(indices) - 2, 0)
    first = np.arange(count)
    odd = first % 2
    corners = np.stack([first, first + 1 + odd, first + 2 - odd], axis=1)
    return indices[corners.reshape(-1)]


def _fan(indices: Indices) -> Indices:
    count = max(len(indices) - 2, 0)
    first = np.arange(count)
    corners = np.stack([first + 1, first + 2, np.zeros_like(first)], axis=1)
    return indices[corners.reshape(-1)]


def is_complete(mode: int, count: int) -> bool:
    """Tell whether `count` indices make whole elements of a primitive mode (glTF 2.0, 3.7.2.1)."""
    if mode in (1, 4):
        return count % (2 if mode == 1 else 3) == 0
    return count == 0 or count >= {0: 1, 2: 2, 3: 2}.get(mode, 3)


def list_indices(mode: int, indices: Indices) -> Indices:
    """Return the indices of a plain list that draws what `mode` draws.

    Parameters
    ----------
    mode : int
        glTF primitive mode, 0 to 6.
    indices : (m,) uint32

    Returns
    -------
    (k,) uint32
        One index per point, two per line, three per triangle; an incomplete rest is dropped.
    """
    if mode == 1:
        return indices[: len(indices) // 2 * 2]
    if mode == 2:
        return _pairs(np.append(indices, indices[:1])) if len(indices) > 1 else indices[:0]
    if mode == 3:
        return _pairs(indices)
    if mode == 4:
        return indices[: len(indices) // 3 * 3]
    if mode == 5:
        return _strip(indices)
    if mode == 6:
        return _fan(indices)
    return indices
