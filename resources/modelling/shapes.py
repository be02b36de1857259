"""Building blocks: bevelled boxes, prisms, lathed and swept forms, lumpy spheres.

Each function returns a `Mesh` with one part, centred where its docstring says, in metres.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import numpy as np

from resources.modelling.mesh import Mesh, Points
from resources.modelling.palette import Color

_GOLDEN = (1 + 5**0.5) / 2
# fmt: off
_ICOSAHEDRON = (
    (-1, _GOLDEN, 0), (1, _GOLDEN, 0), (-1, -_GOLDEN, 0), (1, -_GOLDEN, 0),
    (0, -1, _GOLDEN), (0, 1, _GOLDEN), (0, -1, -_GOLDEN), (0, 1, -_GOLDEN),
    (_GOLDEN, 0, -1), (_GOLDEN, 0, 1), (-_GOLDEN, 0, -1), (-_GOLDEN, 0, 1),
)
_ICOSAHEDRON_FACES = (
    (0, 11, 5), (0, 5, 1), (0, 1, 7), (0, 7, 10), (0, 10, 11),
    (1, 5, 9), (5, 11, 4), (11, 10, 2), (10, 7, 6), (7, 1, 8),
    (3, 9, 4), (3, 4, 2), (3, 2, 6), (3, 6, 8), (3, 8, 9),
    (4, 9, 5), (2, 4, 11), (6, 2, 10), (8, 6, 7), (9, 8, 1),
)
# fmt: on


def box(
    size: tuple[float, float, float],
    color: Color,
    material: str = "wood",
    *,
    bevel: float = 0.02,
    edge: float = 1.16,
    taper: float = 1.0,
) -> Mesh:
    """Return a bevelled box that stands on y = 0.

    `edge` brightens the bevels, as wear does; `taper` scales the top.
    """
    half = np.array(size) / 2
    bevel = min(bevel, 0.45 * float(half.min()))
    corner: dict[tuple[int, ...], list[Points]] = {}
    for signs in itertools.product((-1, 1), repeat=3):
        corner[signs] = []
        for axis in range(3):
            inset = half - bevel
            inset[axis] = half[axis]
            corner[signs].append(_tapered(inset * signs, half[1], taper))
    mesh = Mesh()
    part = mesh.new_part()
    worn = np.minimum(color * edge, 1.0)
    for axis, sign in itertools.product(range(3), (-1, 1)):
        a, b = (axis + 1) % 3, (axis + 2) % 3
        ring = []
        for sa, sb in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
            signs_list = [0, 0, 0]
            signs_list[axis], signs_list[a], signs_list[b] = sign, sa, sb
            ring.append(corner[tuple(signs_list)][axis])
        _outward(mesh, ring, color, material, part)
    for a, b in ((0, 1), (1, 2), (2, 0)):
        along = 3 - a - b
        for sa, sb in itertools.product((-1, 1), repeat=2):
            ends = []
            for s in (-1, 1):
                signs_list = [0, 0, 0]
                signs_list[a], signs_list[b], signs_list[along] = sa, sb, s
                ends.append(corner[tuple(signs_list)])
            _outward(mesh, [ends[0][a], ends[0][b], ends[1][b], ends[1][a]], worn, material, part)
    for points in corner.values():
        _outward(mesh, points, worn, material, part)
    for face in mesh.faces:
        face.points[:, 1] += half[1]
    return mesh


def _tapered(point: Points, half_height: float, taper: float) -> Points:
    share = (point[1] + half_height) / (2 * half_height)
    scale = 1 + (taper - 1) * share
    return np.array([point[0] * scale, point[1], point[2] * scale])


def _outward(mesh: Mesh, ring: Sequence[Points], color: Color, material: str, part: int) -> None:
    """Add a face of a convex form around the origin, turned outwards."""
    points = np.array(ring)
    normal = np.cross(points[1] - points[0], points[2] - points[0])
    if normal @ points.mean(axis=0) < 0:
        points = points[::-1]
    mesh.add(points, color, material, part)


def slab(
    size: tuple[float, float, float], color: Color, material: str = "roof", *, edge: float = 1.1
) -> Mesh:
    """Return a plain box on y = 0: a cheap tile or plank."""
    x, y, z = size[0] / 2, size[1], size[2] / 2
    mesh = Mesh()
    part = mesh.new_part()
    low = [(-x, 0, z), (x, 0, z), (x, 0, -z), (-x, 0, -z)]
    high = [(px, y, pz) for px, _, pz in low]
    mesh.add(high, color, material, part)
    mesh.add(low[::-1], color * 0.6, material, part)
    for i in range(4):
        j = (i + 1) % 4
        shade = color * (edge if i == 0 else 0.92)
        mesh.add([low[i], low[j], high[j], high[i]], np.minimum(shade, 1), material, part)
    return mesh


def prism(
    outline: Points,
    height: float,
    color: Color,
    material: str = "stone",
    *,
    bevel: float = 0.02,
    edge: float = 1.12,
    bottom: bool = False,
) -> Mesh:
    """Return a convex (n, 2) outline (x, z; counter-clockwise seen from above) raised from y = 0.

    The rim of the top is bevelled; the sides meet in smooth corners.
    """
    outline = np.asarray(outline, float)
    if _signed_area(outline) > 0:
        outline = outline[::-1]
    inner = inset(outline, bevel)
    worn = np.minimum(color * edge, 1.0)
    mesh = Mesh()
    part = mesh.new_part()
    foot = [(x, 0.0, z) for x, z in outline]
    rim = [(x, height - bevel, z) for x, z in outline]
    top = [(x, height, z) for x, z in inner]
    mesh.add(top, color, material, part)
    for i in range(len(outline)):
        j = (i + 1) % len(outline)
        mesh.add([foot[i], foot[j], rim[j], rim[i]], color * 0.94, material, part)
        mesh.add([rim[i], rim[j], top[j], top[i]], worn, material, part)
    if bottom:
        mesh.add(foot[::-1], color * 0.9, material, part)
    return mesh


def inset(outline: Points, distance: float) -> Points:
    """Return a convex outline moved inwards towards its centre by about `distance`."""
    centre = outline.mean(axis=0)
    away = outline - centre
    length = np.linalg.norm(away, axis=1, keepdims=True)
    return np.asarray(centre + away * np.maximum(1 - distance * 1.25 / length, 0.3))


def _signed_area(outline: Points) -> float:
    x, z = outline[:, 0], outline[:, 1]
    return float(np.sum(x * np.roll(z, -1) - np.roll(x, -1) * z) / 2)


def lathe(
    profile: Sequence[tuple[float, float]],
    color: Color | Callable[[int, int], Color],
    material: str = "wood",
    *,
    sides: int = 12,
    turn: float = 0.0,
) -> Mesh:
    """Return a (radius, height) profile, bottom to top, turned about Y.

    `color` is one colour or a function of (ring, side).
    """
    mesh = Mesh()
    part = mesh.new_part()
    angles = np.radians(turn) + np.arange(sides + 1) * 2 * np.pi / sides
    angles[-1] = angles[0]
    for ring, ((r0, y0), (r1, y1)) in enumerate(itertools.pairwise(profile)):
        for side in range(sides):
            a, b = angles[side], angles[side + 1]
            points = [
                (r0 * np.sin(a), y0, r0 * np.cos(a)),
                (r0 * np.sin(b), y0, r0 * np.cos(b)),
                (r1 * np.sin(b), y1, r1 * np.cos(b)),
                (r1 * np.sin(a), y1, r1 * np.cos(a)),
            ]
            if r0 < 1e-6:
                points = points[1:]
            elif r1 < 1e-6:
                points = points[:3]
            shade = color(ring, side) if callable(color) else color
            mesh.add(points, shade, material, part)
    return mesh


def tube(
    path: Sequence[tuple[float, float, float]],
    radii: Sequence[float],
    color: Color | Callable[[int, int], Color],
    material: str = "wood",
    *,
    sides: int = 8,
) -> Mesh:
    """Return a round bar along a path, with flat ends."""
    points = np.array(path, float)
    mesh = Mesh()
    part = mesh.new_part()
    tangents = np.gradient(points, axis=0)
    tangents /= np.linalg.norm(tangents, axis=1, keepdims=True)
    side = np.cross(tangents[0], [0.31, 0.2, 0.93])
    rings = []
    for point, tangent, radius in zip(points, tangents, radii, strict=True):
        side = side - tangent * (side @ tangent)
        side /= np.linalg.norm(side)
        up = np.cross(tangent, side)
        angle = np.arange(sides) * 2 * np.pi / sides
        rings.append(point + radius * (np.outer(np.cos(angle), side) + np.outer(np.sin(angle), up)))
    for i, (low, high) in enumerate(itertools.pairwise(rings)):
        for k in range(sides):
            m = (k + 1) % sides
            shade = color(i, k) if callable(color) else color
            mesh.add([low[k], low[m], high[m], high[k]], shade, material, part)
    last = color(len(rings) - 2, 0) if callable(color) else color
    first = color(0, 0) if callable(color) else color
    mesh.add(rings[0][::-1], first, material, mesh.new_part())
    mesh.add(rings[-1], last, material, mesh.new_part())
    return mesh


def blob(
    radius: tuple[float, float, float],
    color: Color | Callable[[Points], Color],
    material: str,
    *,
    seed: int,
    roughness: float = 0.12,
    detail: int = 1,
    floor: float | None = None,
    smooth: bool = False,
) -> Mesh:
    """Return a lumpy ball about the origin: a rock, a bush, the crown of a tree.

    `color` is one colour or a function of the unit direction of a face; `floor` flattens
    everything below it.
    """
    corners, triangles = _icosphere(detail)
    rng = np.random.default_rng(seed)
    lumps = rng.normal(size=(6, 3)) * 2.2
    phases = rng.uniform(0, 2 * np.pi, 6)
    swell = sum(np.sin(corners @ lump + phase) for lump, phase in zip(lumps, phases, strict=True))
    jitter = rng.uniform(-1, 1, len(corners)) * roughness * 0.5
    points = corners * (1 + roughness * np.asarray(swell) / 3 + jitter)[:, None] * np.array(radius)
    if floor is not None:
        points[:, 1] = np.maximum(points[:, 1], floor)
    mesh = Mesh()
    part = mesh.new_part()
    for triangle in triangles:
        direction = corners[triangle].mean(axis=0)
        face = points[triangle]
        if np.linalg.norm(np.cross(face[1] - face[0], face[2] - face[0])) < 1e-9:
            continue
        shade = color(direction) if callable(color) else color
        mesh.add(face, shade, material, part if smooth else mesh.new_part())
    return mesh


def _icosphere(detail: int) -> tuple[Points, list[list[int]]]:
    corners = [np.array(c, float) / np.linalg.norm(c) for c in _ICOSAHEDRON]
    faces = [list(face) for face in _ICOSAHEDRON_FACES]
    for _ in range(detail):
        halves: dict[tuple[int, int], int] = {}
        finer = []
        for a, b, c in faces:
            ab, bc, ca = (_half(corners, halves, *pair) for pair in ((a, b), (b, c), (c, a)))
            finer += [[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]]
        faces = finer
    return np.array(corners), faces


def _half(corners: list[Points], halves: dict[tuple[int, int], int], a: int, b: int) -> int:
    key = (min(a, b), max(a, b))
    if key not in halves:
        middle = corners[a] + corners[b]
        corners.append(middle / np.linalg.norm(middle))
        halves[key] = len(corners) - 1
    return halves[key]
