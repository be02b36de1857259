"""Where to stand so that everything is in the picture: one rule for window and command line.

A view has a direction; the rule finds the point to look at and the distance from it at which
corners of bounds just fit, in perspective or in parallel.
"""

import math
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine.render.camera import Camera
from engine.render.scene import RenderScene

YAW: Final = math.radians(35)
PITCH: Final = math.radians(-28)
FOV_Y: Final = math.radians(45)
"""How a level without a camera is first seen: from the front right, a little from above."""
NEAR: Final = 0.05
MARGIN: Final = 1.12
NEAREST: Final = 0.25
FARTHEST: Final = 1e5
EMPTY_BOX: Final = ((-3.0, 0.0, -3.0), (3.0, 2.0, 3.0))
"""What is shown of a level without a surface: where its first prop will stand."""

F64 = NDArray[np.float64]


def view_axes(yaw: float, pitch: float) -> tuple[F64, F64, F64]:
    """Right, up and forward of a view; yaw 0 looks along -Z, pitch below 0 looks down."""
    flat = math.cos(pitch)
    forward = np.array([-math.sin(yaw) * flat, math.sin(pitch), -math.cos(yaw) * flat])
    right = np.array([math.cos(yaw), 0.0, -math.sin(yaw)])
    return right, np.cross(right, forward), forward


def fit_view(
    axes: tuple[F64, F64, F64],
    points: ArrayLike,
    aspect: float,
    fov_y: float,
    parallel: bool = False,
    margin: float = MARGIN,
) -> tuple[F64, float]:
    """The point to look at, and the distance from it, that bring every point into the picture.

    Parameters
    ----------
    axes
        Right, up and forward of the view, unit vectors.
    points
        (n, 3) world positions, at least one: corners of bounds, not of meshes.
    aspect
        Width over height.
    fov_y
        Vertical field of view, radians; in parallel it tells height from distance.
    parallel
        Whether the projection is parallel.
    margin
        Room around the points; 1 touches the edges.

    Returns
    -------
    pivot : (3,) float64
    distance : float
        Metres.
    """
    basis = np.stack(axes, axis=1)
    view = np.asarray(points, np.float64).reshape(-1, 3) @ basis
    middle = (view.min(axis=0) + view.max(axis=0)) / 2
    across, upward = np.abs(view - middle)[:, :2].T
    depth = view[:, 2] - middle[2]
    tan_y = math.tan(fov_y / 2) / margin
    half = np.maximum(across / max(aspect, 1e-3), upward)
    if parallel:
        distance = float(half.max()) / tan_y
    else:
        distance = float(np.max(np.maximum(half / tan_y, 0.2) - depth))
    return basis @ middle, min(max(distance, NEAREST), FARTHEST)


def box_corners(lo: ArrayLike, hi: ArrayLike) -> F64:
    """The (8, 3) corners of a box; bit k of the row picks `hi` on axis k."""
    pick = (np.arange(8)[:, None] >> np.arange(3)) & 1
    return np.where(pick == 1, np.asarray(hi, np.float64), np.asarray(lo, np.float64))


def scene_corners(scene: RenderScene, boxes: tuple[ArrayLike, ArrayLike]) -> F64:
    """The (8 n, 3) world corners of the bounds of what a scene draws.

    Parameters
    ----------
    scene
        What is drawn.
    boxes
        (n, 3) smallest and largest corner of each instance in its own space, in its pose; what is
        not finite is left out, with what a broken matrix places.
    """
    places = scene.instances.columns().world_from_local.astype(np.float64)
    lo, hi = (np.asarray(side, np.float64).reshape(-1, 1, 3) for side in boxes)
    pick = (np.arange(8)[:, None] >> np.arange(3)) & 1
    with np.errstate(invalid="ignore"):
        corners = np.where(pick == 1, hi, lo) @ places[:, :3, :3].transpose(0, 2, 1)
        corners += places[:, None, :3, 3]
    every = corners.reshape(-1, 3)
    return every[np.isfinite(every).all(axis=1)]


def camera_on(corners: F64, aspect: float) -> Camera:
    """A camera that has every corner in view, as a level is first seen."""
    axes = view_axes(YAW, PITCH)
    points = corners if len(corners) else box_corners(*EMPTY_BOX)
    pivot, distance = fit_view(axes, points, aspect, FOV_Y)
    placement = np.eye(4, dtype=np.float32)
    placement[:3, 0], placement[:3, 1] = axes[0], axes[1]
    placement[:3, 2], placement[:3, 3] = -axes[2], pivot - axes[2] * distance
    return Camera(placement, fov_y=FOV_Y, near=NEAR)
