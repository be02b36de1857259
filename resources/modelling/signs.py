"""What is painted and hung up: the sign and the flag."""

from __future__ import annotations

import io

import numpy as np
from PIL import Image, ImageDraw

from resources.modelling import palette
from resources.modelling.glb import Model, Node, Track, single
from resources.modelling.mesh import Mesh, place
from resources.modelling.palette import Shades, linear
from resources.modelling.shapes import blob, box, lathe, tube


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
