"""Rays against render meshes on the CPU: bounds first, then triangles, all in numpy.

A :class:`RaycastScene` is a snapshot of what is drawn: one row per drawn mesh, as in the render
scene. A ray is tested against the bounds of every row at once; the rows it enters are then tried
nearest first, and inside a mesh only the blocks of triangles whose own bounds the ray enters.
Rows in a pose have loose bounds until somebody asks for theirs.
"""

from collections.abc import Callable, Collection
from dataclasses import InitVar, dataclass, field
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from editor.tools.projection import Ray, Vector, ViewFrame
from engine.render.framing import box_corners

BLOCK: Final = 256
_TINY: Final = 1e-12


@dataclass(frozen=True)
class RayMesh:
    """A triangle mesh ready for rays; its triangles are laid out when the first comes near.

    Attributes
    ----------
    positions : (n, 3) float
    triangles : (m, 3) int
    lo, hi : (3,) float64
        Local bounds of all positions.
    """

    positions: NDArray[Any]
    triangles: NDArray[Any]
    lo: Vector
    hi: Vector

    @classmethod
    def build(cls, positions: ArrayLike, triangles: ArrayLike) -> "RayMesh":
        """Build from (n, 3) positions and (m, 3) indices; m may be 0 for lines and points."""
        points = np.asarray(positions).reshape(-1, 3)
        faces = np.asarray(triangles).reshape(-1, 3)
        lo = hi = np.zeros(3)
        if len(points):
            lo, hi = (a.astype(np.float64) for a in (points.min(axis=0), points.max(axis=0)))
        return cls(points, faces, lo, hi)

    @cached_property
    def corners(self) -> Vector:
        """(m, 3, 3) float64: triangle, corner, local coordinate."""
        # Without triangles the indices may be of any type.
        faces = self.triangles.astype(np.int64, copy=False)
        return np.asarray(self.positions[faces], np.float64)

    @cached_property
    def blocks(self) -> tuple[Vector, Vector]:
        """(k, 3), (k, 3) float64 bounds of every :data:`BLOCK` triangles."""
        starts = np.arange(0, len(self.corners), BLOCK)
        if not len(starts):
            return np.zeros((0, 3)), np.zeros((0, 3))
        lo = np.minimum.reduceat(self.corners.min(axis=1), starts)
        hi = np.maximum.reduceat(self.corners.max(axis=1), starts)
        return lo, hi


MeshLookup = Callable[[int], RayMesh | None]


@dataclass(frozen=True)
class Hit:
    """Where a ray met a surface: world space, `normal` toward the ray's origin."""

    point: Vector
    normal: Vector
    distance: float
    entity: int


def ray_boxes(origin: Vector, direction: Vector, lo: Vector, hi: Vector) -> Vector:
    """Return the distance at which a ray enters each box, infinity where it misses.

    Parameters
    ----------
    origin, direction : (3,) or (n, 3)
        One ray for all boxes, or one per box; `direction` need not have length 1.
    lo, hi : (n, 3)
        Bounds; flat ones are fine.

    Notes
    -----
    The slab method of Kay and Kajiya, "Ray Tracing Complex Scenes", SIGGRAPH 1986.
    """
    safe = np.where(np.abs(direction) < _TINY, np.where(direction < 0, -_TINY, _TINY), direction)
    first, second = (lo - origin) / safe, (hi - origin) / safe
    enter = np.minimum(first, second).max(axis=-1)
    leave = np.maximum(first, second).min(axis=-1)
    return np.where((enter <= leave) & (leave >= 0), np.maximum(enter, 0), np.inf)


def ray_triangles(origin: Vector, direction: Vector, corners: Vector) -> tuple[float, int]:
    """Return (distance, row) of the nearest of (m, 3, 3) triangles, (inf, -1) for none.

    Both sides count.

    Notes
    -----
    Moeller and Trumbore, "Fast, Minimum Storage Ray/Triangle Intersection", 1997.
    """
    if not len(corners):
        return np.inf, -1
    base = corners[:, 0]
    edge1, edge2 = corners[:, 1] - base, corners[:, 2] - base
    across = np.cross(direction, edge2)
    determinant = np.einsum("ij,ij->i", edge1, across)
    flat = np.abs(determinant) < 1e-30
    inverse = 1.0 / np.where(flat, 1.0, determinant)
    offset = origin - base
    u = np.einsum("ij,ij->i", offset, across) * inverse
    beside = np.cross(offset, edge1)
    v = (beside @ direction) * inverse
    distance = np.einsum("ij,ij->i", edge2, beside) * inverse
    slack = 1e-9
    inside = (u >= -slack) & (v >= -slack) & (u + v <= 1 + slack) & (distance > 0) & ~flat
    distance = np.where(inside, distance, np.inf)
    row = int(np.argmin(distance))
    return (float(distance[row]), row) if np.isfinite(distance[row]) else (np.inf, -1)


@dataclass
class RaycastScene:
    """What is drawn, as columns.

    Parameters
    ----------
    meshes : (n,) int
        Mesh id per row.
    world_from_local : (n, 4, 4)
    entities : (n,) int64
        The entity that carries each row.
    lookup : callable
        Geometry of a mesh id, None where it has none yet.
    """

    meshes: NDArray[np.int32]
    world_from_local: InitVar[NDArray[np.float32]]
    entities: NDArray[np.int64]
    lookup: MeshLookup
    lo: Vector = field(init=False)
    hi: Vector = field(init=False)
    _known: NDArray[np.bool_] = field(init=False)
    _transforms: Vector = field(init=False)
    _local: Vector = field(init=False)
    _loose: NDArray[np.bool_] = field(init=False)

    def __post_init__(self, world_from_local: NDArray[np.float32]) -> None:
        self._transforms = np.array(world_from_local, np.float64)
        ids, rows = np.unique(self.meshes, return_inverse=True)
        found = [self.lookup(int(i)) for i in ids]
        local = np.array(
            [(m.lo, m.hi) if m else np.zeros((2, 3)) for m in found], np.float64
        ).reshape(-1, 2, 3)
        self._known = np.array([m is not None for m in found], bool)[rows]
        self._local = local[rows]
        self._loose = np.zeros(len(self.meshes), np.bool_)
        self.lo, self.hi = world_bounds(self._transforms, self._local[:, 0], self._local[:, 1])

    def move(self, rows: NDArray[np.int64], world_from_local: NDArray[np.float32]) -> None:
        """Follow (k, 4, 4) new transforms of some rows."""
        self._transforms[rows] = world_from_local
        self._set_local(rows, self._local[rows])

    def reshape(
        self, rows: NDArray[np.int64], meshes: NDArray[np.int64], lo: ArrayLike, hi: ArrayLike
    ) -> None:
        """Give rows other geometry, which is looked up when it is needed.

        Parameters
        ----------
        rows : (k,) int
        meshes : (k,) int
            What `lookup` is asked for.
        lo, hi : (k, 3)
            Local bounds that hold it, not tight; infinite where they are not known.
        """
        self.meshes[rows] = meshes
        self._known[rows] = self._loose[rows] = True
        boxes = np.asarray(lo, np.float64), np.asarray(hi, np.float64)
        self._set_local(rows, np.stack(boxes, axis=1))

    def _set_local(self, rows: NDArray[np.int64], local: Vector) -> None:
        self._local[rows] = local
        unknown = np.asarray(np.isinf(local).any(axis=(1, 2)))
        safe = np.where(unknown[:, None, None], 0.0, local)
        lo, hi = world_bounds(self._transforms[rows], safe[:, 0], safe[:, 1])
        lo[unknown], hi[unknown] = -np.inf, np.inf
        self.lo[rows], self.hi[rows] = lo, hi

    def _tighten(self, rows: NDArray[np.int64]) -> None:
        """Have tight bounds for rows that have loose ones."""
        rows = rows[self._loose[rows]]
        if not len(rows):
            return
        found = [self.lookup(int(mesh)) for mesh in self.meshes[rows]]
        self._loose[rows] = False
        self._known[rows] = [mesh is not None for mesh in found]
        boxes = [(m.lo, m.hi) if m else np.zeros((2, 3)) for m in found]
        self._set_local(rows, np.array(boxes, np.float64))

    def rows_of(self, entities: Collection[int]) -> NDArray[np.int64]:
        """Return the rows whose geometry is known and whose entity is one of `entities`."""
        wanted = np.fromiter(entities, np.int64, len(entities))
        return np.flatnonzero(np.isin(self.entities, wanted) & self._known)

    def bounds(self, entities: Collection[int]) -> tuple[Vector, Vector] | None:
        """Return world (lo, hi) around what these entities draw, None when that is nothing."""
        rows = self.rows_of(entities)
        self._tighten(rows)
        rows = rows[self._known[rows]]
        if not len(rows):
            return None
        return self.lo[rows].min(axis=0), self.hi[rows].max(axis=0)

    def box_corners(self, entities: Collection[int] | None = None) -> Vector:
        """Return (8 n, 3) world corners of the local bounds of the rows of `entities`, or all."""
        rows = np.flatnonzero(self._known) if entities is None else self.rows_of(entities)
        corners = [
            transform_points(self._transforms[row], mesh_corners(mesh))
            for row in rows
            if (mesh := self.lookup(int(self.meshes[row]))) is not None
        ]
        return np.concatenate(corners) if corners else np.zeros((0, 3))

    def screen_bounds(self, view: ViewFrame) -> tuple[Vector, Vector]:
        """Return (n, 2), (n, 2) pixel bounds of each row's local bounds.

        A row whose geometry is unknown, or that reaches behind the viewer, is infinitely large.
        """
        self._tighten(np.flatnonzero(self._loose))
        pick = (np.arange(8)[:, None] >> np.arange(3)) & 1
        local = np.where(pick == 1, self._local[:, 1:2], self._local[:, 0:1])
        linear, shift = self._transforms[:, :3, :3], self._transforms[:, None, :3, 3]
        pixels, depth = view.project(local @ linear.transpose(0, 2, 1) + shift)
        whole = self._known & np.all(view.visible(depth), axis=1)
        lo = np.where(whole[:, None], pixels.min(axis=1), -np.inf)
        hi = np.where(whole[:, None], pixels.max(axis=1), np.inf)
        return lo, hi

    def cast(self, ray: Ray, ignore: Collection[int] = ()) -> Hit | None:
        """Return the nearest surface that a ray meets.

        Parameters
        ----------
        ray : Ray
        ignore : collection of int
            Entities that are not there.
        """
        enter = ray_boxes(ray.origin, ray.direction, self.lo, self.hi)
        if ignore:
            enter[np.isin(self.entities, np.fromiter(ignore, np.int64, len(ignore)))] = np.inf
        enter[~self._known] = np.inf
        best, found = np.inf, None
        candidates = np.flatnonzero(enter < best)
        for row in candidates[np.argsort(enter[candidates], kind="stable")]:
            if enter[row] >= best:
                break
            hit = self._cast_row(ray, int(row), best)
            if hit is not None:
                best, found = hit.distance, hit
        return found

    def _cast_row(self, ray: Ray, row: int, nearer_than: float) -> Hit | None:
        mesh = self.lookup(int(self.meshes[row]))
        transform = self._transforms[row]
        if mesh is None or abs(np.linalg.det(transform[:3, :3])) < 1e-18:
            return None
        local_from_world = np.linalg.inv(transform)
        origin = local_from_world[:3, :3] @ ray.origin + local_from_world[:3, 3]
        direction = local_from_world[:3, :3] @ ray.direction
        blocks = np.flatnonzero(ray_boxes(origin, direction, *mesh.blocks) < nearer_than)
        if not len(blocks):
            return None
        faces = (blocks[:, None] * BLOCK + np.arange(BLOCK)).ravel()
        faces = faces[faces < len(mesh.corners)]
        distance, face = ray_triangles(origin, direction, mesh.corners[faces])
        if distance >= nearer_than:
            return None
        corners = transform_points(transform, mesh.corners[faces[face]])
        normal = np.cross(corners[1] - corners[0], corners[2] - corners[0])
        length = float(np.linalg.norm(normal))
        normal = normal / length if length > 0 else -ray.direction
        if float(normal @ ray.direction) > 0:
            normal = -normal
        return Hit(ray.at(distance), normal, distance, int(self.entities[row]))


def transform_points(world_from_local: Vector, points: Vector) -> Vector:
    """Return (n, 3) points moved by a (4, 4) matrix, in float64."""
    matrix = np.asarray(world_from_local, np.float64)
    return np.asarray(points @ matrix[:3, :3].T + matrix[:3, 3])


def mesh_corners(mesh: RayMesh) -> Vector:
    """Return the (8, 3) corners of a mesh's local bounds."""
    return box_corners(mesh.lo, mesh.hi)


def world_bounds(world_from_local: Vector, lo: Vector, hi: Vector) -> tuple[Vector, Vector]:
    """Return world bounds (n, 3), (n, 3) of boxes under (n, 4, 4) matrices.

    Notes
    -----
    Centre and half extent through the absolute matrix: J. Arvo, "Transforming Axis-Aligned
    Bounding Boxes", Graphics Gems, 1990.
    """
    centre, half = (lo + hi) / 2, (hi - lo) / 2
    linear = world_from_local[:, :3, :3]
    middle = np.einsum("nij,nj->ni", linear, centre) + world_from_local[:, :3, 3]
    reach = np.einsum("nij,nj->ni", np.abs(linear), half)
    return middle - reach, middle + reach
