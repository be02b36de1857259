"""Warnings about what a file says, beyond what reading it shows.

These are the things that the Khronos validator warns of and that change nothing in what was read:
misspelled properties, transforms that cannot act, extensions that need each other.
"""

import math
import re
from collections.abc import Iterator

import numpy as np

from engine.assets.gltf.asset import GltfAsset, GltfMaterial
from engine.assets.gltf.document import Document
from engine.assets.gltf.known_properties import unknown_properties

Advice = Iterator[tuple[str, str]]

_EXTENSION_NAME = re.compile(r"^[A-Z0-9]+_[A-Za-z0-9_]+$")
_MOST_UNKNOWN = 20
_TRANSMITTING = ("KHR_materials_transmission", "KHR_materials_diffuse_transmission")


def advise(document: Document) -> None:
    """Warn of everything odd in a file that was read."""
    asset = document.asset
    for pointer, text in _about_properties(document):
        document.ignore(pointer, text)
    for advice in (
        _about_root(document),
        _about_skinned_nodes(asset),
        _about_tangents(asset),
        _about_cameras(asset),
        _about_materials(document),
    ):
        for pointer, text in advice:
            document.warn(pointer, text)


def _about_properties(document: Document) -> Advice:
    found = sorted(unknown_properties(document.root))
    for pointer in found[:_MOST_UNKNOWN]:
        yield pointer, "glTF defines no such property here; it is ignored"
    if len(found) > _MOST_UNKNOWN:
        yield "/", f"{len(found) - _MOST_UNKNOWN} more properties that glTF does not define"


def _about_root(document: Document) -> Advice:
    version = document.root.required_object("asset").string("version")
    if version != "2.0":
        yield "/asset/version", f"glTF {version} is read as 2.0"
    for at, name in enumerate(document.root.array("extensionsUsed")):
        if type(name) is str and not _EXTENSION_NAME.match(name):
            yield f"/extensionsUsed/{at}", f"'{name}' is no name for an extension"


def _about_skinned_nodes(asset: GltfAsset) -> Advice:
    for index, node in enumerate(asset.nodes):
        if node.mesh is None:
            continue
        if node.skin is None:
            if any(p.mesh.has_skin() for p in asset.meshes[node.mesh].primitives):
                yield f"/nodes/{index}", "its mesh is made for a skin, but the node has none"
            continue
        if node.parent is not None:
            yield f"/nodes/{index}", "a skinned mesh is not moved by its parents"
        if not np.array_equal(node.local, np.eye(4)):
            yield f"/nodes/{index}", "a skinned mesh is not moved by its own transform"


def _about_tangents(asset: GltfAsset) -> Advice:
    for m, mesh in enumerate(asset.meshes):
        for p, primitive in enumerate(mesh.primitives):
            data, pointer = primitive.mesh, f"/meshes/{m}/primitives/{p}"
            if data.tangents is not None and data.normals is None:
                yield f"{pointer}/attributes/TANGENT", "tangents without normals are ignored"
            elif data.tangents is None and data.needs_tangents and data.topology == "triangles":
                text = "no tangents for its normal map; they are computed (MikkTSpace)"
                yield f"{pointer}/material", text


def _about_cameras(asset: GltfAsset) -> Advice:
    for index, camera in enumerate(asset.cameras):
        if camera.kind == "perspective" and camera.fov_y >= math.pi:
            yield f"/cameras/{index}/perspective/yfov", "an angle of 180 degrees or more"
        if camera.kind == "orthographic" and min(camera.x_mag, camera.y_mag) <= 0:
            yield f"/cameras/{index}/orthographic", "a width or height that is not above 0"


def _about_materials(document: Document) -> Advice:
    for index, material in enumerate(document.asset.materials):
        pointer = f"/materials/{index}"
        source = document.root.array("materials")[index]
        if "alphaCutoff" in source and material.material.alpha_mode != "mask":
            yield f"{pointer}/alphaCutoff", "only the alpha mode MASK has a cutoff"
        for name, text in _about_extensions(material):
            yield f"{pointer}/extensions/{name}", text


def _about_extensions(material: GltfMaterial) -> Advice:
    names = material.extensions.keys()
    if "KHR_materials_volume" in names:
        if not any(name in names for name in _TRANSMITTING):
            yield "KHR_materials_volume", "a volume without transmission cannot be seen"
        if material.material.double_sided:
            yield "KHR_materials_volume", "a double-sided material encloses no volume"
    if "KHR_materials_dispersion" in names and "KHR_materials_volume" not in names:
        yield "KHR_materials_dispersion", "dispersion needs a volume"
    if "KHR_materials_emissive_strength" in names and not any(material.material.emissive):
        yield "KHR_materials_emissive_strength", "the emissive factor is zero; it has no effect"
