"""Stonework of the village: gate, walls, bridge, well, square."""

from __future__ import annotations

import numpy as np

from resources.modelling import palette
from resources.modelling.buildings import ridge_cap, tiled_slope
from resources.modelling.glb import Model, single
from resources.modelling.mesh import Mesh, place
from resources.modelling.palette import Shades, linear
from resources.modelling.shapes import box, lathe, prism, slab, tube

_BRIDGE_HALF, _BRIDGE_SLICES = 2.2, 11


def arch() -> Model:
    """A town gate: two piers, an arch of wedge stones, a little tiled top."""
    shades = Shades(41)
    mesh = Mesh()
    for side in (-1, 1):
        _pier(mesh, shades, side * 1.45)
    _wedges(mesh, shades)
    _parapet(mesh, shades)
    for side, turn in ((1, 0.0), (-1, 180.0)):
        for row in range(2):
            for i in range(12):
                piece = slab((0.35, 0.05, 0.42), shades(palette.ROOF_RED, 0.1), "roof")
                where = place(-2.0 + i * 0.364, 4.86 - row * 0.19, side * (0.18 + row * 0.3))
                mesh.extend(piece, where @ place(yaw=turn, pitch=31))
    cap = box((4.4, 0.12, 0.2), shades(palette.ROOF_RED), "roof", bevel=0.05, taper=0.8)
    mesh.extend(cap, place(0, 4.86, 0))
    return single("arch", mesh)


def _pier(mesh: Mesh, shades: Shades, x: float) -> None:
    for row in range(8):
        for half in (-1, 1):
            block = box((0.86, 0.3, 0.42), shades(palette.STONE, 0.12), "stone", bevel=0.04)
            where = place(x, row * 0.31, 0, yaw=90.0 * (row % 2)) @ place(0, 0, half * 0.215)
            mesh.extend(block, where)
    foot = box((1.06, 0.24, 1.06), shades(palette.STONE), "stone", bevel=0.05)
    mesh.extend(foot, place(x, 0, 0))
    head = box((1.0, 0.14, 1.0), shades(palette.STONE), "stone", bevel=0.04)
    mesh.extend(head, place(x, 2.48, 0))


def _wedges(mesh: Mesh, shades: Shades) -> None:
    """Add the stones of the arch; the one on top is larger."""
    for i in range(9):
        size = (0.5, 0.7, 0.92) if i == 4 else (0.46, 0.56, 0.8)
        block = box(size, shades(palette.STONE, 0.12), "stone", bevel=0.04, taper=1.22)
        where = place(0, 2.5, 0) @ place(roll=80.0 - 20 * i)
        mesh.extend(block, where @ place(0, 1.08, 0))


def _parapet(mesh: Mesh, shades: Shades) -> None:
    """Add the row of stones on top, and what fills the corners between it and the arch."""
    for i in range(11):
        x = -1.9 + i * 0.38
        block = box((0.37, 0.36, 0.78), shades(palette.STONE, 0.12), "stone", bevel=0.04)
        mesh.extend(block, place(x, 4.2, 0))
        outside = [y for y in np.arange(2.65, 4.1, 0.32) if x * x + (y - 2.5) ** 2 > 1.4**2]
        for y in outside if abs(x) > 0.7 else ():
            filler = box((0.37, 0.31, 0.7), shades(palette.STONE, 0.12), "stone", bevel=0.035)
            mesh.extend(filler, place(x, float(y), 0))


def wall() -> Model:
    """Two metres of garden wall."""
    shades = Shades(43)
    mesh = Mesh()
    for row in range(3):
        x = -1.0
        while x < 0.98:
            length = min(float(shades.rng.uniform(0.3, 0.56)), 1.0 - x)
            length = 1.0 - x if 1.0 - x - length < 0.2 else length
            block = box(
                (length - 0.02, 0.27, 0.42), shades(palette.STONE, 0.12), "stone", bevel=0.045
            )
            z = float(shades.rng.uniform(-0.02, 0.02))
            mesh.extend(block, place(x + length / 2, row * 0.275, z))
            x += length
    for i in range(4):
        cap = box((0.49, 0.1, 0.52), shades(palette.STONE, 0.12), "stone", bevel=0.035)
        mesh.extend(cap, place(-0.75 + i * 0.5, 0.82, 0))
    return single("wall", mesh)


def bridge() -> Model:
    """A humpbacked stone bridge, 4.4 m long along X, over a stream along Z."""
    shades = Shades(47)
    mesh = Mesh()
    for i in range(_BRIDGE_SLICES):
        _slice(mesh, shades, -_BRIDGE_HALF + (i + 0.5) * 2 * _BRIDGE_HALF / _BRIDGE_SLICES)
    for i in range(11):
        angle = np.radians(-82 + 16.4 * i)
        x, y = 1.52 * float(np.sin(angle)), -0.72 + 0.98 * float(np.cos(angle))
        for side in (-1, 1):
            wedge = box(
                (0.4, 0.3, 0.3), shades(palette.STONE, 0.12), "stone", bevel=0.04, taper=1.15
            )
            where = place(x, y, side * 0.98, roll=-float(np.degrees(angle)) * 0.86)
            mesh.extend(wedge, where @ place(0, -0.12, 0))
    for x in (-_BRIDGE_HALF - 0.1, _BRIDGE_HALF + 0.1):
        for side in (-1, 1):
            post = box((0.46, 0.92, 0.46), shades(palette.STONE, 0.1), "stone", bevel=0.05)
            mesh.extend(post, place(x, -0.1, side * 1.0))
            profile = [(0.0, 0.0), (0.12, 0.02), (0.17, 0.14), (0.12, 0.26), (0.0, 0.3)]
            ball = lathe(profile, shades(palette.STONE), "stone", sides=8)
            mesh.extend(ball, place(x, 0.82, side * 1.0))
    return single("bridge", mesh, ground=False)


def _slice(mesh: Mesh, shades: Shades, x: float) -> None:
    """Add what stands at a place along the bridge: paving, and on both sides a wall."""
    deck = 0.1 + 0.62 * (1 - (x / _BRIDGE_HALF) ** 2)
    slope = np.degrees(np.arctan(-1.24 * x / _BRIDGE_HALF**2))
    for k in range(4):
        stone = box((0.39, 0.16, 0.43), shades(palette.STONE, 0.12), "stone", bevel=0.04)
        lift = float(shades.rng.uniform(-0.01, 0.012))
        mesh.extend(stone, place(x, deck - 0.14 + lift, -0.66 + k * 0.44, roll=slope))
    depth = deck + 0.75 - 1.02 * max(0.0, 1 - (x / 1.55) ** 2) ** 0.5
    rows = max(1, round(depth / 0.3))
    for side in (-1, 1):
        low = box((0.4, 0.36, 0.26), shades(palette.STONE, 0.12), "stone", bevel=0.04)
        mesh.extend(low, place(x, deck - 0.02, side * 0.98, roll=slope))
        cap = box((0.41, 0.1, 0.36), shades(palette.STONE, 0.12), "stone", bevel=0.035)
        mesh.extend(cap, place(x, deck + 0.33, side * 0.98, roll=slope))
        for row in range(rows):
            size = (0.39, depth / rows - 0.01, 0.24)
            fill = box(size, shades(palette.STONE, 0.12), "stone", bevel=0.03)
            y = deck - 0.02 - (row + 1) * depth / rows
            mesh.extend(fill, place(x, y, side * 0.95))


def well() -> Model:
    """A round well with a tiled roof, a rope and a bucket."""
    shades = Shades(53)
    mesh = Mesh()
    _shaft(mesh, shades)
    for side in (-1, 1):
        post = box((0.17, 2.1, 0.17), shades(palette.WOOD), "wood", bevel=0.03)
        mesh.extend(post, place(side * 0.9, 0.4, 0))
        brace = box((0.1, 0.62, 0.1), shades(palette.WOOD), "wood", bevel=0.02)
        mesh.extend(brace, place(side * 0.86, 2.0, 0, roll=side * 40.0))
    roof = Mesh()
    for side in (-1, 1):
        tiled_slope(
            roof,
            shades,
            ridge=(side * 0.01, 3.1),
            angle=42.0,
            length=1.35,
            depth=2.5,
            side=side,
            colors=palette.ROOF_RED,
            tile=(0.31, 0.27),
        )
    ridge_cap(roof, shades, 3.14, 2.55, palette.ROOF_RED)
    mesh.extend(roof, place(yaw=90))
    _windlass(mesh, shades)
    return single("well", mesh)


def _shaft(mesh: Mesh, shades: Shades) -> None:
    """Add the ring of stones and the water in it."""
    for row in range(3):
        count = 12
        for i in range(count):
            block = box((0.46, 0.28, 0.3), shades(palette.STONE, 0.12), "stone", bevel=0.045)
            turn = (i + 0.5 * (row % 2)) * 360 / count
            out = 0.84 + float(shades.rng.uniform(-0.015, 0.02))
            mesh.extend(block, place(yaw=turn) @ place(0, row * 0.285, out))
    for i in range(10):
        cap = box((0.58, 0.11, 0.42), shades(palette.STONE, 0.12), "stone", bevel=0.04)
        mesh.extend(cap, place(yaw=i * 36.0) @ place(0, 0.855, 0.85))
    pool = [(0.72 * np.sin(a), 0.45, 0.72 * np.cos(a)) for a in np.arange(12) * np.pi / 6]
    mesh.add(pool, linear(palette.WATER) * 0.5, "stone", mesh.new_part())


def _windlass(mesh: Mesh, shades: Shades) -> None:
    """Add the beam with its crank, and the bucket on its rope."""
    mesh.extend(tube([(-0.9, 1.75, 0), (0.95, 1.75, 0)], [0.07, 0.07], shades(palette.WOOD)))
    turns = (-0.22, -0.15, -0.08, 0.0, 0.08, 0.15, 0.22)
    coil = [(0.12 if i % 2 else 0.105, along) for i, along in enumerate(turns)]
    mesh.extend(lathe(coil, linear(palette.ROPE), "cloth", sides=8), place(0, 1.75, 0, roll=90))
    rope = [(0, 1.72, 0.11), (0, 1.3, 0.11)]
    mesh.extend(tube(rope, [0.022, 0.022], linear(palette.ROPE), "cloth", sides=5))
    mesh.extend(bucket(shades), place(0, 0.98, 0.11))
    crank = [(0.95, 1.75, 0), (1.12, 1.75, 0), (1.12, 1.5, 0.05), (1.28, 1.5, 0.05)]
    mesh.extend(tube(crank, [0.03] * 4, shades(palette.IRON), "iron", sides=6))


def bucket(shades: Shades) -> Mesh:
    """Return a small bucket on y = 0."""
    mesh = Mesh()
    staves = [shades(palette.WOOD_LIGHT, 0.1) for _ in range(10)]
    wall_profile = [(0.13, 0.0), (0.17, 0.3), (0.145, 0.3), (0.13, 0.22), (0.0, 0.22)]
    mesh.extend(lathe(wall_profile, lambda ring, side: staves[side], sides=10))
    for y, r in ((0.05, 0.142), (0.2, 0.162)):
        hoop = lathe(
            [(r, y), (r + 0.008, y + 0.01), (r + 0.01, y + 0.045), (r, y + 0.05)],
            shades(palette.IRON),
            "iron",
            sides=10,
        )
        mesh.extend(hoop)
    return mesh


def plaza() -> Model:
    """A round square of cobbles, 7.6 m across, laid in rings around the well."""
    shades = Shades(59)
    mesh = Mesh()
    radius, ring = 1.15, 0
    while radius < 3.5:
        depth = 0.36 if ring % 4 else 0.28
        count = round(2 * np.pi * (radius + depth / 2) / (0.52 if ring % 4 else 0.4))
        turn = float(shades.rng.uniform(0, 360))
        family = palette.STONE if ring % 4 else ("#8d8176", "#95897d", "#857a70")
        for i in range(count):
            a0, a1 = (turn + 360 / count * (i + s) for s in (0.03, 0.97))
            inner, outer = radius + 0.012, radius + depth - 0.012
            outline = [
                (inner * np.sin(np.radians(a)), inner * np.cos(np.radians(a))) for a in (a0, a1)
            ] + [
                (outer * np.sin(np.radians(a)), outer * np.cos(np.radians(a)))
                for a in (a1, (a0 + a1) / 2, a0)
            ]
            jitter = shades.rng.uniform(-0.012, 0.012, (5, 2))
            height = 0.085 + float(shades.rng.uniform(0, 0.02))
            stone = prism(np.array(outline) + jitter, height, shades(family, 0.12), bevel=0.035)
            mesh.extend(stone)
        radius, ring = radius + depth, ring + 1
    curb = 40
    for i in range(curb):
        block = box((0.54, 0.15, 0.24), shades(palette.STONE, 0.12), "stone", bevel=0.04)
        mesh.extend(block, place(yaw=i * 360 / curb) @ place(0, -0.02, radius + 0.1))
    bed = [
        ((radius + 0.1) * np.sin(a), 0.03, (radius + 0.1) * np.cos(a))
        for a in np.arange(40) * 2 * np.pi / 40
    ]
    mesh.add(bed, linear(palette.DIRT[1]) * 0.6, "earth", mesh.new_part())
    return single("plaza", mesh, reach=0.25, ground=False)
