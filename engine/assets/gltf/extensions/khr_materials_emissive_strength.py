"""KHR_materials_emissive_strength: emission beyond 1."""

from typing import TYPE_CHECKING

from engine.assets.gltf.asset import GltfMaterial
from engine.assets.gltf.extensions.base import Extension
from engine.assets.gltf.reader import JsonObject

if TYPE_CHECKING:
    from engine.assets.gltf.document import Document
    from engine.assets.gltf.materials import Materials


class _EmissiveStrength(Extension):
    name = "KHR_materials_emissive_strength"

    def material(
        self, document: "Document", materials: "Materials", material: GltfMaterial, body: JsonObject
    ) -> None:
        material.material.emissive_strength = body.number("emissiveStrength", 1.0)


EMISSIVE_STRENGTH = _EmissiveStrength()
