"""The handles that move, rotate and scale show.

Each is one function from a :class:`GizmoFrame` to a :class:`Handle`. One that the viewer looks
along could not be dragged, and is left out.
"""

from collections.abc import Callable
from typing import Final

import numpy as np

from editor.tools.gizmo import GizmoFrame, Handle
from editor.tools.pixel_geometry import (
    convex_hull,
    polygon_distance,
    polyline_distance,
    segment_distance,
)
from editor.tools.projection import Vector
from editor.tools.shapes import (
    AXIS_COLORS,
    HOT,
    WHITE,
    Polygon,
    Rgba,
    Shape,
    Stroke,
    shaded,
    with_alpha,
)

LENGTH: Final = 88.0
HEAD: Final = 19.0
HEAD_RADIUS: Final = 6.5
BOX: Final = 5.5
PLANE: Final = (24.0, 44.0)
RING: Final = 78.0
SCREEN_RING: Final = 94.0
AXES: Final = ("x", "y", "z")
PLANES: Final = ("yz", "zx", "xy")


def move_handles(gizmo: GizmoFrame) -> list[Handle]:
    """Return arrows, plane squares and the screen-plane dot."""
    arrows = [_arrow(gizmo, axis) for axis in range(3) if _axis_readable(gizmo, axis)]
    planes = [_plane(gizmo, axis) for axis in range(3) if _plane_readable(gizmo, axis)]
    return [*planes, *arrows, _screen_dot(gizmo)]


def scale_handles(gizmo: GizmoFrame) -> list[Handle]:
    """Return box-tipped axes, plane squares and the uniform box in the middle."""
    tips = [_box_axis(gizmo, axis) for axis in range(3) if _axis_readable(gizmo, axis)]
    planes = [_plane(gizmo, axis) for axis in range(3) if _plane_readable(gizmo, axis)]
    return [*planes, *tips, _uniform_box(gizmo)]


def rotate_handles(gizmo: GizmoFrame) -> list[Handle]:
    """Return one ring per axis and the ring that faces the viewer."""
    return [_view_ring(gizmo), *(_ring(gizmo, axis) for axis in range(3))]


def _axis_readable(gizmo: GizmoFrame, axis: int) -> bool:
    return abs(float(gizmo.axes[:, axis] @ gizmo.view.toward_viewer(gizmo.origin))) < 0.985


def _plane_readable(gizmo: GizmoFrame, axis: int) -> bool:
    return abs(float(gizmo.axes[:, axis] @ gizmo.view.toward_viewer(gizmo.origin))) > 0.16


def _along(axis: int, pixels: float) -> tuple[float, ...]:
    return tuple(pixels if k == axis else 0.0 for k in range(3))


def _tint(color: Rgba, hot: bool) -> Rgba:
    return HOT if hot else color


def _arrow(gizmo: GizmoFrame, axis: int) -> Handle:
    tip = gizmo.point(*_along(axis, LENGTH))
    neck = gizmo.point(*_along(axis, LENGTH - HEAD))
    shaft = gizmo.screen(np.stack([gizmo.point(*_along(axis, 9.0)), neck]))
    rim = _circle(gizmo, neck, axis, HEAD_RADIUS, 24)
    rim_px, tip_px = gizmo.screen(rim), gizmo.screen(tip)
    away = float(gizmo.axes[:, axis] @ gizmo.view.toward_viewer(neck)) < 0
    hull = convex_hull(np.vstack([rim_px, tip_px[None]]))

    def shapes(hot: bool) -> list[Shape]:
        color = _tint(AXIS_COLORS[axis], hot)
        line = Stroke(shaft, color, 3.0 if hot else 2.4, halo=True)
        cone: list[Shape] = [Polygon(hull, color)]
        if away:
            cone.append(Polygon(rim_px, shaded(color, 0.72)))
        return [line, *cone]

    def distance(x: float, y: float) -> float:
        return min(segment_distance(x, y, shaft[0], tip_px), polygon_distance(x, y, hull))

    return Handle(AXES[axis], shapes, distance, gizmo.depth(tip))


def _box_axis(gizmo: GizmoFrame, axis: int) -> Handle:
    tip = gizmo.point(*_along(axis, LENGTH - BOX))
    shaft = gizmo.screen(np.stack([gizmo.point(*_along(axis, 9.0)), tip]))
    faces, hull = _box(gizmo, tip, BOX)

    def shapes(hot: bool) -> list[Shape]:
        color = _tint(AXIS_COLORS[axis], hot)
        solid: list[Shape] = [Polygon(hull, color)]
        solid.extend(Polygon(face, shaded(color, shade)) for face, shade in faces)
        return [Stroke(shaft, color, 3.0 if hot else 2.4, halo=True), *solid]

    def distance(x: float, y: float) -> float:
        return min(segment_distance(x, y, shaft[0], shaft[1]), polygon_distance(x, y, hull))

    return Handle(AXES[axis], shapes, distance, gizmo.depth(tip))


def _plane(gizmo: GizmoFrame, axis: int) -> Handle:
    """A square in the plane that `axis` is normal to, in the quadrant nearest to the viewer."""
    first, second = (axis + 1) % 3, (axis + 2) % 3
    near, far = PLANE
    corners = np.zeros((4, 3))
    toward = gizmo.view.toward_viewer(gizmo.origin)
    for column, values in ((first, (near, far, far, near)), (second, (near, near, far, far))):
        side = 1.0 if float(gizmo.axes[:, column] @ toward) >= 0 else -1.0
        corners[:, column] = np.array(values) * side
    world = gizmo.origin + (corners * gizmo.pixel) @ gizmo.axes.T
    square = gizmo.screen(world)
    color = AXIS_COLORS[axis]

    def shapes(hot: bool) -> list[Shape]:
        tint = _tint(color, hot)
        return [
            Polygon(square, with_alpha(tint, 0.75 if hot else 0.38)),
            Stroke(square, tint, 1.5, closed=True),
        ]

    def distance(x: float, y: float) -> float:
        return polygon_distance(x, y, square)

    return Handle(PLANES[axis], shapes, distance, gizmo.depth(world.mean(axis=0)), 0.5)


def _screen_dot(gizmo: GizmoFrame) -> Handle:
    ring = gizmo.screen(gizmo.origin) + 6.5 * _unit_circle(28)

    def shapes(hot: bool) -> list[Shape]:
        return [
            Polygon(ring, with_alpha(_tint(WHITE, hot), 0.75 if hot else 0.25)),
            Stroke(ring, _tint(WHITE, hot), 1.6, closed=True),
        ]

    return _centre(gizmo, "screen", shapes, 7.5)


def _uniform_box(gizmo: GizmoFrame) -> Handle:
    faces, hull = _box(gizmo, gizmo.origin, 7.0)

    def shapes(hot: bool) -> list[Shape]:
        color = _tint(WHITE, hot)
        return [Polygon(hull, color), *(Polygon(f, shaded(color, s)) for f, s in faces)]

    return _centre(gizmo, "uniform", shapes, 10.0)


def _centre(
    gizmo: GizmoFrame, name: str, shapes: Callable[[bool], list[Shape]], radius: float
) -> Handle:
    middle = gizmo.screen(gizmo.origin)

    def distance(x: float, y: float) -> float:
        return max(float(np.hypot(x - middle[0], y - middle[1])) - radius, 0.0)

    return Handle(name, shapes, distance, gizmo.depth(gizmo.origin), -1.0)


def _ring(gizmo: GizmoFrame, axis: int) -> Handle:
    """A ring whose far half is faint and cannot be grabbed, as the object hides it."""
    circle = _circle(gizmo, gizmo.origin, axis, RING, 96)
    closed = np.vstack([circle, circle[:1]])
    toward = gizmo.view.toward_viewer(gizmo.origin)
    facing = (closed - gizmo.origin) @ toward
    flat_on = abs(float(gizmo.axes[:, axis] @ toward)) > 0.985
    front = np.ones(len(closed), bool) if flat_on else facing >= -1e-9 * RING
    pixels = gizmo.screen(closed)
    arcs = _runs(pixels, front)
    hidden = [] if flat_on else _runs(pixels, ~front)

    def shapes(hot: bool) -> list[Shape]:
        color = _tint(AXIS_COLORS[axis], hot)
        far: list[Shape] = [Stroke(arc, with_alpha(color, 0.22), 1.4) for arc in hidden]
        return [*far, *(Stroke(arc, color, 3.2 if hot else 2.4, halo=True) for arc in arcs)]

    def distance(x: float, y: float) -> float:
        return min((polyline_distance(x, y, arc) for arc in arcs), default=np.inf)

    return Handle(AXES[axis], shapes, distance, gizmo.depth(gizmo.origin))


def _view_ring(gizmo: GizmoFrame) -> Handle:
    middle = gizmo.screen(gizmo.origin)
    ring = middle + SCREEN_RING * _unit_circle(96)

    def shapes(hot: bool) -> list[Shape]:
        color = HOT if hot else with_alpha(WHITE, 0.7)
        return [Stroke(ring, color, 2.6 if hot else 1.6, closed=True, halo=True)]

    def distance(x: float, y: float) -> float:
        return abs(float(np.hypot(x - middle[0], y - middle[1])) - SCREEN_RING)

    return Handle("view", shapes, distance, gizmo.depth(gizmo.origin) + 1e-3, 0.5)


def _unit_circle(count: int) -> Vector:
    turns = np.linspace(0, 2 * np.pi, count, endpoint=False)
    return np.stack([np.cos(turns), np.sin(turns)], axis=1)


def _circle(gizmo: GizmoFrame, centre: Vector, axis: int, radius: float, count: int) -> Vector:
    flat = _unit_circle(count) * radius * gizmo.pixel
    first, second = gizmo.axes[:, (axis + 1) % 3], gizmo.axes[:, (axis + 2) % 3]
    return centre + flat[:, :1] * first + flat[:, 1:] * second


def _runs(points: Vector, keep: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> list[Vector]:
    """Split a polyline into the stretches where `keep` holds."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], keep, [False]]).astype(np.int8)))
    return [points[a:b] for a, b in zip(edges[::2], edges[1::2], strict=True) if b - a > 1]


def _box(
    gizmo: GizmoFrame, centre: Vector, half: float
) -> tuple[list[tuple[Vector, float]], Vector]:
    """Return the faces of a box that the viewer sees, each with its shade, and its outline."""
    toward = gizmo.view.toward_viewer(centre)
    size = half * gizmo.pixel
    signs = 1.0 - 2.0 * ((np.arange(8)[:, None] >> np.arange(3)) & 1)
    outline = convex_hull(gizmo.screen(centre + (signs * size) @ gizmo.axes.T))
    faces = []
    for axis in range(3):
        side = 1.0 if float(gizmo.axes[:, axis] @ toward) >= 0 else -1.0
        loop = np.zeros((4, 3))
        loop[:, axis] = side
        loop[:, (axis + 1) % 3] = (-1, 1, 1, -1)
        loop[:, (axis + 2) % 3] = (-1, -1, 1, 1)
        shade = (0.86, 1.0, 0.72)[axis]
        faces.append((gizmo.screen(centre + (loop * size) @ gizmo.axes.T), shade))
    return faces, outline
