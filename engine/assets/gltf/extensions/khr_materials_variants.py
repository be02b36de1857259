"""KHR_materials_variants: named sets of materials to choose from."""

from typing import TYPE_CHECKING

from engine.assets.gltf.asset import GltfPrimitive
from engine.assets.gltf.extensions.base import Extension
from engine.assets.gltf.reader import JsonObject

if TYPE_CHECKING:
    from engine.assets.gltf.document import Document


class _Variants(Extension):
    name = "KHR_materials_variants"

    def start(self, document: "Document", body: JsonObject) -> None:
        document.asset.variants = [item.string("name") for item in body.objects("variants")]

    def primitive(self, document: "Document", primitive: GltfPrimitive, body: JsonObject) -> None:
        asset = document.asset
        for mapping in body.objects("mappings"):
            material = mapping.required_index("material", len(asset.materials), "materials")
            for variant in mapping.indices("variants", len(asset.variants), "variants"):
                primitive.variants[variant] = material


VARIANTS = _Variants()
