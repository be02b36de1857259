"""Linear colours of files, and the sRGB colours that people see and type."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["hex_from_linear", "linear_from_hex", "linear_from_srgb", "srgb_from_linear"]


def srgb_from_linear(linear: ArrayLike) -> NDArray[np.float64]:
    """Encode linear values; those outside 0 to 1 are clipped (IEC 61966-2-1)."""
    value = np.clip(np.nan_to_num(np.asarray(linear, np.float64)), 0.0, 1.0)
    return np.where(value <= 0.0031308, value * 12.92, 1.055 * value ** (1 / 2.4) - 0.055)


def linear_from_srgb(srgb: ArrayLike) -> NDArray[np.float64]:
    """Decode sRGB values of 0 to 1."""
    value = np.clip(np.asarray(srgb, np.float64), 0.0, 1.0)
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)


def hex_from_linear(linear: ArrayLike) -> str:
    """Return ``#RRGGBB`` of a linear colour, scaled down to 1 where it is brighter."""
    value = np.asarray(linear, np.float64)[:3]
    peak = max(1.0, float(np.max(np.nan_to_num(value))))
    return "#" + "".join(f"{round(float(v) * 255):02X}" for v in srgb_from_linear(value / peak))


def linear_from_hex(text: str) -> NDArray[np.float64] | None:
    """Read ``#RGB`` or ``#RRGGBB``; None if it is neither."""
    digits = text.strip().lstrip("#")
    if len(digits) == 3:
        digits = "".join(d * 2 for d in digits)
    if len(digits) != 6:
        return None
    try:
        values = [int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4)]
    except ValueError:
        return None
    return linear_from_srgb(values)
