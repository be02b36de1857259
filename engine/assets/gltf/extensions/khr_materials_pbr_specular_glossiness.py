"""KHR_materials_pbrSpecularGlossiness, converted to metallic-roughness.

A file that carries metallic-roughness values as well keeps those: they are its author's own
conversion. Otherwise the factors are converted by solving for the metallic value that gives the
same diffuse and specular brightness (0.04 is the specular colour of a dielectric). A
specular-glossiness texture is not converted; a warning says so.
"""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine.assets.gltf.asset import GltfMaterial
from engine.assets.gltf.extensions.base import Extension
from engine.assets.gltf.reader import JsonObject

if TYPE_CHECKING:
    from engine.assets.gltf.document import Document
    from engine.assets.gltf.materials import Materials

_DIELECTRIC = 0.04
_TINY = 1e-6


def _brightness(rgb: Sequence[float]) -> float:
    weights = (0.299, 0.587, 0.114)
    return math.sqrt(sum(w * c * c for w, c in zip(weights, rgb, strict=True)))


def _metallic(diffuse: float, specular: float, rest: float) -> float:
    """Solve ``a m^2 + b m + c = 0`` for the metallic value m."""
    if specular < _DIELECTRIC:
        return 0.0
    a = _DIELECTRIC
    b = diffuse * rest / (1 - _DIELECTRIC) + specular - 2 * _DIELECTRIC
    c = _DIELECTRIC - specular
    root = math.sqrt(max(b * b - 4 * a * c, 0.0))
    return min(max((-b + root) / (2 * a), 0.0), 1.0)


def metallic_roughness(
    diffuse: Sequence[float], specular: Sequence[float], glossiness: float
) -> tuple[tuple[float, ...], float, float]:
    """Return base colour (3,), metallic and roughness for linear specular-glossiness factors."""
    rest = 1 - max(specular)
    metallic = _metallic(_brightness(diffuse), _brightness(specular), rest)
    scale = rest / (1 - _DIELECTRIC) / max(1 - metallic, _TINY)
    from_diffuse = [c * scale for c in diffuse]
    from_specular = [(c - _DIELECTRIC * (1 - metallic)) / max(metallic, _TINY) for c in specular]
    mix = metallic * metallic
    base = tuple(
        min(max(d + (s - d) * mix, 0.0), 1.0)
        for d, s in zip(from_diffuse, from_specular, strict=True)
    )
    return base, metallic, 1 - glossiness


class _SpecularGlossiness(Extension):
    name = "KHR_materials_pbrSpecularGlossiness"

    def material(
        self, document: "Document", materials: "Materials", material: GltfMaterial, body: JsonObject
    ) -> None:
        if body.extended().has("pbrMetallicRoughness"):
            return
        target = material.material
        r, g, b, a = body.floats("diffuseFactor", 4, (1, 1, 1, 1))
        specular = body.floats("specularFactor", 3, (1, 1, 1))
        glossiness = body.number("glossinessFactor", 1.0)
        target.base_color_texture = materials.reference(body, "diffuseTexture")
        if materials.reference(body, "specularGlossinessTexture") is not None:
            document.warn(
                body.pointer("specularGlossinessTexture"),
                "converted to metallic-roughness without its texture",
            )
            specular, glossiness = (_DIELECTRIC,) * 3, glossiness * 0.5
        base, target.metallic, target.roughness = metallic_roughness(
            (r, g, b), specular, glossiness
        )
        target.base_color = (base[0], base[1], base[2], a)


SPECULAR_GLOSSINESS = _SpecularGlossiness()
