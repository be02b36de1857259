"""KHR_node_visibility: nodes that are hidden with all below them."""

from typing import TYPE_CHECKING

from engine.assets.gltf.asset import GltfNode
from engine.assets.gltf.extensions.base import Extension
from engine.assets.gltf.reader import JsonObject

if TYPE_CHECKING:
    from engine.assets.gltf.accessors import Accessors
    from engine.assets.gltf.document import Document


class _NodeVisibility(Extension):
    name = "KHR_node_visibility"

    def node(
        self, document: "Document", accessors: "Accessors", node: GltfNode, body: JsonObject
    ) -> None:
        node.visible = body.boolean("visible", True)


NODE_VISIBILITY = _NodeVisibility()
