"""World-space boxes of an asset, at rest.

Unposed: every vertex times its node's world matrix. Posed: default morph weights, joint matrices
(a skinned mesh ignores its own node's transform, glTF 2.0, 3.7.3.3) and GPU instances.
"""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.assets.bounds import SceneBounds
from engine.assets.mesh import MeshData

if TYPE_CHECKING:
    from engine.assets.gltf.asset import GltfAsset, GltfNode

F64 = NDArray[np.float64]


class _Box:
    """A box that grows."""

    def __init__(self) -> None:
        self.low = np.full(3, np.inf)
        self.high = np.full(3, -np.inf)

    def add(self, low: F64, high: F64) -> None:
        self.low = np.fmin(self.low, low)
        self.high = np.fmax(self.high, high)

    def bounds(self) -> SceneBounds:
        if not np.all(self.low <= self.high):
            return SceneBounds(np.zeros(3, np.float32), np.zeros(3, np.float32))
        return SceneBounds(self.low.astype(np.float32), self.high.astype(np.float32))


def _transformed_box(points: NDArray[np.floating], matrix: F64) -> tuple[F64, F64]:
    rotated = points @ matrix[:3, :3].T.astype(points.dtype)
    offset = matrix[:3, 3]
    return rotated.min(axis=0) + offset, rotated.max(axis=0) + offset


def _morphed(mesh: MeshData, weights: NDArray[np.float32]) -> NDArray[np.floating]:
    points: NDArray[np.floating] = mesh.positions
    for target, weight in zip(mesh.morph_targets, weights, strict=False):
        if weight and target.positions is not None:
            points = points + target.positions * weight
    return points


def _skinned(mesh: MeshData, points: NDArray[np.floating], joints: F64) -> F64:
    assert mesh.joints is not None
    assert mesh.weights is not None
    out = np.zeros((len(points), 3))
    for k in range(4):
        matrices = joints[mesh.joints[:, k]]
        moved = np.einsum("nij,nj->ni", matrices[:, :3, :3], points) + matrices[:, :3, 3]
        out += moved * mesh.weights[:, k, None]
    return out


def _add_node(box: _Box, asset: "GltfAsset", index: int, node: "GltfNode", posed: bool) -> None:
    assert node.mesh is not None
    world = node.world.astype(np.float64)
    joints = None
    if posed and node.skin is not None:
        joints = asset.world_joint_matrices(node.skin)
    weights = asset.rest_morph_weights(index) if posed else np.zeros(0, np.float32)
    for primitive in asset.meshes[node.mesh].primitives:
        mesh = primitive.mesh
        if not len(mesh.positions):
            continue
        points = _morphed(mesh, weights)
        if joints is not None and mesh.has_skin():
            moved = _skinned(mesh, points, joints)
            box.add(moved.min(axis=0), moved.max(axis=0))
        elif posed and node.instances is not None:
            for local in node.instances.astype(np.float64):
                box.add(*_transformed_box(points, world @ local))
        else:
            box.add(*_transformed_box(points, world))


def scene_bounds(asset: "GltfAsset", posed: bool) -> SceneBounds:
    """Return the box of all meshes below the asset's roots; an empty asset has a zero box."""
    box = _Box()
    with np.errstate(all="ignore"):
        for index in asset.reachable_nodes():
            node = asset.nodes[index]
            if node.mesh is not None:
                _add_node(box, asset, index, node, posed)
        return box.bounds()
