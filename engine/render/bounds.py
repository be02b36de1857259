"""World-space bounding spheres of instances, kept up to date row by row, and tests against them."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]
# Positions along a few directions are kept: those of the maps of one light and of a view.
_KEPT_DIRECTIONS = 6
# More rows than these are not worth remembering one by one.
_LONGEST_TRAIL = 2048
# Shares of a scene's size.
_ROOM = 0.05
_TIGHT = 0.8


class Trail(NamedTuple):
    """Where instances were and are that moved: spheres, two for each move of each row."""

    rows: NDArray[np.int64]
    centers: F32
    radii: F32


class InstanceBounds:
    """Centres and radii of instances.

    Where nothing is known of how far a mesh reaches, the radius is infinite and passes every test.
    `serial` grows with every move; `trail_since` tells what moved.
    """

    def __init__(self) -> None:
        # Axis by axis, as numpy is slow along rows of three.
        self._axes: F32 = np.zeros((3, 0), np.float32)
        self.radii: F32 = np.zeros(0, np.float32)
        self.stretches: F32 = self.radii
        self.meshes: NDArray[np.int32] = np.zeros(0, np.int32)
        self.serial = 0
        self._local_centers: F32 = np.zeros((0, 3), np.float32)
        self._local_radii: F32 = self.radii
        self._local_stretches: F32 = self.radii
        self._outside: NDArray[np.bool_] = np.zeros(0, np.bool_)
        self._beyond = self._outside
        self._distances: F32 = self.radii
        self._along: dict[bytes, F32] = {}
        self._trail: list[tuple[int, Trail]] = []
        self._unknown_until = 0

    @property
    def centers(self) -> F32:
        """(n, 3) world positions."""
        return self._axes.T

    def reset(self, mesh: NDArray[np.int32], world_from_local: F32, lo: F32, hi: F32) -> None:
        """Take every instance anew at rest.

        Parameters
        ----------
        mesh : (n,) int32
            Mesh ids, -1 for none.
        world_from_local : (n, 4, 4) float32
        lo, hi : (m, 3) float32
            Corners in local space, by mesh id.
        """
        count = len(mesh)
        known = (mesh >= 0) & (mesh < len(lo))
        safe = np.where(known, mesh, 0)
        if len(lo):
            half = 0.5 * np.linalg.norm(hi - lo, axis=1)
            self._local_centers = np.where(known[:, None], (0.5 * (lo + hi))[safe], 0.0)
            self._local_radii = np.where(known, half[safe], 0.0).astype(np.float32)
        else:
            self._local_centers = np.zeros((count, 3), np.float32)
            self._local_radii = np.zeros(count, np.float32)
        self._local_stretches = np.ones(count, np.float32)
        self.meshes = safe.astype(np.int32)
        self._axes = np.zeros((3, count), np.float32)
        self.radii = np.zeros(count, np.float32)
        self.stretches = np.ones(count, np.float32)
        self._outside = np.zeros(count, np.bool_)
        self._beyond = np.zeros(count, np.bool_)
        self._distances = np.zeros(count, np.float32)
        self._place(slice(None), world_from_local)
        self._forget_trail()

    def move(self, rows: NDArray[np.int64], world_from_local: F32) -> None:
        """Follow the transforms of some rows; `world_from_local`, (n, 4, 4), is of all rows."""
        before = self._spheres(rows)
        self._place(rows, world_from_local)
        self._note(rows, before)

    def deform(
        self, rows: NDArray[np.int64], lo: F32, hi: F32, stretch: F32, world_from_local: F32
    ) -> None:
        """Take other local boxes for some rows, as `DeformedBoxes` has them.

        Parameters
        ----------
        rows : (k,) int64
        lo, hi : (k, 3) float32
            Corners in local space; infinite where nothing is known.
        stretch : (k,) float32
        world_from_local : (n, 4, 4) float32
            Of all rows.
        """
        before = self._spheres(rows)
        unknown = np.asarray(np.isinf(hi).any(axis=1))
        with np.errstate(invalid="ignore"):
            half = 0.5 * np.linalg.norm(hi - lo, axis=1)
            middle = np.where(unknown[:, None], np.float32(0.0), 0.5 * (lo + hi))
        self._local_centers[rows] = middle
        self._local_radii[rows] = np.where(unknown, np.float32(np.inf), half)
        self._local_stretches[rows] = stretch
        self._place(rows, world_from_local)
        self._note(rows, before)

    def trail_since(self, serial: int) -> Trail | None:
        """What moved after a serial; None when that is everything, or too much to tell."""
        if serial < self._unknown_until:
            return None
        parts = [trail for at, trail in self._trail if at > serial]
        if not parts:
            return _NO_TRAIL
        return Trail(*(np.concatenate(column) for column in zip(*parts, strict=True)))

    def _place(self, rows: NDArray[np.int64] | slice, world_from_local: F32) -> None:
        matrices = world_from_local[rows]
        local = self._local_centers[rows]
        self._along.clear()
        self._axes[:, rows] = (
            np.einsum("nij,nj->ni", matrices[:, :3, :3], local) + matrices[:, :3, 3]
        ).T
        stretch = np.sqrt((matrices[:, :3, :3] ** 2).sum(axis=1).max(axis=1))
        with np.errstate(invalid="ignore"):
            self.stretches[rows] = stretch * self._local_stretches[rows]
            self.radii[rows] = np.nan_to_num(self._local_radii[rows] * stretch, nan=np.inf)

    def _spheres(self, rows: NDArray[np.int64]) -> Trail | None:
        if len(rows) > _LONGEST_TRAIL:
            return None
        return Trail(rows, self._axes[:, rows].T, self.radii[rows])

    def _note(self, rows: NDArray[np.int64], before: Trail | None) -> None:
        """Remember spheres before and after a move."""
        after = self._spheres(rows)
        if before is None or after is None:
            self._forget_trail()
            return
        self.serial += 1
        self._trail += [(self.serial, before), (self.serial, after)]
        while sum(len(trail.rows) for _, trail in self._trail) > 4 * _LONGEST_TRAIL:
            self._unknown_until = self._trail.pop(0)[0]

    def _forget_trail(self) -> None:
        self.serial += 1
        self._unknown_until = self.serial
        self._trail.clear()

    def box(self, rows: NDArray[np.int64]) -> tuple[F64, F64] | None:
        """Corners of a box around rows, None of nothing; infinite ones count by centre."""
        axes, radii = [axis[rows] for axis in self._axes], self.radii[rows]
        finite = np.isfinite(axes[0]) & np.isfinite(axes[1]) & np.isfinite(axes[2])
        if not finite.any():
            return None
        radii = np.where(np.isfinite(radii), radii, np.float32(2.0))
        if not finite.all():
            axes, radii = [axis[finite] for axis in axes], radii[finite]
        lo = np.array([(axis - radii).min() for axis in axes], np.float64)
        hi = np.array([(axis + radii).max() for axis in axes], np.float64)
        return lo, hi

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
            np.matmul(plane[:3].astype(np.float32), self._axes, out=distances)
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
            found = axis @ self._axes
        self._along[key] = found
        while len(self._along) > _KEPT_DIRECTIONS:
            del self._along[next(iter(self._along))]
        return found

    def touching(self, clip_from_world: NDArray[Any]) -> NDArray[np.int64]:
        """Rows whose sphere may touch a view volume."""
        return np.flatnonzero(self.inside(clip_from_world))


def spheres_touch(centers: F32, radii: F32, clip_from_world: NDArray[Any]) -> bool:
    """Whether one of (k, 3) centres with (k,) radii may touch a view volume.

    A number that is none counts as touching.
    """
    outside = np.zeros(len(radii), np.bool_)
    for plane in _planes(np.asarray(clip_from_world, np.float64)):
        outside |= centers @ plane[:3] + radii < -plane[3]
    return not bool(outside.all())


class SteadyBox:
    """A box around a scene that stands while things move a little, so that shadow maps do.

    It is exact at first; it grows with some room where something leaves it, and is exact again
    once it is much too large.
    """

    def __init__(self) -> None:
        self.lo: F64 = np.zeros(3)
        self.hi: F64 = np.zeros(3)
        self._is_taken = False

    def follow(self, found: tuple[F64, F64] | None) -> None:
        """Take the present exact box; None of nothing."""
        if found is None:
            self._is_taken = False
            self.lo, self.hi = np.zeros((2, 3))
            return
        lo, hi = found
        is_tight = np.linalg.norm(hi - lo) >= _TIGHT * np.linalg.norm(self.hi - self.lo)
        if not self._is_taken or not is_tight:
            self.lo, self.hi, self._is_taken = lo, hi, True
            return
        room = _ROOM * float((hi - lo).max())
        self.lo = np.where(lo < self.lo, lo - room, self.lo)
        self.hi = np.where(hi > self.hi, hi + room, self.hi)

    def sphere(self) -> tuple[F32, float]:
        """Centre and radius of the sphere around it."""
        middle = 0.5 * (self.lo + self.hi)
        return middle.astype(np.float32), float(0.5 * np.linalg.norm(self.hi - self.lo))


def _planes(clip: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    """Inward planes of a clip matrix: sides and near (z <= w, as depth is reversed)."""
    found = []
    for plane in (clip[3] + clip[0], clip[3] - clip[0], clip[3] + clip[1], clip[3] - clip[1]):
        found.append(plane)
    found.append(clip[3] - clip[2])
    found.append(clip[2])
    return [p / n for p in found if (n := np.linalg.norm(p[:3])) > 1e-12]


_NO_TRAIL = Trail(np.zeros(0, np.int64), np.zeros((0, 3), np.float32), np.zeros(0, np.float32))
