"""How numbers look: rounded for reading, exact for editing."""

import math
from typing import Final

import numpy as np

__all__ = ["display_number", "exact_number"]

_SMALL: Final = 1e-3
_LARGE: Final = 1e7


def display_number(value: float, decimals: int = 3, least: float = 0.0) -> str:
    """Return a short text for reading; never parsed back into a value.

    Zero never has a sign, trailing zeros are dropped, and very small or large values switch to an
    exponent instead of showing as zero, unless they are below `least`.
    """
    if not math.isfinite(value):
        return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
    if value == 0 or abs(value) < least:
        return "0"
    if abs(value) >= _LARGE or abs(value) < _SMALL / 2:
        return f"{value:.4g}".replace("e+0", "e").replace("e-0", "e-").replace("e+", "e")
    text = f"{value:.{decimals}f}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text in {"-0", ""} else text


def exact_number(value: float) -> str:
    """Return the shortest text that gives the same float32 again."""
    if float(value).is_integer() and abs(value) < _LARGE:
        return str(int(value))
    single = np.float32(value)
    if single == value:
        return np.format_float_positional(single, trim="-") if abs(value) < _LARGE else str(single)
    return f"{value:.6g}"
