"""The extensions that the importer understands, sorted by name.

A file that requires any other is refused; one that merely uses another loads with a warning.
"""

from collections.abc import Iterator

from engine.assets.gltf.extensions.base import Extension, KeptExtension
from engine.assets.gltf.extensions.ext_mesh_gpu_instancing import GPU_INSTANCING
from engine.assets.gltf.extensions.ext_meshopt_compression import EXT_MESHOPT, KHR_MESHOPT
from engine.assets.gltf.extensions.ext_texture_webp import WEBP
from engine.assets.gltf.extensions.khr_animation_pointer import ANIMATION_POINTER
from engine.assets.gltf.extensions.khr_draco_mesh_compression import DRACO
from engine.assets.gltf.extensions.khr_lights_punctual import LIGHTS_PUNCTUAL
from engine.assets.gltf.extensions.khr_materials_emissive_strength import EMISSIVE_STRENGTH
from engine.assets.gltf.extensions.khr_materials_pbr_specular_glossiness import (
    SPECULAR_GLOSSINESS,
)
from engine.assets.gltf.extensions.khr_materials_unlit import UNLIT
from engine.assets.gltf.extensions.khr_materials_variants import VARIANTS
from engine.assets.gltf.extensions.khr_node_visibility import NODE_VISIBILITY
from engine.assets.gltf.extensions.khr_texture_basisu import BASISU
from engine.assets.gltf.extensions.khr_texture_transform import TEXTURE_TRANSFORM
from engine.assets.gltf.extensions.material_parameters import MaterialParameters
from engine.assets.gltf.reader import JsonObject

EXTENSIONS: tuple[Extension, ...] = (
    GPU_INSTANCING,
    EXT_MESHOPT,
    WEBP,
    ANIMATION_POINTER,
    DRACO,
    LIGHTS_PUNCTUAL,
    MaterialParameters("KHR_materials_anisotropy"),
    MaterialParameters("KHR_materials_clearcoat"),
    MaterialParameters("KHR_materials_diffuse_transmission"),
    MaterialParameters("KHR_materials_dispersion"),
    EMISSIVE_STRENGTH,
    MaterialParameters("KHR_materials_ior"),
    MaterialParameters("KHR_materials_iridescence"),
    SPECULAR_GLOSSINESS,
    MaterialParameters("KHR_materials_sheen"),
    MaterialParameters("KHR_materials_specular"),
    MaterialParameters("KHR_materials_transmission"),
    UNLIT,
    VARIANTS,
    MaterialParameters("KHR_materials_volume"),
    KeptExtension("KHR_mesh_quantization"),
    KHR_MESHOPT,
    NODE_VISIBILITY,
    BASISU,
    TEXTURE_TRANSFORM,
    KeptExtension("KHR_xmp_json_ld"),
)


def applied(source: JsonObject) -> Iterator[tuple[Extension, JsonObject]]:
    """Yield each understood extension of a JSON object with its own object, in list order."""
    if not source.has("extensions"):
        return
    holder = source.required_object("extensions")
    for extension in EXTENSIONS:
        if extension.name in holder.value:
            yield extension, holder.required_object(extension.name)


__all__ = ["EXTENSIONS", "Extension", "applied"]
