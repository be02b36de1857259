"""Floats as text: the shortest digits that round-trip as float32, and exact reading.

orjson prints float32 arrays in exactly the spelling of the format, so whole columns are printed
and parsed by it. Reading goes through float64; a float64 that lies halfway between two float32
values may have been rounded there, and only those are decided from the digits themselves.
What no decimal reproduces (NaN with its payload, infinities) is `0x` and the IEEE-754 bits.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from engine.errors import SceneError

FloatArray = NDArray[np.float32]

_DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_BITS = re.compile(r"0[xX]([0-9a-fA-F]{1,8})")
_SIGNLESS_ZERO = re.compile(r"-0(?![0-9.eE])")
_SMALLEST_NORMAL = 2.0**-126
_HALFWAY_TO_INFINITY = 2.0**128 - 2.0**103
_LONGEST_SHOWN = 40


def bitcast_u32_to_f32(bits: int) -> np.float32:
    """Return the float32 with the IEEE-754 pattern `bits` (0 <= bits < 2**32)."""
    if not 0 <= bits < 1 << 32:
        raise SceneError(f"{bits} is not a 32-bit pattern")
    value: np.float32 = np.array([bits], np.uint32).view(np.float32)[0]
    return value


def format_float(v: float | np.float32) -> str:
    """Return the shortest decimal that reads back as `v`, else its bits as `0x` + eight digits."""
    value = np.array([v], np.float32)
    if np.isfinite(value[0]):
        return orjson.dumps(value, option=orjson.OPT_SERIALIZE_NUMPY).decode()[1:-1]
    return f"0x{int(value.view(np.uint32)[0]):08x}"


def parse_float(text: str) -> np.float32:
    """Read a decimal, or `0x` and up to eight hex digits of IEEE-754 bits.

    Raises
    ------
    SceneError
        `text` is neither, or lies beyond the float32 range.
    """
    bits = _BITS.fullmatch(text)
    if bits:
        return bitcast_u32_to_f32(int(bits[1], 16))
    if not _DECIMAL.fullmatch(text):
        raise SceneError(f"expected a number, found {shown(text)}")
    value = _nearest(text)
    if not np.isfinite(value):
        raise SceneError(f"{shown(text)} is too large for a 32-bit float")
    return value


def shown(text: str) -> str:
    """Return `text` quoted for a message, cut where it is long."""
    return repr(text if len(text) <= _LONGEST_SHOWN else text[:_LONGEST_SHOWN] + "...")


def _nearest(text: str) -> np.float32:
    double = float(text)
    with np.errstate(over="ignore", under="ignore"):
        value = np.float32(double)
        if _is_halfway(double, value):
            exact, rounded = Decimal(text), Decimal(double)
            if exact != rounded:
                toward = np.inf if exact > rounded else -np.inf
                value = np.float32(np.nextafter(double, toward))
    return value


def _is_halfway(double: float, value: np.float32) -> bool:
    """Whether `double` lies exactly between two float32 values, `value` being the nearest."""
    if math.isinf(value):
        return abs(double) == _HALFWAY_TO_INFINITY
    nearest = float(value)
    away = np.float32(math.inf if double > nearest else -math.inf)
    return nearest != double and (nearest + float(np.nextafter(value, away))) / 2 == double


def format_column(values: FloatArray) -> list[str]:
    """Return the spelling of every element of a (n,) array."""
    if not len(values):
        return []
    finite = np.isfinite(values)
    if finite.all():
        return _dumps(values)[1:-1].split(",")
    texts = _dumps(np.where(finite, values, np.float32(0)))[1:-1].split(",")
    for i in np.flatnonzero(~finite).tolist():
        texts[i] = format_float(values[i])
    return texts


def format_rows(values: FloatArray) -> list[str]:
    """Return the spelling of every row of a (n, k) array, its items joined by commas."""
    n, width = values.shape
    if not n or not width:
        return [""] * n
    finite = np.isfinite(values)
    if finite.all():
        return _dumps(values)[2:-2].split("],[")
    rows = _dumps(np.where(finite, values, np.float32(0)))[2:-2].split("],[")
    for i in np.flatnonzero(~finite.all(axis=1)).tolist():
        rows[i] = ",".join(format_column(values[i]))
    return rows


def _dumps(values: FloatArray) -> str:
    contiguous = np.ascontiguousarray(values)
    return orjson.dumps(contiguous, option=orjson.OPT_SERIALIZE_NUMPY).decode()


def parse_decimals(texts: Sequence[str]) -> FloatArray | None:
    """Parse strings of decimals that commas separate, many at once.

    Returns
    -------
    (n,) float32 array, n the number of decimals in all of `texts`, or None where one of them is
    not spelled as JSON spells numbers, or is too large: then they have to be read one by one.
    """
    joined = ",".join(texts)
    if _SIGNLESS_ZERO.search(joined):
        return None
    try:
        doubles = np.array(orjson.loads(f"[{joined}]"), np.float64)
    except (ValueError, TypeError, OverflowError):
        return None
    with np.errstate(over="ignore", under="ignore"):
        values = doubles.astype(np.float32)
    _settle_halves(joined, doubles, values)
    return values if np.isfinite(values).all() else None


def _settle_halves(joined: str, doubles: NDArray[Any], values: FloatArray) -> None:
    halfway = (doubles.view(np.uint64) & 0x1FFF_FFFF) == 0x1000_0000
    halfway |= (np.abs(doubles) < _SMALLEST_NORMAL) & (doubles != 0)
    if halfway.any():
        pieces = joined.split(",")
        for i in np.flatnonzero(halfway).tolist():
            values[i] = _nearest(pieces[i])
