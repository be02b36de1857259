"""``layer: int`` — a signed 64-bit integer."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from engine.reflect.codec import FieldReader, FieldWriter
from engine.reflect.kinds.base import FieldKind, wrong
from engine.reflect.record import Kind


class IntegerKind(FieldKind):
    """An INT field in an int64 column; values are Python ints."""

    record_kind = Kind.INT
    dtype = np.dtype(np.int64)

    def zero(self) -> int:
        return 0

    def coerce(self, value: Any, where: str) -> int:
        try:
            number = operator.index(value)
        except TypeError as error:
            raise wrong(where, "an int", value) from error
        if not -(1 << 63) <= number < 1 << 63:
            raise wrong(where, "a signed 64-bit integer", value)
        return number

    def from_column(self, stored: Any) -> int:
        return int(stored)

    def write(self, writer: FieldWriter, name: str, value: Any) -> None:
        writer.int(name, value)

    def read(self, reader: FieldReader, name: str, default: Any) -> int:
        return reader.int(name, default)
