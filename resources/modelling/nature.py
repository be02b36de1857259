"""The island that the village stands on, and what grows there."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import numpy as np

from resources.modelling import palette
from resources.modelling.glb import Model, single
from resources.modelling.mesh import Mesh, Points, place
from resources.modelling.palette import Color, Shades, linear, mixed
from resources.modelling.shapes import blob, box, lathe, prism, tube

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


def _leafy(shades: Shades, family: tuple[str, ...], warm: str) -> Callable[[Points], Color]:
    """Return a colouring of leaves: close shades, lighter and warmer towards the sky."""
    top, middle = linear(warm), np.mean([linear(member) for member in family], axis=0)

    def color(direction: Points) -> Color:
        base = middle * 0.55 + shades(family, 0.05) * 0.45
        share = float(direction[1]) * 0.5 + 0.5
        return np.asarray(base * (0.66 + 0.34 * share) * (1 - 0.3 * share) + top * 0.3 * share)

    return color


def _tree(
    name: str,
    seed: int,
    family: tuple[str, ...],
    warm: str,
    crowns: Sequence[tuple[float, float, float, float]],
) -> Model:
    shades = Shades(seed)
    mesh = Mesh()
    bark = [shades(palette.WOOD_DARK, 0.14) for _ in range(8)]
    trunk = [(0, -0.05, 0), (0.03, 0.5, 0.02), (-0.04, 1.1, 0.03), (0.05, 1.8, -0.02)]
    mesh.extend(tube(trunk, [0.27, 0.17, 0.14, 0.1], lambda ring, side: bark[side]))
    for angle in (20, 150, 265):
        x, z = np.sin(np.radians(angle)), np.cos(np.radians(angle))
        root = [(0.05 * x, 0.3, 0.05 * z), (0.24 * x, 0.1, 0.24 * z), (0.44 * x, -0.04, 0.44 * z)]
        mesh.extend(tube(root, [0.12, 0.09, 0.03], shades(palette.WOOD_DARK), sides=6))
        branch = [(0, 1.2, 0), (0.34 * x, 1.62, 0.34 * z), (0.62 * x, 1.95, 0.62 * z)]
        mesh.extend(tube(branch, [0.09, 0.065, 0.04], shades(palette.WOOD_DARK), sides=6))
    color = _leafy(shades, family, warm)
    for i, (x, y, z, radius) in enumerate(crowns):
        crown = blob(
            (radius, radius * 0.84, radius),
            color,
            "foliage",
            seed=seed * 10 + i,
            roughness=0.13,
            detail=2,
        )
        mesh.extend(crown, place(x, y, z))
    return single(name, mesh, reach=0.9)


ROUND = [
    (0.0, 2.75, 0.0, 1.0),
    (0.72, 2.35, 0.2, 0.72),
    (-0.66, 2.3, 0.32, 0.74),
    (0.05, 2.2, -0.7, 0.74),
    (0.1, 2.15, 0.72, 0.66),
]
SPREAD = [
    (0.0, 2.75, 0.0, 0.85),
    (0.85, 2.4, 0.3, 0.66),
    (-0.8, 2.5, 0.25, 0.7),
    (0.1, 2.3, -0.8, 0.72),
    (0.0, 2.25, 0.85, 0.6),
    (0.5, 3.05, -0.4, 0.55),
]


def tree_oak() -> Model:
    """A round green tree."""
    return _tree("tree_oak", 17, palette.LEAVES, "#c3d36a", ROUND)


def tree_autumn() -> Model:
    """The same kind of tree in autumn."""
    return _tree("tree_autumn", 18, palette.AUTUMN, "#f4c766", SPREAD)


def tree_blossom() -> Model:
    """A cherry in blossom."""
    return _tree("tree_blossom", 19, palette.BLOSSOM, "#fff0e4", SPREAD)


def tree_pine() -> Model:
    """A pine of five skirts."""
    shades = Shades(29)
    mesh = Mesh()
    bark = linear(palette.WOOD_DARK[0])
    mesh.extend(tube([(0, -0.05, 0), (0, 0.8, 0)], [0.2, 0.13], bark, sides=8))
    for tier in range(5):
        y, radius = 0.55 + tier * 0.62, 1.12 - tier * 0.2
        sides = 11
        turn = float(shades.rng.uniform(0, 40))
        shade = [shades(palette.PINE, 0.12) for _ in range(sides)]
        mesh.extend(_skirt(radius, y, 1.0 - 0.06 * tier, sides, turn, shade, shades))
    return single("tree_pine", mesh, reach=0.8, smooth_angle=20)


def _skirt(
    radius: float,
    y: float,
    rise: float,
    sides: int,
    turn: float,
    shade: list[Color],
    shades: Shades,
) -> Mesh:
    mesh = Mesh()
    part = mesh.new_part()
    angles = np.radians(turn + np.arange(2 * sides) * 180 / sides)
    reach = np.where(np.arange(2 * sides) % 2, 0.82, 1.0) * shades.rng.uniform(
        0.93, 1.06, 2 * sides
    )
    rim = [
        (radius * r * np.sin(a), y - 0.12 * r + 0.1 * (i % 2), radius * r * np.cos(a))
        for i, (a, r) in enumerate(zip(angles, reach, strict=True))
    ]
    tip, under = (0, y + rise, 0), (0, y + 0.18, 0)
    for i in range(2 * sides):
        j = (i + 1) % (2 * sides)
        color = shade[(i // 2) % sides]
        middle_i, middle_j = (
            np.array(rim[k]) * [0.5, 0, 0.5] + [0, y + rise * 0.42, 0] for k in (i, j)
        )
        mesh.add([rim[i], rim[j], middle_j, middle_i], color, "foliage", part)
        mesh.add([middle_i, middle_j, tip], color * 1.18, "foliage", part)
        mesh.add([rim[j], rim[i], under], color * 0.5, "foliage", mesh.new_part())
    return mesh


def rock() -> Model:
    """A boulder with two companions."""
    shades = Shades(37)
    mesh = Mesh()

    def color(direction: Points) -> Color:
        moss = float(np.clip(direction[1] * 1.6 - 0.75, 0, 1)) * 0.75
        return np.asarray(shades(palette.ROCK, 0.1) * (1 - moss) + linear("#83994f") * moss)

    for i, (x, z, r, h) in enumerate(
        ((0, 0, 0.72, 0.6), (0.78, 0.3, 0.36, 0.3), (-0.5, 0.6, 0.26, 0.2))
    ):
        stone = blob(
            (r, h, r * 0.85),
            color,
            "stone",
            seed=370 + i,
            roughness=0.3,
            detail=2 if i == 0 else 1,
            floor=-h * 0.5,
        )
        mesh.extend(stone, place(x, h * 0.42, z, yaw=40.0 * i))
    return single("rock", mesh, smooth_angle=24)


def bush() -> Model:
    """A round bush with flowers."""
    shades = Shades(103)
    mesh = Mesh()
    color = _leafy(shades, palette.LEAVES, "#b9cf66")
    for i, (x, z, r) in enumerate(
        ((0, 0, 0.5), (0.42, 0.1, 0.36), (-0.36, 0.2, 0.38), (0.05, -0.36, 0.34))
    ):
        leaves = blob(
            (r, r * 0.86, r),
            color,
            "foliage",
            seed=1030 + i,
            roughness=0.16,
            detail=2 if i == 0 else 1,
            floor=-r * 0.6,
        )
        mesh.extend(leaves, place(x, r * 0.62, z))
    for _ in range(12):
        a, up = shades.rng.uniform(0, 2 * np.pi), shades.rng.uniform(0.25, 0.9)
        side = np.sqrt(1 - up * up)
        flower = blob(
            (0.06, 0.045, 0.06),
            lambda d: shades(("#f4d7dc", "#f7efe0"), 0.05),
            "foliage",
            seed=5,
            detail=0,
        )
        mesh.extend(
            flower, place(0.62 * side * np.sin(a), 0.3 + 0.46 * up, 0.56 * side * np.cos(a))
        )
    return single("bush", mesh)


def grass() -> Model:
    """A tuft of tall grass with three flowers."""
    shades = Shades(107)
    mesh = Mesh()
    for i in range(16):
        angle, lean = i * 137.5, float(shades.rng.uniform(8, 34))
        height = float(shades.rng.uniform(0.22, 0.46))
        blade = Mesh()
        part = blade.new_part()
        low, high = shades(palette.GRASS) * 0.62, shades(palette.GRASS) * 1.15
        w = 0.035
        blade.add(
            [(-w, 0, 0), (w, 0, 0), (w * 0.7, height * 0.6, 0.02), (-w * 0.7, height * 0.6, 0.02)],
            low,
            "cloth",
            part,
        )
        blade.add(
            [(-w * 0.7, height * 0.6, 0.02), (w * 0.7, height * 0.6, 0.02), (0, height, 0.08)],
            high,
            "cloth",
            part,
        )
        out = float(shades.rng.uniform(0.0, 0.13))
        mesh.extend(blade, place(yaw=angle) @ place(0, 0, out, pitch=lean))
    for i, color in enumerate(("#f2e3a0", "#e58aa0", "#f7f1e4")):
        angle = i * 2.2 + 0.4
        x, z = 0.12 * np.cos(angle), 0.12 * np.sin(angle)
        mesh.extend(
            tube(
                [(x, 0, z), (x * 1.5, 0.34 + 0.05 * i, z * 1.5)],
                [0.011, 0.009],
                linear(palette.LEAVES[0]),
                "foliage",
                sides=4,
            )
        )
        head = lathe(
            [(0.0, -0.015), (0.05, 0.01), (0.035, 0.035), (0.0, 0.045)],
            linear(color),
            "foliage",
            sides=6,
        )
        mesh.extend(head, place(x * 1.5, 0.34 + 0.05 * i, z * 1.5))
    return single("grass", mesh, reach=0.0)


def stepping_stones() -> Model:
    """Flat stones for two metres of path along X."""
    shades = Shades(109)
    mesh = Mesh()
    for i in range(9):
        sides = int(shades.rng.integers(5, 8))
        angles = np.sort(shades.rng.uniform(0, 0.5, sides) + np.arange(sides)) * 2 * np.pi / sides
        radius = float(shades.rng.uniform(0.17, 0.27))
        outline = np.column_stack([np.cos(angles), np.sin(angles)]) * radius
        x, z = -0.9 + i * 0.225, (-0.24, 0.22, 0.02)[i % 3] + float(shades.rng.uniform(-0.05, 0.05))
        stone = prism(outline, 0.07, shades(palette.STONE, 0.12), bevel=0.03)
        mesh.extend(stone, place(x, 0, z))
    return single("stepping_stones", mesh, reach=0.2)


def pumpkins() -> Model:
    """A garden bed with pumpkins."""
    shades = Shades(113)
    mesh = Mesh()
    mesh.extend(box((2.0, 0.14, 1.0), linear("#5d4433"), "earth", bevel=0.06, edge=1.05))
    for z in (-0.53, 0.53):
        mesh.extend(box((2.2, 0.2, 0.09), shades(palette.WOOD), bevel=0.02), place(0, 0, z))
    for x in (-1.05, 1.05):
        mesh.extend(box((0.09, 0.2, 1.1), shades(palette.WOOD), bevel=0.02), place(x, 0, 0))
    for i in range(7):
        x, z = -0.8 + i * 0.27, (-0.26, 0.24)[i % 2]
        size = float(shades.rng.uniform(0.75, 1.2))
        mesh.extend(_pumpkin(shades), place(x, 0.12, z, yaw=i * 50.0, scale=size))
        leaf = blob(
            (0.14, 0.05, 0.12), lambda d: shades(palette.LEAVES, 0.1), "foliage", seed=i, detail=1
        )
        mesh.extend(leaf, place(x + 0.12, 0.17, -z * 0.6, yaw=i * 70.0))
    return single("pumpkins", mesh)


def _pumpkin(shades: Shades) -> Mesh:
    mesh = Mesh()
    part = mesh.new_part()
    color = shades(("#d9772b", "#e08a35", "#c96a26"), 0.08)
    lobes, steps = 16, 6
    rows = []
    for k in range(steps + 1):
        polar = np.pi * k / steps
        angles = np.arange(lobes) * 2 * np.pi / lobes
        ridge = np.where(np.arange(lobes) % 2, 1.0, 0.86)
        r = 0.17 * np.sin(polar) ** 0.8 * ridge
        y = 0.12 - 0.12 * np.cos(polar) - 0.025 * (k == steps)
        rows.append(np.column_stack([r * np.sin(angles), np.full(lobes, y), r * np.cos(angles)]))
    for low, high in itertools.pairwise(rows):
        for k in range(lobes):
            m = (k + 1) % lobes
            shade = color * (1.06 if k % 2 else 0.94)
            corners = [low[k], low[m], high[m], high[k]]
            mesh.add(np.array(corners), shade, "foliage", part)
    stem = tube(
        [(0, 0.2, 0), (0.01, 0.27, 0), (0.04, 0.32, 0.01)],
        [0.028, 0.02, 0.022],
        linear("#6f7a3c"),
        "wood",
        sides=5,
    )
    return mesh.extend(stem)
