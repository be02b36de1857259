"""``weights: FloatList`` — any number of floats, each value an array of its own."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.reflect.codec import FieldReader, FieldWriter
from engine.reflect.kinds.base import FieldKind, wrong
from engine.reflect.record import FloatArray, Kind


class FloatListKind(FieldKind):
    """A FLOATS field of any length."""

    record_kind = Kind.FLOATS

    def zero(self) -> FloatArray:
        return np.zeros(0, np.float32)

    def coerce(self, value: Any, where: str) -> FloatArray:
        try:
            with np.errstate(over="ignore"):
                array = np.array(value, dtype=np.float32)
        except (TypeError, ValueError) as error:
            raise wrong(where, "floats", value) from error
        if array.ndim != 1:
            raise wrong(where, "a flat list of floats", value)
        return array

    def copy(self, value: Any) -> FloatArray:
        return np.array(value, dtype=np.float32)

    def from_column(self, stored: Any) -> FloatArray:
        return np.array(stored, dtype=np.float32)

    def equal(self, a: Any, b: Any) -> bool:
        return bool(np.array_equal(a, b, equal_nan=True))

    def write(self, writer: FieldWriter, name: str, value: Any) -> None:
        writer.floats(name, value)

    def read(self, reader: FieldReader, name: str, default: Any) -> FloatArray:
        return reader.float_list(name, default)
