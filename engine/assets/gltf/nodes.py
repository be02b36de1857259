"""Nodes and scenes: a file's graph made into a forest.

A glTF file may list a node as a child twice, as a root and a child, or in a cycle. The rule here:
walking the chosen scene first, then the others, then the rest, each node belongs to whoever
reaches it first; `children` and `parent` say that, and a warning names what was dropped. Nothing
recurses, so chains may be thousands of nodes deep.
"""

from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.assets.gltf.accessors import Accessors
from engine.assets.gltf.asset import GltfAsset, GltfNode, GltfScene
from engine.assets.gltf.document import Document
from engine.assets.gltf.extensions import applied
from engine.assets.gltf.matrices import decompose_all
from engine.assets.gltf.reader import LARGEST, JsonObject
from engine.errors import AssetError
from engine.math import compose

F32 = NDArray[np.float32]


class Nodes:
    """Reads scenes and nodes of one file into its asset."""

    def __init__(self, document: Document, accessors: Accessors) -> None:
        self._document = document
        self._accessors = accessors
        self._sources = document.root.objects("nodes")
        self._keys = set(chain.from_iterable(self._sources.values))
        count = len(self._sources)
        self._children: list[list[int]] = [
            self._sources[i].indices("children", count, "nodes") if "children" in value else []
            for i, value in enumerate(self._sources.values)
        ]
        self._parents: list[int | None] = [None] * count

    def read(self, scene: int | str | None) -> None:
        """Fill ``nodes``, ``scenes``, ``default_scene`` and ``roots`` of the asset."""
        asset = self._document.asset
        root = self._document.root
        asset.scenes = [self._scene(source) for source in root.objects("scenes")]
        asset.default_scene = root.index("scene", len(asset.scenes), "scenes")
        asset.roots = self._roots(asset, scene)
        self._make_forest(asset)
        self._read_nodes(asset)
        self._world_matrices(asset)

    def _scene(self, source: JsonObject) -> GltfScene:
        nodes = source.indices("nodes", len(self._sources), "nodes")
        return GltfScene(source.string("name", ""), list(dict.fromkeys(nodes)))

    def _roots(self, asset: GltfAsset, scene: int | str | None) -> list[int]:
        chosen = asset.default_scene if scene is None else _find_scene(asset, scene)
        if chosen is None and asset.scenes:
            chosen = 0
        if chosen is not None:
            return list(asset.scenes[chosen].nodes)
        listed = {child for children in self._children for child in children}
        return [node for node in range(len(self._sources)) if node not in listed]

    def _make_forest(self, asset: GltfAsset) -> None:
        count = len(self._sources)
        reached = [False] * count
        starts = [*asset.roots, *(n for scene in asset.scenes for n in scene.nodes)]
        listed = {child for children in self._children for child in children}
        starts += [n for n in range(count) if n not in listed]
        starts += range(count)
        for start in starts:
            if not reached[start]:
                self._walk(start, reached)
        for node in range(count):
            kept = [child for child in self._children[node] if self._parents[child] == node]
            if len(kept) != len(self._children[node]) or len(set(kept)) != len(kept):
                self._warn_dropped(node, kept)
                self._children[node] = list(dict.fromkeys(kept))

    def _walk(self, start: int, reached: list[bool]) -> None:
        reached[start] = True
        todo = [start]
        while todo:
            node = todo.pop()
            fresh = []
            for child in self._children[node]:
                if not reached[child]:
                    reached[child] = True
                    self._parents[child] = node
                    fresh.append(child)
            todo.extend(reversed(fresh))

    def _warn_dropped(self, node: int, kept: list[int]) -> None:
        for child in dict.fromkeys(self._children[node]):
            if child not in kept or self._children[node].count(child) > 1:
                name = self._sources[child].value.get("name", "")
                self._document.change(
                    self._sources[node].pointer("children"),
                    f"node {child} '{name}' is reached more than once or in a cycle; it stays "
                    "where it was reached first",
                )

    # Values ----------------------------------------------------------------------------------

    def _read_nodes(self, asset: GltfAsset) -> None:
        translations = self._vectors("translation", (0, 0, 0))
        rotations = self._vectors("rotation", (0, 0, 0, 1))
        scales = self._vectors("scale", (1, 1, 1))
        matrices = {i: self._sources[i].floats("matrix", 16) for i in self._rows_with("matrix")}
        locals_ = self._locals((translations, rotations, scales), matrices)
        rows = zip(self._sources, translations, rotations, scales, locals_, strict=True)
        for i, (source, t, r, s, local) in enumerate(rows):
            asset.nodes.append(self._node(i, source, (t, r, s), local))

    def _rows_with(self, key: str) -> list[int]:
        """Return which nodes have a property."""
        if key not in self._keys:
            return []
        return [i for i, value in enumerate(self._sources.values) if key in value]

    def _vectors(self, key: str, default: tuple[float, ...]) -> F32:
        """Return one vector per node, read in one go where all are well formed."""
        values = self._sources.values
        out = np.empty((len(values), len(default)), np.float32)
        out[:] = default
        rows = self._rows_with(key)
        if not rows:
            return out
        given = [values[i][key] for i in rows]
        is_plain = (
            set(map(type, given)) == {list}
            and set(map(len, given)) == {len(default)}
            and set(map(type, chain.from_iterable(given))) <= {float, int}
        )
        numbers = np.array(given, np.float64) if is_plain else None
        if numbers is None or not bool((np.abs(numbers) <= LARGEST).all()):
            # Something is wrong; reading one by one tells where.
            numbers = np.array([self._sources[i].floats(key, len(default)) for i in rows])
        out[rows] = numbers
        return out

    def _locals(self, trs: tuple[F32, F32, F32], matrices: dict[int, tuple[float, ...]]) -> F32:
        """Compose local matrices; nodes with a matrix also get their parts from it."""
        translations, rotations, scales = trs
        if not self._keys & _TURNING:
            composed = np.empty((len(translations), 4, 4), np.float32)
            composed[:] = np.eye(4, dtype=np.float32)
            composed[:, :3, 3] = translations
            return composed
        lengths = np.linalg.norm(rotations, axis=1)
        for i in np.flatnonzero(~(np.abs(lengths - 1.0) < 1e-3)).tolist():
            self._document.change(self._sources[i].pointer("rotation"), "not a unit quaternion")
            if lengths[i] > 1e-12:
                rotations[i] /= lengths[i]
            else:
                rotations[i] = (0.0, 0.0, 0.0, 1.0)
        composed = np.asarray(compose(translations, rotations, scales), np.float32)
        if matrices:
            rows = np.fromiter(matrices, np.int64, len(matrices))
            given = np.array(list(matrices.values()), np.float64).reshape(-1, 4, 4)
            given = np.swapaxes(given, 1, 2)
            if bool((given[:, 3] != (0, 0, 0, 1)).any()):
                self._document.change("/nodes", "a matrix whose last row is not 0 0 0 1")
            given[:, 3] = (0, 0, 0, 1)
            composed[rows] = given
            translations[rows], rotations[rows], scales[rows] = decompose_all(given)
        return composed

    def _node(
        self, index: int, source: JsonObject, trs: tuple[F32, F32, F32], local: F32
    ) -> GltfNode:
        asset, value = self._document.asset, source.value
        node = GltfNode(
            name=source.string("name", ""),
            parent=self._parents[index],
            children=self._children[index],
            mesh=source.index("mesh", len(asset.meshes), "meshes") if "mesh" in value else None,
            skin=None,
            camera=None,
            light=None,
            translation=trs[0],
            rotation=trs[1],
            scale=trs[2],
            local=local,
            world=local,
            has_matrix="matrix" in value,
            extras=value.get("extras"),
        )
        if len(value.keys() & _RARE_KEYS):
            self._rare(node, source)
        return node

    def _rare(self, node: GltfNode, source: JsonObject) -> None:
        asset = self._document.asset
        node.skin = source.index("skin", len(asset.skins), "skins")
        node.camera = source.index("camera", len(asset.cameras), "cameras")
        if source.has("weights"):
            node.morph_weights = self._morph_weights(node, source)
        extensions: dict[str, Any] = source.value.get("extensions", {})
        node.extensions = extensions
        for extension, body in applied(source):
            extension.node(self._document, self._accessors, node, body)

    def _morph_weights(self, node: GltfNode, source: JsonObject) -> F32 | None:
        given = source.floats("weights", None)
        if node.mesh is None:
            self._document.ignore(source.pointer("weights"), "weights on a node without a mesh")
            return None
        weights = np.zeros_like(self._document.asset.meshes[node.mesh].weights)
        if len(given) != len(weights):
            self._document.change(
                source.pointer("weights"), f"{len(given)} weights for {len(weights)} targets"
            )
        weights[: len(given)] = given[: len(weights)]
        return weights

    def _world_matrices(self, asset: GltfAsset) -> None:
        """Multiply down the forest, one batched product per level."""
        count = len(asset.nodes)
        worlds = np.empty((count, 4, 4), np.float64)
        locals_ = np.array([node.local for node in asset.nodes], np.float64).reshape(-1, 4, 4)
        level = [n for n in range(count) if self._parents[n] is None]
        worlds[level] = locals_[level]
        while level:
            level = [child for node in level for child in self._children[node]]
            if level:
                parents = [parent for node in level if (parent := self._parents[node]) is not None]
                worlds[level] = worlds[parents] @ locals_[level]
        for node, world in zip(asset.nodes, worlds.astype(np.float32), strict=True):
            node.world = world


_TURNING = {"rotation", "scale", "matrix"}
_RARE_KEYS = {"skin", "camera", "weights", "extensions"}


def _find_scene(asset: GltfAsset, scene: int | str) -> int:
    """Return the index of the scene that the caller asked for."""
    if isinstance(scene, str):
        names = [found.name for found in asset.scenes]
        if scene in names:
            return names.index(scene)
        raise AssetError(f"out of range at /scenes: no scene is called '{scene}', found {names}")
    if not 0 <= scene < len(asset.scenes):
        raise AssetError(
            f"out of range at /scenes: scene {scene}, but there are {len(asset.scenes)} scenes"
        )
    return scene
