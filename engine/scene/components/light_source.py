"""A directional, point or spot light."""

from __future__ import annotations

import math
from typing import Annotated

from engine.reflect import (
    Angle,
    Choice,
    Color,
    Doc,
    OnlyWith,
    Range,
    SceneComponent,
    Unit,
    UnitBy,
    Vec3,
    component,
)

_ROUND = OnlyWith("kind", "point", "spot")
_CONE = OnlyWith("kind", "spot")


@component(id=5)
class LightSource(SceneComponent):
    """A light at the entity's world transform, shining along its local -Z."""

    kind: Annotated[str, Choice("directional", "point", "spot")] = "directional"
    color: Annotated[Vec3, Color, Doc("Linear colour")] = (1, 1, 1)
    intensity: Annotated[
        float,
        Range(0, 100_000),
        UnitBy("kind", directional="lx", point="cd", spot="cd"),
        Doc("Lux for directional lights, candela for point and spot"),
    ] = 1.0
    range: Annotated[float, Range(0, 1000), Unit("m"), _ROUND, Doc("0 is unlimited")] = 0.0
    inner_angle: Annotated[float, Angle, Range(0, math.pi / 2), _CONE, Doc("Full light inside")] = (
        0.0
    )
    outer_angle: Annotated[float, Angle, Range(0, math.pi / 2), _CONE, Doc("No light outside")] = (
        math.pi / 4
    )
    cast_shadows: bool = False
