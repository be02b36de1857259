"""Where a picture is taken from: a pinhole (or parallel) camera as plain numbers.

Right-handed, looking down its local -Z with +Y up. Matrices multiply column vectors; depth is
reversed, 1 at the near plane and 0 at the far one, which keeps float32 precise far away.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine.errors import EngineError

Matrix = NDArray[np.float32]


@dataclass(eq=False)
class Camera:
    """A camera.

    Parameters
    ----------
    world_from_view
        (4, 4) placement, rigid.
    fov_y
        Vertical field of view, radians.
    near, far
        Distances of the clipping planes, metres; far None is infinite.
    aspect
        Width over height; None takes the target's.
    ortho_height
        Height in metres of what a parallel projection shows; None is perspective.
    """

    world_from_view: Matrix
    fov_y: float = 0.9
    near: float = 0.1
    far: float | None = None
    aspect: float | None = None
    ortho_height: float | None = None

    @classmethod
    def look_at(
        cls,
        eye: ArrayLike,
        target: ArrayLike,
        up: ArrayLike = (0.0, 1.0, 0.0),
        fov_y: float = 0.9,
        near: float = 0.1,
        far: float | None = None,
    ) -> "Camera":
        """A camera at `eye` that looks at `target`; an `up` along the view picks another."""
        return cls(_look_at(eye, target, up), fov_y=fov_y, near=near, far=far)

    @property
    def position(self) -> NDArray[np.float32]:
        """(3,) world position."""
        return np.asarray(self.world_from_view, np.float32)[:3, 3].copy()

    @property
    def forward(self) -> NDArray[np.float32]:
        """(3,) unit view direction."""
        return -np.asarray(self.world_from_view, np.float32)[:3, 2]

    def clip_from_view(self, aspect: float) -> Matrix:
        """(4, 4) projection, reversed depth 0..1; the camera's own aspect goes before `aspect`."""
        aspect = self.aspect or aspect
        if self.ortho_height is not None:
            return _orthographic(self.ortho_height, aspect, self.near, self.far)
        return _perspective(self.fov_y, aspect, self.near, self.far)

    def clip_from_world(self, aspect: float) -> Matrix:
        """(4, 4) projection times view, multiplied in float64."""
        view = np.linalg.inv(np.asarray(self.world_from_view, np.float64))
        return (self.clip_from_view(aspect).astype(np.float64) @ view).astype(np.float32)


def _look_at(eye: ArrayLike, target: ArrayLike, up: ArrayLike) -> Matrix:
    origin = np.asarray(eye, np.float64)
    back = origin - np.asarray(target, np.float64)
    length = np.linalg.norm(back)
    if not np.isfinite(length):
        raise EngineError(
            f"Camera.look_at: found eye {eye!r} and target {target!r}, expected finite numbers"
        )
    back = back / length if length > 0 else np.array([0.0, 0.0, 1.0])
    right = np.cross(np.asarray(up, np.float64), back)
    if np.linalg.norm(right) < 1e-6:
        right = np.cross([0.0, 0.0, -1.0] if abs(back[1]) > 0.9 else [0.0, 1.0, 0.0], back)
    right /= np.linalg.norm(right)
    placement = np.eye(4)
    placement[:3, 0], placement[:3, 1], placement[:3, 2] = right, np.cross(back, right), back
    placement[:3, 3] = origin
    return placement.astype(np.float32)


def _perspective(fov_y: float, aspect: float, near: float, far: float | None) -> Matrix:
    focal = 1.0 / np.tan(0.5 * fov_y)
    clip = np.zeros((4, 4), np.float64)
    clip[0, 0], clip[1, 1], clip[3, 2] = focal / aspect, focal, -1.0
    clip[2, 2] = 0.0 if far is None else near / (far - near)
    clip[2, 3] = near if far is None else near * far / (far - near)
    return clip.astype(np.float32)


def _orthographic(height: float, aspect: float, near: float, far: float | None) -> Matrix:
    depth = (far if far is not None else near + 10_000.0) - near
    clip = np.zeros((4, 4), np.float64)
    clip[0, 0], clip[1, 1], clip[3, 3] = 2.0 / (height * aspect), 2.0 / height, 1.0
    clip[2, 2], clip[2, 3] = 1.0 / depth, (near + depth) / depth
    return clip.astype(np.float32)
