"""The drawn handles of move, rotate and scale: their shapes on the screen and what is under it.

A handle is built once per frame from a :class:`GizmoFrame` and answers two questions from the
same points: what to paint, and how far the cursor is. So what looks hit is hit. Sizes are in
pixels: the gizmo is as large on the screen however far away it is.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from editor.tools.projection import Vector, ViewFrame
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
REACH: Final = 7.0
AXES: Final = ("x", "y", "z")
PLANES: Final = ("yz", "zx", "xy")


@dataclass(frozen=True)
class GizmoFrame:
    """Where a gizmo stands.

    Attributes
    ----------
    origin : (3,) float64
        World metres.
    axes : (3, 3) float64
        Columns are the unit axes, right-handed.
    view : ViewFrame
    """

    origin: Vector
    axes: Vector
    view: ViewFrame

    @property
    def pixel(self) -> float:
        """Metres that one pixel covers at the origin."""
        return self.view.pixel_size(self.origin)

    @property
    def in_front(self) -> bool:
        """Whether the origin is before the viewer at all."""
        return bool(self.view.visible(self.view.project(self.origin)[1]))

    def point(self, *pixels: float) -> Vector:
        """Return the world point at these pixel distances along the three axes."""
        return self.origin + self.axes @ (np.array(pixels) * self.pixel)

    def screen(self, points: Vector) -> Vector:
        """Return (n, 2) pixels of world points."""
        return self.view.project(points)[0]


@dataclass(frozen=True)
class Handle:
    """One thing to grab.

    Attributes
    ----------
    id : str
        "x" "y" "z", "yz" "zx" "xy", "screen", "view", "uniform".
    shapes : callable
        (hot) -> shapes to paint.
    distance : callable
        (x, y) -> pixels from the cursor to the handle, 0 inside.
    depth : float
        Metres from the viewer; farther handles are painted first.
    weight : float
        Added to the distance when handles compete; below 0 wins ties.
    """

    id: str
    shapes: Callable[[bool], list[Shape]]
    distance: Callable[[float, float], float]
    depth: float
    weight: float = 0.0


def move_handles(gizmo: GizmoFrame) -> list[Handle]:
    """Return arrows, plane squares and the screen-plane dot."""
    arrows = [_arrow(gizmo, axis) for axis in range(3) if _axis_readable(gizmo, axis)]
    planes = [_plane(gizmo, axis) for axis in range(3) if _plane_readable(gizmo, axis)]
    return [*planes, *arrows, _centre(gizmo, "screen")]


def scale_handles(gizmo: GizmoFrame) -> list[Handle]:
    """Return box-tipped axes, plane squares and the uniform box in the middle."""
    tips = [_box_axis(gizmo, axis) for axis in range(3) if _axis_readable(gizmo, axis)]
    planes = [_plane(gizmo, axis) for axis in range(3) if _plane_readable(gizmo, axis)]
    return [*planes, *tips, _centre(gizmo, "uniform")]


def rotate_handles(gizmo: GizmoFrame) -> list[Handle]:
    """Return one ring per axis and the ring that faces the viewer."""
    return [_view_ring(gizmo), *(_ring(gizmo, axis) for axis in range(3))]


def handle_under(handles: list[Handle], x: float, y: float, reach: float = REACH) -> str | None:
    """Return the id of the handle at a pixel, None when nothing is within `reach` pixels."""
    best: tuple[float, float] | None = None
    found = None
    for handle in handles:
        distance = handle.distance(x, y)
        if distance > reach:
            continue
        rank = (distance + handle.weight, handle.depth)
        if best is None or rank < best:
            best, found = rank, handle.id
    return found


def paint_handles(handles: list[Handle], hot: str | None, only: str | None = None) -> list[Shape]:
    """Return the shapes of all handles far to near, or only of the one being dragged."""
    shown = [h for h in handles if only is None or h.id == only]
    shapes: list[Shape] = []
    for handle in sorted(shown, key=lambda h: -h.depth):
        shapes.extend(handle.shapes(handle.id == hot))
    return shapes


def axis_line(gizmo: GizmoFrame, axis: int) -> list[Shape]:
    """Return the long thin line that shows the axis of a drag.

    It ends well before the viewer's own plane, where pixels would run out of any painter's range.
    """
    direction = gizmo.axes[:, axis]
    depth = _depth(gizmo, gizmo.origin)
    slope = float(direction @ gizmo.view.forward)
    reach = gizmo.pixel * 4000
    ends = []
    for side in (-1.0, 1.0):
        approach = -slope * side
        limit = (
            0.95 * depth / approach if approach > 1e-9 and not gizmo.view.orthographic else reach
        )
        ends.append(gizmo.origin + direction * (side * min(reach, limit)))
    color = with_alpha(AXIS_COLORS[axis], 0.55)
    return [Stroke(part, color, 1.2) for part in gizmo.view.project_polyline(np.stack(ends))]


def sweep(
    gizmo: GizmoFrame, normal: Vector, start: Vector, angle: float, radius: float
) -> list[Shape]:
    """Return the pie slice that shows how far a rotation has gone (`start` a unit vector)."""
    shown = float(np.clip(angle, -2 * np.pi, 2 * np.pi))
    turns = np.linspace(0.0, shown, max(int(abs(shown) * 24), 2))
    side = np.cross(normal, start)
    arc = np.cos(turns)[:, None] * start + np.sin(turns)[:, None] * side
    rim = gizmo.origin + arc * radius * gizmo.pixel
    points = gizmo.screen(np.concatenate([gizmo.origin[None], rim]))
    return [
        Polygon(points, with_alpha(HOT, 0.22)),
        Stroke(points[[0, 1]], with_alpha(HOT, 0.8), 1.4),
        Stroke(points[[0, -1]], HOT, 1.8),
    ]


def _axis_readable(gizmo: GizmoFrame, axis: int) -> bool:
    return abs(float(gizmo.axes[:, axis] @ gizmo.view.toward_viewer(gizmo.origin))) < 0.985


def _plane_readable(gizmo: GizmoFrame, axis: int) -> bool:
    return abs(float(gizmo.axes[:, axis] @ gizmo.view.toward_viewer(gizmo.origin))) > 0.16


def _depth(gizmo: GizmoFrame, point: Vector) -> float:
    return float(gizmo.view.to_view(point)[2])


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

    return Handle(AXES[axis], shapes, distance, _depth(gizmo, tip))


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

    return Handle(AXES[axis], shapes, distance, _depth(gizmo, tip))


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

    return Handle(PLANES[axis], shapes, distance, _depth(gizmo, world.mean(axis=0)), 0.5)


def _centre(gizmo: GizmoFrame, name: str) -> Handle:
    middle = gizmo.screen(gizmo.origin)
    depth = _depth(gizmo, gizmo.origin)
    if name == "screen":
        ring = middle + 6.5 * _unit_circle(28)

        def shapes(hot: bool) -> list[Shape]:
            return [
                Polygon(ring, with_alpha(_tint(WHITE, hot), 0.75 if hot else 0.25)),
                Stroke(ring, _tint(WHITE, hot), 1.6, closed=True),
            ]

        reach = 7.5
    else:
        faces, hull = _box(gizmo, gizmo.origin, 7.0)

        def shapes(hot: bool) -> list[Shape]:
            color = _tint(WHITE, hot)
            return [Polygon(hull, color), *(Polygon(f, shaded(color, s)) for f, s in faces)]

        reach = 10.0

    def distance(x: float, y: float) -> float:
        return max(float(np.hypot(x - middle[0], y - middle[1])) - reach, 0.0)

    return Handle(name, shapes, distance, depth, -1.0)


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

    return Handle(AXES[axis], shapes, distance, _depth(gizmo, gizmo.origin))


def _view_ring(gizmo: GizmoFrame) -> Handle:
    middle = gizmo.screen(gizmo.origin)
    ring = middle + SCREEN_RING * _unit_circle(96)

    def shapes(hot: bool) -> list[Shape]:
        color = HOT if hot else with_alpha(WHITE, 0.7)
        return [Stroke(ring, color, 2.6 if hot else 1.6, closed=True, halo=True)]

    def distance(x: float, y: float) -> float:
        return abs(float(np.hypot(x - middle[0], y - middle[1])) - SCREEN_RING)

    return Handle("view", shapes, distance, _depth(gizmo, gizmo.origin) + 1e-3, 0.5)


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


def convex_hull(points: Vector) -> Vector:
    """Return the convex hull of (n, 2) points, counter-clockwise.

    Notes
    -----
    Andrew's monotone chain, 1979.
    """
    ordered = sorted({(float(x), float(y)) for x, y in points})
    if len(ordered) < 3:
        return np.array(ordered)

    def chain(sequence: list[tuple[float, float]]) -> list[tuple[float, float]]:
        hull: list[tuple[float, float]] = []
        for p in sequence:
            while len(hull) > 1 and _turn(hull[-2], hull[-1], p) <= 0:
                hull.pop()
            hull.append(p)
        return hull[:-1]

    return np.array(chain(ordered) + chain(ordered[::-1]))


def _turn(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def segment_distance(x: float, y: float, start: Vector, end: Vector) -> float:
    """Return the distance in pixels from a pixel to a line segment."""
    along = end - start
    length2 = float(along @ along)
    offset = np.array([x, y]) - start
    t = float(np.clip(offset @ along / length2, 0, 1)) if length2 > 0 else 0.0
    return float(np.hypot(*(offset - along * t)))


def polyline_distance(x: float, y: float, points: Vector) -> float:
    """Return the distance in pixels from a pixel to a (n, 2) polyline."""
    start, along = points[:-1], np.diff(points, axis=0)
    offset = np.array([x, y]) - start
    length2 = np.maximum(np.einsum("ij,ij->i", along, along), 1e-12)
    t = np.clip(np.einsum("ij,ij->i", offset, along) / length2, 0, 1)
    return float(np.min(np.hypot(*(offset - along * t[:, None]).T)))


def polygon_distance(x: float, y: float, points: Vector) -> float:
    """Return the distance in pixels from a pixel to a convex polygon, 0 inside it."""
    if len(points) < 3:
        return np.inf
    loop = np.vstack([points, points[:1]])
    edges = np.diff(loop, axis=0)
    offset = np.array([x, y]) - points
    turns = edges[:, 0] * offset[:, 1] - edges[:, 1] * offset[:, 0]
    if np.all(turns >= 0) or np.all(turns <= 0):
        return 0.0
    return polyline_distance(x, y, loop)
