"""What an extension may change while a file is read.

An extension is one object in one file, listed in `engine.assets.gltf.extensions.EXTENSIONS`. Each
hook gets the extension's own JSON object (`body`) and does nothing by default.
"""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.assets.gltf.asset import GltfMaterial, GltfNode, GltfPrimitive
from engine.assets.gltf.reader import JsonObject
from engine.assets.material import TextureRef

if TYPE_CHECKING:
    from engine.assets.gltf.accessors import AccessorData, Accessors
    from engine.assets.gltf.buffers import Buffers
    from engine.assets.gltf.document import Document
    from engine.assets.gltf.materials import Materials

Attributes = dict[str, "AccessorData"]


class Extension:
    """An extension that is understood; hooks are overridden where it changes something."""

    name = ""

    def start(self, document: "Document", body: JsonObject) -> None:
        """Read the extension's object at the root of the file."""

    def buffer_view(
        self, document: "Document", buffers: "Buffers", body: JsonObject
    ) -> memoryview | None:
        """Return the bytes of a buffer view that the extension stores in its own way."""
        return None

    def geometry(
        self, document: "Document", buffers: "Buffers", primitive: JsonObject, body: JsonObject
    ) -> tuple[dict[str, NDArray[np.generic]], NDArray[np.uint32] | None] | None:
        """Return decoded attributes and indices of a primitive stored in its own way."""
        return None

    def primitive(self, document: "Document", primitive: GltfPrimitive, body: JsonObject) -> None:
        """Change or annotate a primitive that was read."""

    def image_of_texture(self, document: "Document", body: JsonObject) -> int | None:
        """Return the image that a texture uses instead of its ``source``."""
        return None

    def texture_reference(self, reference: TextureRef, body: JsonObject) -> TextureRef:
        """Return the reference with what the extension adds."""
        return reference

    def material(
        self, document: "Document", materials: "Materials", material: GltfMaterial, body: JsonObject
    ) -> None:
        """Change a material that was read."""

    def node(
        self, document: "Document", accessors: "Accessors", node: GltfNode, body: JsonObject
    ) -> None:
        """Change a node that was read."""

    def animation_target(self, document: "Document", body: JsonObject) -> str | None:
        """Return the JSON pointer that an animation channel targets."""
        return None


class KeptExtension(Extension):
    """An extension whose parameters are kept as they are, for a renderer that knows them."""

    def __init__(self, name: str) -> None:
        self.name = name


class TextureSource(Extension):
    """An extension that gives a texture another image."""

    def __init__(self, name: str) -> None:
        self.name = name

    def image_of_texture(self, document: "Document", body: JsonObject) -> int | None:
        return body.index("source", len(document.root.array("images")), "images")
