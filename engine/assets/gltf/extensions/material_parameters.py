"""Material extensions whose parameters are read, checked and kept for the renderer.

``Material.extensions[name]`` holds the file's own keys; each textureInfo becomes a `TextureRef`
with the file's texture index. The scale of a clearcoat's normal map is ``clearcoatNormalScale``.
"""

from typing import TYPE_CHECKING, Any

from engine.assets.gltf.asset import GltfMaterial
from engine.assets.gltf.extensions.base import Extension
from engine.assets.gltf.reader import JsonObject

if TYPE_CHECKING:
    from engine.assets.gltf.document import Document
    from engine.assets.gltf.materials import Materials


class MaterialParameters(Extension):
    """A material extension made of numbers, colours and textures."""

    def __init__(self, name: str) -> None:
        self.name = name

    def material(
        self, document: "Document", materials: "Materials", material: GltfMaterial, body: JsonObject
    ) -> None:
        parameters = {key: self._parameter(materials, body, key) for key in body.value}
        normal = body.object("clearcoatNormalTexture")
        if normal is not None:
            parameters["clearcoatNormalScale"] = normal.number("scale", 1.0)
        material.material.extensions[self.name] = parameters

    def _parameter(self, materials: "Materials", body: JsonObject, key: str) -> Any:
        if key.endswith("Texture"):
            return materials.reference(body, key)
        value = body.value[key]
        if key.endswith("Factor") or key in ("ior", "dispersion"):
            return body.floats(key, 3) if type(value) is list else body.number(key)
        return value
