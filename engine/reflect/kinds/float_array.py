"""``offset: Vec3`` and its like — a fixed number of floats in one (n, count) column."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.reflect.codec import FieldReader, FieldWriter
from engine.reflect.kinds.base import wrong
from engine.reflect.kinds.floats import FloatsKind, float_array
from engine.reflect.record import FloatArray


class FloatArrayKind(FloatsKind):
    """A FLOATS field of `count` values; values are (count,) float32 arrays."""

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
        if (
            isinstance(value, np.ndarray)
            and value.dtype == self.dtype
            and value.shape == self.shape
        ):
            return value.copy()
        array = float_array(value, where, f"{self.shape[0]} floats")
        if array.shape != self.shape:
            raise wrong(where, f"{self.shape[0]} floats", value)
        return array

    def write(self, writer: FieldWriter, name: str, value: Any) -> None:
        writer.floats(name, value)

    def read(self, reader: FieldReader, name: str, default: Any) -> FloatArray:
        if not reader.has(name):
            return np.array(default, dtype=np.float32)
        return reader.floats(name, self.shape[0])
