"""The full chain of mip levels of a picture, on the CPU.

Each level is the box-filtered level above it. Where a side is odd the box covers three texels with
the weights of a polyphase box filter, so that the picture neither shifts nor loses a row. Colours
are averaged in linear light, normals are made unit length again.
"""

import numpy as np
from numpy.typing import NDArray

U8 = NDArray[np.uint8]
F32 = NDArray[np.float32]


def _linear_from_srgb() -> F32:
    """Return the linear value of each sRGB byte (IEC 61966-2-1)."""
    encoded = np.arange(256) / 255.0
    slope = encoded / 12.92
    return np.where(encoded <= 0.04045, slope, ((encoded + 0.055) / 1.055) ** 2.4).astype(
        np.float32
    )


_LINEAR = _linear_from_srgb()
# An encoded byte is the number of thresholds that its linear value has passed.
_MIDDLE = (np.arange(255) + 0.5) / 255.0
_THRESHOLDS = np.where(
    _MIDDLE <= 0.04045, _MIDDLE / 12.92, ((_MIDDLE + 0.055) / 1.055) ** 2.4
).astype(np.float32)


def mip_chain(pixels: U8, srgb: bool, normal_map: bool = False) -> list[U8]:
    """Return every level of (h, w, 4) uint8 `pixels`, the largest first, down to 1 x 1."""
    levels = [np.ascontiguousarray(pixels)]
    exact = _decoded(pixels, srgb)
    while max(exact.shape[:2]) > 1:
        exact = _halved(_halved(exact, 0), 1)
        if normal_map:
            _renormalise(exact)
        levels.append(_encoded(exact, srgb))
    return levels


def _decoded(pixels: U8, srgb: bool) -> F32:
    values = pixels.astype(np.float32) / np.float32(255)
    if srgb:
        values[..., :3] = _LINEAR[pixels[..., :3]]
    return values


def _encoded(values: F32, srgb: bool) -> U8:
    out = np.rint(values * 255).clip(0, 255).astype(np.uint8)
    if srgb:
        out[..., :3] = np.searchsorted(_THRESHOLDS, values[..., :3], side="right")
    return out


def _halved(values: F32, axis: int) -> F32:
    size = values.shape[axis]
    if size == 1:
        return values
    rows = np.moveaxis(values, axis, 0)
    half = size // 2
    first, second = rows[: 2 * half : 2], rows[1 : 2 * half : 2]
    if size % 2 == 0:
        return np.asarray(np.moveaxis((first + second) * np.float32(0.5), 0, axis))
    at = np.arange(half, dtype=np.float32).reshape(-1, *[1] * (values.ndim - 1))
    total = (half - at) * first + half * second + (at + 1) * rows[2::2]
    return np.asarray(np.moveaxis(total / np.float32(size), 0, axis))


def _renormalise(values: F32) -> None:
    normals = values[..., :3] * 2 - 1
    length = np.linalg.norm(normals, axis=-1, keepdims=True)
    unit = np.where(length > 1e-6, normals / np.maximum(length, 1e-6), (0.0, 0.0, 1.0))
    values[..., :3] = unit * 0.5 + 0.5
