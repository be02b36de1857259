"""The viewport's camera: orbit, pan, zoom to the cursor, fly, frame, orthographic views.

The pose is a pivot, two angles and a distance, so that orbiting never rolls and a pose is easy to
store and to blend. Angles are radians: `yaw` 0 looks along -Z and grows to the left, `pitch`
below 0 looks down. The camera is the artist's own, never part of the level.
"""

import math
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from editor.tools.projection import Ray, Vector, ViewFrame
from engine.render.framing import FARTHEST, FOV_Y, MARGIN, PITCH, YAW, fit_view, view_axes

VIEWS: Final = {
    "front": (0.0, 0.0),
    "back": (math.pi, 0.0),
    "right": (math.pi / 2, 0.0),
    "left": (-math.pi / 2, 0.0),
    "top": (0.0, -math.pi / 2),
    "bottom": (0.0, math.pi / 2),
}
MIN_DISTANCE: Final = 0.02
MAX_DISTANCE: Final = FARTHEST
PITCH_LIMIT: Final = math.pi / 2
ORBIT_PER_PIXEL: Final = 0.0065
LOOK_PER_PIXEL: Final = 0.004
ZOOM_PER_NOTCH: Final = 0.85
ORTHO_BACK: Final = 2000.0


@dataclass(frozen=True)
class CameraPose:
    """Where the artist looks from.

    Attributes
    ----------
    pivot : tuple of 3 float
        The point that orbiting turns around, metres.
    yaw, pitch : float
        Radians.
    distance : float
        Metres from the eye to the pivot.
    fov_y : float
        Vertical field of view, radians.
    view : str
        "perspective", "orthographic" or one of :data:`VIEWS`.
    """

    pivot: tuple[float, float, float] = (0.0, 0.5, 0.0)
    yaw: float = YAW
    pitch: float = PITCH
    distance: float = 12.0
    fov_y: float = FOV_Y
    view: str = "perspective"

    @property
    def orthographic(self) -> bool:
        return self.view != "perspective"

    @property
    def forward(self) -> Vector:
        return view_axes(self.yaw, self.pitch)[2]

    @property
    def right(self) -> Vector:
        return view_axes(self.yaw, self.pitch)[0]

    @property
    def up(self) -> Vector:
        return view_axes(self.yaw, self.pitch)[1]

    @property
    def eye(self) -> Vector:
        """The viewer's position; an orthographic viewer stands far behind everything."""
        back = max(self.distance, ORTHO_BACK) if self.orthographic else self.distance
        return np.asarray(self.pivot) - self.forward * back

    def frame(self, width: float, height: float) -> ViewFrame:
        """Return the projection for a picture of that many logical pixels."""
        half = self.distance * math.tan(self.fov_y / 2) if self.orthographic else None
        return ViewFrame(
            self.eye,
            self.right,
            self.up,
            self.forward,
            math.tan(self.fov_y / 2),
            half,
            max(width, 1.0),
            max(height, 1.0),
        )


def _triple(values: ArrayLike) -> tuple[float, float, float]:
    x, y, z = (float(v) for v in np.asarray(values, np.float64))
    return x, y, z


def orbit(pose: CameraPose, dx: float, dy: float) -> CameraPose:
    """Turn around the pivot by a drag of `dx`, `dy` pixels; a fixed view becomes a free one."""
    view = "orthographic" if pose.orthographic else "perspective"
    return replace(
        pose,
        yaw=_wrapped(pose.yaw - dx * ORBIT_PER_PIXEL),
        pitch=_clamped_pitch(pose.pitch - dy * ORBIT_PER_PIXEL),
        view=view,
    )


def look(pose: CameraPose, dx: float, dy: float) -> CameraPose:
    """Turn the head: the eye stays where it is."""
    eye = np.asarray(pose.pivot) - pose.forward * pose.distance
    turned = replace(
        pose,
        yaw=_wrapped(pose.yaw - dx * LOOK_PER_PIXEL),
        pitch=_clamped_pitch(pose.pitch - dy * LOOK_PER_PIXEL),
        view="orthographic" if pose.orthographic else "perspective",
    )
    return replace(turned, pivot=_triple(eye + turned.forward * turned.distance))


def pan(pose: CameraPose, dx: float, dy: float, height: float) -> CameraPose:
    """Slide so that the pivot's plane follows the cursor by `dx`, `dy` pixels exactly."""
    metres = 2 * pose.distance * math.tan(pose.fov_y / 2) / max(height, 1.0)
    moved = np.asarray(pose.pivot) + (pose.up * dy - pose.right * dx) * metres
    return replace(pose, pivot=_triple(moved))


def zoom(pose: CameraPose, notches: float, anchor: ArrayLike | None = None) -> CameraPose:
    """Come closer by wheel notches, keeping the world point `anchor` under the cursor."""
    factor = ZOOM_PER_NOTCH**notches
    distance = min(max(pose.distance * factor, MIN_DISTANCE), MAX_DISTANCE)
    fixed = np.asarray(pose.pivot if anchor is None else anchor, np.float64)
    if pose.orthographic:
        factor = distance / pose.distance
        pivot = fixed + (np.asarray(pose.pivot) - fixed) * factor
    else:
        eye = fixed + (pose.eye - fixed) * factor
        pivot = eye + pose.forward * distance
    return replace(pose, pivot=_triple(pivot), distance=distance)


def dolly(pose: CameraPose, dy: float) -> CameraPose:
    """Zoom by a vertical drag."""
    return zoom(pose, dy / 60.0)


def zoom_anchor(pose: CameraPose, ray: Ray) -> Vector:
    """Return the point of a cursor ray at the pivot's depth, for when it meets no surface."""
    depth = float(np.dot(np.asarray(pose.pivot) - ray.origin, pose.forward))
    return ray.at(depth / max(float(np.dot(ray.direction, pose.forward)), 1e-6))


def fly(pose: CameraPose, sideways: float, upward: float, ahead: float) -> CameraPose:
    """Move eye and pivot together by metres along the view's right, the world's up and ahead."""
    step = pose.right * sideways + np.array([0.0, upward, 0.0]) + pose.forward * ahead
    return replace(pose, pivot=_triple(np.asarray(pose.pivot) + step))


def look_through(pose: CameraPose, view: str) -> CameraPose:
    """Switch to a named view; the pivot and what the picture covers stay."""
    if view in VIEWS:
        yaw, pitch = VIEWS[view]
        return replace(pose, yaw=yaw, pitch=pitch, view=view)
    if view not in ("perspective", "orthographic"):
        known = ", ".join(("perspective", "orthographic", *VIEWS))
        raise ValueError(f"no view is called {view!r}; expected one of {known}")
    return replace(pose, view=view)


def frame_points(
    pose: CameraPose, points: ArrayLike, aspect: float, margin: float = MARGIN
) -> CameraPose:
    """Return the pose, looking the same way, from which every point is in the picture.

    Parameters
    ----------
    pose : CameraPose
    points : (n, 3) array_like
        World space, metres: corners of bounds, not of meshes. Those that are not finite don't
        count.
    aspect : float
        Width over height.
    margin : float
        Room around the points; 1 touches the edges.
    """
    corners = np.asarray(points, np.float64).reshape(-1, 3)
    corners = corners[np.isfinite(corners).all(axis=1)]
    if not len(corners):
        return pose
    axes = (pose.right, pose.up, pose.forward)
    pivot, distance = fit_view(axes, corners, aspect, pose.fov_y, pose.orthographic, margin)
    return replace(pose, pivot=_triple(pivot), distance=distance)


def blend(start: CameraPose, end: CameraPose, amount: float) -> CameraPose:
    """Return the pose `amount` (0..1) of the way, eased, turning the short way round."""
    eased = amount * amount * (3 - 2 * amount)
    turn = _wrapped(end.yaw - start.yaw)
    pivot = np.asarray(start.pivot) + (np.asarray(end.pivot) - np.asarray(start.pivot)) * eased
    return replace(
        end,
        pivot=_triple(pivot),
        yaw=_wrapped(start.yaw + turn * eased),
        pitch=start.pitch + (end.pitch - start.pitch) * eased,
        distance=start.distance * (end.distance / start.distance) ** eased,
    )


def pose_from_camera(eye: ArrayLike, forward: ArrayLike, distance: float = 10.0) -> CameraPose:
    """Return the pose that stands where a level's camera stands and looks the same way."""
    ahead = np.asarray(forward, np.float64)
    ahead = ahead / max(float(np.linalg.norm(ahead)), 1e-12)
    pose = CameraPose(
        yaw=math.atan2(-ahead[0], -ahead[2]),
        pitch=math.asin(min(max(float(ahead[1]), -1.0), 1.0)),
        distance=distance,
    )
    return replace(pose, pivot=_triple(np.asarray(eye, np.float64) + pose.forward * distance))


def _wrapped(angle: float) -> float:
    return (angle + math.pi) % (2 * math.pi) - math.pi


def _clamped_pitch(pitch: float) -> float:
    return min(max(pitch, -PITCH_LIMIT), PITCH_LIMIT)
