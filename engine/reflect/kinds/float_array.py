"""``offset: Vec3`` and its like — a fixed number of floats in one (n, count) column."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.reflect.codec import FieldReader, FieldWriter
from engine.reflect.kinds.base import FieldKind, wrong
from engine.reflect.record import FloatArray, Kind


class FloatArrayKind(FieldKind):
    """A FLOATS field of `count` values; values are (count,) float32 arrays."""

    record_kind = Kind.FLOATS
    dtype = np.dtype(np.float32)

    def __init__(self, count: int, is_quaternion: bool = False) -> None:
        self.shape = (count,)
        self.is_quaternion = is_quaternion

    def zero(self) -> FloatArray:
        value = np.zeros(self.shape, np.float32)
        if self.is_quaternion:
            value[3] = 1.0
        return value

    def coerce(self, value: Any, where: str) -> FloatArray:
        try:
            with np.errstate(over="ignore"):
                array = np.array(value, dtype=np.float32)
        except (TypeError, ValueError) as error:
            raise wrong(where, f"{self.shape[0]} floats", value) from error
        if array.shape != self.shape:
            raise wrong(where, f"{self.shape[0]} floats", value)
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
        if not reader.has(name):
            return np.array(default, dtype=np.float32)
        return reader.floats(name, self.shape[0])
