"""Nodes, scenes, skins and instances on their way into a file.

A glTF node's matrix must be one of translation, rotation and scale. One with shear is written as
two nodes: by its singular values ``M = U S V``, so the outer node turns by U and scales by S, and
the inner one, which keeps the index, turns by V.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.assets.gltf.asset import GltfAsset, GltfNode, GltfSkin
from engine.assets.gltf.matrices import decompose_all
from engine.assets.gltf_export.draft import Draft, Json, named, with_extensions, with_extras
from engine.math import compose

Floats = NDArray[np.floating]
F64 = NDArray[np.float64]
_TOLERANCE = 1e-5


@dataclass(slots=True)
class Written:
    """New indices by old ones, None for what was left out."""

    meshes: list[int | None]
    cameras: list[int]
    lights: list[int]
    moving: frozenset[int]


class Graph:
    """Writes the nodes of an asset; node i keeps its index."""

    def __init__(self, draft: Draft, asset: GltfAsset, written: Written) -> None:
        self._draft = draft
        self._asset = asset
        self._written = written
        self._outer: dict[int, int] = {}

    def write(self) -> None:
        """Write nodes, skins and scenes."""
        asset, draft = self._asset, self._draft
        placements = [self._placement(index, node) for index, node in enumerate(asset.nodes)]
        outers = [item for item, _ in placements if item is not None]
        rows = [index for index, (item, _) in enumerate(placements) if item is not None]
        self._outer = {index: len(asset.nodes) + at for at, index in enumerate(rows)}
        for (_, placement), node in zip(placements, asset.nodes, strict=True):
            draft.add("nodes", self._node(node, placement))
        for index, item in zip(rows, outers, strict=True):
            name = asset.nodes[index].name
            draft.add(
                "nodes", named(f"{name} (shear)" if name else "", {**item, "children": [index]})
            )
        for skin in asset.skins:
            self._write_skin(skin)
        self._write_scenes()

    def _place(self, node: int) -> int:
        """Return the node to hang in the tree for `node`."""
        return self._outer.get(node, node)

    # Placement ---------------------------------------------------------------------------------

    def _placement(self, index: int, node: GltfNode) -> tuple[Json | None, Json]:
        """Return the outer node that shear needs, if any, and the node's own placement."""
        if not node.has_matrix:
            return None, _parts(node.translation, node.rotation, node.scale)
        matrix = np.nan_to_num(node.local.astype(np.float64))
        parts = decompose_all(matrix[None])
        rebuilt = np.asarray(compose(*(part[0] for part in parts)), np.float64)
        size = max(float(np.abs(matrix[:3, :3]).max()), 1e-12)
        if float(np.abs(rebuilt - matrix)[:3, :3].max()) <= _TOLERANCE * size:
            if index in self._written.moving or not np.array_equal(node.local, matrix):
                return None, _parts(*(part[0] for part in parts))
            is_identity = np.array_equal(matrix, np.eye(4))
            return None, {} if is_identity else {"matrix": matrix.T.reshape(-1).tolist()}
        self._draft.warn(f"node '{node.name}' is sheared; it is written as two nodes")
        return _split_shear(matrix)

    # Nodes -------------------------------------------------------------------------------------

    def _node(self, node: GltfNode, placement: Json) -> Json:
        item = dict(placement)
        if node.children:
            item["children"] = [self._place(child) for child in node.children]
        mesh = None if node.mesh is None else self._written.meshes[node.mesh]
        if mesh is not None:
            item["mesh"] = mesh
            if node.skin is not None and self._is_skinned(node):
                item["skin"] = node.skin
            if node.morph_weights is not None and len(node.morph_weights):
                item["weights"] = node.morph_weights.tolist()
        if node.camera is not None:
            item["camera"] = self._written.cameras[node.camera]
        extensions = self._extensions(node, mesh)
        return named(node.name, with_extensions(extensions, with_extras(node.extras, item)))

    def _is_skinned(self, node: GltfNode) -> bool:
        assert node.mesh is not None
        primitives = self._asset.meshes[node.mesh].primitives
        return any(primitive.mesh.has_skin() for primitive in primitives)

    def _extensions(self, node: GltfNode, mesh: int | None) -> Json:
        draft = self._draft
        extensions: Json = {}
        if node.light is not None:
            name = draft.use("KHR_lights_punctual")
            extensions[name] = {"light": self._written.lights[node.light]}
        if not node.visible:
            extensions[draft.use("KHR_node_visibility")] = {"visible": False}
        if mesh is not None and node.instances is not None and len(node.instances):
            parts = decompose_all(node.instances.astype(np.float64))
            kinds = (("TRANSLATION", "VEC3"), ("ROTATION", "VEC4"), ("SCALE", "VEC3"))
            attributes = {
                name: draft.accessor(part, kind)
                for (name, kind), part in zip(kinds, parts, strict=True)
            }
            extensions[draft.use("EXT_mesh_gpu_instancing")] = {"attributes": attributes}
        return extensions

    # Skins -------------------------------------------------------------------------------------

    def _write_skin(self, skin: GltfSkin) -> None:
        bind = np.array(skin.inverse_bind, np.float32).reshape(-1, 4, 4)
        bind[:, 3] = (0, 0, 0, 1)
        columns = np.ascontiguousarray(np.swapaxes(np.nan_to_num(bind), 1, 2)).reshape(-1, 16)
        item: Json = {
            "joints": list(skin.joints),
            "inverseBindMatrices": self._draft.accessor(columns, "MAT4"),
        }
        if skin.skeleton is not None and self._is_above(skin.skeleton, skin.joints):
            item["skeleton"] = skin.skeleton
        self._draft.add("skins", named(skin.name, item))

    def _is_above(self, top: int, joints: list[int]) -> bool:
        """Tell whether every joint is `top` or hangs below it."""
        nodes = self._asset.nodes
        for joint in joints:
            at: int | None = joint
            while at is not None and at != top:
                at = nodes[at].parent
            if at is None:
                return False
        return True

    # Scenes ------------------------------------------------------------------------------------

    def _joined(self, tops: list[int]) -> list[int]:
        """Return the roots of a scene, below one node where a skin spans several of them."""
        placed = [self._place(node) for node in tops]
        among = set(tops)
        for skin in self._asset.skins:
            if len({self._top(joint) for joint in skin.joints} & among) > 1:
                self._draft.warn("a skin spans several roots; one node was put above them")
                return [self._draft.add("nodes", {"name": "root", "children": placed})]
        return placed

    def _top(self, node: int) -> int:
        parent = self._asset.nodes[node].parent
        while parent is not None:
            node, parent = parent, self._asset.nodes[parent].parent
        return node

    def _write_scenes(self) -> None:
        asset = self._asset
        scenes = [(scene.name, scene.nodes) for scene in asset.scenes] or [("", asset.roots)]
        for name, nodes in scenes:
            tops = self._joined([n for n in nodes if asset.nodes[n].parent is None])
            if tops or asset.scenes:
                self._draft.add("scenes", named(name, {"nodes": tops} if tops else {}))
        if "scenes" in self._draft.json:
            chosen = asset.default_scene
            if chosen is not None or not asset.scenes:
                self._draft.json["scene"] = chosen or 0


def _parts(translation: Floats, rotation: Floats, scale: Floats) -> Json:
    """Return a placement without the parts that change nothing."""
    item: Json = {}
    t, s = np.nan_to_num(translation), np.nan_to_num(scale)
    if bool(np.any(t != 0)):
        item["translation"] = t.tolist()
    exact = np.nan_to_num(np.asarray(rotation, np.float64))
    length = float(np.linalg.norm(exact))
    turned = exact / length if length > 1e-12 else np.array((0.0, 0.0, 0.0, 1.0))
    if abs(length - 1) < 1e-6:
        turned = exact
    if not np.array_equal(turned, (0, 0, 0, 1)):
        item["rotation"] = turned.tolist()
    if bool(np.any(s != 1)):
        item["scale"] = s.tolist()
    return item


def _split_shear(matrix: F64) -> tuple[Json, Json]:
    """Return the outer and the inner placement whose product is `matrix`."""
    u, sizes, v = np.linalg.svd(matrix[:3, :3])
    for turn, flipped in ((u, (slice(None), 2)), (v, (2, slice(None)))):
        if np.linalg.det(turn) < 0:
            turn[flipped] *= -1
            sizes[2] *= -1
    outer = np.eye(4)
    outer[:3, :3] = u * sizes
    outer[:3, 3] = matrix[:3, 3]
    inner = np.eye(4)
    inner[:3, :3] = v
    turns = decompose_all(np.stack([_rotation(u), inner]))[1]
    still = np.zeros(3)
    return _parts(outer[:3, 3], turns[0], sizes), _parts(still, turns[1], np.ones(3))


def _rotation(turn: F64) -> F64:
    matrix = np.eye(4)
    matrix[:3, :3] = turn
    return matrix
