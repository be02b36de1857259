"""Drawn handles: what they paint on the screen, and which of them is under the cursor.

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
    Polygon,
    Shape,
    Stroke,
    with_alpha,
)

REACH: Final = 7.0


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

    def depth(self, point: Vector) -> float:
        """Return how far before the viewer a world point lies, in metres."""
        return float(self.view.to_view(point)[2])


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


def handle_under(handles: list[Handle], x: float, y: float) -> str | None:
    """Return the id of the handle at a pixel, None when nothing is within `REACH` pixels."""
    best: tuple[float, float] | None = None
    found = None
    for handle in handles:
        distance = handle.distance(x, y)
        if distance > REACH:
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
    depth = gizmo.depth(gizmo.origin)
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
