"""``matrix: Mat4`` — a (4, 4) matrix for column vectors, recorded column-major."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.reflect.codec import FieldReader, FieldWriter
from engine.reflect.kinds.base import wrong
from engine.reflect.kinds.floats import FloatsKind, float_array
from engine.reflect.record import FloatArray


class MatrixKind(FloatsKind):
    """A FLOATS field of 16 values in a (n, 4, 4) column."""

    dtype = np.dtype(np.float32)
    shape = (4, 4)

    def zero(self) -> FloatArray:
        return np.eye(4, dtype=np.float32)

    def coerce(self, value: Any, where: str) -> FloatArray:
        array = float_array(value, where, "a 4x4 matrix")
        if array.shape != self.shape:
            raise wrong(where, "a 4x4 matrix", value)
        return array

    def write(self, writer: FieldWriter, name: str, value: Any) -> None:
        writer.mat4(name, value)

    def read(self, reader: FieldReader, name: str, default: Any) -> FloatArray:
        if not reader.has(name):
            return np.array(default, dtype=np.float32)
        return reader.mat4(name)
