"""World-space bounding spheres of instances, kept up to date row by row, and tests against them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

F32 = NDArray[np.float32]
# Positions along a few directions are kept: those of the maps of one light and of a view.
_KEPT_DIRECTIONS = 6


class InstanceBounds:
    """Centres and radii of instances.

    A mesh that deforms leaves its box, so it has an infinite radius and passes every test.
    """

    def __init__(self) -> None:
        self.centers: F32 = np.zeros((0, 3), np.float32)
        self.radii: F32 = np.zeros(0, np.float32)
        self.stretches: F32 = self.radii
        self.meshes: NDArray[np.int32] = np.zeros(0, np.int32)
        self._local_centers: F32 = self.centers
        self._local_radii: F32 = self.radii
        self._outside: NDArray[np.bool_] = np.zeros(0, np.bool_)
        self._beyond = self._outside
        self._distances: F32 = self.radii
        self._along: dict[bytes, F32] = {}

    def reset(
        self,
        mesh: NDArray[np.int32],
        world_from_local: F32,
        lo: F32,
        hi: F32,
        deforming: NDArray[np.bool_],
    ) -> None:
        """Take every instance anew; `lo`, `hi` and `deforming` are by mesh id."""
        count = len(mesh)
        known = (mesh >= 0) & (mesh < len(deforming))
        safe = np.where(known, mesh, 0)
        if len(deforming):
            self._local_centers = np.where(known[:, None], (0.5 * (lo + hi))[safe], 0.0)
            half = 0.5 * np.linalg.norm(hi - lo, axis=1)
            half[: len(deforming)][deforming] = np.inf
            self._local_radii = np.where(known, half[safe], 0.0).astype(np.float32)
        else:
            self._local_centers = np.zeros((count, 3), np.float32)
            self._local_radii = np.zeros(count, np.float32)
        self.meshes = safe.astype(np.int32)
        self.centers = np.zeros((count, 3), np.float32)
        self.radii = np.zeros(count, np.float32)
        self.stretches = np.ones(count, np.float32)
        self._outside = np.zeros(count, np.bool_)
        self._beyond = np.zeros(count, np.bool_)
        self._distances = np.zeros(count, np.float32)
        self.move(slice(None), world_from_local)

    def move(self, rows: NDArray[np.int64] | slice, world_from_local: F32) -> None:
        """Follow the transforms of some rows; `world_from_local` is of all of them."""
        matrices = world_from_local[rows]
        local = self._local_centers[rows]
        centers = np.einsum("nij,nj->ni", matrices[:, :3, :3], local) + matrices[:, :3, 3]
        stretch = np.sqrt((matrices[:, :3, :3] ** 2).sum(axis=1).max(axis=1))
        self._along.clear()
        self.centers[rows] = centers
        self.stretches[rows] = stretch
        with np.errstate(invalid="ignore"):
            self.radii[rows] = np.nan_to_num(self._local_radii[rows] * stretch, nan=np.inf)

    def sphere(self, rows: NDArray[np.int64] | slice) -> tuple[F32, float]:
        """Centre and radius of a sphere around the given rows; deforming ones count by centre."""
        centers, radii = self.centers[rows], self.radii[rows]
        # Axis by axis, as numpy is slow along rows of three.
        axes = [np.ascontiguousarray(centers[:, k]) for k in range(3)]
        finite = np.isfinite(axes[0]) & np.isfinite(axes[1]) & np.isfinite(axes[2])
        if not finite.any():
            return np.zeros(3, np.float32), 0.0
        radii = np.where(np.isfinite(radii), radii, np.float32(2.0))
        if not finite.all():
            axes, radii = [axis[finite] for axis in axes], radii[finite]
        lo = np.array([(axis - radii).min() for axis in axes])
        hi = np.array([(axis + radii).max() for axis in axes])
        return 0.5 * (lo + hi), float(0.5 * np.linalg.norm(hi - lo))

    def inside(self, clip_from_world: NDArray[Any]) -> NDArray[np.bool_]:
        """(n,) which spheres may touch a view volume; valid until the next call.

        A parallel view is cheap while its direction and the instances stand, as the shadow maps
        of a sun are: their cascades share the positions along their axes.
        """
        clip = np.asarray(clip_from_world, np.float64)
        outside, beyond, distances = self._outside, self._beyond, self._distances
        outside[:] = False
        if np.array_equal(clip[3], (0.0, 0.0, 0.0, 1.0)):
            return self._inside_parallel(clip)
        for plane in _planes(clip):
            np.matmul(self.centers, plane[:3].astype(np.float32), out=distances)
            distances += self.radii
            np.less(distances, np.float32(-plane[3]), out=beyond)
            np.logical_or(outside, beyond, out=outside)
        return np.logical_not(outside, out=beyond)

    def _inside_parallel(self, clip: NDArray[np.float64]) -> NDArray[np.bool_]:
        outside, beyond, distances = self._outside, self._beyond, self._distances
        for row, lowest in zip(clip[:3], (-1.0, -1.0, 0.0), strict=True):
            length = float(np.linalg.norm(row[:3]))
            if length <= 1e-12:
                continue
            middle = (0.5 * (1.0 + lowest) - row[3]) / length
            np.subtract(self._positions(row[:3] / length), np.float32(middle), out=distances)
            np.abs(distances, out=distances)
            distances -= self.radii
            np.greater(distances, np.float32(0.5 * (1.0 - lowest) / length), out=beyond)
            np.logical_or(outside, beyond, out=outside)
        return np.logical_not(outside, out=beyond)

    def _positions(self, direction: NDArray[np.float64]) -> F32:
        """(n,) how far the centres are along a unit vector."""
        axis = direction.astype(np.float32)
        key = axis.tobytes()
        found = self._along.pop(key, None)
        if found is None:
            found = self.centers @ axis
        self._along[key] = found
        while len(self._along) > _KEPT_DIRECTIONS:
            del self._along[next(iter(self._along))]
        return found

    def touching(self, clip_from_world: NDArray[Any]) -> NDArray[np.int64]:
        """Rows whose sphere may touch a view volume."""
        return np.flatnonzero(self.inside(clip_from_world))


def _planes(clip: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    """Inward planes of a clip matrix: sides and near (z <= w, as depth is reversed)."""
    found = []
    for plane in (clip[3] + clip[0], clip[3] - clip[0], clip[3] + clip[1], clip[3] - clip[1]):
        found.append(plane)
    found.append(clip[3] - clip[2])
    found.append(clip[2])
    return [p / n for p in found if (n := np.linalg.norm(p[:3])) > 1e-12]
