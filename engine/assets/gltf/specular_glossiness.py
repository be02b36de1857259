"""Specular-glossiness values, of factors and of whole pictures, as metallic-roughness ones.

The metallic value is the one that gives the same diffuse and specular brightness (0.04 is the
specular colour of a dielectric); the base colour mixes what the diffuse and the specular colour
ask for. Colours are linear here; pictures hold sRGB and go through tables.
"""

from dataclasses import dataclass

import numpy as np
import PIL.Image
from numpy.typing import ArrayLike, NDArray

F32 = NDArray[np.float32]
Pixels = NDArray[np.uint8]

DIELECTRIC = 0.04
_TINY = 1e-6
_LUMINANCE = np.array((0.299, 0.587, 0.114), np.float32)
_ROWS = 256


def _srgb_table() -> F32:
    """Return the linear value of each sRGB byte, (256,) (IEC 61966-2-1)."""
    value = np.arange(256) / 255.0
    linear = np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)
    return linear.astype(np.float32)


_LINEAR = _srgb_table()
# Halfway between neighbouring bytes: searching them rounds to the nearest sRGB byte.
_MIDDLES = (_LINEAR[1:] + _LINEAR[:-1]) / 2


def _brightness(rgb: F32) -> F32:
    return np.asarray(np.sqrt((rgb * rgb) @ _LUMINANCE), np.float32)


def _metallic(diffuse: F32, specular: F32, rest: F32) -> F32:
    """Solve ``a m^2 + b m + c = 0`` for the metallic value m."""
    b = diffuse * rest / (1 - DIELECTRIC) + specular - 2 * DIELECTRIC
    c = DIELECTRIC - specular
    root = np.sqrt(np.maximum(b * b - 4 * DIELECTRIC * c, 0))
    metallic = np.clip((root - b) / (2 * DIELECTRIC), 0, 1)
    return np.asarray(np.where(specular < DIELECTRIC, 0, metallic), np.float32)


def metallic_and_base(diffuse: ArrayLike, specular: ArrayLike) -> tuple[F32, F32]:
    """Convert linear colours.

    Parameters
    ----------
    diffuse, specular : (..., 3)

    Returns
    -------
    base : (..., 3) float32
    metallic : (...) float32
    """
    d, s = np.asarray(diffuse, np.float32), np.asarray(specular, np.float32)
    rest = 1 - s.max(axis=-1)
    metallic = _metallic(_brightness(d), _brightness(s), rest)
    scale = rest / (1 - DIELECTRIC) / np.maximum(1 - metallic, _TINY)
    from_diffuse = d * scale[..., None]
    m = metallic[..., None]
    from_specular = (s - DIELECTRIC * (1 - m)) / np.maximum(m, _TINY)
    base = from_diffuse + (from_specular - from_diffuse) * (m * m)
    return np.clip(base, 0, 1).astype(np.float32), metallic


@dataclass(frozen=True, slots=True)
class Factors:
    """The factors of one material, linear; the diffuse alpha is not among them."""

    diffuse: tuple[float, ...] = (1.0, 1.0, 1.0)
    specular: tuple[float, ...] = (1.0, 1.0, 1.0)
    glossiness: float = 1.0


def _fitted(pixels: Pixels, size: tuple[int, int]) -> Pixels:
    """Return a picture at another width and height."""
    if pixels.shape[1::-1] == size:
        return pixels
    scaled = PIL.Image.fromarray(pixels).resize(size, PIL.Image.Resampling.BILINEAR)
    return np.asarray(scaled)


def _bytes_of(values: F32) -> Pixels:
    return np.asarray(np.rint(values * 255), np.uint8)


def converted_pictures(
    diffuse: Pixels | None, specular: Pixels | None, factors: Factors
) -> tuple[Pixels, Pixels]:
    """Convert pictures texel by texel, in bands of rows so that little memory is needed.

    Parameters
    ----------
    diffuse : (h, w, 4) uint8, optional
        sRGB with alpha; white when absent.
    specular : (h, w, 4) uint8, optional
        sRGB with the glossiness in alpha; white when absent.
    factors : Factors

    Returns
    -------
    base : (h, w, 4) uint8
        sRGB, with the alpha of `diffuse`.
    metallic_roughness : (h, w, 4) uint8
        Roughness in green, metallic in blue.
    """
    given = [picture for picture in (diffuse, specular) if picture is not None]
    width, height = (max(picture.shape[axis] for picture in given) for axis in (1, 0))
    white = np.full((1, 1, 4), 255, np.uint8)
    d, s = (
        np.broadcast_to(white, (height, width, 4)) if p is None else _fitted(p, (width, height))
        for p in (diffuse, specular)
    )
    base, other = np.empty((height, width, 4), np.uint8), np.empty((height, width, 4), np.uint8)
    base[..., 3], other[..., 0], other[..., 3] = d[..., 3], 255, 255
    for top in range(0, height, _ROWS):
        rows = slice(top, top + _ROWS)
        color, metallic = metallic_and_base(
            _LINEAR[d[rows, :, :3]] * np.array(factors.diffuse, np.float32),
            _LINEAR[s[rows, :, :3]] * np.array(factors.specular, np.float32),
        )
        base[rows, :, :3] = np.searchsorted(_MIDDLES, color)
        other[rows, :, 2] = _bytes_of(metallic)
        gloss = s[rows, :, 3].astype(np.float32) * np.float32(factors.glossiness / 255)
        other[rows, :, 1] = _bytes_of(np.clip(1 - gloss, 0, 1))
    return base, other


def mean_color(pixels: Pixels) -> tuple[float, float, float]:
    """Return the mean linear colour of an sRGB picture."""
    counts = (np.bincount(pixels[..., axis].reshape(-1), minlength=256) for axis in range(3))
    r, g, b = (float(count @ _LINEAR / max(count.sum(), 1)) for count in counts)
    return r, g, b
