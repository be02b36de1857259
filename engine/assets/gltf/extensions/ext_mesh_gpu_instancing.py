"""EXT_mesh_gpu_instancing: one node that draws its mesh many times."""

from typing import TYPE_CHECKING

import numpy as np

from engine.assets.gltf.asset import GltfNode
from engine.assets.gltf.extensions.base import Extension
from engine.assets.gltf.reader import JsonObject
from engine.math import compose

if TYPE_CHECKING:
    from engine.assets.gltf.accessors import Accessors
    from engine.assets.gltf.document import Document

_PARTS = (("TRANSLATION", (0, 0, 0)), ("ROTATION", (0, 0, 0, 1)), ("SCALE", (1, 1, 1)))


class _GpuInstancing(Extension):
    name = "EXT_mesh_gpu_instancing"

    def node(
        self, document: "Document", accessors: "Accessors", node: GltfNode, body: JsonObject
    ) -> None:
        attributes = body.required_object("attributes")
        given = {}
        for name, default in _PARTS:
            index = attributes.index(name, len(accessors), "accessors")
            if index is not None:
                given[name] = accessors.floats(index)
                if given[name].shape[1] != len(default):
                    attributes.fail(name, f"an accessor of VEC{len(default)}")
        counts = {len(values) for values in given.values()}
        if len(counts) > 1:
            attributes.fail("TRANSLATION", "as many instances as in the other attributes")
        count = counts.pop() if counts else 0
        document.budget.take(count * 64, body.pointer())
        parts = [
            given.get(name, np.tile(np.array(default, np.float32), (count, 1)))
            for name, default in _PARTS
        ]
        node.instances = np.asarray(compose(*parts), np.float32).reshape(count, 4, 4)


GPU_INSTANCING = _GpuInstancing()
