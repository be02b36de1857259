"""Rocks and what grows low: bushes, grass, pumpkins."""

from __future__ import annotations

import itertools

import numpy as np

from resources.modelling import palette
from resources.modelling.glb import Model, single
from resources.modelling.mesh import Mesh, Points, place
from resources.modelling.palette import Color, Shades, leafy, linear
from resources.modelling.shapes import blob, box, lathe, prism, tube


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
    color = leafy(shades, palette.LEAVES, "#b9cf66")
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
        blade = _blade(shades, height)
        out = float(shades.rng.uniform(0.0, 0.13))
        mesh.extend(blade, place(yaw=angle) @ place(0, 0, out, pitch=lean))
    for i, color in enumerate(("#f2e3a0", "#e58aa0", "#f7f1e4")):
        angle = i * 2.2 + 0.4
        x, z = 0.12 * np.cos(angle), 0.12 * np.sin(angle)
        top = (x * 1.5, 0.34 + 0.05 * i, z * 1.5)
        stalk = [(x, 0, z), top]
        green = linear(palette.LEAVES[0])
        mesh.extend(tube(stalk, [0.011, 0.009], green, "foliage", sides=4))
        profile = [(0.0, -0.015), (0.05, 0.01), (0.035, 0.035), (0.0, 0.045)]
        mesh.extend(lathe(profile, linear(color), "foliage", sides=6), place(*top))
    return single("grass", mesh, reach=0.0)


def _blade(shades: Shades, height: float) -> Mesh:
    blade = Mesh()
    part = blade.new_part()
    low, high = shades(palette.GRASS) * 0.62, shades(palette.GRASS) * 1.15
    w, bend = 0.035, height * 0.6
    narrow = [(-w * 0.7, bend, 0.02), (w * 0.7, bend, 0.02)]
    blade.add([(-w, 0, 0), (w, 0, 0), *narrow[::-1]], low, "cloth", part)
    blade.add([*narrow, (0, height, 0.08)], high, "cloth", part)
    return blade


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
