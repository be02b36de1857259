"""The look of a level."""

from __future__ import annotations

from typing import Annotated

from engine.reflect import (
    AssetPath,
    Choice,
    Color,
    Doc,
    Range,
    SceneComponent,
    Vec3,
    component,
)


@component(id=15)
class Environment(SceneComponent):
    """Sky, ambient light, exposure and tone mapping; the first enabled one counts."""

    sky: Annotated[
        str,
        Choice("gradient", "daylight", "plain"),
        Doc("What is behind everything, and lights it unless it is plain"),
    ] = "gradient"
    ambient: Annotated[Vec3, Color, Doc("Linear irradiance, the same from everywhere")] = (
        0.5,
        0.5,
        0.5,
    )
    background: Annotated[Vec3, Color, Doc("Linear colour of the sky")] = (0.18, 0.18, 0.2)
    image: Annotated[
        str,
        AssetPath("*.hdr *.exr *.ktx2"),
        Doc("Panorama or cube that lights the level; empty for the daylight that ships"),
    ] = ""
    exposure: Annotated[float, Range(0, 16), Doc("Multiplies the light of the picture")] = 1.0
    tonemap: Annotated[str, Choice("agx", "neutral", "none")] = "agx"
