"""Samplers, textures and materials."""

from dataclasses import replace

from engine.assets.gltf.asset import GltfMaterial, GltfTexture
from engine.assets.gltf.document import Document
from engine.assets.gltf.extensions import applied
from engine.assets.gltf.reader import JsonObject
from engine.assets.material import Filter, Material, MipmapFilter, Sampler, TextureRef, Wrap

_MAG: dict[int, Filter] = {9728: "nearest", 9729: "linear"}
_MIN: dict[int, tuple[Filter, MipmapFilter]] = {
    9728: ("nearest", "none"),
    9729: ("linear", "none"),
    9984: ("nearest", "nearest"),
    9985: ("linear", "nearest"),
    9986: ("nearest", "linear"),
    9987: ("linear", "linear"),
}
_WRAP: dict[int, Wrap] = {33071: "clamp", 33648: "mirror", 10497: "repeat"}
_ALPHA_MODES = {"OPAQUE": "opaque", "MASK": "mask", "BLEND": "blend"}


def read_sampler(source: JsonObject) -> Sampler:
    """Read a sampler; absent values take glTF's defaults."""
    mag = source.integer("magFilter", 9729)
    minify = source.integer("minFilter", 9987)
    wrap_u, wrap_v = source.integer("wrapS", 10497), source.integer("wrapT", 10497)
    for key, value, known in (
        ("magFilter", mag, _MAG),
        ("minFilter", minify, _MIN),
        ("wrapS", wrap_u, _WRAP),
        ("wrapT", wrap_v, _WRAP),
    ):
        if value not in known:
            source.fail(key, "one of " + ", ".join(map(str, known)))
    return Sampler(_MAG[mag], *_MIN[minify], _WRAP[wrap_u], _WRAP[wrap_v])


class Materials:
    """Reads textures and materials of one file."""

    def __init__(self, document: Document, image_count: int) -> None:
        self._document = document
        self._image_count = image_count
        self._samplers = [read_sampler(item) for item in document.root.objects("samplers")]
        self.textures = [self._texture(item) for item in document.root.objects("textures")]

    def _texture(self, source: JsonObject) -> GltfTexture:
        sampler = source.index("sampler", len(self._samplers), "samplers")
        image = source.index("source", self._image_count, "images")
        for extension, body in applied(source):
            image = _first(extension.image_of_texture(self._document, body), image)
        if image is None:
            self._document.warn(source.pointer(), "the texture names no image that can be read")
        return GltfTexture(
            -1 if image is None else image,
            Sampler() if sampler is None else self._samplers[sampler],
            source.string("name", ""),
        )

    def reference(self, holder: JsonObject, key: str) -> TextureRef | None:
        """Read ``holder[key]``, a textureInfo, with the extensions that it carries."""
        info = holder.object(key)
        if info is None:
            return None
        texture = info.required_index("index", len(self.textures), "textures")
        reference = TextureRef(texture, texcoord=info.integer("texCoord", 0))
        for extension, body in applied(info):
            reference = extension.texture_reference(reference, body)
        if reference.texcoord > 1:
            self._document.change(info.pointer(), f"UV set {reference.texcoord} is not read; 0 is")
            reference = replace(reference, texcoord=0)
        return reference

    def read_all(self) -> list[GltfMaterial]:
        """Return the materials of the document, in its order."""
        return [self._material(item) for item in self._document.root.objects("materials")]

    def _material(self, source: JsonObject) -> GltfMaterial:
        material = Material()
        self._metallic_roughness(source, material)
        self._surface(source, material)
        found = GltfMaterial(
            material,
            source.string("name", ""),
            extensions=source.value.get("extensions", {}),
            extras=source.value.get("extras"),
        )
        for extension, body in applied(source):
            extension.material(self._document, self, found, body)
        a, b, c, d, e = (-1 if r is None else r.texture for r in material.textures())
        found.textures = (a, b, c, d, e)
        return found

    def _metallic_roughness(self, source: JsonObject, material: Material) -> None:
        pbr = source.object("pbrMetallicRoughness")
        if pbr is None:
            return
        r, g, b, a = pbr.floats("baseColorFactor", 4, (1, 1, 1, 1))
        material.base_color = (r, g, b, a)
        material.metallic = pbr.number("metallicFactor", 1.0)
        material.roughness = pbr.number("roughnessFactor", 1.0)
        material.base_color_texture = self.reference(pbr, "baseColorTexture")
        material.metallic_roughness_texture = self.reference(pbr, "metallicRoughnessTexture")

    def _surface(self, source: JsonObject, material: Material) -> None:
        material.normal_texture = self.reference(source, "normalTexture")
        normal = source.object("normalTexture")
        if normal is not None:
            material.normal_scale = normal.number("scale", 1.0)
        material.occlusion_texture = self.reference(source, "occlusionTexture")
        occlusion = source.object("occlusionTexture")
        if occlusion is not None:
            material.occlusion_strength = occlusion.number("strength", 1.0)
        material.emissive_texture = self.reference(source, "emissiveTexture")
        r, g, b = source.floats("emissiveFactor", 3, (0, 0, 0))
        material.emissive = (r, g, b)
        mode = source.string("alphaMode", "OPAQUE")
        if mode not in _ALPHA_MODES:
            source.fail("alphaMode", "OPAQUE, MASK or BLEND")
        material.alpha_mode = _ALPHA_MODES[mode]  # type: ignore[assignment]
        material.alpha_cutoff = source.number("alphaCutoff", 0.5)
        material.double_sided = source.boolean("doubleSided", False)


def _first(found: int | None, otherwise: int | None) -> int | None:
    return otherwise if found is None else found
