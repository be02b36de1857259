"""The look of a level."""

from __future__ import annotations

from typing import Annotated

from engine.reflect import (
    AssetPath,
    Choice,
    Color,
    Doc,
    Empty,
    OnlyWith,
    Range,
    SceneComponent,
    Title,
    Unit,
    Vec3,
    component,
)


@component(id=15)
class Environment(SceneComponent):
    """Sky, light from everywhere, and how light becomes a picture; the first enabled one counts."""

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
        OnlyWith("sky", "gradient", "daylight"),
        Empty("daylight"),
        Doc("Panorama or cube that lights the level; empty for the daylight that ships"),
    ] = ""
    exposure: Annotated[float, Range(0, 16), Doc("Multiplies the light of the picture")] = 1.0
    tonemap: Annotated[
        str,
        Choice("agx", "neutral", "none"),
        Title("Tone Mapping"),
        Doc("How bright light is fitted to the screen"),
    ] = "agx"
    occlusion: Annotated[
        float,
        Range(0, 1),
        Title("AO Strength"),
        Doc("Ambient occlusion: how much corners and contacts darken under sky and ambient light"),
    ] = 0.0
    occlusion_radius: Annotated[
        float,
        Range(0.01, 10),
        Unit("m"),
        Title("AO Radius"),
        Doc("How far what darkens corners reaches"),
    ] = 0.5
    bloom: Annotated[float, Range(0, 1), Doc("How much of bright light spreads around it")] = 0.0
