"""Triangles in the order that a GPU's vertex cache likes, vertices in the order of first use.

The work is meshoptimizer's; without its package the order stays. Levels of detail are ordered one
by one, and the vertices after the finest level, which uses all that the others use.
"""

from collections.abc import Sequence
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from engine.assets.lods import MeshLod
from engine.assets.optional import optional_module

Indices = NDArray[np.uint32]


def optimise_order(
    indices: Indices, lods: Sequence[MeshLod], vertex_count: int
) -> tuple[Indices, NDArray[np.int64]]:
    """Reorder a mesh for drawing.

    Parameters
    ----------
    indices : (m,) uint32
        Triangles of all levels.
    lods : sequence of MeshLod
        Their ranges, finest first.
    vertex_count : int

    Returns
    -------
    indices : (m,) uint32
        The same triangles in a new order, renumbered; the ranges stay.
    order : (k,) int64
        The old number of each vertex in its new place; unused vertices are left out.
    """
    package = optional_module("meshopt")
    ordered = np.array(indices, np.uint32)
    if package is not None:
        for lod in lods:
            part = slice(lod.first_index, lod.first_index + lod.index_count)
            if lod.index_count:
                ordered[part] = _cache_friendly(package, ordered[part])
    used, first = np.unique(ordered, return_index=True)
    order = used[np.argsort(first, kind="stable")].astype(np.int64)
    places = np.zeros(vertex_count, np.uint32)
    places[order] = np.arange(len(order), dtype=np.uint32)
    return places[ordered], order


def _cache_friendly(package: ModuleType, indices: Indices) -> Indices:
    # The package renumbers as well; the vertices keep their numbers until all levels are in order.
    renumbered, places, count = package.reorder_mesh(indices.copy(), triangles=True, optsize=False)
    old = np.argsort(places, kind="stable")[:count]
    return np.asarray(old[renumbered], np.uint32)
