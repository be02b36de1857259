"""A camera."""

from __future__ import annotations

import math
from typing import Annotated

from engine.reflect import Angle, Doc, Range, SceneComponent, Title, Unit, component


@component(id=6)
class CameraComponent(SceneComponent):
    """A perspective camera at the entity's world transform: -Z forward, +Y up."""

    fov_y: Annotated[
        float, Angle, Range(0.02, math.pi - 0.02), Title("Field of View"), Doc("Vertical")
    ] = 0.9
    near: Annotated[float, Range(0.001, 100), Unit("m"), Doc("Nearest visible distance")] = 0.1
    active: Annotated[bool, Doc("The first active camera makes the picture")] = True
