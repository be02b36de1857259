"""A placement that translation, rotation and scale cannot express."""

from __future__ import annotations

from typing import Annotated

from engine.reflect import Doc, Mat4, SceneComponent, component


@component(id=8)
class LocalMatrix(SceneComponent):
    """Stands in for `LocalTransform` where there is shear; exact."""

    matrix: Annotated[Mat4, Doc("parent_from_local, exactly as imported or computed")] = (
        (1, 0, 0, 0),
        (0, 1, 0, 0),
        (0, 0, 1, 0),
        (0, 0, 0, 1),
    )
