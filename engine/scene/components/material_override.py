"""Changes to the materials of a prop, beside the asset that they come from."""

from __future__ import annotations

from typing import Annotated

from engine.reflect import (
    AssetPath,
    Color,
    Doc,
    Empty,
    Range,
    SceneComponent,
    Title,
    Unset,
    Vec2,
    Vec3,
    component,
)

_AS_IT_IS = "as the material"
_NUMBER = Unset(-1.0, 0.5, _AS_IT_IS)
_COLOR = Unset(-1.0, 1.0, _AS_IT_IS)
_NONE = Empty(_AS_IT_IS)
_PICTURES = AssetPath("*.png *.jpg *.jpeg *.webp *.ktx2")


@component(id=1001)
class MaterialOverride(SceneComponent):
    """Changes how an entity, and the nodes that its asset puts under it, look.

    What is -1 or empty stays as the material has it. Of several on the way up to the root of an
    instance, the nearest that sets a field decides it.
    """

    base_color: Annotated[Vec3, Color, _COLOR, Doc("Multiplies the texture")] = (-1, -1, -1)
    alpha: Annotated[float, Range(0, 1), Unset(-1.0, 1.0, _AS_IT_IS), Doc("Opacity")] = -1.0
    metallic: Annotated[float, Range(0, 1), _NUMBER, Doc("Multiplies the texture")] = -1.0
    roughness: Annotated[float, Range(0, 1), _NUMBER, Doc("Multiplies the texture")] = -1.0
    emissive: Annotated[Vec3, Color, _COLOR, Doc("Light of its own")] = (-1, -1, -1)
    base_color_texture: Annotated[
        str, _PICTURES, _NONE, Title("Color Map"), Doc("Picture of the base colour")
    ] = ""
    metallic_roughness_texture: Annotated[
        str,
        _PICTURES,
        _NONE,
        Title("Metal/Rough"),
        Doc("Picture with roughness in green and metalness in blue"),
    ] = ""
    normal_texture: Annotated[
        str, _PICTURES, _NONE, Title("Normal Map"), Doc("Picture of the surface's directions")
    ] = ""
    occlusion_texture: Annotated[
        str,
        _PICTURES,
        _NONE,
        Title("AO Map"),
        Doc("Picture of the ambient light that reaches, in red"),
    ] = ""
    emissive_texture: Annotated[
        str, _PICTURES, _NONE, Title("Emissive Map"), Doc("Picture of light of its own")
    ] = ""
    tiling: Annotated[Vec2, Doc("How often textures repeat, beside what the material says")] = (
        1,
        1,
    )
