"""Skins, and the check that a skinned mesh and its joints fit each other."""

import numpy as np

from engine.assets.gltf.accessors import Accessors
from engine.assets.gltf.asset import GltfAsset, GltfSkin
from engine.assets.gltf.document import Document
from engine.assets.gltf.reader import JsonObject
from engine.assets.mesh import MeshData
from engine.errors import AssetError


def read_skins(document: Document, accessors: Accessors) -> list[GltfSkin]:
    """Return the skins of a document, in its order."""
    return [_skin(document, accessors, item) for item in document.root.objects("skins")]


def _skin(document: Document, accessors: Accessors, source: JsonObject) -> GltfSkin:
    node_count = len(document.root.array("nodes"))
    joints = source.indices("joints", node_count, "nodes")
    if not joints:
        source.fail("joints", "at least one node")
    if len(set(joints)) != len(joints):
        document.warn(source.pointer("joints"), "a joint is listed twice")
    inverse_bind = np.tile(np.eye(4, dtype=np.float32), (len(joints), 1, 1))
    index = source.index("inverseBindMatrices", len(accessors), "accessors")
    if index is not None:
        data = accessors.read(index)
        if data.type != "MAT4" or data.values.dtype != np.float32:
            data.source.fail("type", "MAT4 of floats for inverse bind matrices")
        if len(data.values) < len(joints):
            data.source.fail("count", f"a matrix for each of {len(joints)} joints")
        columns = data.values[: len(joints)].reshape(-1, 4, 4)
        inverse_bind = np.ascontiguousarray(np.swapaxes(columns, 1, 2), np.float32)
    return GltfSkin(
        joints,
        inverse_bind,
        source.index("skeleton", node_count, "nodes"),
        source.string("name", ""),
    )


def check_skinned_nodes(document: Document) -> None:
    """Check joint indices against skins, and skins against the loaded scene.

    Raises
    ------
    AssetError
        A vertex weighs a joint that the skin lacks, or a joint lies outside the loaded scene
        although another scene holds it.
    """
    asset = document.asset
    checked: set[tuple[int, int]] = set()
    for index, node in enumerate(asset.nodes):
        if node.skin is None or node.mesh is None or (node.mesh, node.skin) in checked:
            continue
        checked.add((node.mesh, node.skin))
        joint_count = len(asset.skins[node.skin].joints)
        for at, primitive in enumerate(asset.meshes[node.mesh].primitives):
            if primitive.mesh.has_skin():
                pointer = f"/meshes/{node.mesh}/primitives/{at}/attributes/JOINTS_0"
                _check_joints(primitive.mesh, joint_count, pointer)
            else:
                document.warn(f"/nodes/{index}", f"primitive {at} has no joints; it is not skinned")
    _check_scene(document, asset)


def _check_joints(mesh: MeshData, joint_count: int, pointer: str) -> None:
    assert mesh.joints is not None
    assert mesh.weights is not None
    if not len(mesh.joints) or int(mesh.joints.max()) < joint_count:
        return
    outside = mesh.joints >= joint_count
    if bool((mesh.weights[outside] != 0).any()):
        raise AssetError(
            f"out of range at {pointer}: joint {int(mesh.joints.max())}, but the skin has "
            f"{joint_count} joints"
        )
    mesh.joints = np.where(outside, np.uint16(0), mesh.joints)


def _check_scene(document: Document, asset: GltfAsset) -> None:
    reached = set(asset.reachable_nodes())
    elsewhere = {node for scene in asset.scenes for node in scene.nodes} - reached
    for index in sorted(reached):
        node = asset.nodes[index]
        if node.skin is None or node.mesh is None:
            continue
        missing = [joint for joint in asset.skins[node.skin].joints if joint not in reached]
        if not missing:
            continue
        if any(_top(asset, joint) in elsewhere for joint in missing):
            raise AssetError(
                f"validation failed at /nodes/{index}/skin: joint {missing[0]} of skin "
                f"{node.skin} is not in the scene that holds the mesh"
            )
        document.warn(f"/nodes/{index}/skin", f"joint {missing[0]} is in no scene")


def _top(asset: GltfAsset, node: int) -> int:
    parent = asset.nodes[node].parent
    while parent is not None:
        node, parent = parent, asset.nodes[parent].parent
    return node
