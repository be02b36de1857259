"""KHR_materials_pbrSpecularGlossiness, converted to metallic-roughness.

A file that carries metallic-roughness values as well keeps those: they are its author's own
conversion. Otherwise factors and textures are converted (see `specular_glossiness`); the pictures
that come out are appended to the asset's images and textures, so the file's numbering stays.
"""

from dataclasses import replace
from typing import TYPE_CHECKING

from engine.assets.gltf.asset import GltfAsset, GltfMaterial, GltfTexture
from engine.assets.gltf.extensions.base import Extension
from engine.assets.gltf.reader import JsonObject
from engine.assets.gltf.specular_glossiness import (
    DIELECTRIC,
    Factors,
    converted_pictures,
    mean_color,
    metallic_and_base,
)
from engine.assets.image import Image
from engine.assets.material import TextureRef

if TYPE_CHECKING:
    from engine.assets.gltf.document import Document
    from engine.assets.gltf.materials import Materials

_SUFFIXES = ("base color", "metallic roughness")


class _Conversion:
    """Converts one material's textures once their pictures are decoded."""

    def __init__(
        self,
        document: "Document",
        material: GltfMaterial,
        factors: Factors,
        refs: tuple[TextureRef | None, TextureRef | None],
        pointer: str,
    ) -> None:
        self._document = document
        self._material = material
        self._factors = factors
        self._diffuse, self._specular = refs
        self._pointer = pointer

    def run(self, asset: GltfAsset) -> None:
        diffuse, specular = (_picture(asset, ref) for ref in (self._diffuse, self._specular))
        if diffuse is None and specular is None:
            return
        is_aligned = diffuse is None or specular is None or _same_uvs(self._diffuse, self._specular)
        if is_aligned:
            base, other = self._converted(asset, diffuse, specular, self._factors)
            self._use_base(asset, base)
        else:
            assert diffuse is not None
            self._document.change(
                self._pointer, "its textures lie differently; converted with the mean colour"
            )
            mean = mean_color(diffuse.pixels)
            tint = tuple(a * b for a, b in zip(self._factors.diffuse, mean, strict=True))
            factors = replace(self._factors, diffuse=tint)
            _, other = self._converted(asset, None, specular, factors)
        self._use_other(asset, other)
        refs = self._material.material.textures()
        a, b, c, d, e = (-1 if ref is None else ref.texture for ref in refs)
        self._material.textures = (a, b, c, d, e)

    def _converted(
        self, asset: GltfAsset, diffuse: Image | None, specular: Image | None, factors: Factors
    ) -> tuple[int, int]:
        """Return the indices of the two converted images, appended unless they are there."""
        key = (id(diffuse), id(specular), factors)
        made = self._document.converted_images
        if key not in made:
            given = [image for image in (diffuse, specular) if image is not None]
            size = max(i.width for i in given) * max(i.height for i in given) * 8
            self._document.budget.take(size, self._pointer)
            pixels = [None if image is None else image.pixels for image in (diffuse, specular)]
            pictures = converted_pictures(pixels[0], pixels[1], factors)
            first = len(asset.images)
            for suffix, picture in zip(_SUFFIXES, pictures, strict=True):
                asset.images.append(Image(f"{given[0].name} ({suffix})", picture))
            made[key] = (first, first + 1)
        return made[key]

    def _texture(self, asset: GltfAsset, image: int, like: TextureRef) -> TextureRef:
        source = asset.textures[like.texture]
        asset.textures.append(GltfTexture(image, source.sampler, source.name))
        return replace(like, texture=len(asset.textures) - 1)

    def _use_base(self, asset: GltfAsset, image: int) -> None:
        target = self._material.material
        like = self._diffuse or self._specular
        assert like is not None
        target.base_color_texture = self._texture(asset, image, like)
        target.base_color = (1.0, 1.0, 1.0, target.base_color[3])

    def _use_other(self, asset: GltfAsset, image: int) -> None:
        target = self._material.material
        like = self._specular or self._diffuse
        assert like is not None
        target.metallic_roughness_texture = self._texture(asset, image, like)
        target.metallic = target.roughness = 1.0


def _picture(asset: GltfAsset, ref: TextureRef | None) -> Image | None:
    """Return a texture's picture; None when there is none or it was not there."""
    if ref is None or asset.textures[ref.texture].image < 0:
        return None
    image = asset.images[asset.textures[ref.texture].image]
    return None if image.missing else image


def _same_uvs(a: TextureRef | None, b: TextureRef | None) -> bool:
    return a is not None and b is not None and replace(a, texture=b.texture) == b


class _SpecularGlossiness(Extension):
    name = "KHR_materials_pbrSpecularGlossiness"

    def material(
        self, document: "Document", materials: "Materials", material: GltfMaterial, body: JsonObject
    ) -> None:
        if body.extended().has("pbrMetallicRoughness"):
            return
        document.convert(body.pointer(), "converted to metallic-roughness")
        target = material.material
        r, g, b, a = body.floats("diffuseFactor", 4, (1, 1, 1, 1))
        specular = body.floats("specularFactor", 3, (1, 1, 1))
        glossiness = body.number("glossinessFactor", 1.0)
        base, metallic = metallic_and_base((r, g, b), specular)
        target.base_color = (float(base[0]), float(base[1]), float(base[2]), a)
        target.metallic, target.roughness = float(metallic), 1 - glossiness
        diffuse = target.base_color_texture = materials.reference(body, "diffuseTexture")
        gloss = materials.reference(body, "specularGlossinessTexture")
        is_plain = max(specular) <= DIELECTRIC and gloss is None
        if (diffuse is not None or gloss is not None) and not is_plain:
            factors = Factors((r, g, b), specular, glossiness)
            pointer = body.pointer()
            conversion = _Conversion(document, material, factors, (diffuse, gloss), pointer)
            document.finishers.append(conversion.run)


SPECULAR_GLOSSINESS = _SpecularGlossiness()
