"""The contract of a field kind: how one attribute is stored, written and read.

A kind says which record field it becomes, in which numpy column it is kept (or a Python list
when `dtype` is None), and how a value is checked. A new kind is one file here, one line in
`FIELD_KINDS` and one field editor in the inspector.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from engine.errors import ComponentError
from engine.reflect.codec import FieldReader, FieldWriter
from engine.reflect.record import Kind


class FieldKind:
    """How the attributes of one declared type are stored and recorded.

    Attributes
    ----------
    record_kind : Kind
        The kind of the record field.
    dtype : numpy dtype or None
        The column's element type; None keeps the values in a Python list.
    shape : tuple of int
        The shape of one element of the column.
    """

    record_kind: ClassVar[Kind]
    dtype: np.dtype[Any] | None = None
    shape: tuple[int, ...] = ()
    is_quaternion: bool = False

    def zero(self) -> Any:
        """Return the value of a field that was declared without a default."""
        raise TypeError(f"{type(self).__name__} has no zero")

    def coerce(self, value: Any, where: str) -> Any:
        """Return `value` as this kind keeps it, or raise ComponentError naming `where`."""
        raise TypeError(f"{type(self).__name__} cannot coerce")

    def copy(self, value: Any) -> Any:
        """Return a value that shares no storage with `value`."""
        return value

    def from_column(self, stored: Any) -> Any:
        """Turn one element of the column into a value."""
        return stored

    def equal(self, a: Any, b: Any) -> bool:
        """Whether two values are the same value."""
        return bool(a == b)

    def write(self, writer: FieldWriter, name: str, value: Any) -> None:
        """Append `value` to the record."""
        raise TypeError(f"{type(self).__name__} cannot write")

    def read(self, reader: FieldReader, name: str, default: Any) -> Any:
        """Read the field `name`, `default` when it is absent."""
        raise TypeError(f"{type(self).__name__} cannot read")


def wrong(where: str, expected: str, found: object) -> ComponentError:
    """Return the error of a value that its field cannot hold."""
    return ComponentError(f"{where}: expected {expected}, found {found!r}")
