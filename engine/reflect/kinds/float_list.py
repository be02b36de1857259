"""``weights: FloatList`` — any number of floats, each value an array of its own."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.reflect.codec import FieldReader, FieldWriter
from engine.reflect.kinds.base import wrong
from engine.reflect.kinds.floats import FloatsKind, float_array
from engine.reflect.record import FloatArray


class FloatListKind(FloatsKind):
    """A FLOATS field of any length."""

    def zero(self) -> FloatArray:
        return np.zeros(0, np.float32)

    def coerce(self, value: Any, where: str) -> FloatArray:
        array = float_array(value, where, "floats")
        if array.ndim != 1:
            raise wrong(where, "a flat list of floats", value)
        return array

    def write(self, writer: FieldWriter, name: str, value: Any) -> None:
        writer.floats(name, value)

    def read(self, reader: FieldReader, name: str, default: Any) -> FloatArray:
        return reader.float_list(name, default)
