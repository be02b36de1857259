"""Icons and shapes of what has no surface: lights and cameras.

Every light and camera gets an icon; the chosen ones also show what they reach: a point light's
range, a spot's cone, where a directional light shines, what a camera sees. Shapes are polylines in
world space, so that the renderer can hide them behind surfaces.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from editor.tools.projection import Vector, ViewFrame
from editor.tools.shapes import HOT, Icon, Rgba, with_alpha
from engine.ecs import QuerySpec, World
from engine.reflect import Entity
from engine.scene.components import CameraComponent, LightSource, WorldTransform
from engine.scene.hierarchy import is_enabled

LIGHT_COLOR: Rgba = (240, 180, 95, 255)
CAMERA_COLOR: Rgba = (215, 219, 224, 255)
WIRE_ALPHA = 0.62
MAX_ICONS = 400
_LIGHTS = QuerySpec(LightSource, WorldTransform)
_CAMERAS = QuerySpec(CameraComponent, WorldTransform)


@dataclass(frozen=True)
class WireShape:
    """A polyline of a marker: (n, 3) world metres and its colour."""

    points: Vector
    color: Rgba


def marker_icons(world: World, view: ViewFrame, selected: Collection[int]) -> list[Icon]:
    """Return the icons on the screen, far to near; of very many only the nearest."""
    icons: list[Icon] = []
    for spec, type_, color in (
        (_LIGHTS, LightSource, LIGHT_COLOR),
        (_CAMERAS, CameraComponent, CAMERA_COLOR),
    ):
        for table in spec.tables(world):
            if not len(table):
                continue
            kinds = table.view(LightSource, "kind") if type_ is LightSource else None
            places = table.view(WorldTransform, "matrix")[:, :3, 3]
            icons.extend(_table_icons(table.entities, places, kinds, view, color, selected))
    nearest = sorted(icons, key=lambda icon: icon.depth)[:MAX_ICONS]
    return [icon for icon in reversed(nearest) if is_enabled(world, Entity(icon.entity))]


def _table_icons(
    entities: Any,
    places: Vector,
    kinds: list[str] | None,
    view: ViewFrame,
    color: Rgba,
    selected: Collection[int],
) -> Iterable[Icon]:
    pixels, depth = view.project(places)
    shown = view.visible(depth) & np.all(pixels >= -20, axis=1)
    shown &= np.all(pixels <= (view.width + 20, view.height + 20), axis=1)
    for row in np.flatnonzero(shown).tolist():
        entity = int(entities[row])
        yield Icon(
            float(pixels[row, 0]),
            float(pixels[row, 1]),
            kinds[row] if kinds is not None else "camera",
            HOT if entity in selected else color,
            entity,
            float(depth[row]),
            entity in selected,
        )


def marker_wires(world: World, entities: Iterable[Entity], view: ViewFrame) -> list[WireShape]:
    """Return the shapes of those of `entities` that are lights or cameras."""
    wires: list[WireShape] = []
    for entity in entities:
        if not world.alive(entity) or not world.has(entity, WorldTransform):
            continue
        matrix = np.asarray(world.get(entity, WorldTransform).matrix, np.float64)
        place = rigid(matrix)
        if world.has(entity, LightSource):
            wires += _light_wires(world.get(entity, LightSource), place, view)
        if world.has(entity, CameraComponent):
            camera = world.get(entity, CameraComponent)
            wires += camera_wires(place, float(camera.fov_y), view.pixel_size(place[:3, 3]))
    return wires


def rigid(matrix: Vector) -> Vector:
    """Return a matrix's place and directions without its scale."""
    result = matrix.copy()
    lengths = np.linalg.norm(matrix[:3, :3], axis=0)
    result[:3, :3] = matrix[:3, :3] / np.where(lengths > 1e-12, lengths, 1.0)
    return result


def _light_wires(light: LightSource, place: Vector, view: ViewFrame) -> list[WireShape]:
    pixel = view.pixel_size(place[:3, 3])
    if light.kind == "directional":
        lines = _directional(pixel)
    elif light.kind == "point":
        lines = _sphere(float(light.range) if light.range > 0 else pixel * 40)
    else:
        reach = float(light.range) if light.range > 0 else pixel * 110
        lines = _cone(reach, float(light.outer_angle))
        if light.inner_angle > 0:
            lines.append(_ring(-reach, reach * float(np.tan(min(light.inner_angle, 1.5)))))
    return [
        WireShape(line @ place[:3, :3].T + place[:3, 3], with_alpha(LIGHT_COLOR, WIRE_ALPHA))
        for line in lines
    ]


def _ring(z: float, radius: float, count: int = 48) -> Vector:
    turns = np.linspace(0, 2 * np.pi, count + 1)
    flat = np.full(count + 1, z)
    return np.stack([np.cos(turns) * radius, np.sin(turns) * radius, flat], axis=1)


def _sphere(radius: float) -> list[Vector]:
    ring = _ring(0.0, radius, 72)
    return [ring, ring[:, [1, 2, 0]], ring[:, [2, 0, 1]]]


def _cone(reach: float, angle: float) -> list[Vector]:
    angle = min(angle, 1.5)
    rim = _ring(-reach, reach * float(np.tan(angle)))
    spokes = [np.stack([np.zeros(3), rim[k]]) for k in range(0, len(rim) - 1, 12)]
    return [rim, *spokes]


def _directional(pixel: float) -> list[Vector]:
    size = pixel * 14
    starts = _ring(0.0, size, 8)[:-1]
    rays = [np.stack([start, start - np.array([0.0, 0.0, pixel * 70])]) for start in starts]
    return [_ring(0.0, size, 32), *rays]


def camera_wires(place: Vector, fov_y: float, pixel: float) -> list[WireShape]:
    """Return the frustum of a camera, 16:9, as large on the screen however far it is."""
    depth = pixel * 90
    half_y = depth * float(np.tan(min(fov_y, 3.0) / 2))
    half_x = half_y * 16 / 9
    corners = np.array(
        [
            (-half_x, -half_y, -depth),
            (half_x, -half_y, -depth),
            (half_x, half_y, -depth),
            (-half_x, half_y, -depth),
        ]
    )
    lines = [np.vstack([corners, corners[:1]])]
    lines += [np.stack([np.zeros(3), corner]) for corner in corners]
    top = half_y * 1.12
    roof = half_x * 0.35
    lines.append(
        np.array(
            [
                (-roof, top, -depth),
                (roof, top, -depth),
                (0, top * 1.35, -depth),
                (-roof, top, -depth),
            ]
        )
    )
    return [
        WireShape(line @ place[:3, :3].T + place[:3, 3], with_alpha(CAMERA_COLOR, WIRE_ALPHA))
        for line in lines
    ]
