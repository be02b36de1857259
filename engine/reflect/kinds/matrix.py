"""``matrix: Mat4`` — a (4, 4) matrix for column vectors, recorded column-major."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.reflect.codec import FieldReader, FieldWriter
from engine.reflect.kinds.base import FieldKind, wrong
from engine.reflect.record import FloatArray, Kind


class MatrixKind(FieldKind):
    """A FLOATS field of 16 values in a (n, 4, 4) column."""

    record_kind = Kind.FLOATS
    dtype = np.dtype(np.float32)
    shape = (4, 4)

    def zero(self) -> FloatArray:
        return np.eye(4, dtype=np.float32)

    def coerce(self, value: Any, where: str) -> FloatArray:
        try:
            with np.errstate(over="ignore"):
                array = np.array(value, dtype=np.float32)
        except (TypeError, ValueError) as error:
            raise wrong(where, "a 4x4 matrix", value) from error
        if array.shape != self.shape:
            raise wrong(where, "a 4x4 matrix", value)
        return array

    def copy(self, value: Any) -> FloatArray:
        return np.array(value, dtype=np.float32)

    def from_column(self, stored: Any) -> FloatArray:
        return np.array(stored, dtype=np.float32)

    def equal(self, a: Any, b: Any) -> bool:
        return bool(np.array_equal(a, b, equal_nan=True))

    def write(self, writer: FieldWriter, name: str, value: Any) -> None:
        writer.mat4(name, value)

    def read(self, reader: FieldReader, name: str, default: Any) -> FloatArray:
        if not reader.has(name):
            return np.array(default, dtype=np.float32)
        return reader.mat4(name)
