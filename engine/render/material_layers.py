"""What the material extensions of glTF add to a surface, as numbers and textures for its shader.

A material with any of them has `Layers` after its block (layout: `layers.wgsl`) and up to
`EXTRA_TEXTURES` further textures, numbered in the order found; references that are equal share a
number. The shader learns from switches which layers there are and which number a texture has, so
a material without layers is compiled, bound and drawn as if none of this existed.

References
----------
KHR_materials_clearcoat, _sheen, _specular, _ior, _transmission, _volume, _iridescence,
_anisotropy and _dispersion: parameters, defaults and the channels of their textures.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.render.uv_rows import uv_rows

# Together with the five of every material, and those of the frame, as many as any adapter has.
EXTRA_TEXTURES = 7
LAYER_FLOATS = 28 + 8 * EXTRA_TEXTURES

# Switch name by extension and key, the most visible first: they get the numbers.
_TEXTURES: dict[tuple[str, str], str] = {
    ("transmission", "transmissionTexture"): "TRANSMISSION",
    ("clearcoat", "clearcoatTexture"): "CLEARCOAT",
    ("sheen", "sheenColorTexture"): "SHEEN_COLOR",
    ("iridescence", "iridescenceTexture"): "IRIDESCENCE",
    ("iridescence", "iridescenceThicknessTexture"): "IRIDESCENCE_THICKNESS",
    ("anisotropy", "anisotropyTexture"): "ANISOTROPY",
    ("specular", "specularColorTexture"): "SPECULAR_COLOR",
    ("specular", "specularTexture"): "SPECULAR",
    ("clearcoat", "clearcoatNormalTexture"): "CLEARCOAT_NORMAL",
    ("volume", "thicknessTexture"): "THICKNESS",
    ("clearcoat", "clearcoatRoughnessTexture"): "CLEARCOAT_ROUGHNESS",
    ("sheen", "sheenRoughnessTexture"): "SHEEN_ROUGHNESS",
}


@dataclass(frozen=True)
class Layers:
    """A material's layers: switches, `LAYER_FLOATS` numbers, and textures in their order."""

    switches: frozenset[str]
    block: NDArray[np.float32]
    textures: tuple[Any, ...]

    @property
    def transmits(self) -> bool:
        """Whether what is behind shows through."""
        return "TRANSMISSION" in self.switches


NO_LAYERS = Layers(frozenset(), np.zeros(0, np.float32), ())


def material_layers(extensions: Mapping[str, Mapping[str, Any]]) -> Layers:
    """The layers of a material by its extensions' parameters; `NO_LAYERS` where none is seen."""
    found = {
        name.removeprefix("KHR_materials_"): body
        for name, body in extensions.items()
        if name.startswith("KHR_materials_")
    }
    seen = _seen(found)
    if not seen:
        return NO_LAYERS
    numbers: list[Any] = []
    switches = {"LAYERS", *seen}
    rows = np.zeros((EXTRA_TEXTURES, 8), np.float32)
    for (extension, key), name in _TEXTURES.items():
        ref = found.get(extension, {}).get(key)
        if ref is None or not _layer_of(extension) & seen:
            continue
        if ref not in numbers:
            if len(numbers) == EXTRA_TEXTURES:
                continue
            rows[len(numbers)] = uv_rows(ref)
            rows[len(numbers), 3] = float(ref.texcoord)
            numbers.append(ref)
        switches.add(f"{name}_TEXTURE={numbers.index(ref)}")
        if ref.texcoord == 1:
            switches.add("LAYERS_UV1")
    block = np.concatenate([_numbers(found), rows.ravel()]).astype(np.float32)
    return Layers(frozenset(switches), block, tuple(numbers))


def _layer_of(extension: str) -> set[str]:
    return {"VOLUME", "TRANSMISSION"} if extension == "volume" else {extension.upper()}


def _seen(found: Mapping[str, Mapping[str, Any]]) -> set[str]:
    """The layers whose factors let them be seen."""

    def factor(extension: str, key: str) -> float:
        return _number(found.get(extension, {}), key, 0.0)

    layers = {
        "CLEARCOAT": factor("clearcoat", "clearcoatFactor") > 0.0,
        "SHEEN": max(_color(found.get("sheen", {}), "sheenColorFactor", 0.0)) > 0.0,
        "SPECULAR": "specular" in found or _number(found.get("ior", {}), "ior", 1.5) != 1.5,
        "TRANSMISSION": factor("transmission", "transmissionFactor") > 0.0,
        "IRIDESCENCE": factor("iridescence", "iridescenceFactor") > 0.0,
        "ANISOTROPY": factor("anisotropy", "anisotropyStrength") != 0.0,
    }
    seen = {name for name, there in layers.items() if there}
    if "TRANSMISSION" in seen and factor("volume", "thicknessFactor") > 0.0:
        seen.add("VOLUME")
        if factor("dispersion", "dispersion") > 0.0:
            seen.add("DISPERSION")
    return seen


def _numbers(found: Mapping[str, Mapping[str, Any]]) -> list[float]:
    coat, sheen = found.get("clearcoat", {}), found.get("sheen", {})
    specular, film = found.get("specular", {}), found.get("iridescence", {})
    anisotropy = found.get("anisotropy", {})
    ior = _number(found.get("ior", {}), "ior", 1.5) or 1e4
    turn = _number(anisotropy, "anisotropyRotation", 0.0)
    return [
        _number(coat, "clearcoatFactor", 0.0),
        _number(coat, "clearcoatRoughnessFactor", 0.0),
        _number(coat, "clearcoatNormalScale", 1.0),
        _number(found.get("dispersion", {}), "dispersion", 0.0),
        *_color(sheen, "sheenColorFactor", 0.0),
        _number(sheen, "sheenRoughnessFactor", 0.0),
        *_color(specular, "specularColorFactor", 1.0),
        _number(specular, "specularFactor", 1.0),
        ior,
        _number(found.get("transmission", {}), "transmissionFactor", 0.0),
        _number(found.get("volume", {}), "thicknessFactor", 0.0),
        ((ior - 1.0) / (ior + 1.0)) ** 2,
        *_absorption(found.get("volume", {})),
        _number(film, "iridescenceFactor", 0.0),
        _number(film, "iridescenceIor", 1.3),
        _number(film, "iridescenceThicknessMinimum", 100.0),
        _number(film, "iridescenceThicknessMaximum", 400.0),
        _number(anisotropy, "anisotropyStrength", 0.0),
        math.cos(turn),
        math.sin(turn),
        0.0,
        0.0,
    ]


def _absorption(volume: Mapping[str, Any]) -> list[float]:
    """Absorption per metre: what turns white light into the colour after the distance."""
    distance = _number(volume, "attenuationDistance", math.inf)
    if not (0.0 < distance < math.inf):
        return [0.0, 0.0, 0.0]
    color = _color(volume, "attenuationColor", 1.0)
    return [-math.log(min(max(part, 1e-6), 1.0)) / distance for part in color]


def _number(body: Mapping[str, Any], key: str, default: float) -> float:
    value = body.get(key, default)
    return float(value) if isinstance(value, int | float) else default


def _color(body: Mapping[str, Any], key: str, default: float) -> list[float]:
    value = body.get(key)
    known = isinstance(value, list | tuple) and len(value) == 3
    return [float(part) for part in value] if known and value is not None else [default] * 3
