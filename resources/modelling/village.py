"""The sample level as data: what stands where, how it is lit and seen."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from resources.modelling.island import ground_height
from resources.modelling.mesh import Points, place
from resources.modelling.palette import linear

GROUPS = ("Architecture", "Props", "Nature", "Lights")
TREES = (
    ("tree_oak", "Oak", -9.6, -3.2, 40, 1.5),
    ("tree_autumn", "Maple", -10.9, 3.4, 10, 1.25),
    ("tree_oak", "Small Oak", -10.9, 0.0, 200, 1.1),
    ("tree_blossom", "Cherry", 10.2, 0.9, 60, 1.25),
    ("tree_oak", "Young Oak", -7.3, -6.2, 130, 1.3),
    ("tree_pine", "Pine 1", 9.6, -5.0, 0, 1.25),
    ("tree_pine", "Pine 2", 8.6, -7.2, 50, 1.5),
    ("tree_pine", "Pine 3", 3.6, -9.2, 20, 1.35),
    ("tree_pine", "Pine 4", 10.9, -3.4, 80, 0.95),
    ("tree_pine", "Small Pine", -9.3, 7.0, 15, 0.75),
    ("tree_pine", "Pine 5", -3.6, -9.5, 120, 1.3),
    ("tree_oak", "Oak behind the Gate", 1.6, -8.9, 75, 1.05),
)
ROCKS = (
    (7.7, 5.9, 10, 0.8),
    (5.2, 5.6, 140, 0.55),
    (9.3, -2.5, 70, 0.75),
    (4.9, 8.9, 200, 0.9),
    (-1.9, 8.9, 40, 0.7),
    (8.4, 1.9, 250, 0.5),
    (-11.3, 3.0, 90, 0.9),
    (6.9, 7.9, 300, 0.5),
)
BUSHES = (
    (-6.6, -1.7, 0, 1.0),
    (-2.9, -1.4, 50, 0.7),
    (5.0, -3.8, 90, 0.9),
    (-10.0, 2.6, 20, 1.0),
    (3.3, 4.6, 140, 0.7),
    (0.7, -4.6, 200, 0.7),
    (10.7, 3.0, 60, 0.9),
    (-4.0, 8.4, 75, 0.9),
    (1.9, 6.6, 10, 0.8),
    (8.6, -3.9, 0, 1.0),
)
Components = dict[str, dict[str, object]]


@dataclass
class Entry:
    """One entity of the level."""

    name: str
    group: str = ""
    translation: tuple[float, float, float] = (0.0, 0.0, 0.0)
    rotation: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 1.0)
    scale: float = 1.0
    asset: str = ""
    components: Components = field(default_factory=dict)


def prop(
    asset: str,
    name: str,
    group: str,
    x: float,
    z: float,
    *,
    yaw: float = 0.0,
    scale: float = 1.0,
    y: float | None = None,
    pitch: float = 0.0,
) -> Entry:
    """Return a prop that stands on the ground (or at `y`)."""
    height = ground_height(x, z) if y is None else y
    rotation = quaternion(place(yaw=yaw, pitch=pitch))
    return Entry(name, group, (x, height, z), rotation, scale, f"props/{asset}.glb")


def quaternion(matrix: Points) -> tuple[float, float, float, float]:
    """Return the xyzw quaternion of a rotation matrix with a positive real part."""
    m = matrix[:3, :3]
    squares = [
        1 + m[0, 0] - m[1, 1] - m[2, 2],
        1 - m[0, 0] + m[1, 1] - m[2, 2],
        1 - m[0, 0] - m[1, 1] + m[2, 2],
        1 + np.trace(m),
    ]
    x, y, z, w = np.sqrt(np.maximum(squares, 0)) / 2
    x, y, z = (
        np.copysign(x, m[2, 1] - m[1, 2]),
        np.copysign(y, m[0, 2] - m[2, 0]),
        np.copysign(z, m[1, 0] - m[0, 1]),
    )
    return (float(x), float(y), float(z), float(w))


def facing(
    eye: tuple[float, float, float], target: tuple[float, float, float]
) -> tuple[float, float, float, float]:
    """Return the rotation of a camera or light at `eye` that looks along its -Z at `target`."""
    back = np.array(eye) - np.array(target)
    back /= np.linalg.norm(back)
    right = np.cross([0, 1, 0], back)
    right /= np.linalg.norm(right)
    return quaternion(np.column_stack([right, np.cross(back, right), back]))


def village() -> list[Entry]:
    """Return every entity, groups before their members."""
    groups = [Entry(name) for name in GROUPS]
    return [*_look(), *groups, *_architecture(), *_props(), *_nature(), *_lanterns()]


def _color(srgb_hex: str, strength: float = 1.0) -> list[float]:
    return [round(float(v) * strength, 4) for v in linear(srgb_hex)]


def _look() -> list[Entry]:
    eye, target = (16.8, 11.4, 23.7), (0.95, 1.85, -0.4)
    sun_at = (-8.5, 6.5, 6.8)
    return [
        Entry(
            "Environment",
            components={
                "Environment": {
                    "sky": "gradient",
                    "ambient": [0.12, 0.16, 0.28],
                    "background": [0.175, 0.175, 0.19],
                    "exposure": 0.95,
                    "tonemap": "neutral",
                    "occlusion": 0.9,
                    "occlusion_radius": 1.0,
                    "bloom": 0.6,
                }
            },
        ),
        Entry(
            "Sun",
            translation=sun_at,
            rotation=facing(sun_at, (0, 0, 0)),
            components={
                "LightSource": {
                    "kind": "directional",
                    "color": [1.0, 0.7, 0.4],
                    "intensity": 5.4,
                    "cast_shadows": True,
                }
            },
        ),
        Entry(
            "Main Camera",
            translation=eye,
            rotation=facing(eye, target),
            components={"CameraComponent": {"fov_y": 0.62, "near": 0.1, "active": True}},
        ),
    ]


def _architecture() -> list[Entry]:
    group = "Architecture"
    return [
        prop("island", "Island", group, 0, 0, y=0.0),
        prop("stream", "Stream", group, 0, 0, y=0.0),
        prop("plaza", "Plaza", group, 0, 0, y=0.02),
        prop("townhouse", "Townhouse", group, -4.6, -3.6, yaw=42),
        prop("cottage", "Cottage", group, 2.9, -5.6, yaw=4),
        prop("cottage", "Baker's Cottage", group, -8.3, 1.0, yaw=68, scale=0.92),
        prop("windmill", "Windmill", group, 6.4, -6.0, yaw=24, scale=1.04),
        prop("arch", "Town Gate", group, -0.6, -6.1, yaw=8),
        prop("bridge", "Bridge", group, 7.15, 2.9, yaw=-18, y=0.0),
        prop("well", "Well", group, 0.0, 0.0, y=0.08, yaw=-28),
        prop("wall", "Wall 1", group, -3.3, -7.2, yaw=14),
        prop("wall", "Wall 2", group, -5.25, -7.45, yaw=-2),
    ]


def _props() -> list[Entry]:
    group = "Props"
    return [
        prop("stall", "Market Stall", group, -3.75, 0.75, yaw=62),
        prop("bench", "Bench", group, 2.5, 2.5, yaw=-130),
        prop("cart", "Hay Cart", group, -4.3, 3.7, yaw=24),
        prop("sign", "Tavern Sign", group, -2.0, -2.9, yaw=30),
        prop("flag", "Banner Left", group, -2.7, -5.1, yaw=12),
        prop("flag", "Banner Right", group, 1.3, -4.1, yaw=18),
        prop("crate", "Crate 1", group, 2.6, -1.6, yaw=18, y=0.1),
        prop("crate", "Crate 2", group, 3.45, -1.95, yaw=-12, y=0.05),
        prop("crate", "Crate on Top", group, 3.0, -1.75, yaw=40, y=0.87, scale=0.82),
        prop("barrel", "Barrel 1", group, 1.75, -2.3, y=0.1),
        prop("barrel", "Barrel 2", group, 1.05, -2.85, yaw=50, y=0.1, scale=0.9),
        prop("barrel", "Barrel 3", group, -4.3, -1.0, yaw=10),
        prop("barrel", "Barrel 4", group, -4.95, -0.55, yaw=80, scale=0.92),
        prop("crate", "Crate by the Stall", group, -3.5, 2.75, yaw=30, scale=0.85),
        prop("pumpkins", "Pumpkin Bed", group, -6.4, 5.4, yaw=26),
        prop("pumpkins", "Second Bed", group, -7.5, 4.3, yaw=26),
        prop("fence", "Fence 1", group, -5.3, 6.9, yaw=22),
        prop("fence", "Fence 2", group, -7.15, 6.05, yaw=28),
        prop("fence", "Fence 3", group, -8.85, 4.9, yaw=40),
        prop("fence", "Fence 4", group, 0.2, 8.2, yaw=-4),
        prop("fence", "Fence 5", group, 2.15, 8.2, yaw=4),
    ]


def _tufts() -> list[tuple[float, float, float]]:
    """Return where grass grows in tufts, on the land outside of the plaza: x, z and yaw."""
    rng = np.random.default_rng(5)
    tufts: list[tuple[float, float, float]] = []
    while len(tufts) < 84:
        angle, share = rng.uniform(0, 2 * np.pi), rng.uniform(0.42, 0.93)
        x, z = 12.6 * share * float(np.sin(angle)), 10.6 * share * float(np.cos(angle))
        if ground_height(x, z) > 0.02:
            tufts.append((round(x, 2), round(z, 2), round(float(rng.uniform(0, 360)))))
    return tufts


def _nature() -> list[Entry]:
    group = "Nature"
    return [
        *(prop(a, n, group, x, z, yaw=w, scale=s) for a, n, x, z, w, s in TREES),
        *(
            prop("rock", f"Rock {i}", group, x, z, yaw=w, scale=s)
            for i, (x, z, w, s) in enumerate(ROCKS, 1)
        ),
        *(
            prop("bush", f"Bush {i}", group, x, z, yaw=w, scale=s)
            for i, (x, z, w, s) in enumerate(BUSHES, 1)
        ),
        *(
            prop("grass", f"Grass {i}", group, x, z, yaw=w, scale=1.0)
            for i, (x, z, w) in enumerate(_tufts(), 1)
        ),
        prop("stepping_stones", "Steps to the Lawn 1", group, -2.2, 4.6, yaw=62),
        prop("stepping_stones", "Steps to the Lawn 2", group, -3.4, 6.3, yaw=52),
        prop("stepping_stones", "Steps to the Bridge", group, 4.6, 2.05, yaw=-26),
    ]


def _lanterns() -> list[Entry]:
    places = (
        (-1.3, 3.6, 200.0),
        (3.75, 0.9, 250.0),
        (-2.7, -2.6, 330.0),
        (1.4, -3.5, 300.0),
        (5.1, 3.5, 150.0),
    )
    entries = []
    for i, (x, z, yaw) in enumerate(places, 1):
        post = prop("lantern", f"Lantern {i}", "Lights", x, z, yaw=yaw)
        entries.append(post)
        entries.append(
            Entry(
                f"Lantern Light {i}",
                group=post.name,
                translation=(0.42, 2.5, 0.0),
                components={
                    "LightSource": {
                        "kind": "point",
                        "color": _color("#ffb264"),
                        "intensity": 7.0,
                        "range": 6.0,
                    }
                },
            )
        )
    return entries
