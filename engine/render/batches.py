"""From rows of instances to a short list of draws.

Rows with the same mesh, material and winding become one instanced draw. Grouping is one sort over
integers; Python sees batches, never instances.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Int = NDArray[np.int64]


class Batch(NamedTuple):
    """`instances` instances of one mesh with one material, from `first` in the draw order."""

    mesh: int
    material: int
    flipped: bool
    first: int
    instances: int


class BatchKeys:
    """One integer per instance that is equal where instances can be drawn together.

    Rows that draw nothing (no such mesh or material) have -1.
    """

    def __init__(
        self,
        mesh: NDArray[np.int32],
        material: NDArray[np.int32],
        flipped: NDArray[np.bool_],
        mesh_alive: NDArray[np.bool_],
        material_alive: NDArray[np.bool_],
    ) -> None:
        self._n_meshes = max(len(mesh_alive), 1)
        drawn = _known(mesh, mesh_alive) & _known(material, material_alive)
        keys = (material.astype(np.int64) * self._n_meshes + mesh) * 2 + flipped
        self.keys: Int = np.where(drawn, keys, -1)

    def set_flipped(self, rows: Int, flipped: NDArray[np.bool_]) -> None:
        """Note the winding of some rows."""
        old = self.keys[rows]
        self.keys[rows] = np.where(old >= 0, (old & ~np.int64(1)) | flipped, -1)

    def sorted_rows(self, rows: Int) -> Int:
        """The drawn ones of `rows`, equal keys together, otherwise in row order."""
        keys = self.keys[rows]
        kept = rows[keys >= 0]
        return kept[np.argsort(self.keys[kept], kind="stable")]

    def runs(self, rows: Int) -> list[Batch]:
        """One batch per run of equal keys, in the given order."""
        if not len(rows):
            return []
        keys = self.keys[rows]
        starts = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1])))
        counts = np.diff(np.append(starts, len(rows)))
        pairs = keys[starts] >> 1
        columns: Sequence[list[int]] = (
            (pairs % self._n_meshes).tolist(),
            (pairs // self._n_meshes).tolist(),
            (keys[starts] & 1).tolist(),
            starts.tolist(),
            counts.tolist(),
        )
        return [Batch(m, k, bool(f), s, n) for m, k, f, s, n in zip(*columns, strict=True)]


def _known(ids: NDArray[np.int32], alive: NDArray[np.bool_]) -> NDArray[np.bool_]:
    inside = (ids >= 0) & (ids < len(alive))
    if not len(alive):
        return inside
    return inside & alive[np.where(inside, ids, 0)]


def mirrored(world_from_local: NDArray[np.float32]) -> NDArray[np.bool_]:
    """(n,) which of (n, 4, 4) matrices turn a shape inside out."""
    a, b, c = (world_from_local[:, row, :3] for row in range(3))
    return (
        a[:, 0] * (b[:, 1] * c[:, 2] - b[:, 2] * c[:, 1])
        - a[:, 1] * (b[:, 0] * c[:, 2] - b[:, 2] * c[:, 0])
        + a[:, 2] * (b[:, 0] * c[:, 1] - b[:, 1] * c[:, 0])
    ) < 0.0
