"""From a `GltfAsset` to a renderer, through the protocols of `stores`.

Assets never import the renderer: whatever adds meshes, materials and textures can take them. Each
image is uploaded once per colour space (base colour and emissive as sRGB, the rest linear), each
distinct sampler once. A renderer of None uploads nothing and gives ids of -1.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.assets.gltf.asset import GltfAsset
from engine.assets.stores import InstanceSink, MeshStore, TextureStore, UploadedGltf
from engine.assets.upload_steps import GltfUpload

__all__ = [
    "AssetInstance",
    "InstanceSink",
    "MeshStore",
    "TextureStore",
    "UploadedGltf",
    "instantiate",
    "upload_gltf",
]


@dataclass(slots=True)
class AssetInstance:
    """One primitive at one place; has the fields of the renderer's own instance."""

    mesh: int
    material: int
    world_from_local: NDArray[np.float32]
    cast_shadows: bool = True
    joint_offset: int = -1
    morph_weights: tuple[float, ...] = ()
    entity: int = 0


def upload_gltf(
    renderer: MeshStore | None,
    resources: TextureStore | None,
    asset: GltfAsset,
    lods: bool = True,
) -> UploadedGltf:
    """Upload every mesh, material and texture of `asset`.

    Parameters
    ----------
    renderer : MeshStore or None
        None uploads nothing; every id is -1.
    resources : TextureStore or None
        Where textures go; None means ``renderer.resources``.
    asset : GltfAsset
    lods : bool
        Build levels of detail for meshes of more than 64 triangles, where the renderer draws them.

    Returns
    -------
    UploadedGltf
    """
    if renderer is None:
        none = [[-1] * len(mesh.primitives) for mesh in asset.meshes]
        return UploadedGltf(none, [-1] * len(asset.materials), -1)
    upload = GltfUpload(renderer, resources, asset, lods)
    for _ in upload.steps():
        pass
    return upload.uploaded


def _drawn_nodes(asset: GltfAsset) -> Iterator[int]:
    for index in asset.reachable_nodes():
        if asset.nodes[index].mesh is not None:
            yield index


def instantiate(
    renderer: MeshStore | None,
    resources: TextureStore | None,
    asset: GltfAsset,
    scene: InstanceSink,
) -> int:
    """Upload `asset` and append one instance per (node, primitive) to `scene`, at rest pose.

    Skinned nodes get their joint matrices ``inverse(node.world) * joint.world * inverse_bind``
    appended to ``scene.joints``; morphed ones their default weights.

    Returns
    -------
    int
        The number of instances added.
    """
    uploaded = upload_gltf(renderer, resources, asset)
    before = len(scene.instances)
    for index in _drawn_nodes(asset):
        _append_node(asset, index, uploaded, scene)
    return len(scene.instances) - before


def _append_node(asset: GltfAsset, index: int, uploaded: UploadedGltf, scene: InstanceSink) -> None:
    node = asset.nodes[index]
    assert node.mesh is not None
    joint_offset = -1
    palette = asset.joint_matrices(index)
    if palette is not None:
        joint_offset = len(scene.joints)
        for matrix in palette:
            scene.joints.append(matrix)
    weights = tuple(float(w) for w in asset.rest_morph_weights(index))
    worlds = [node.world] if node.instances is None else node.world @ node.instances
    ids = uploaded.mesh_ids[node.mesh]
    for mesh, primitive in zip(ids, asset.meshes[node.mesh].primitives, strict=True):
        material = uploaded.material_of(primitive.material)
        for world in worlds:
            instance = AssetInstance(mesh, material, world)
            if primitive.mesh.has_skin():
                instance.joint_offset = joint_offset
            if primitive.mesh.has_morph():
                instance.morph_weights = weights
            scene.instances.append(instance)
