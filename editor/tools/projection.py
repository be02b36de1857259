"""From the world to pixels and back: the one place that knows how the view is projected.

A :class:`ViewFrame` is a camera pose together with the size of the picture. Everything on the
screen (gizmos, light shapes, box select, rays under the cursor) is computed from it in float64,
so that what is drawn and what is hit can never disagree. Pixels are logical, y grows downwards.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

Vector = NDArray[np.float64]

NEAR = 1e-3


@dataclass(frozen=True)
class Ray:
    """A half line in world space; `direction` has length 1."""

    origin: Vector
    direction: Vector

    def at(self, distance: float) -> Vector:
        """Return the point `distance` metres along the ray."""
        return self.origin + self.direction * distance


@dataclass(frozen=True)
class ViewFrame:
    """A camera pose and the size of the picture it fills.

    Attributes
    ----------
    eye, right, up, forward : (3,) float64
        World space; the last three are an orthonormal, right-handed basis with `forward` away
        from the viewer.
    tan_half_y : float
        Tangent of half the vertical field of view.
    half_height : float or None
        Half the height of an orthographic view in metres; None for perspective.
    width, height : float
        Logical pixels, at least 1.
    """

    eye: Vector
    right: Vector
    up: Vector
    forward: Vector
    tan_half_y: float
    half_height: float | None
    width: float
    height: float

    @property
    def orthographic(self) -> bool:
        return self.half_height is not None

    @property
    def aspect(self) -> float:
        return self.width / self.height

    def to_view(self, points: ArrayLike) -> Vector:
        """Return (..., 3) right, up and forward distances from the eye, in metres."""
        relative = np.asarray(points, np.float64) - self.eye
        return relative @ np.stack([self.right, self.up, self.forward], axis=1)

    def _pixels(self, view: Vector) -> Vector:
        if self.half_height is not None:
            scale = np.full(view.shape[:-1], self.height / (2 * self.half_height))
        else:
            depth = np.maximum(view[..., 2], NEAR)
            scale = self.height / (2 * self.tan_half_y * depth)
        return np.stack(
            [self.width / 2 + view[..., 0] * scale, self.height / 2 - view[..., 1] * scale], axis=-1
        )

    def project(self, points: ArrayLike) -> tuple[Vector, Vector]:
        """Return pixels (..., 2) and depth (...,) in metres along the view direction.

        A point with a depth not above :data:`NEAR` is behind a perspective viewer; its pixels
        mean nothing.
        """
        view = self.to_view(points)
        return self._pixels(view), view[..., 2]

    def visible(self, depth: Vector) -> NDArray[np.bool_]:
        """Tell which depths lie before the viewer."""
        if self.orthographic:
            return np.ones(np.shape(depth), bool)
        return np.asarray(depth > NEAR)

    def project_polyline(self, points: ArrayLike) -> list[Vector]:
        """Return the parts of a (n, 3) polyline before the viewer, each (k, 2) pixels."""
        view = self.to_view(points)
        if self.orthographic or bool(np.all(view[:, 2] > NEAR)):
            return [self._pixels(view)]
        parts: list[list[Vector]] = []
        for start, end in pairwise(view):
            clipped = _clip_near(start, end)
            if clipped is None:
                continue
            if parts and np.array_equal(parts[-1][-1], clipped[0]):
                parts[-1].append(clipped[1])
            else:
                parts.append(list(clipped))
        return [self._pixels(np.array(part)) for part in parts]

    def ray(self, x: float, y: float) -> Ray:
        """Return the ray under a pixel."""
        across = (2 * x / self.width - 1) * self.aspect
        upward = 1 - 2 * y / self.height
        if self.half_height is not None:
            offset = self.right * across + self.up * upward
            return Ray(self.eye + offset * self.half_height, self.forward)
        direction = self.forward + (self.right * across + self.up * upward) * self.tan_half_y
        return Ray(self.eye, direction / np.linalg.norm(direction))

    def pixel_size(self, point: ArrayLike) -> float:
        """Return how many metres one pixel covers at the depth of `point`."""
        if self.half_height is not None:
            return 2 * self.half_height / self.height
        depth = max(float(self.to_view(point)[2]), NEAR)
        return 2 * self.tan_half_y * depth / self.height

    def toward_viewer(self, point: ArrayLike) -> Vector:
        """Return the unit vector from `point` to the viewer."""
        if self.orthographic:
            return -self.forward
        toward = self.eye - np.asarray(point, np.float64)
        length = float(np.linalg.norm(toward))
        return toward / length if length > 1e-12 else -self.forward


def _clip_near(start: Vector, end: Vector) -> tuple[Vector, Vector] | None:
    inside, reaches = start[2] > NEAR, end[2] > NEAR
    if inside and reaches:
        return start, end
    if not inside and not reaches:
        return None
    cut = start + (end - start) * ((NEAR * 1.001 - start[2]) / (end[2] - start[2]))
    return (start, cut) if inside else (cut, end)
