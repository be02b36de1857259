"""Images, samplers, textures and materials on their way into a file."""

import io
import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import PIL.Image

from engine.assets.gltf.asset import GltfAsset, GltfMaterial
from engine.assets.gltf_export.draft import Draft, Json, named, with_extensions, with_extras
from engine.assets.image import Image
from engine.assets.material import Material, Sampler, TextureRef

_MAG = {"nearest": 9728, "linear": 9729}
_MIN = {
    ("nearest", "none"): 9728,
    ("linear", "none"): 9729,
    ("nearest", "nearest"): 9984,
    ("linear", "nearest"): 9985,
    ("nearest", "linear"): 9986,
    ("linear", "linear"): 9987,
}
_WRAP = {"clamp": 33071, "mirror": 33648, "repeat": 10497}


def encoded_png(image: Image) -> bytes:
    """Return a picture as a PNG file, without its alpha where that is opaque throughout."""
    pixels = image.pixels
    if bool((pixels[..., 3] == 255).all()):
        pixels = pixels[..., :3]
    out = io.BytesIO()
    PIL.Image.fromarray(np.ascontiguousarray(pixels)).save(out, "PNG", compress_level=4)
    return out.getvalue()


def write_textures(draft: Draft, asset: GltfAsset) -> None:
    """Write images, samplers and textures; a texture keeps its index."""
    places = _write_images(draft, asset.images)
    samplers: dict[Sampler, int] = {}
    for texture in asset.textures:
        if texture.sampler not in samplers:
            samplers[texture.sampler] = draft.add("samplers", _sampler(texture.sampler))
        item: Json = {"sampler": samplers[texture.sampler]}
        if texture.image >= 0 and texture.image in places:
            item["source"] = places[texture.image]
        draft.add("textures", named(texture.name, item))


def _write_images(draft: Draft, images: list[Image]) -> dict[int, int]:
    """Write the pictures that are there; return their new indices by the old ones."""
    present = {index: image for index, image in enumerate(images) if not image.missing}
    for image in images:
        if image.missing:
            draft.warn(f"the picture '{image.name}' was missing and is left out")
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        files = list(pool.map(encoded_png, present.values()))
    places: dict[int, int] = {}
    for (index, image), data in zip(present.items(), files, strict=True):
        item = {"mimeType": "image/png", "bufferView": draft.view(data)}
        places[index] = draft.add("images", named(image.name, item))
    return places


def _sampler(sampler: Sampler) -> Json:
    return {
        "magFilter": _MAG[sampler.mag],
        "minFilter": _MIN[sampler.min, sampler.mipmap],
        "wrapS": _WRAP[sampler.wrap_u],
        "wrapT": _WRAP[sampler.wrap_v],
    }


def texture_info(draft: Draft, ref: TextureRef) -> Json:
    """Return one use of a texture."""
    info: Json = {"index": ref.texture, **({"texCoord": ref.texcoord} if ref.texcoord else {})}
    transform: Json = {}
    if ref.offset != (0.0, 0.0):
        transform["offset"] = list(ref.offset)
    if ref.rotation:
        transform["rotation"] = ref.rotation
    if ref.scale != (1.0, 1.0):
        transform["scale"] = list(ref.scale)
    extensions = {draft.use("KHR_texture_transform"): transform} if transform else {}
    return with_extensions(extensions, info)


def write_material(draft: Draft, source: GltfMaterial) -> int:
    """Write a material; return its index."""
    material = source.material
    item: Json = {"pbrMetallicRoughness": _metallic_roughness(draft, material)}
    for key, ref, name, number in (
        ("normalTexture", material.normal_texture, "scale", material.normal_scale),
        (
            "occlusionTexture",
            material.occlusion_texture,
            "strength",
            _unit(material.occlusion_strength),
        ),
        ("emissiveTexture", material.emissive_texture, "", 1.0),
    ):
        if ref is not None:
            item[key] = texture_info(draft, ref)
            if number != 1.0:
                item[key][name] = number
    strength = max(1.0, *material.emissive)
    item["emissiveFactor"] = [_unit(value / strength) for value in material.emissive]
    if material.alpha_mode != "opaque":
        item["alphaMode"] = material.alpha_mode.upper()
    if material.alpha_mode == "mask":
        item["alphaCutoff"] = max(material.alpha_cutoff, 0.0)
    if material.double_sided:
        item["doubleSided"] = True
    extensions = _extensions(draft, material, strength)
    item = with_extensions(extensions, with_extras(source.extras, item))
    return draft.add("materials", named(source.name, item))


def _unit(value: float) -> float:
    return min(max(float(value), 0.0), 1.0)


def _metallic_roughness(draft: Draft, material: Material) -> Json:
    item: Json = {
        "baseColorFactor": [_unit(value) for value in material.base_color],
        "metallicFactor": _unit(material.metallic),
        "roughnessFactor": _unit(material.roughness),
    }
    if material.base_color_texture is not None:
        item["baseColorTexture"] = texture_info(draft, material.base_color_texture)
    if material.metallic_roughness_texture is not None:
        info = texture_info(draft, material.metallic_roughness_texture)
        item["metallicRoughnessTexture"] = info
    return item


def _extensions(draft: Draft, material: Material, strength: float) -> Json:
    extensions: Json = {}
    strength *= material.emissive_strength
    if strength != 1.0:
        name = draft.use("KHR_materials_emissive_strength")
        extensions[name] = {"emissiveStrength": max(strength, 0.0)}
    if material.unlit:
        extensions[draft.use("KHR_materials_unlit")] = {}
    for name, body in material.extensions.items():
        extensions[draft.use(name)] = _parameters(draft, body)
    return extensions


def _parameters(draft: Draft, body: Json) -> Json:
    """Return an extension's parameters; the importer keeps one texture's scale beside it."""
    found = {key: _parameter(draft, value) for key, value in body.items()}
    scale = found.pop("clearcoatNormalScale", 1.0)
    if scale != 1.0 and "clearcoatNormalTexture" in found:
        found["clearcoatNormalTexture"]["scale"] = scale
    return found


def _parameter(draft: Draft, value: Any) -> Any:
    if isinstance(value, TextureRef):
        return texture_info(draft, value)
    return list(value) if isinstance(value, tuple) else value
