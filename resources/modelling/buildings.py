"""Houses and the mill."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from resources.modelling import palette
from resources.modelling.glb import Model, Node, Track, single
from resources.modelling.mesh import Mesh, Points, place
from resources.modelling.palette import Shades, linear
from resources.modelling.shapes import box, lathe, slab, tube


def timber(shades: Shades, size: tuple[float, float, float], where: Points, mesh: Mesh) -> None:
    """Add one dark beam."""
    mesh.extend(box(size, shades(palette.WOOD_DARK), "wood", bevel=0.025), where)


def tiled_slope(
    mesh: Mesh,
    shades: Shades,
    *,
    ridge: tuple[float, float],
    angle: float,
    length: float,
    depth: float,
    side: int,
    colors: tuple[str, ...],
    tile: tuple[float, float] = (0.34, 0.36),
) -> None:
    """Add one side of a gable roof whose ridge runs along Z.

    `ridge` is its (x, y), `angle` the pitch in degrees, `side` -1 for left and 1 for right.
    """
    theta = np.radians(angle)
    down = np.array([side * np.cos(theta), -np.sin(theta), 0])
    normal = np.array([side * np.sin(theta), np.cos(theta), 0])
    frame = np.eye(4)
    frame[:3, :3] = np.column_stack([np.cross(normal, down), normal, down])
    start = np.array([ridge[0], ridge[1], 0.0])
    deck = frame.copy()
    deck[:3, 3] = start + down * length / 2 - normal * 0.07
    board = box((depth - 0.1, 0.07, length), shades(palette.WOOD_DARK), "wood", bevel=0.015)
    mesh.extend(board, deck)
    columns, rows = round(depth / tile[0]), round(length / tile[1])
    width, step = depth / columns, length / rows
    for row in range(rows):
        shift = 0.25 * width * (1 if row % 2 else -1)
        for column in range(columns):
            along = -depth / 2 + (column + 0.5) * width + shift * 0.6
            where = frame @ place(pitch=6.0, yaw=float(shades.rng.uniform(-3, 3)))
            where[:3, 3] = start + down * (row + 0.62) * step + np.array([0, 0, along])
            lift = float(shades.rng.uniform(0.0, 0.012))
            where[:3, 3] += normal * lift
            piece = slab((width * 0.95, 0.05, step * 1.28), shades(colors, 0.1), "roof")
            mesh.extend(piece, where)


def window(shades: Shades, size: tuple[float, float] = (0.62, 0.78)) -> Mesh:
    """Return a lit window with a frame, a cross and a flower box; it faces +Z from z = 0."""
    w, h = size
    mesh = Mesh()
    pane = mesh.new_part()
    corners = [(-w / 2, 0, 0.02), (w / 2, 0, 0.02), (w / 2, h, 0.02), (-w / 2, h, 0.02)]
    mesh.add(corners, linear("#6b5030"), "window", pane)
    for x in (-w / 2, w / 2):
        timber(shades, (0.09, h + 0.12, 0.1), place(x, -0.06, 0.03), mesh)
    for y in (-0.06, h - 0.03):
        timber(shades, (w + 0.2, 0.09, 0.12), place(0, y, 0.04), mesh)
    timber(shades, (0.045, h, 0.05), place(0, 0, 0.03), mesh)
    timber(shades, (w, 0.045, 0.05), place(0, h * 0.5, 0.03), mesh)
    mesh.extend(
        box((w + 0.1, 0.15, 0.2), shades(palette.WOOD_LIGHT), "wood"), place(0, -0.22, 0.13)
    )
    for i in range(7):
        x = (i - 3) * w / 6.5
        color = shades(("#d8574e", "#e9b44c", "#7fa346", "#e58aa0", "#6f9440"), 0.1)
        tuft = lathe([(0.0, 0), (0.07, 0.05), (0.05, 0.12), (0.0, 0.14)], color, "foliage", sides=5)
        turn = float(shades.rng.uniform(0, 70))
        mesh.extend(tuft, place(x, -0.1 + 0.02 * (i % 2), 0.13, yaw=turn))
    return mesh


def door(shades: Shades) -> Mesh:
    """Return a plank door with an arched stone frame; it faces +Z from z = 0."""
    mesh = Mesh()
    for i in range(4):
        plank = box((0.2, 1.5 + 0.06 * (i in (1, 2)), 0.06), shades(palette.WOOD), bevel=0.018)
        mesh.extend(plank, place(-0.3 + 0.2 * i, 0.08, 0.04))
    for y in (0.42, 1.2):
        mesh.extend(
            box((0.72, 0.07, 0.04), shades(palette.IRON), "iron", bevel=0.01), place(0, y, 0.08)
        )
    knob = lathe(
        [(0.0, -0.03), (0.035, -0.02), (0.035, 0.02), (0.0, 0.03)],
        linear(palette.GOLD),
        "iron",
        sides=6,
    )
    mesh.extend(knob, place(0.27, 0.82, 0.1))
    for side in (-1, 1):
        for i in range(5):
            block = box((0.2, 0.3, 0.24), shades(palette.STONE, 0.1), "stone", bevel=0.03)
            mesh.extend(block, place(side * (0.5 + 0.03 * (i % 2)), 0.05 + i * 0.31, 0.04))
    for i in range(5):
        angle = -60 + 30 * i
        block = box((0.3, 0.24, 0.26), shades(palette.STONE, 0.1), "stone", bevel=0.03)
        radius = 0.44
        x, y = radius * np.sin(np.radians(angle)), radius * 0.62 * np.cos(np.radians(angle))
        mesh.extend(block, place(x, 1.42 + y, 0.05, roll=-angle * 0.8))
    mesh.extend(box((1.2, 0.1, 0.5), shades(palette.STONE), "stone", bevel=0.03), place(0, 0, 0.2))
    return mesh


def stone_course(
    mesh: Mesh, shades: Shades, size: tuple[float, float], height: float, rows: int
) -> None:
    """Add a rectangular base of separate stones, outer size (x, z)."""
    rise = height / rows
    for row in range(rows):
        for turn, (along, across) in enumerate(((size[0], size[1]), (size[1], size[0]))):
            for side in (-1, 1):
                for middle, length in _stones(shades, along):
                    size_here = (length - 0.025, rise - 0.02, 0.26)
                    block = box(size_here, shades(palette.STONE, 0.1), "stone", bevel=0.035)
                    out = across / 2 - 0.1 + float(shades.rng.uniform(0, 0.035))
                    x, z = (middle, side * out) if turn == 0 else (side * out, middle)
                    mesh.extend(block, place(x, row * rise, z, yaw=90.0 * turn))


def _stones(shades: Shades, along: float) -> Iterator[tuple[float, float]]:
    """Part a side into stones; yield the middle of each and how long it is."""
    start = -along / 2
    while start < along / 2 - 0.05:
        length = min(float(shades.rng.uniform(0.38, 0.7)), along / 2 - start)
        if along / 2 - start - length < 0.22:
            length = along / 2 - start
        yield start + length / 2, length
        start += length


def gable_wall(
    mesh: Mesh, width: float, base: float, rise: float, z: float, color: palette.Color
) -> None:
    """Add the triangle under a roof, facing away from the middle."""
    corners = [(-width / 2, base, z), (width / 2, base, z), (0, base + rise, z)]
    mesh.add(corners if z > 0 else corners[::-1], color, "plaster", mesh.new_part())


def framing(
    mesh: Mesh,
    shades: Shades,
    width: float,
    y: float,
    height: float,
    z: float,
    *,
    brace: float = 0.92,
) -> None:
    """Add posts, rails and braces to the wall at `z` that faces away from the middle.

    `brace` is the length of the diagonals as a share of the height.
    """
    face = np.eye(4) if z > 0 else place(yaw=180)
    depth = abs(z)
    posts = [-width / 2 + 0.07, -width / 6, width / 6, width / 2 - 0.07]
    for x in posts:
        timber(shades, (0.15, height, 0.12), face @ place(x, y, depth), mesh)
    for rail in (y - 0.04, y + height - 0.1):
        timber(shades, (width + 0.12, 0.16, 0.16), face @ place(0, rail, depth), mesh)
    for side in (-1, 1) if brace else ():
        length = height * brace
        foot = side * (width / 2 - 0.12 - 0.66 * length)
        tilted = face @ place(foot, y + 0.05, depth - 0.01, roll=-side * 42.0)
        timber(shades, (0.11, length, 0.09), tilted, mesh)


def townhouse() -> Model:
    """A half-timbered house of two floors whose upper floor juts out."""
    shades = Shades(11)
    mesh = Mesh()
    plaster = linear(palette.PLASTER)
    stone_course(mesh, shades, (3.7, 3.3), 0.6, 2)
    mesh.extend(box((3.45, 1.95, 3.05), plaster, "plaster", bevel=0.03, edge=1.0), place(0, 0.5, 0))
    mesh.extend(
        box((3.9, 1.75, 3.5), plaster * 0.98, "plaster", bevel=0.03, edge=1.0), place(0, 2.45, 0)
    )
    framing(mesh, shades, 3.9, 2.5, 1.7, 1.75, brace=0.3)
    framing(mesh, shades, 3.9, 2.5, 1.7, -1.75)
    for side in (-1, 1):
        turned = place(yaw=90.0 * side)
        sub = Mesh()
        framing(sub, shades, 3.5, 2.5, 1.7, 1.95)
        sub.extend(window(shades), place(0, 3.0, 1.96))
        sub.extend(window(shades), place(0.75, 1.2, 1.73))
        sub.extend(window(shades), place(-0.75, 1.2, 1.73))
        mesh.extend(sub, turned)
    for x in np.linspace(-1.7, 1.7, 6):
        timber(shades, (0.16, 0.18, 0.5), place(float(x), 2.28, 1.6), mesh)
    mesh.extend(door(shades), place(-0.75, 0.1, 1.53))
    mesh.extend(window(shades, (0.8, 0.8)), place(0.8, 1.15, 1.54))
    for x in (-1.3, 0.0, 1.3):
        mesh.extend(window(shades, (0.6, 0.8)), place(x * 0.98, 3.05, 1.76))
    for z in (-1.72, 1.72):
        gable_wall(mesh, 3.9, 4.18, 2.2, z, plaster)
    mesh.extend(window(shades, (0.55, 0.62)), place(0, 4.62, 1.74))
    _pitched_roof(mesh, shades, 6.26, 46.0, (3.2, 4.3), 2.13, palette.ROOF_RED)
    chimney(mesh, shades, (0.95, 4.9, -0.9), 1.9)
    return single("townhouse", mesh)


def _pitched_roof(
    mesh: Mesh,
    shades: Shades,
    top: float,
    angle: float,
    size: tuple[float, float],
    gable: float,
    colors: tuple[str, ...],
) -> None:
    """Add two slopes of tiles, `size` down and along the ridge, with boards over the gables."""
    length, depth = size
    for side in (-1, 1):
        ridge = (side * 0.02, top)
        tiled_slope(
            mesh, shades, ridge=ridge, angle=angle, length=length, depth=depth, side=side,
            colors=colors,
        )  # fmt: skip
        for z in (-gable, gable):
            where = place(0, top - 0.02, z, roll=side * (90 - angle))
            timber(shades, (0.13, length + 0.1, 0.14), where @ place(0, -length - 0.1, 0), mesh)
    ridge_cap(mesh, shades, top + 0.04, depth + 0.1, colors)


def ridge_cap(mesh: Mesh, shades: Shades, y: float, depth: float, colors: tuple[str, ...]) -> None:
    """Add the row of round tiles along a ridge on the Z axis."""
    count = round(depth / 0.4)
    for i in range(count):
        z = -depth / 2 + (i + 0.5) * depth / count
        piece = box(
            (0.3, 0.14, depth / count * 1.04), shades(colors, 0.1), "roof", bevel=0.05, taper=0.7
        )
        mesh.extend(piece, place(0, y - 0.05, z, pitch=2.5))


def chimney(mesh: Mesh, shades: Shades, at: tuple[float, float, float], height: float) -> None:
    """Add a chimney of stacked stones."""
    rows = round(height / 0.22)
    for row in range(rows):
        for i in range(2):
            offset = 0.14 if i else -0.14
            turn = 90.0 * (row % 2)
            block = box((0.52, 0.21, 0.26), shades(palette.STONE, 0.12), "stone", bevel=0.03)
            where = place(at[0], at[1] + row * 0.22, at[2], yaw=turn)
            mesh.extend(block, where @ place(0, 0, offset))
    top = box((0.72, 0.14, 0.72), shades(palette.STONE), "stone", bevel=0.04)
    mesh.extend(top, place(at[0], at[1] + rows * 0.22, at[2]))


def cottage() -> Model:
    """A low stone and plaster cottage under a slate roof."""
    shades = Shades(23)
    mesh = Mesh()
    plaster = linear("#ead7b4")
    stone_course(mesh, shades, (3.5, 3.9), 0.9, 3)
    mesh.extend(box((3.3, 1.9, 3.7), plaster, "plaster", bevel=0.03, edge=1.0), place(0, 0.4, 0))
    framing(mesh, shades, 3.35, 0.92, 1.35, 1.85, brace=0.0)
    framing(mesh, shades, 3.35, 0.92, 1.35, -1.85)
    for side in (-1, 1):
        sub = Mesh()
        framing(sub, shades, 3.75, 0.92, 1.35, 1.66, brace=0.0)
        for x in (-1.0, 1.0):
            sub.extend(window(shades, (0.66, 0.66)), place(x, 1.28, 1.67))
        mesh.extend(sub, place(yaw=90.0 * side))
    mesh.extend(door(shades), place(0.0, 0.1, 1.86))
    for x in (-1.05, 1.05):
        mesh.extend(window(shades, (0.56, 0.66)), place(x, 1.28, 1.87))
    for z in (-1.82, 1.82):
        gable_wall(mesh, 3.3, 2.25, 1.95, z, plaster)
    mesh.extend(window(shades, (0.6, 0.6)), place(0, 2.62, 1.84))
    _pitched_roof(mesh, shades, 4.12, 47.0, (2.95, 4.5), 2.22, palette.ROOF_BLUE)
    chimney(mesh, shades, (-0.8, 2.9, -1.1), 1.9)
    return single("cottage", mesh)


def windmill() -> Model:
    """A tower mill whose sails turn."""
    shades = Shades(31)
    tower = _mill_tower(shades)
    sails = Mesh()
    hub = [(0.0, -0.35), (0.16, -0.3), (0.2, 0.1), (0.13, 0.3), (0.0, 0.36)]
    sails.extend(lathe(hub, shades(palette.WOOD_DARK), "wood", sides=8), place(pitch=90))
    for arm in range(4):
        sails.extend(_sail(shades), place(roll=90.0 * arm + 20))
    keys = [(np.cos(a / 2), np.sin(a / 2)) for a in np.radians(np.arange(9) * -45.0)]
    track = Track(
        "Sails", [i * 1.5 for i in range(9)], [(0.0, 0.0, float(s), float(c)) for c, s in keys]
    )
    root = Node(
        "windmill",
        children=[Node("Tower", tower), Node("Sails", sails, translation=(0.0, 5.55, 1.62))],
    )
    return Model("windmill", root, tracks=[track])


def _mill_tower(shades: Shades) -> Mesh:
    tower = Mesh()
    for row in range(5):
        count, radius = 14, 1.92 - 0.075 * row
        for i in range(count):
            width = 2 * np.pi * radius / count
            block = box((width - 0.03, 0.3, 0.34), shades(palette.STONE, 0.11), "stone", bevel=0.04)
            turn = (i + 0.5 * (row % 2)) * 360 / count
            out = radius - 0.15 + float(shades.rng.uniform(0, 0.04))
            tower.extend(block, place(yaw=turn) @ place(0, row * 0.31, out, pitch=-6))
    plaster = linear(palette.PLASTER)
    tower.extend(
        lathe(
            [(1.58, 1.5), (1.12, 5.0), (1.12, 5.02)],
            lambda ring, side: plaster * (0.97 + 0.05 * (side % 2)),
            "plaster",
            sides=16,
        )
    )
    band = [(1.62, 1.5), (1.66, 1.56), (1.64, 1.66), (1.55, 1.68)]
    tower.extend(lathe(band, linear(palette.WOOD_DARK[0]), "wood", sides=16))
    for turn, y, radius in (
        (0.0, 2.2, 1.47),
        (100.0, 2.7, 1.41),
        (0.0, 3.5, 1.31),
        (-100.0, 3.2, 1.35),
    ):
        tower.extend(window(shades, (0.5, 0.62)), place(yaw=turn) @ place(0, y, radius, pitch=-7))
    tower.extend(door(shades), place(yaw=38) @ place(0, 0, 1.82, pitch=-3))
    _mill_cap(tower, shades)
    return tower


def _mill_cap(mesh: Mesh, shades: Shades) -> None:
    mesh.extend(
        lathe(
            [(1.2, 4.95), (1.36, 5.0), (1.36, 5.14), (1.22, 5.2)],
            linear(palette.WOOD_DARK[1]),
            "wood",
            sides=16,
        )
    )
    rings = [(1.34, 5.2), (1.2, 5.66), (0.92, 6.1), (0.5, 6.5), (0.0, 6.74)]
    colors = {(r, s): shades(palette.ROOF_BLUE, 0.12) for r in range(4) for s in range(16)}
    mesh.extend(lathe(rings, lambda ring, side: colors[ring, side], "roof", sides=16))
    for low, high in itertools.pairwise(rings):
        lip = [
            (low[0] + 0.05, low[1] - 0.03),
            (low[0] + 0.07, low[1] + 0.03),
            (low[0] - 0.02, low[1] + 0.07),
        ]
        if high[0] > 0.2:
            mesh.extend(lathe(lip, shades(palette.ROOF_BLUE), "roof", sides=16))
    shaft = tube([(0, 5.55, 0.9), (0, 5.55, 1.6)], [0.14, 0.14], linear(palette.WOOD_DARK[0]))
    mesh.extend(shaft)
    mesh.extend(
        lathe(
            [(0.0, 6.7), (0.09, 6.78), (0.05, 6.95), (0.0, 7.25)],
            linear(palette.GOLD),
            "iron",
            sides=6,
        )
    )


def _sail(shades: Shades) -> Mesh:
    mesh = Mesh()
    mesh.extend(box((0.11, 3.1, 0.1), shades(palette.WOOD), "wood", bevel=0.02), place(0, 0.1, 0))
    for i in range(8):
        bar = box((0.86, 0.05, 0.05), shades(palette.WOOD), "wood", bevel=0.012)
        mesh.extend(bar, place(0.36, 0.75 + i * 0.33, 0.02))
    for x in (0.4, 0.77):
        rail = box((0.05, 2.45, 0.05), shades(palette.WOOD), "wood", bevel=0.012)
        mesh.extend(rail, place(x, 0.72, 0.03))
    cream, red = linear(palette.CLOTH_CREAM), linear(palette.CLOTH_RED)
    for i in range(7):
        low, high = 0.78 + i * 0.33, 0.78 + (i + 1) * 0.33
        sag = -0.03 + 0.012 * (i % 2)
        corners = [(0.08, low, sag), (0.76, low, sag), (0.76, high, sag), (0.08, high, sag)]
        mesh.add(
            corners, red if i == 6 else cream * (0.96 + 0.04 * (i % 2)), "cloth", mesh.new_part()
        )
    return mesh
