"""Small glTF assets in memory, node by node."""

import numpy as np

from engine.assets import (
    GltfAsset,
    GltfMesh,
    GltfNode,
    GltfPrimitive,
    GltfSkin,
    MeshData,
    UploadedGltf,
)
from engine.math import compose
from engine.scene import (
    spawn_gltf,
)

IDENTITY = np.eye(4, dtype=np.float32)


def node(name="", parent=None, children=(), translation=(0, 0, 0), **more):
    """A node whose world matrix is set by `asset_of`."""
    moved = np.asarray(translation, np.float32)
    rotation, scale = np.float32([0, 0, 0, 1]), np.float32([1, 1, 1])
    values = {"mesh": None, "skin": None, "camera": None, "light": None, **more}
    local = values.pop("local", None)
    return GltfNode(
        name,
        parent,
        list(children),
        values.pop("mesh"),
        values.pop("skin"),
        values.pop("camera"),
        values.pop("light"),
        moved,
        rotation,
        scale,
        compose(moved, rotation, scale) if local is None else np.asarray(local, np.float32),
        IDENTITY.copy(),
        has_matrix=local is not None,
        **values,
    )


def triangle(**more):
    return MeshData(positions=np.float32([[0, 0, 0], [1, 0, 0], [0, 1, 0]]), **more)


def mesh(*materials, data=triangle, weights=()):
    primitives = [GltfPrimitive(data(), material) for material in materials]
    return GltfMesh("mesh", primitives, np.asarray(weights, np.float32))


def asset_of(nodes, roots=(0,), **more):
    asset = GltfAsset("prop", nodes=nodes, roots=list(roots), **more)
    for index in asset.reachable_nodes():
        found = nodes[index]
        above = IDENTITY if found.parent is None else nodes[found.parent].world
        found.world = above @ found.local
    return asset


def ids_of(asset):
    mesh_ids = [[10 * m + p for p in range(len(x.primitives))] for m, x in enumerate(asset.meshes)]
    return UploadedGltf(mesh_ids, [100 + m for m in range(len(asset.materials))], 999)


def spawn(world, asset, **more):
    more.setdefault("uploaded", ids_of(asset))
    return spawn_gltf(None, None, asset, world, **more)


def skinned_asset():
    inverse_bind = np.tile(IDENTITY, (2, 1, 1))
    inverse_bind[1, 1, 3] = -1
    rigged = lambda: triangle(
        joints=np.zeros((3, 4), np.uint16), weights=np.tile(np.float32([1, 0, 0, 0]), (3, 1))
    )
    return asset_of(
        [
            node("figure", children=[1], mesh=0, skin=0, translation=(3, 0, 0)),
            node("hip", 0, [2], translation=(0, 1, 0)),
            node("head", 1, translation=(0, 1, 0)),
        ],
        meshes=[mesh(-1, data=rigged)],
        skins=[GltfSkin([1, 2], inverse_bind)],
    )
