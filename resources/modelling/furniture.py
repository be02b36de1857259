"""Things that stand about in the village."""

from __future__ import annotations

import itertools

import numpy as np

from resources.modelling import palette
from resources.modelling.glb import Model, single
from resources.modelling.masonry import bucket
from resources.modelling.mesh import Mesh, Points, place
from resources.modelling.palette import Shades, linear
from resources.modelling.shapes import blob, box, lathe, tube


def crate() -> Model:
    """A packing crate, 0.8 m."""
    shades = Shades(61)
    mesh = Mesh()
    for turn in range(4):
        side = Mesh()
        for i in range(4):
            plank = box((0.165, 0.66, 0.04), shades(palette.WOOD_LIGHT, 0.1), bevel=0.012)
            side.extend(plank, place(-0.2525 + i * 0.168, 0.07, 0.335))
        for y in (0.02, 0.66):
            side.extend(box((0.8, 0.12, 0.07), shades(palette.WOOD, 0.08)), place(0, y, 0.365))
        brace = box((0.1, 0.82, 0.05), shades(palette.WOOD, 0.08), bevel=0.015)
        side.extend(brace, place(0, 0.4, 0.36, roll=45.0) @ place(0, -0.41, 0))
        mesh.extend(side, place(yaw=90.0 * turn))
    for x, z in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
        post = box((0.11, 0.8, 0.11), shades(palette.WOOD), bevel=0.02)
        mesh.extend(post, place(x * 0.355, 0, z * 0.355))
    for i in range(4):
        lid = box((0.185, 0.05, 0.74), shades(palette.WOOD_LIGHT, 0.1), bevel=0.014)
        mesh.extend(lid, place(-0.283 + i * 0.189, 0.735, 0))
    for side_x in (-0.36, 0.36):
        batten = box((0.1, 0.06, 0.8), shades(palette.WOOD), bevel=0.018)
        mesh.extend(batten, place(side_x, 0.75, 0))
    return single("crate", mesh)


def barrel() -> Model:
    """An oak barrel with iron hoops."""
    shades = Shades(67)
    mesh = Mesh()
    count = 14
    staves = [shades(palette.WOOD, 0.12) for _ in range(count)]
    heights = np.linspace(0, 0.98, 8)
    profile = [(0.3 + 0.105 * float(np.sin(np.pi * h / 0.98)) ** 0.9, float(h)) for h in heights]
    profile += [(0.268, 0.985), (0.262, 0.93), (0.0, 0.93)]
    lids = [shades(palette.WOOD_LIGHT, 0.1) for _ in range(count)]
    mesh.extend(
        lathe(
            profile, lambda ring, side: lids[side // 3] if ring > 8 else staves[side], sides=count
        )
    )
    for y in (0.1, 0.3, 0.62, 0.82):
        low = 0.3 + 0.105 * float(np.sin(np.pi * y / 0.98)) ** 0.9
        high = 0.3 + 0.105 * float(np.sin(np.pi * (y + 0.06) / 0.98)) ** 0.9
        hoop = [(low, y - 0.004), (low + 0.016, y), (high + 0.016, y + 0.06), (high, y + 0.064)]
        mesh.extend(lathe(hoop, shades(palette.IRON), "iron", sides=count))
    plug = [(0.0, -0.03), (0.05, -0.02), (0.045, 0.03), (0.0, 0.035)]
    mesh.extend(lathe(plug, shades(palette.WOOD_DARK), sides=7), place(0, 0.49, 0.4, pitch=90))
    return single("barrel", mesh)


def lantern() -> Model:
    """A street lantern: the light hangs at y = 2.55 on a curved arm at x = 0.42."""
    shades = Shades(71)
    mesh = Mesh()
    iron = shades(palette.IRON)
    foot = [
        (0.27, 0.0),
        (0.27, 0.12),
        (0.2, 0.2),
        (0.15, 0.24),
        (0.15, 0.4),
        (0.11, 0.46),
        (0.0, 0.46),
    ]
    mesh.extend(lathe(foot, shades(palette.STONE), "stone", sides=8))
    post = [
        (0.075, 0.4),
        (0.06, 1.2),
        (0.085, 1.24),
        (0.085, 1.3),
        (0.055, 1.34),
        (0.045, 2.9),
        (0.075, 2.94),
        (0.06, 3.02),
        (0.0, 3.12),
    ]
    mesh.extend(lathe(post, iron, "iron", sides=8))
    arm = [
        (0.42 * t, 2.66 + 0.3 * float(np.sin(t * np.pi * 0.62)), 0.0) for t in np.linspace(0, 1, 7)
    ]
    mesh.extend(tube(arm, [0.03] * 7, iron, "iron", sides=6))
    curl = [
        (0.1 + 0.13 * float(np.cos(a)), 2.58 + 0.13 * float(np.sin(a)), 0.0)
        for a in np.linspace(2.2, 5.4, 8)
    ]
    mesh.extend(tube(curl, [0.02] * 8, iron, "iron", sides=5))
    mesh.extend(_lamp(iron), place(0.42, 2.3, 0))
    return single("lantern", mesh)


def _lamp(iron: Points) -> Mesh:
    """Return the hanging lamp: six panes, a hat, a flame."""
    mesh = Mesh()
    panes = [(0.1, 0.05), (0.155, 0.36)]
    mesh.extend(lathe(panes, linear("#6b5030"), "flame", sides=6))
    base = [(0.0, 0.0), (0.07, 0.0), (0.13, 0.04), (0.12, 0.065), (0.0, 0.065)]
    mesh.extend(lathe(base, iron, "iron", sides=6))
    hat = [
        (0.13, 0.35),
        (0.21, 0.36),
        (0.2, 0.39),
        (0.1, 0.5),
        (0.05, 0.53),
        (0.05, 0.57),
        (0.0, 0.6),
    ]
    mesh.extend(lathe(hat, iron, "iron", sides=6))
    for i in range(6):
        turn = i * 60.0
        bar = [(0, 0.05, 0.105), (0, 0.36, 0.163)]
        mesh.extend(tube(bar, [0.014, 0.014], iron, "iron", sides=4), place(yaw=turn))
    return mesh


def bench() -> Model:
    """A park bench, 1.6 m wide, facing +Z."""
    shades = Shades(73)
    mesh = Mesh()
    for side in (-1, 1):
        x = side * 0.66
        for z, lean, height in ((0.22, 0.0, 0.44), (-0.2, -9.0, 0.96)):
            leg = box((0.09, height, 0.1), shades(palette.WOOD_DARK), bevel=0.02)
            mesh.extend(leg, place(x, 0, z, pitch=lean))
        mesh.extend(box((0.09, 0.08, 0.5), shades(palette.WOOD_DARK)), place(x, 0.38, 0.02))
    for i in range(4):
        plank = box((1.6, 0.05, 0.115), shades(palette.WOOD_LIGHT, 0.09), bevel=0.015)
        mesh.extend(plank, place(0, 0.46, -0.16 + i * 0.125))
    for i in range(3):
        y = 0.6 + i * 0.135
        plank = box((1.6, 0.115, 0.045), shades(palette.WOOD_LIGHT, 0.09), bevel=0.015)
        mesh.extend(plank, place(0, y, -0.21 - (y - 0.46) * 0.17, pitch=-9))
    return single("bench", mesh)


def fence() -> Model:
    """Two metres of picket fence."""
    shades = Shades(79)
    mesh = Mesh()
    for x in (-0.95, 0.95):
        mesh.extend(box((0.13, 1.05, 0.13), shades(palette.WOOD), bevel=0.025), place(x, 0, 0))
        cap = box((0.17, 0.08, 0.17), shades(palette.WOOD), bevel=0.03, taper=0.6)
        mesh.extend(cap, place(x, 1.04, 0))
    for y in (0.28, 0.68):
        mesh.extend(box((1.9, 0.09, 0.06), shades(palette.WOOD), bevel=0.02), place(0, y, -0.02))
    for i in range(7):
        height = 0.86 + float(shades.rng.uniform(-0.05, 0.05))
        lean = float(shades.rng.uniform(-2.5, 2.5))
        picket = box((0.15, height, 0.045), shades(palette.WOOD_LIGHT, 0.1), bevel=0.016)
        mesh.extend(picket, place(-0.72 + i * 0.24, 0.06, 0.03, roll=lean))
        tip = box((0.15, 0.1, 0.045), shades(palette.WOOD_LIGHT, 0.1), bevel=0.012, taper=0.25)
        mesh.extend(tip, place(-0.72 + i * 0.24, height + 0.045, 0.03, roll=lean))
    return single("fence", mesh)


def stall() -> Model:
    """A market stall with a striped awning and baskets of fruit, facing +Z."""
    shades = Shades(83)
    mesh = Mesh()
    for x in (-1.15, 1.15):
        for z, height in ((0.6, 2.15), (-0.6, 2.6)):
            mesh.extend(box((0.11, height, 0.11), shades(palette.WOOD), bevel=0.02), place(x, 0, z))
    for i in range(6):
        front = box((2.4, 0.13, 0.05), shades(palette.WOOD_LIGHT, 0.1), bevel=0.015)
        mesh.extend(front, place(0, 0.06 + i * 0.138, 0.62))
    for i in range(5):
        top = box((2.6, 0.05, 0.25), shades(palette.WOOD_LIGHT, 0.08), bevel=0.015)
        mesh.extend(top, place(0, 0.9, -0.42 + i * 0.26))
    _awning(mesh)
    goods = (("#d9812e", 0.085), ("#b8342f", 0.075), ("#8fae3f", 0.08), ("#e0b23c", 0.07))
    for k, (color, radius) in enumerate(goods):
        tray = place(-0.9 + k * 0.6, 0.95, 0.18, pitch=14)
        for x, z, sx, sz in (
            (0, 0.27, 0.54, 0.04),
            (0, -0.27, 0.54, 0.04),
            (0.26, 0, 0.04, 0.54),
            (-0.26, 0, 0.04, 0.54),
        ):
            rim = box((sx, 0.15, sz), shades(palette.WOOD, 0.08), bevel=0.012)
            mesh.extend(rim, tray @ place(x, 0, z))
        for i in range(12):
            x, z = (i % 4 - 1.5) * 0.125, (i // 4 - 1) * 0.16
            shade = shades(color, 0.14)
            fruit = blob(
                (radius,) * 3,
                shade,
                "foliage",
                seed=i,
                roughness=0.04,
                detail=0 if i % 2 else 1,
                smooth=True,
            )
            x, z = x + float(shades.rng.uniform(-0.02, 0.02)), z + 0.03 * (i % 2)
            mesh.extend(fruit, tray @ place(x, 0.1 + 0.02 * (i % 3), z))
    mesh.extend(bucket(shades), place(1.45, 0, 0.75, scale=1.3))
    return single("stall", mesh)


def _awning(mesh: Mesh) -> None:
    """Add the cloth: stripes that sag between the beams and end in a scalloped hem."""
    stripes = 9
    width = 2.9 / stripes
    for i in range(stripes):
        color = linear(palette.CLOTH_RED if i % 2 == 0 else palette.CLOTH_CREAM)
        x0, x1 = -1.45 + i * width, -1.45 + (i + 1) * width
        part = mesh.new_part()
        steps = np.linspace(0, 1, 6)
        line = [(-0.75 + t * 1.75, 2.68 - 0.58 * t - 0.1 * np.sin(np.pi * t)) for t in steps]
        for (z0, y0), (z1, y1) in itertools.pairwise(line):
            corners = [(x0, y1, z1), (x1, y1, z1), (x1, y0, z0), (x0, y0, z0)]
            mesh.add(corners, color, "cloth", part)
        z, y = line[-1]
        hem = [
            (x0, y - 0.16, z + 0.02),
            ((x0 + x1) / 2, y - 0.27, z + 0.02),
            (x1, y - 0.16, z + 0.02),
            (x1, y, z),
            (x0, y, z),
        ]
        mesh.add(hem, color * 0.96, "cloth", mesh.new_part())


def cart() -> Model:
    """A hay cart on two wheels."""
    shades = Shades(101)
    mesh = Mesh()
    tilt = place(0, 0.62, 0, pitch=0, roll=-4)
    for i in range(5):
        floor = box((1.9, 0.06, 0.21), shades(palette.WOOD, 0.1), bevel=0.015)
        mesh.extend(floor, tilt @ place(0, 0, -0.44 + i * 0.22))
    for z in (-0.56, 0.56):
        for y in (0.1, 0.3):
            rail = box((2.0, 0.12, 0.05), shades(palette.WOOD_LIGHT, 0.1), bevel=0.015)
            mesh.extend(rail, tilt @ place(0, y, z, pitch=8.0 * np.sign(z)))
        for x in (-0.9, 0.0, 0.9):
            post = box((0.08, 0.52, 0.07), shades(palette.WOOD_DARK), bevel=0.015)
            mesh.extend(post, tilt @ place(x, 0, z * 1.04, pitch=8.0 * np.sign(z)))
        shaft = tube(
            [(0.8, 0.0, z * 0.8), (2.1, -0.1, z * 0.7)], [0.045, 0.035], shades(palette.WOOD)
        )
        mesh.extend(shaft, tilt)
        mesh.extend(_wheel(shades), place(-0.1, 0.52, z * 1.3))
    hay = ("#d8b45a", "#e2c06a", "#caa24c")
    for i, (x, y, r) in enumerate(((-0.5, 0.3, 0.5), (0.2, 0.34, 0.56), (0.65, 0.24, 0.38))):
        heap = blob(
            (r, r * 0.75, 0.5),
            lambda d: shades(hay, 0.1),
            "foliage",
            seed=110 + i,
            roughness=0.16,
            detail=2,
            floor=-0.22,
        )
        mesh.extend(heap, tilt @ place(x, y, 0))
    prop = box((0.07, 0.62, 0.07), shades(palette.WOOD_DARK), bevel=0.015)
    mesh.extend(prop, place(1.35, 0, 0, roll=6))
    mesh.extend(
        box((0.08, 0.08, 0.8), shades(palette.WOOD_DARK), bevel=0.015), place(1.33, 0.48, 0)
    )
    return single("cart", mesh)


def _wheel(shades: Shades) -> Mesh:
    """Return a spoked wheel, radius 0.52, with its axle along Z."""
    mesh = Mesh()
    for i in range(12):
        rim = box((0.28, 0.1, 0.09), shades(palette.WOOD_LIGHT, 0.1), bevel=0.02)
        mesh.extend(rim, place(roll=i * 30.0) @ place(0, 0.41, 0))
    for i in range(8):
        spoke = box((0.05, 0.4, 0.05), shades(palette.WOOD), bevel=0.012)
        mesh.extend(spoke, place(roll=i * 45.0) @ place(0, 0.05, 0))
    hub = [(0.0, -0.12), (0.09, -0.11), (0.11, 0.0), (0.09, 0.11), (0.0, 0.12)]
    mesh.extend(lathe(hub, shades(palette.IRON), "iron", sides=8), place(pitch=90))
    return mesh
