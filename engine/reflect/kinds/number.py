"""``x: float`` — one float32, kept bit by bit."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.reflect.codec import FieldReader, FieldWriter
from engine.reflect.kinds.base import FieldKind, wrong
from engine.reflect.record import Kind


class NumberKind(FieldKind):
    """A FLOAT field in a float32 column; values are np.float32."""

    record_kind = Kind.FLOAT
    dtype = np.dtype(np.float32)

    def zero(self) -> np.float32:
        return np.float32(0.0)

    def coerce(self, value: Any, where: str) -> np.float32:
        if type(value) is np.float32:
            return value
        try:
            with np.errstate(over="ignore"):
                return np.float32(value)
        except (TypeError, ValueError) as error:
            raise wrong(where, "a float", value) from error

    def write(self, writer: FieldWriter, name: str, value: Any) -> None:
        writer.float(name, value)

    def read(self, reader: FieldReader, name: str, default: Any) -> np.float32:
        return reader.float(name, default)
