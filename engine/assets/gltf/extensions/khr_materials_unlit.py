"""KHR_materials_unlit: base colour only, no lighting."""

from typing import TYPE_CHECKING

from engine.assets.gltf.asset import GltfMaterial
from engine.assets.gltf.extensions.base import Extension
from engine.assets.gltf.reader import JsonObject

if TYPE_CHECKING:
    from engine.assets.gltf.document import Document
    from engine.assets.gltf.materials import Materials


class _Unlit(Extension):
    name = "KHR_materials_unlit"

    def material(
        self, document: "Document", materials: "Materials", material: GltfMaterial, body: JsonObject
    ) -> None:
        material.material.unlit = True


UNLIT = _Unlit()
