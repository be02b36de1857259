"""Whether the numbers of a cooked asset fit each other: what the importer checks of a glTF file."""

import math
from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from engine.assets.gltf.asset import (
    CHANNEL_PATHS,
    INTERPOLATIONS,
    GltfAsset,
    GltfMaterial,
    GltfNode,
)
from engine.assets.lods import MeshLod
from engine.assets.material import TextureRef
from engine.errors import AssetError
from engine.stream_facts import StreamFacts

_MAX_LEVELS = 16
_UV_SETS = 2
_CORNERS = {"triangles": 3, "lines": 2, "points": 1}
_COMPONENTS = {0: 3, 1: 4, 2: 3}
_CUBIC = INTERPOLATIONS.index("CUBICSPLINE")
_POINTER = CHANNEL_PATHS.index("pointer")
_WEIGHTS = CHANNEL_PATHS.index("weights")


def _fail(problem: str) -> NoReturn:
    raise AssetError(f"cooked asset: {problem}")


def check_corners(indices: NDArray[Any], topology: str) -> None:
    """Refuse indices that end within a triangle or a line."""
    if len(indices) % _CORNERS[topology]:
        _fail(f"{len(indices)} indices are not whole {topology}")


def check_indices(indices: NDArray[Any], count: int) -> None:
    """Refuse indices that are not below `count`."""
    if not len(indices):
        return
    # What has no sign is not below 0.
    low = 0 if indices.dtype.kind == "u" else int(indices.min())
    if (most := int(indices.max())) >= count or low < 0:
        _fail(f"index {most} out of range of {count}")


def check_levels(levels: Sequence[MeshLod], indices: int, topology: str) -> None:
    """Refuse levels of detail that leave their indices."""
    if not 1 <= len(levels) <= _MAX_LEVELS:
        _fail(f"{len(levels)} levels, expected 1 to {_MAX_LEVELS}")
    corners = _CORNERS[topology]
    for level in levels:
        first, count = level.first_index, level.index_count
        if first < 0 or count < 0 or count % corners or first + count > indices:
            _fail(f"level {first} + {count} out of range of {indices} indices")


def check_facts(facts: StreamFacts | None) -> None:
    """Refuse facts that are none of any mesh."""
    if facts is None:
        return
    is_possible = 0 <= facts.digest < 1 << 32 and 0.0 <= facts.uv_density < math.inf
    if not is_possible or facts.size < 0 or not 0 <= facts.maker < 1 << 32:
        _fail(f"{facts} of a mesh")


def check_channels(rows: NDArray[np.int64], times: int, values: int) -> None:
    """Refuse channels whose keys leave the arrays, or whose counts contradict each other."""
    if len(rows) and bool((np.abs(rows) > 1 << 40).any()):
        _fail("a channel with numbers out of range")
    for at, (_, path, interpolation, components, start, keys, size) in enumerate(rows.tolist()):
        if not 0 <= path < len(CHANNEL_PATHS) or not 0 <= interpolation < len(INTERPOLATIONS):
            _fail(f"channel {at}: path {path} or interpolation {interpolation} out of range")
        if components < 0 or components != _COMPONENTS.get(path, components):
            _fail(f"channel {at}: {components} components")
        if start < 0 or keys < 0 or start + keys > times:
            _fail(f"channel {at}: keys {start} + {keys} out of range of {times}")
        if size != keys * components * (3 if interpolation == _CUBIC else 1):
            _fail(f"channel {at}: {size} values for {keys} keys")
    if int(rows[:, 6].sum()) != values:
        _fail(f"{values} values, but the channels have {int(rows[:, 6].sum())}")


def split_children(
    parents: Sequence[int], counts: Sequence[int], children: Sequence[int]
) -> list[list[int]]:
    """Return the children of each node; refuse what is no tree.

    Parameters
    ----------
    parents : (n,) sequence of int
        -1 for roots.
    counts : (n,) sequence of int
        How many children each has.
    children : (c,) sequence of int
        Those of all nodes, one node's after the other's.

    Raises
    ------
    AssetError
    """
    if min(counts, default=0) < 0 or sum(counts) != len(children):
        _fail(f"{len(children)} children, which is not what the nodes have together")
    _check_all(children, len(parents), "index")
    # Lists rather than arrays: most assets have few nodes, and the others are made one by one.
    above, split, end = [-1] * len(parents), [], 0
    for node, size in enumerate(counts):
        own = list(children[end : end + size])
        for child in own:
            above[child] = node
        split.append(own)
        end += size
    if len(set(children)) != len(children) or above != list(parents):
        _fail("parents and children of nodes contradict each other")
    _check_acyclic(parents)
    return split


def _check_acyclic(parents: Sequence[int]) -> None:
    """Refuse nodes that are their own ancestors: from none of them is there a way to a root."""
    # How a node is known: by the node that a way upwards began with, or as below a root.
    reached, below_root = [-1] * len(parents), len(parents)
    for start in range(len(parents)):
        way, node = [], start
        while node >= 0 and reached[node] < 0:
            reached[node] = start
            way.append(node)
            node = parents[node]
        if node >= 0 and reached[node] == start:
            _fail("a node is its own ancestor")
        for passed in way:
            reached[passed] = below_root


def check_asset(asset: GltfAsset) -> None:
    """Refuse an asset with an index that names nothing.

    Raises
    ------
    AssetError
        ``cooked asset``.
    """
    count = len(asset.nodes)
    for texture in asset.textures:
        _check(texture.image, len(asset.images), "image", -1)
    for material in asset.materials:
        _check_material(material, len(asset.textures))
    for part in (part for mesh in asset.meshes for part in mesh.primitives):
        _check(part.material, len(asset.materials), "material", -1)
        _check_all(part.variants, len(asset.variants), "variant")
        _check_all(part.variants.values(), len(asset.materials), "material")
    for skin in asset.skins:
        _check_all(skin.joints, count, "node")
        _check_all([] if skin.skeleton is None else [skin.skeleton], count, "node")
    for node in asset.nodes:
        _check_node(node, asset)
    for scene in asset.scenes:
        _check_all(scene.nodes, count, "node")
    _check_all(asset.roots, count, "node")
    _check_all(
        [] if asset.default_scene is None else [asset.default_scene], len(asset.scenes), "scene"
    )
    for channel in (channel for clip in asset.animations for channel in clip.channels):
        _check(channel.node, count, "node", -1 if channel.path == _POINTER else 0)
        if channel.path == _WEIGHTS:
            _check_count(channel.components, len(asset.rest_morph_weights(channel.node)), "weights")
    _check_weights(asset)
    _check_images(asset)


def _check(index: int, count: int, what: str, lowest: int = 0) -> None:
    if not lowest <= index < count:
        _fail(f"{what} {index} out of range of {count}")


def _check_all(indices: Iterable[int], count: int, what: str) -> None:
    for index in indices:
        _check(index, count, what)


def _check_count(found: int, expected: int, what: str) -> None:
    if found != expected:
        _fail(f"{found} {what}, expected {expected}")


def _check_weights(asset: GltfAsset) -> None:
    """Refuse weights that are not one for each target."""
    for mesh in asset.meshes:
        targets = max((len(p.mesh.morph_targets) for p in mesh.primitives), default=0)
        _check_count(len(mesh.weights), targets, "weights")
    for node in asset.nodes:
        if node.mesh is not None and node.morph_weights is not None:
            _check_count(len(node.morph_weights), len(asset.meshes[node.mesh].weights), "weights")


def _check_images(asset: GltfAsset) -> None:
    for image in asset.images:
        if 0 in image.pixels.shape:
            _fail(f"picture {image.name!r} of shape {image.pixels.shape}")


def _check_material(material: GltfMaterial, textures: int) -> None:
    for index in material.textures:
        _check(index, textures, "texture", -1)
    found = list(material.material.textures())
    for body in material.material.extensions.values():
        found += [value for value in body.values() if isinstance(value, TextureRef)]
    for reference in found:
        if reference is not None:
            _check(reference.texture, textures, "texture")
            _check(reference.texcoord, _UV_SETS, "UV set")


def _check_node(node: GltfNode, asset: GltfAsset) -> None:
    for index, of, what in (
        (node.mesh, asset.meshes, "mesh"),
        (node.skin, asset.skins, "skin"),
        (node.camera, asset.cameras, "camera"),
        (node.light, asset.lights, "light"),
    ):
        if index is not None:
            _check(index, len(of), what)
    if node.mesh is not None and node.skin is not None:
        joints = len(asset.skins[node.skin].joints)
        for mesh in (part.mesh for part in asset.meshes[node.mesh].primitives):
            for found in (mesh.joints, mesh.render_mesh(mesh.tangents is not None).joints):
                if found is not None and found.size:
                    _check(int(found.max()), joints, "joint")
