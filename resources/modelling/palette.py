"""Colours of the village, as sRGB hex for people and linear RGB for files."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Color = NDArray[np.float64]

PLASTER = "#f0e2c6"
STONE = ("#a79b8c", "#b5a896", "#978c80", "#beb09b", "#a39684")
ROCK = ("#8f877d", "#9d9488", "#827b73")
WOOD = ("#8c5c38", "#976540", "#805232")
WOOD_LIGHT = ("#b8834f", "#c08d59", "#ab7747")
WOOD_DARK = ("#54382a", "#5d3f2e", "#4c3226")
ROOF_RED = ("#b9573a", "#c4663f", "#a94c36", "#cc7348", "#b25038")
ROOF_BLUE = ("#51697c", "#5b7488", "#475e70", "#648094")
IRON = ("#3c3f45", "#45484f")
GRASS = ("#7d9a45", "#8aa64c", "#728f41", "#95ad52")
LEAVES = ("#6f9440", "#7fa346", "#628739", "#8caf50")
PINE = ("#3f6d4a", "#4a7a52", "#376142")
BLOSSOM = ("#eba9b2", "#f2bcc0", "#e2969f", "#f6cfcd")
AUTUMN = ("#d98a3a", "#e29c46", "#c97632")
DIRT = ("#b3946a", "#a88a62", "#bd9f76")
EARTH = ("#7a5a42", "#6d503b", "#86654b")
CLOTH_RED = "#b8433b"
CLOTH_CREAM = "#f1e4cb"
WATER = "#4ea3b4"
ROPE = "#c9ac7a"
GOLD = "#d9a441"


def linear(srgb_hex: str) -> Color:
    """Return the linear RGB of an sRGB hex colour (exact piecewise curve of IEC 61966-2-1)."""
    srgb = np.array([int(srgb_hex[i : i + 2], 16) for i in (1, 3, 5)]) / 255.0
    return np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)


def mixed(first: str, second: str, amount: float) -> Color:
    """Return the linear mix of two colours."""
    return linear(first) * (1 - amount) + linear(second) * amount


class Shades:
    """A seeded source of slightly different shades of a family of colours."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)

    def __call__(self, family: str | tuple[str, ...], spread: float = 0.06) -> Color:
        """Return one shade: a member of the family, a little brighter or darker."""
        members = (family,) if isinstance(family, str) else family
        chosen = members[int(self.rng.integers(len(members)))]
        return linear(chosen) * float(self.rng.uniform(1 - spread, 1 + spread))


def leafy(shades: Shades, family: tuple[str, ...], warm: str) -> Callable[[Color], Color]:
    """Return a colouring of leaves: close shades, lighter and warmer towards the sky."""
    top, middle = linear(warm), np.mean([linear(member) for member in family], axis=0)

    def color(direction: Color) -> Color:
        base = middle * 0.55 + shades(family, 0.05) * 0.45
        share = float(direction[1]) * 0.5 + 0.5
        return np.asarray(base * (0.66 + 0.34 * share) * (1 - 0.3 * share) + top * 0.3 * share)

    return color
