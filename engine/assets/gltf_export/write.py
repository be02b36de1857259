"""`export_glb`: a `GltfAsset` as a .glb that passes the Khronos validator.

What the importer reads is written back under the same index, pictures as PNG, geometry as floats.
Data that the specification forbids is repaired, with a warning where that can be seen.
"""

from dataclasses import dataclass, field
from typing import Any

from engine.assets.gltf.asset import GltfAsset
from engine.assets.gltf_export.draft import Draft, Json
from engine.assets.gltf_export.geometry import write_mesh
from engine.assets.gltf_export.graph import Graph, Written
from engine.assets.gltf_export.lenses import light_item, write_camera
from engine.assets.gltf_export.motion import Motion
from engine.assets.gltf_export.surfaces import write_material, write_textures

_GENERATOR = "Cinder editor"
_XMP = "KHR_xmp_json_ld"


@dataclass(frozen=True, slots=True)
class ExportedGlb:
    """The bytes of a file, and what could not be written as it was."""

    data: bytes
    warnings: list[str] = field(default_factory=list)


def export_glb(asset: GltfAsset) -> ExportedGlb:
    """Write an asset as binary glTF 2.0.

    Raises
    ------
    AssetError
        The file would pass 4 GiB, or its extras are no JSON.
    """
    draft = Draft()
    draft.json["asset"] = _asset_info(asset.asset_info)
    if asset.extras is not None:
        draft.json["extras"] = asset.extras
    write_textures(draft, asset)
    for material in asset.materials:
        write_material(draft, material)
    lights = [light_item(light) for light in asset.lights]
    written = Written(
        meshes=[write_mesh(draft, asset, mesh) for mesh in asset.meshes],
        cameras=[write_camera(draft, camera) for camera in asset.cameras],
        lights=list(range(len(lights))),
        moving=frozenset(c.node for a in asset.animations for c in a.channels),
    )
    Graph(draft, asset, written).write()
    motion = Motion(draft)
    for animation in asset.animations:
        motion.write(animation)
    _write_root_extensions(draft, asset, lights)
    return ExportedGlb(draft.to_bytes(), draft.warnings)


def _asset_info(source: Json) -> Json:
    kept: Json = {key: source[key] for key in ("copyright", "extras") if key in source}
    return {"version": "2.0", "generator": _GENERATOR, **kept}


def _write_root_extensions(draft: Draft, asset: GltfAsset, lights: list[Json]) -> None:
    extensions: dict[str, Any] = {}
    if lights:
        extensions[draft.use("KHR_lights_punctual")] = {"lights": lights}
    if asset.variants:
        variants = [{"name": name} for name in asset.variants]
        extensions[draft.use("KHR_materials_variants")] = {"variants": variants}
    if _XMP in asset.extensions:
        extensions[draft.use(_XMP)] = asset.extensions[_XMP]
    if extensions:
        draft.json["extensions"] = extensions
