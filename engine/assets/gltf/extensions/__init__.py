"""The extensions that the importer understands, sorted by name.

A file that requires any other is refused; one that merely uses another loads with a warning.
"""

from engine.assets.gltf.extensions.base import Extension
from engine.assets.gltf.extensions.khr_lights_punctual import LIGHTS_PUNCTUAL
from engine.assets.gltf.extensions.khr_materials_emissive_strength import EMISSIVE_STRENGTH
from engine.assets.gltf.extensions.khr_materials_unlit import UNLIT
from engine.assets.gltf.extensions.khr_texture_transform import TEXTURE_TRANSFORM

EXTENSIONS: tuple[Extension, ...] = (
    LIGHTS_PUNCTUAL,
    EMISSIVE_STRENGTH,
    UNLIT,
    TEXTURE_TRANSFORM,
)

__all__ = ["EXTENSIONS", "Extension"]
