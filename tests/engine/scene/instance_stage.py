"""A project folder, a world and its realiser, for tests of placed props."""

import json
import os
from pathlib import Path

import numpy as np

from engine.assets.library import AssetLibrary
from engine.ecs import World
from engine.reflect import ComponentRecord, Entity, Field, Kind
from engine.scene import (
    GltfInstance,
    InstanceNode,
    InstanceRealiser,
    KeptRecords,
    LocalTransform,
    Name,
)
from engine.scene.instances import find_node, node_path

_stamp = [1_700_000_000]


def write_asset(path: Path, nodes: list[dict], **more: object) -> Path:
    """Write a .gltf whose nodes with a mesh draw one triangle."""
    positions = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], np.float32)
    (path.parent / "tri.bin").write_bytes(positions.tobytes())
    document = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": more.pop("roots", [0])}],
        "nodes": nodes,
        "buffers": [{"uri": "tri.bin", "byteLength": 36}],
        "bufferViews": [{"buffer": 0, "byteLength": 36}],
        "accessors": [
            {
                "bufferView": 0,
                "componentType": 5126,
                "count": 3,
                "type": "VEC3",
                "min": [0, 0, 0],
                "max": [1, 1, 0],
            }
        ],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        **more,
    }
    path.write_text(json.dumps(document))
    _stamp[0] += 10
    os.utime(path, (_stamp[0], _stamp[0]))
    return path


ARM = [
    {"name": "Body", "children": [1, 2], "mesh": 0},
    {"name": "Arm", "translation": [1, 0, 0], "mesh": 0},
    {"name": "Arm", "translation": [-1, 0, 0], "children": [3]},
    {"mesh": 0},
]


class Stage:
    """A world with a realiser over a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.world = World()
        self.library = AssetLibrary(folder)
        self.realiser = InstanceRealiser(self.world, self.library)

    def place(self, asset: str = "arm.gltf", **switches: object) -> Entity:
        root = self.world.spawn(Name("prop"), LocalTransform(), GltfInstance(asset, **switches))
        self.realiser.settle()
        return root

    def rewrite(self, nodes: list[dict], **more: object) -> list[Entity]:
        write_asset(self.folder / "arm.gltf", nodes, **more)
        self.library.check_for_changes()
        return self.realiser.settle()

    def override(self, node: Entity, name: str, **fields: tuple[Kind, object]) -> None:
        if not self.world.has(node, InstanceNode):
            self.world.add(node, InstanceNode(*node_path(self.world, node)))
        kept = self.world.get(node, KeptRecords) if self.world.has(node, KeptRecords) else None
        records = kept.records if kept else []
        fields_ = [Field.of(n, kind, value) for n, (kind, value) in fields.items()]
        records.append((len(records) + 1, ComponentRecord(name, fields_)))
        self.world.add(node, KeptRecords(records))

    def node(self, root: Entity, path: str) -> Entity:
        found = find_node(self.world, root, path)
        assert found, path
        return found
