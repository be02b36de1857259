"""Polygons with colours, and what turns them into vertices: smooth normals and baked occlusion."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from resources.modelling.palette import Color

Points = NDArray[np.float64]

# Square metres from which a face keeps its full colour: the corners of a wall are hidden in
# eaves and plinths, and would darken all of it.
WIDE_FACE = 0.8


@dataclass
class Face:
    """One convex polygon, counter-clockwise seen from outside."""

    points: Points
    color: Color
    material: str
    part: int
    uv: Points | None = None


@dataclass
class Mesh:
    """A list of faces. Faces of one part share smooth normals where they meet at a small angle."""

    faces: list[Face] = field(default_factory=list)
    parts: int = 0

    def new_part(self) -> int:
        """Return the number of a part of its own."""
        self.parts += 1
        return self.parts

    def add(
        self, points: object, color: Color, material: str, part: int, uv: object = None
    ) -> None:
        """Add one polygon."""
        texcoords = None if uv is None else np.asarray(uv, float)
        self.faces.append(Face(np.asarray(points, float), color, material, part, texcoords))

    def extend(self, other: Mesh, matrix: Points | None = None) -> Mesh:
        """Add the faces of another mesh, moved by a (4, 4) matrix."""
        moved = np.eye(4) if matrix is None else matrix
        flipped = np.linalg.det(moved[:3, :3]) < 0
        for face in other.faces:
            points = face.points @ moved[:3, :3].T + moved[:3, 3]
            uv = face.uv
            if flipped:
                points, uv = points[::-1], None if uv is None else uv[::-1]
            self.faces.append(Face(points, face.color, face.material, face.part + self.parts, uv))
        self.parts += other.parts
        return self


@dataclass
class Vertices:
    """One primitive: corners that are equal in every attribute are one vertex."""

    positions: NDArray[np.float32]
    normals: NDArray[np.float32]
    colors: NDArray[np.float64]
    uvs: NDArray[np.float32] | None
    indices: NDArray[np.uint32]


def place(
    x: float = 0.0,
    y: float = 0.0,
    z: float = 0.0,
    *,
    yaw: float = 0.0,
    pitch: float = 0.0,
    roll: float = 0.0,
    scale: float | tuple[float, float, float] = 1.0,
) -> Points:
    """Return translation * Ry(yaw) * Rx(pitch) * Rz(roll) * scale; angles in degrees."""
    (sy, cy), (sx, cx), (sz, cz) = (
        (np.sin(np.radians(angle)), np.cos(np.radians(angle))) for angle in (yaw, pitch, roll)
    )
    turn_y = np.array([[cy, 0, sy], [0, 1, 0], [-sy, 0, cy]])
    turn_x = np.array([[1, 0, 0], [0, cx, -sx], [0, sx, cx]])
    turn_z = np.array([[cz, -sz, 0], [sz, cz, 0], [0, 0, 1]])
    matrix = np.eye(4)
    matrix[:3, :3] = turn_y @ turn_x @ turn_z @ np.diag(np.broadcast_to(scale, 3))
    matrix[:3, 3] = x, y, z
    return matrix


def vertices_of(
    mesh: Mesh, *, smooth_angle: float = 50.0, reach: float = 0.6, ground: bool = True
) -> dict[str, Vertices]:
    """Return the vertices of each material.

    Parameters
    ----------
    mesh : Mesh
    smooth_angle : float
        Faces of one part that meet at less than this many degrees are shaded as one surface.
    reach : float
        How far occluders are looked for, in metres; 0 bakes none.
    ground : bool
        Whether the plane y = 0 occludes too, which grounds a prop that stands on it.
    """
    corners = np.concatenate([face.points for face in mesh.faces])
    owner = np.repeat(np.arange(len(mesh.faces)), [len(face.points) for face in mesh.faces])
    flat = np.array([_area_normal(face.points) for face in mesh.faces])
    normals = _smooth_normals(mesh, corners, owner, flat, smooth_angle)
    open_sky = _occlusion(mesh, corners, normals, reach, ground)
    wide = np.linalg.norm(flat, axis=1) > WIDE_FACE
    open_sky[wide[owner]] = 1.0
    colors = np.array([mesh.faces[i].color for i in owner]) * open_sky[:, None]
    found = {}
    for material in sorted({face.material for face in mesh.faces}):
        found[material] = _primitive(mesh, material, owner, corners, normals, colors)
    return found


def _area_normal(points: Points) -> Points:
    rolled = np.roll(points, -1, axis=0)
    return np.asarray(np.cross(points, rolled).sum(axis=0) / 2)


def _smooth_normals(
    mesh: Mesh, corners: Points, owner: NDArray[np.int64], flat: Points, smooth_angle: float
) -> Points:
    unit = flat / np.maximum(np.linalg.norm(flat, axis=1, keepdims=True), 1e-12)
    parts = np.array([mesh.faces[i].part for i in owner])
    keys = np.column_stack([np.round(corners, 4), parts])
    _, shared = np.unique(keys, axis=0, return_inverse=True)
    order = np.argsort(shared.ravel(), kind="stable")
    groups = np.split(order, np.flatnonzero(np.diff(shared.ravel()[order])) + 1)
    limit = np.cos(np.radians(smooth_angle))
    normals = np.empty_like(corners)
    for group in groups:
        faces = owner[group]
        close = unit[faces] @ unit[faces].T >= limit
        normals[group] = close @ flat[faces]
    return np.asarray(normals / np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12))


def _hemisphere(count: int = 28) -> Points:
    """Return directions over +Z, cosine-weighted (a Fibonacci spiral on the unit disc)."""
    steps = np.arange(count) + 0.5
    radius, angle = np.sqrt(steps / count), steps * np.pi * (3 - np.sqrt(5))
    return np.column_stack(
        [radius * np.cos(angle), radius * np.sin(angle), np.sqrt(1 - radius * radius)]
    )


def _occlusion(mesh: Mesh, corners: Points, normals: Points, reach: float, ground: bool) -> Points:
    """Return how much open sky each corner sees, softened so that no crease turns black."""
    if reach <= 0:
        return np.ones(len(corners))
    triangles = np.array(
        [
            (face.points[0], face.points[i], face.points[i + 1])
            for face in mesh.faces
            for i in range(1, len(face.points) - 1)
        ]
    )
    low, high = triangles.min(axis=1), triangles.max(axis=1)
    keys = np.round(np.column_stack([corners, normals]), 4)
    _, first, back = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    seen = np.empty(len(first))
    rays = _hemisphere()
    for slot, index in enumerate(first):
        origin, normal = corners[index] + normals[index] * 0.004, normals[index]
        near = triangles[np.all((low <= origin + reach) & (high >= origin - reach), axis=1)]
        in_front = ((near - origin) @ normal).max(axis=1) > 1e-4
        directions = rays @ _frame(normal)
        distance = _nearest(origin, directions, near[in_front], reach)
        if ground:
            falling = directions[:, 1] < -1e-6
            down = np.full(len(rays), reach)
            down[falling] = np.maximum(origin[1], 0.0) / -directions[falling, 1]
            distance = np.minimum(distance, down)
        seen[slot] = np.mean(np.clip(distance / reach, 0, 1) ** 0.7)
    return np.asarray(np.round(0.42 + 0.58 * np.clip(seen * 1.08, 0, 1), 3)[back.ravel()])


def _frame(normal: Points) -> Points:
    helper = np.array([1.0, 0, 0]) if abs(normal[1]) > 0.8 else np.array([0, 1.0, 0])
    side = np.cross(helper, normal)
    side /= max(float(np.linalg.norm(side)), 1e-12)
    return np.array([side, np.cross(normal, side), normal])


def _nearest(origin: Points, directions: Points, triangles: Points, reach: float) -> Points:
    """Return the distance to the first triangle along each ray (Moller and Trumbore 1997)."""
    if not len(triangles):
        return np.full(len(directions), reach)
    a, ab, ac = (
        triangles[:, 0],
        triangles[:, 1] - triangles[:, 0],
        triangles[:, 2] - triangles[:, 0],
    )
    p = np.cross(directions[:, None, :], ac[None])
    det = np.einsum("rtk,tk->rt", p, ab)
    safe = np.where(np.abs(det) < 1e-12, 1.0, det)
    s = origin - a
    u = np.einsum("rtk,tk->rt", p, s) / safe
    q = np.cross(s, ab)
    v = directions @ q.T / safe
    t = np.einsum("tk,tk->t", q, ac)[None] / safe
    hit = (np.abs(det) >= 1e-12) & (u >= 0) & (v >= 0) & (u + v <= 1) & (t > 1e-3)
    return np.asarray(np.where(hit, t, reach).min(axis=1))


def _primitive(
    mesh: Mesh,
    material: str,
    owner: NDArray[np.int64],
    corners: Points,
    normals: Points,
    colors: Points,
) -> Vertices:
    rows: list[Points] = []
    indices: list[int] = []
    known: dict[bytes, int] = {}
    start = 0
    has_uv = any(face.uv is not None for face in mesh.faces if face.material == material)
    for face in mesh.faces:
        count = len(face.points)
        if face.material == material:
            uv = np.zeros((count, 2)) if face.uv is None else face.uv
            block = np.column_stack(
                [
                    corners[start : start + count],
                    normals[start : start + count],
                    colors[start : start + count],
                    uv,
                ]
            )
            block = np.round(block, 5) + 0.0
            slots = []
            for row in block:
                key = row.tobytes()
                if key not in known:
                    known[key] = len(rows)
                    rows.append(row)
                slots.append(known[key])
            for i in range(1, count - 1):
                indices += [slots[0], slots[i], slots[i + 1]]
        start += count
    table = np.array(rows)
    return Vertices(
        positions=table[:, :3].astype(np.float32),
        normals=_unit(table[:, 3:6]),
        colors=table[:, 6:9],
        uvs=table[:, 9:11].astype(np.float32) if has_uv else None,
        indices=np.array(indices, np.uint32),
    )


def _unit(normals: Points) -> NDArray[np.float32]:
    unit = normals / np.linalg.norm(normals, axis=1, keepdims=True)
    return np.asarray(unit, np.float32)
