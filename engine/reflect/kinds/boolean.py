"""``visible: bool``."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.reflect.codec import FieldReader, FieldWriter
from engine.reflect.kinds.base import FieldKind, wrong
from engine.reflect.record import Kind


class BooleanKind(FieldKind):
    """A BOOL field in a bool column."""

    record_kind = Kind.BOOL
    dtype = np.dtype(np.bool_)

    def zero(self) -> bool:
        return False

    def coerce(self, value: Any, where: str) -> bool:
        if isinstance(value, (bool, np.bool_)) or (isinstance(value, int) and value in (0, 1)):
            return bool(value)
        raise wrong(where, "a bool", value)

    def from_column(self, stored: Any) -> bool:
        return bool(stored)

    def write(self, writer: FieldWriter, name: str, value: Any) -> None:
        writer.bool(name, value)

    def read(self, reader: FieldReader, name: str, default: Any) -> bool:
        return reader.bool(name, default)
