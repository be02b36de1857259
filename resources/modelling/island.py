"""The island that the village stands on, and the stream that crosses it."""

from __future__ import annotations

import itertools

import numpy as np

from resources.modelling import palette
from resources.modelling.glb import Model, single
from resources.modelling.mesh import Mesh, Points
from resources.modelling.palette import Color, Shades, linear, mixed

ISLAND = (13.2, 11.2)  # half axes along x and z
HILL = (6.4, -6.0)
STREAM = np.array([[14.5, -2.6], [10.4, -1.6], [8.0, 1.4], [6.6, 4.4], [5.6, 7.4], [5.9, 12.0]])
PATHS = (
    np.array([[3.2, 1.2], [5.0, 2.2], [7.3, 2.95], [9.4, 3.6], [11.2, 4.6]]),
    np.array([[0.0, -3.4], [0.2, -6.0], [-0.4, -8.6], [-1.2, -10.8]]),
    np.array([[-2.6, 2.4], [-4.4, 4.8], [-5.2, 7.4], [-4.6, 10.2]]),
    np.array([[2.6, -2.4], [4.4, -4.0], [6.2, -4.6]]),
)
WATER_LEVEL = -0.34


def _distance(points: Points, line: Points) -> Points:
    """Return the distance of (n, 2) points from a polyline."""
    best = np.full(len(points), np.inf)
    for a, b in itertools.pairwise(line):
        along = b - a
        t = np.clip((points - a) @ along / (along @ along), 0, 1)
        gap = points - (a + t[:, None] * along)
        best = np.minimum(best, np.hypot(gap[:, 0], gap[:, 1]))
    return best


def _smoothstep(low: float, high: float, value: Points) -> Points:
    t = np.clip((value - low) / (high - low), 0, 1)
    return np.asarray(t * t * (3 - 2 * t))


def ground_height(x: float, z: float) -> float:
    """Return the height of the island's top at a place, in metres."""
    return float(_heights(np.array([[x, z]], float))[0])


def _heights(points: Points) -> Points:
    x, z = points[:, 0], points[:, 1]
    waves = np.sin(x * 0.9 + 1) * np.sin(z * 0.8) * 0.08 + np.sin(x * 0.37 - z * 0.41) * 0.1
    flat = _smoothstep(3.9, 6.5, np.hypot(x, z))
    hill = 1.35 * (1 - _smoothstep(1.7, 4.3, np.hypot(x - HILL[0], z - HILL[1])))
    back = 0.5 * _smoothstep(4.0, 10.0, -z) * _smoothstep(1.5, 5.0, np.abs(x))
    left = 0.45 * _smoothstep(6.0, 11.0, -x)
    stream = _distance(points, STREAM)
    bank = _smoothstep(0.75, 1.5, stream)
    land = 0.03 + flat * (0.22 + waves) + hill + back + left
    return np.asarray(land * bank + (WATER_LEVEL - 0.28) * (1 - bank))


def _rim(angles: Points) -> Points:
    """Return the outline of the island: an ellipse with bays."""
    wobble = 1 + 0.035 * np.sin(angles * 3 + 0.4) + 0.025 * np.sin(angles * 7 + 2)
    return (
        np.column_stack([np.sin(angles) * ISLAND[0], np.cos(angles) * ISLAND[1]]) * wobble[:, None]
    )


def island() -> Model:
    """The land: grass with paths and a stream on top, earth and rock below."""
    shades = Shades(7)
    mesh = Mesh()
    count, rings = 112, 38
    angles = np.arange(count) * 2 * np.pi / count
    rim = _rim(angles)
    shares = np.linspace(0.02, 1.0, rings)
    flat = np.array([rim * share for share in shares])
    jitter = shades.rng.uniform(-0.06, 0.06, flat.shape)
    jitter[0], jitter[-1] = 0, 0
    flat = flat + jitter
    flat[1:-1] = _follow_banks(flat[1:-1].reshape(-1, 2)).reshape(flat[1:-1].shape)
    heights = np.array([_heights(ring) for ring in flat])
    grid = np.stack([flat[..., 0], heights, flat[..., 1]], axis=-1)
    part = mesh.new_part()
    mesh.add(grid[0], _turf(shades, grid[0].mean(axis=0)), "earth", part)
    for ring in range(rings - 1):
        for k in range(count):
            m = (k + 1) % count
            a, b, c, d = grid[ring, k], grid[ring + 1, k], grid[ring + 1, m], grid[ring, m]
            pairs = ((a, b, c), (a, c, d)) if (ring + k) % 2 else ((a, b, d), (b, c, d))
            for triangle in pairs:
                middle = np.mean(triangle, axis=0)
                mesh.add(np.array(triangle), _turf(shades, middle), "earth", part)
    _cliffs(mesh, shades, grid[-1])
    return single("island", mesh, smooth_angle=32.0, reach=0.0, ground=False)


def _follow_banks(points: Points) -> Points:
    """Move points near a bank onto its upper or lower edge, so that the banks run smoothly."""
    distance = _distance(points, STREAM)
    step = 0.01
    slope = np.column_stack(
        [_distance(points + offset, STREAM) - distance for offset in ([step, 0.0], [0.0, step])]
    )
    slope /= np.maximum(np.linalg.norm(slope, axis=1, keepdims=True), 1e-9)
    edge = np.where(distance < 1.12, 0.78, 1.46)
    near = (distance > 0.42) & (distance < 1.85)
    return np.asarray(points + slope * np.where(near, edge - distance, 0.0)[:, None])


def _turf(shades: Shades, middle: Points) -> Color:
    """Return the colour of the ground at a point: path, bank, stream bed or grass."""
    place_xz = middle[None, [0, 2]]
    stream = float(_distance(place_xz, STREAM)[0])
    if stream < 0.95:
        return shades(("#8e7f63", "#837457"), 0.08)
    if stream < 1.3:
        return shades(("#c2ad80", "#b39e72"), 0.06)
    trail = min(float(_distance(place_xz, path)[0]) for path in PATHS)
    if trail + float(shades.rng.uniform(-0.1, 0.1)) < 0.62:
        return shades(palette.DIRT, 0.07)
    shade = 0.5 + 0.5 * np.sin(middle[0] * 0.7 + 1.3) * np.sin(middle[2] * 0.6 - 0.4)
    dry = 0.3 * float(1 - _smoothstep(0.6, 1.4, np.array([trail]))[0])
    grass = mixed("#6f9040", "#9ab455", shade) * float(shades.rng.uniform(0.93, 1.07))
    return grass * (1 - dry) + linear("#b0a55c") * dry


def _cliffs(mesh: Mesh, shades: Shades, rim: Points) -> None:
    """Add the sides: a lip of turf, earth, then rock that narrows downwards."""
    count = len(rim)
    layers = [
        (1.004, -0.16, ("#6c8a3e", "#769645")),
        (0.985, -0.5, palette.EARTH),
        (0.975, -1.0, palette.EARTH),
        (0.94, -1.7, palette.ROCK),
        (0.84, -2.6, palette.ROCK),
        (0.66, -3.4, ("#7c756d", "#857d74", "#706a63")),
        (0.4, -4.0, ("#6d675f", "#756e66", "#625d57")),
    ]
    ring = rim
    for index, (share, drop, family) in enumerate(layers):
        rough = 0.0 if index == 0 else 0.12 + 0.05 * index
        below = rim * [share, 0, share] + [0, 1, 0] * (rim[:, [1]] * (index < 2))
        below[:, 1] += drop + shades.rng.uniform(-rough, rough, count)
        below[:, [0, 2]] += shades.rng.uniform(-rough, rough, (count, 2))
        below[:, 1] = np.minimum(below[:, 1], ring[:, 1] - 0.08)
        for k in range(count):
            m = (k + 1) % count
            color = shades(family, 0.08)
            mesh.add([ring[k], below[k], below[m]], color, "earth", mesh.new_part())
            mesh.add([ring[k], below[m], ring[m]], color * 1.03, "earth", mesh.new_part())
        ring = below
    mesh.add(ring[::-1], linear("#5d5852"), "earth", mesh.new_part())


def stream() -> Model:
    """The water of the stream."""
    shades = Shades(13)
    mesh = Mesh()
    part = mesh.new_part()
    samples = np.linspace(0, len(STREAM) - 1, 46)
    line = np.column_stack([np.interp(samples, range(len(STREAM)), STREAM[:, i]) for i in (0, 1)])
    rim = (line[:, 0] / ISLAND[0]) ** 2 + (line[:, 1] / ISLAND[1]) ** 2
    line = line[rim < 1.03]
    tangent = np.gradient(line, axis=0)
    tangent /= np.linalg.norm(tangent, axis=1, keepdims=True)
    side = np.column_stack([-tangent[:, 1], tangent[:, 0]])
    offsets = (-1.15, -0.4, 0.4, 1.15)
    for i in range(len(line) - 1):
        for low, high in itertools.pairwise(offsets):
            corners = [
                line[i] + side[i] * low,
                line[i] + side[i] * high,
                line[i + 1] + side[i + 1] * high,
                line[i + 1] + side[i + 1] * low,
            ]
            points = [(x, WATER_LEVEL, z) for x, z in corners]
            color = mixed(palette.WATER, "#8cc8c8", float(shades.rng.uniform(0, 0.45)))
            mesh.add(points, color, "water", part)
    for end, out in ((0, -tangent[0]), (-1, tangent[-1])):
        _waterfall(mesh, shades, line[end], side[end], out, turned=end == 0)
    return single("stream", mesh, reach=0.0, ground=False)


def _waterfall(
    mesh: Mesh, shades: Shades, start: Points, side: Points, out: Points, *, turned: bool
) -> None:
    """Add water that falls over the rim in an arc and thins out."""
    part = mesh.new_part()
    drops = [
        (0.0, WATER_LEVEL, 1.15),
        (0.22, -0.5, 1.05),
        (0.36, -0.95, 0.95),
        (0.46, -1.7, 0.8),
        (0.52, -2.7, 0.55),
    ]
    for (d0, y0, w0), (d1, y1, w1) in itertools.pairwise(drops):
        for k in range(4):
            corners = []
            for reach, y, width, share in (
                (d0, y0, w0, k),
                (d0, y0, w0, k + 1),
                (d1, y1, w1, k + 1),
                (d1, y1, w1, k),
            ):
                x, z = start + out * reach + side * width * (share / 2 - 1)
                corners.append((x, y, z))
            color = mixed("#9fd3d6", "#e4f4f2", float(shades.rng.uniform(0.1, 0.9)))
            mesh.add(corners if turned else corners[::-1], color, "water", part)
