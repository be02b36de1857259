"""What a renderer takes for a material, whoever made it."""

from __future__ import annotations

from typing import Any, Protocol


class MaterialSource(Protocol):
    """What `add_material` takes: `engine.assets.Material`, known by its shape only."""

    @property
    def base_color(self) -> Any:
        """(4,) linear RGBA."""

    @property
    def metallic(self) -> float:
        """0 to 1."""

    @property
    def roughness(self) -> float:
        """0 to 1, perceptual."""

    @property
    def emissive(self) -> Any:
        """(3,) linear RGB."""

    @property
    def emissive_strength(self) -> float:
        """Factor of `emissive`."""

    @property
    def normal_scale(self) -> float:
        """Factor of x and y of the normal map."""

    @property
    def occlusion_strength(self) -> float:
        """0 to 1."""

    @property
    def alpha_mode(self) -> str:
        """One of "opaque", "mask" and "blend"."""

    @property
    def alpha_cutoff(self) -> float:
        """Below it a "mask" is a hole."""

    @property
    def double_sided(self) -> bool:
        """Whether back faces are drawn."""

    @property
    def unlit(self) -> bool:
        """Whether it shows its base colour, whatever the light."""

    @property
    def base_color_texture(self) -> Any:
        """A `TextureRef` into what is uploaded, or None: sRGB and alpha."""

    @property
    def metallic_roughness_texture(self) -> Any:
        """A `TextureRef` into what is uploaded, or None: roughness in green, metal in blue."""

    @property
    def normal_texture(self) -> Any:
        """A `TextureRef` into what is uploaded, or None: tangent space."""

    @property
    def occlusion_texture(self) -> Any:
        """A `TextureRef` into what is uploaded, or None: red."""

    @property
    def emissive_texture(self) -> Any:
        """A `TextureRef` into what is uploaded, or None: sRGB."""

    @property
    def extensions(self) -> Any:
        """Parameters of glTF extensions by name."""
