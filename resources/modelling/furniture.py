"""Things that stand about in the village."""

from __future__ import annotations

import io
import itertools

import numpy as np
from PIL import Image, ImageDraw

from resources.modelling import palette
from resources.modelling.glb import Model, Node, Track, single
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


def sign() -> Model:
    """A hanging shop sign with a painted mug."""
    shades = Shades(89)
    mesh = Mesh()
    mesh.extend(box((0.16, 2.3, 0.16), shades(palette.WOOD), bevel=0.03))
    mesh.extend(box((0.24, 0.12, 0.24), shades(palette.WOOD_DARK), bevel=0.03), place(0, 2.28, 0))
    mesh.extend(box((1.0, 0.11, 0.11), shades(palette.WOOD), bevel=0.02), place(0.46, 1.98, 0))
    brace = box((0.08, 0.55, 0.08), shades(palette.WOOD), bevel=0.02)
    mesh.extend(brace, place(0.06, 1.6, 0, roll=-38.0))
    for i in range(3):
        stone = blob(
            (0.17, 0.14, 0.17), lambda d: shades(palette.ROCK), "stone", seed=90 + i, floor=-0.05
        )
        angle = i * 2.1
        mesh.extend(stone, place(0.16 * np.cos(angle), 0.05, 0.16 * np.sin(angle)))
    for x in (0.32, 0.78):
        mesh.extend(
            tube([(x, 2.0, 0), (x, 1.84, 0)], [0.015, 0.015], shades(palette.IRON), "iron", sides=5)
        )
    mesh.extend(
        box((0.74, 0.56, 0.06), shades(palette.WOOD_DARK), bevel=0.02), place(0.55, 1.28, 0)
    )
    white = np.ones(3)
    for z, turn in ((0.034, 1), (-0.034, -1)):
        x0, x1 = 0.55 - 0.33 * turn, 0.55 + 0.33 * turn
        corners = [(x0, 1.32, z), (x1, 1.32, z), (x1, 1.8, z), (x0, 1.8, z)]
        mesh.add(corners, white, "plaster", mesh.new_part(), [(0, 1), (1, 1), (1, 0), (0, 0)])
    return single("sign", mesh, textures={"plaster": _painted_mug()})


def _painted_mug() -> bytes:
    """Return the sign's picture, 256 x 186, drawn at four times the size and scaled down."""
    picture = Image.new("RGB", (1024, 744), "#2f5d55")
    draw = ImageDraw.Draw(picture)
    draw.rounded_rectangle((28, 28, 996, 716), 60, outline="#e3bd62", width=18)
    draw.rounded_rectangle((560, 270, 740, 520), 70, outline="#f0e2c6", width=44)
    draw.rounded_rectangle((340, 210, 640, 590), 40, fill="#f0e2c6")
    draw.rectangle((340, 470, 640, 500), fill="#c9a15a")
    draw.rectangle((340, 300, 640, 330), fill="#c9a15a")
    for x, y, r in ((370, 210, 62), (450, 180, 80), (545, 190, 74), (612, 222, 56)):
        draw.ellipse((x - r, y - r, x + r, y + r), fill="#fffaf0")
    return _png(picture.resize((256, 186), Image.Resampling.LANCZOS))


def _painted_banner() -> bytes:
    """Return the banner's picture: a sun over a hill."""
    picture = Image.new("RGB", (512, 1024), palette.CLOTH_RED)
    draw = ImageDraw.Draw(picture)
    draw.rectangle((0, 0, 511, 60), fill=palette.GOLD)
    for x in (28, 468):
        draw.rectangle((x, 60, x + 16, 1023), fill=palette.GOLD)
    centre = np.array([256, 430])
    for i in range(12):
        angle = i * np.pi / 6
        tip = centre + 205 * np.array([np.cos(angle), np.sin(angle)])
        feet = [
            centre + 120 * np.array([np.cos(angle + s), np.sin(angle + s)]) for s in (-0.2, 0.2)
        ]
        draw.polygon([tuple(p) for p in (tip, *feet)], fill="#f4d58a")
    draw.ellipse((150, 324, 362, 536), fill="#f4d58a")
    draw.ellipse((178, 352, 334, 508), fill=palette.GOLD)
    draw.polygon([(80, 860), (256, 660), (432, 860)], fill=palette.CLOTH_CREAM)
    return _png(picture.resize((128, 256), Image.Resampling.LANCZOS))


def _png(picture: Image.Image) -> bytes:
    stream = io.BytesIO()
    picture.save(stream, "PNG", optimize=False, compress_level=9)
    return stream.getvalue()


def flag() -> Model:
    """A banner on a pole whose four lengths of cloth sway one after another."""
    shades = Shades(97)
    pole = Mesh()
    pole.extend(
        lathe(
            [(0.2, 0), (0.2, 0.1), (0.12, 0.18), (0.0, 0.18)],
            shades(palette.STONE),
            "stone",
            sides=8,
        )
    )
    pole.extend(lathe([(0.055, 0.1), (0.042, 3.7), (0.0, 3.7)], shades(palette.WOOD), sides=8))
    tip = [(0.0, 3.66), (0.085, 3.75), (0.03, 3.9), (0.0, 4.1)]
    pole.extend(lathe(tip, linear(palette.GOLD), "iron", sides=6))
    pole.extend(tube([(-0.5, 3.5, 0.07), (0.5, 3.5, 0.07)], [0.03, 0.03], shades(palette.WOOD)))
    rise, count = 0.52, 4
    child: Node | None = None
    for i in reversed(range(count)):
        node = Node(f"Cloth {i + 1}", _cloth(i, count, rise))
        node.translation = (0.0, -rise, 0.0) if i else (0.0, 3.48, 0.09)
        node.children = [child] if child else []
        child = node
    assert child is not None
    tracks = [_sway(f"Cloth {i + 1}", i) for i in range(count)]
    root = Node("flag", pole, children=[child])
    return Model("flag", root, tracks=tracks, textures={"cloth": _painted_banner()}, reach=0.0)


def _cloth(index: int, count: int, rise: float) -> Mesh:
    mesh = Mesh()
    part = mesh.new_part()
    columns, half = 6, 0.42
    v0, v1 = index / count, (index + 1) / count
    for k in range(columns):
        x0, x1 = (-half + 2 * half * (k + s) / columns for s in (0, 1))
        u0, u1 = k / columns, (k + 1) / columns
        z0, z1 = (0.03 * float(np.sin(u * np.pi * 3)) for u in (u0, u1))
        low0, low1 = -rise, -rise
        if index == count - 1:
            low0, low1 = (-rise + 0.24 * abs(2 * u - 1) - 0.12 for u in (u0, u1))
        corners = [(x0, low0, z0), (x1, low1, z1), (x1, 0, z1), (x0, 0, z0)]
        mesh.add(corners, np.ones(3), "cloth", part, [(u0, v1), (u1, v1), (u1, v0), (u0, v0)])
    return mesh


def _sway(name: str, index: int) -> Track:
    times = [i * 0.25 for i in range(13)]
    angles = [np.radians(5 + 4 * index) * np.sin(2 * np.pi * t / 3 - index * 0.8) for t in times]
    keys = [(float(np.sin(a / 2)), 0.0, 0.0, float(np.cos(a / 2))) for a in angles]
    return Track(name, times, keys)


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
