"""What colour the materials of an asset are at a glance, for a patch beside their names."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from engine.assets.gltf.asset import GltfAsset

__all__ = ["SeenColor", "seen_colors"]

_SAMPLES: Final = 1024
"""Of the vertices of a part: the patch is small, and a part may have millions."""


@dataclass(frozen=True, slots=True)
class SeenColor:
    """The colour of a material.

    Attributes
    ----------
    linear_rgb
        The base colour, times the mean of the vertex colours where it is drawn with some.
    has_picture
        Whether a base colour texture changes it.
    """

    linear_rgb: tuple[float, ...]
    has_picture: bool = False


def seen_colors(asset: GltfAsset) -> list[SeenColor]:
    """Return the colour of each material, in their order; pictures are not looked into."""
    sums = np.zeros((len(asset.materials), 4))
    for part in (part for mesh in asset.meshes for part in mesh.primitives):
        colors = part.mesh.colors
        if colors is not None and len(colors) and 0 <= part.material < len(sums):
            sample = np.asarray(colors[:: max(1, len(colors) // _SAMPLES), :3], np.float64)
            sums[part.material] += (*np.nan_to_num(sample).mean(axis=0) * len(colors), len(colors))
    found = []
    for material, total in zip(asset.materials, sums, strict=True):
        base = np.asarray(material.material.base_color[:3], np.float64)
        tint = total[:3] / total[3] if total[3] else np.ones(3)
        has_picture = material.material.base_color_texture is not None or material.textures[0] >= 0
        found.append(SeenColor(tuple((base * tint).tolist()), has_picture))
    return found
