"""Position, rotation and scale relative to the parent."""

from __future__ import annotations

from typing import Annotated, Self

import numpy as np
from numpy.typing import ArrayLike

from engine.errors import SceneError
from engine.math import SHEAR_TOLERANCE, FloatArray, compose, decompose, has_shear
from engine.reflect import Doc, Quat, SceneComponent, Unit, Vec3, component


@component(id=3)
class LocalTransform(SceneComponent):
    """The editable placement of an entity; `WorldTransform` follows from it."""

    translation: Annotated[Vec3, Unit("m"), Doc("Position relative to the parent")] = (0, 0, 0)
    rotation: Annotated[Quat, Doc("Rotation relative to the parent")] = (0, 0, 0, 1)
    scale: Annotated[Vec3, Doc("Size relative to the parent")] = (1, 1, 1)

    def to_matrix(self) -> FloatArray:
        """Return ``parent_from_local``, (4, 4) float32."""
        return compose(self.translation, self.rotation, self.scale)

    @classmethod
    def from_matrix(cls, m: ArrayLike) -> Self:
        """Split ``parent_from_local`` (4, 4); a zero scale keeps the rotation that is left.

        Raises
        ------
        SceneError
            The matrix holds shear, a projection or a value that is not finite: translation,
            rotation and scale would rebuild it with an error above 1e-5 of its largest column.
        """
        matrix = np.asarray(m, np.float64)
        if matrix.shape != (4, 4):
            raise SceneError(f"LocalTransform: expected a 4x4 matrix, found shape {matrix.shape}")
        if has_shear(matrix, SHEAR_TOLERANCE):
            raise SceneError(
                "LocalTransform: the matrix has shear or a projection, expected translation, "
                "rotation and scale (LocalMatrix keeps it exactly)"
            )
        translation, rotation, scale = decompose(matrix)
        return cls(translation, rotation, scale)
