"""From the cursor to an amount: how far along an axis, around a ring, how many times as large.

A drag is made where the button went down and asked for the amount at each later position. Both
come from rays, so the grabbed point stays under the cursor. Snapping rounds the amount, and a
typed number replaces it.
"""

from collections.abc import Sequence

import numpy as np

from editor.tools.gizmo import GizmoFrame
from editor.tools.gizmo_handles import AXES, LENGTH, PLANES, RING
from editor.tools.projection import Ray, Vector
from editor.tools.surface import snap_to

MIN_FACTOR = 0.01


def line_parameter(ray: Ray, origin: Vector, direction: Vector) -> float | None:
    """Return the distance along a line of its point nearest to a ray, None beside parallels."""
    between = ray.origin - origin
    b = float(ray.direction @ direction)
    below = 1.0 - b * b
    if below < 1e-6:
        return None
    return float((between @ direction - b * float(between @ ray.direction)) / below)


def plane_point(ray: Ray, origin: Vector, normal: Vector) -> Vector | None:
    """Return where a ray meets a plane, None when it runs along it or away from it."""
    facing = float(ray.direction @ normal)
    if abs(facing) < 1e-6:
        return None
    distance = float((origin - ray.origin) @ normal) / facing
    return ray.at(distance) if distance > 0 else None


class MoveDrag:
    """Moves along an axis, in a plane, or in the plane of the screen."""

    def __init__(self, gizmo: GizmoFrame, handle: str, x: float, y: float) -> None:
        self._gizmo = gizmo
        self.handle = handle
        self._start = self._locate(x, y)
        self._offset = np.zeros(3)

    def offset(self, x: float, y: float, step: float | None, typed: float | None) -> Vector:
        """Return the world vector to move by, metres."""
        axis = AXES.index(self.handle) if self.handle in AXES else None
        if typed is not None and axis is not None:
            return self._gizmo.axes[:, axis] * typed
        here = self._locate(x, y)
        if here is not None and self._start is not None:
            self._offset = here - self._start
        return self._snapped(self._offset, step) if step else self._offset

    def _snapped(self, offset: Vector, step: float) -> Vector:
        axes = np.eye(3) if self.handle == "screen" else self._gizmo.axes
        return np.asarray(axes @ snap_to(axes.T @ offset, step))

    def _locate(self, x: float, y: float) -> Vector | None:
        gizmo = self._gizmo
        ray = gizmo.view.ray(x, y)
        if self.handle in AXES:
            direction = gizmo.axes[:, AXES.index(self.handle)]
            along = line_parameter(ray, gizmo.origin, direction)
            return None if along is None else direction * along
        if self.handle in PLANES:
            normal = gizmo.axes[:, PLANES.index(self.handle)]
        else:
            normal = gizmo.view.forward
        point = plane_point(ray, gizmo.origin, normal)
        return None if point is None else self._in_plane(point - gizmo.origin)

    def _in_plane(self, offset: Vector) -> Vector:
        if self.handle not in PLANES:
            return offset
        local = self._gizmo.axes.T @ offset
        local[PLANES.index(self.handle)] = 0.0
        return np.asarray(self._gizmo.axes @ local)


class RotateDrag:
    """Turns around an axis; more than a full turn counts on."""

    def __init__(self, gizmo: GizmoFrame, handle: str, x: float, y: float) -> None:
        self._gizmo = gizmo
        self.handle = handle
        toward = gizmo.view.toward_viewer(gizmo.origin)
        self.axis = gizmo.axes[:, AXES.index(handle)] if handle in AXES else toward
        self._edge_on = abs(float(self.axis @ toward)) < 0.18
        self._grab = np.array([x, y])
        self.start = self._first_direction(x, y)
        self._tangent = self._screen_tangent()
        self._angle = 0.0

    def angle(self, x: float, y: float, step: float | None, typed: float | None) -> float:
        """Return radians; `step` and `typed` are degrees."""
        if typed is not None:
            return float(np.radians(typed))
        if self._edge_on:
            moved = float((np.array([x, y]) - self._grab) @ self._tangent)
            self._angle = moved / RING
        else:
            self._follow(x, y)
        if step:
            return float(np.radians(snap_to(np.degrees(self._angle), step)))
        return self._angle

    def _follow(self, x: float, y: float) -> None:
        direction = self._direction(x, y)
        if direction is None:
            return
        now = float(np.arctan2(np.cross(self.axis, self.start) @ direction, self.start @ direction))
        turn = (now - self._angle + np.pi) % (2 * np.pi) - np.pi
        self._angle += turn

    def _direction(self, x: float, y: float) -> Vector | None:
        gizmo = self._gizmo
        point = plane_point(gizmo.view.ray(x, y), gizmo.origin, self.axis)
        if point is None:
            return None
        offset = point - gizmo.origin
        length = float(np.linalg.norm(offset))
        return offset / length if length > 1e-12 else None

    def _first_direction(self, x: float, y: float) -> Vector:
        direction = None if self._edge_on else self._direction(x, y)
        if direction is not None:
            return direction
        toward = self._gizmo.view.toward_viewer(self._gizmo.origin)
        flat = toward - self.axis * float(toward @ self.axis)
        length = float(np.linalg.norm(flat))
        if length < 1e-9:
            flat = self._gizmo.view.right
            length = 1.0
        return flat / length

    def _screen_tangent(self) -> Vector:
        gizmo = self._gizmo
        rim = gizmo.origin + self.start * RING * gizmo.pixel
        ahead = rim + np.cross(self.axis, self.start) * gizmo.pixel
        step = gizmo.screen(np.stack([rim, ahead]))
        tangent = step[1] - step[0]
        length = float(np.linalg.norm(tangent))
        return tangent / length if length > 1e-9 else np.array([1.0, 0.0])


class ScaleDrag:
    """Scales along an axis, in a plane, or all around."""

    def __init__(self, gizmo: GizmoFrame, handle: str, x: float, y: float) -> None:
        self._gizmo = gizmo
        self.handle = handle
        self._grab = np.array([x, y])
        self._factor = 1.0

    def factors(self, x: float, y: float, step: float | None, typed: float | None) -> Vector:
        """Return the factor along each of the gizmo's axes."""
        if typed is not None:
            factor = typed if typed != 0 else MIN_FACTOR
        else:
            self._factor = self._read(x, y)
            factor = float(snap_to(self._factor, step)) if step else self._factor
            factor = max(factor, step or MIN_FACTOR)
        result = np.ones(3)
        result[self._scaled_axes()] = factor
        return result

    def _scaled_axes(self) -> Sequence[int]:
        if self.handle in AXES:
            return [AXES.index(self.handle)]
        if self.handle in PLANES:
            return [k for k in range(3) if k != PLANES.index(self.handle)]
        return [0, 1, 2]

    def _read(self, x: float, y: float) -> float:
        gizmo = self._gizmo
        if self.handle in AXES:
            direction = gizmo.axes[:, AXES.index(self.handle)]
            start = line_parameter(gizmo.view.ray(*self._grab), gizmo.origin, direction)
            here = line_parameter(gizmo.view.ray(x, y), gizmo.origin, direction)
            if start is None or here is None:
                return self._factor
            return 1.0 + (here - start) / (LENGTH * gizmo.pixel)
        if self.handle in PLANES:
            middle = gizmo.screen(gizmo.origin)
            grabbed = max(float(np.linalg.norm(self._grab - middle)), 8.0)
            return float(np.linalg.norm(np.array([x, y]) - middle)) / grabbed
        across, down = np.array([x, y]) - self._grab
        return 1.0 + float(across - down) / 120.0
