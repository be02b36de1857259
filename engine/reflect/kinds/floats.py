"""What the kinds of FLOATS fields share: values are float32 arrays that own their storage."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.reflect.kinds.base import FieldKind, wrong
from engine.reflect.record import FloatArray, Kind


class FloatsKind(FieldKind):
    """Any FLOATS field; a subclass says which shapes it takes."""

    record_kind = Kind.FLOATS

    def copy(self, value: Any) -> FloatArray:
        return np.array(value, dtype=np.float32)

    def from_column(self, stored: Any) -> FloatArray:
        return np.array(stored, dtype=np.float32)

    def equal(self, a: Any, b: Any) -> bool:
        return bool(np.array_equal(a, b, equal_nan=True))


def float_array(value: Any, where: str, expected: str) -> FloatArray:
    """Return `value` as a new float32 array; what is too large becomes infinite.

    Raises
    ------
    ComponentError
        It is no array of numbers; names `where` and what was `expected`.
    """
    if isinstance(value, np.ndarray) and value.dtype == np.float32:
        return np.array(value)
    try:
        with np.errstate(over="ignore"):
            return np.array(value, dtype=np.float32)
    except (TypeError, ValueError) as error:
        raise wrong(where, expected, value) from error
