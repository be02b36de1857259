"""The trees of the village."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from resources.modelling import palette
from resources.modelling.glb import Model, single
from resources.modelling.mesh import Mesh, place
from resources.modelling.palette import Color, Shades, leafy, linear
from resources.modelling.shapes import blob, tube


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
    color = leafy(shades, family, warm)
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
