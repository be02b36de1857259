"""Materials as plain data: glTF metallic-roughness factors, texture references and samplers.

A `Material` is used twice with one shape. Inside a `GltfMaterial` the texture numbers of its
references are indices of the file's textures; in an uploaded material they are ids of the
renderer's texture store (see `engine.assets.upload`). Nothing here decodes or uploads anything.
"""

from dataclasses import dataclass, field
from typing import Any, Literal

AlphaMode = Literal["opaque", "mask", "blend"]
Filter = Literal["linear", "nearest"]
MipmapFilter = Literal["linear", "nearest", "none"]
Wrap = Literal["repeat", "clamp", "mirror"]


@dataclass(frozen=True, slots=True)
class Sampler:
    """How a texture is read: filters and address modes (defaults are glTF's)."""

    mag: Filter = "linear"
    min: Filter = "linear"
    mipmap: MipmapFilter = "linear"
    wrap_u: Wrap = "repeat"
    wrap_v: Wrap = "repeat"


@dataclass(frozen=True, slots=True)
class TextureRef:
    """One use of a texture by a material, with its KHR_texture_transform.

    Parameters
    ----------
    texture : int
        Index of the file's texture, or an id of the renderer's texture store.
    sampler : int
        Id in the renderer's texture store; -1 before upload.
    texcoord : int
        UV set (0 or 1).
    offset, rotation, scale
        ``uv' = offset + R(rotation) @ (scale * uv)`` with the rotation counter-clockwise when V
        points down: ``R = [[cos, sin], [-sin, cos]]``. Radians.
    """

    texture: int
    sampler: int = -1
    texcoord: int = 0
    offset: tuple[float, float] = (0.0, 0.0)
    rotation: float = 0.0
    scale: tuple[float, float] = (1.0, 1.0)


@dataclass(slots=True)
class Material:
    """A glTF metallic-roughness surface.

    Colours are linear. ``emissive_strength`` multiplies ``emissive``. ``extensions`` holds the
    parameters of material extensions that the renderer may not draw yet, by extension name.
    """

    base_color: tuple[float, float, float, float] = (1.0, 1.0, 1.0, 1.0)
    metallic: float = 1.0
    roughness: float = 1.0
    emissive: tuple[float, float, float] = (0.0, 0.0, 0.0)
    emissive_strength: float = 1.0
    normal_scale: float = 1.0
    occlusion_strength: float = 1.0
    alpha_mode: AlphaMode = "opaque"
    alpha_cutoff: float = 0.5
    double_sided: bool = False
    unlit: bool = False
    base_color_texture: TextureRef | None = None
    metallic_roughness_texture: TextureRef | None = None
    normal_texture: TextureRef | None = None
    occlusion_texture: TextureRef | None = None
    emissive_texture: TextureRef | None = None
    extensions: dict[str, dict[str, Any]] = field(default_factory=dict)

    def textures(self) -> tuple[TextureRef | None, ...]:
        """Return the five references in slot order.

        Base colour, metallic-roughness, normal, occlusion, emissive.
        """
        return (
            self.base_color_texture,
            self.metallic_roughness_texture,
            self.normal_texture,
            self.occlusion_texture,
            self.emissive_texture,
        )
