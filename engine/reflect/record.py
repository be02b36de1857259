"""`Field` and `ComponentRecord`: one component as a list of named, typed values.

The record is the one description of a component. Files store it, the inspector shows it, undo
remembers it, the clipboard carries it. Records compare by value, floats bit by bit, so that a
negative zero or the payload of a NaN counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import SceneError

FloatArray = NDArray[np.float32]


class Kind(IntEnum):
    """What a field holds; the values are those of the binary format (seed 001)."""

    FLOAT = 1
    INT = 2
    BOOL = 3
    STRING = 4
    ENTITY = 5
    FLOATS = 6


KIND_FLOAT = Kind.FLOAT
KIND_INT = Kind.INT
KIND_BOOL = Kind.BOOL
KIND_STRING = Kind.STRING
KIND_ENTITY = Kind.ENTITY
KIND_FLOATS = Kind.FLOATS

_INT64 = range(-(1 << 63), 1 << 63)
_ZERO = np.float32(0.0)


def as_int64(value: object, name: str) -> int:
    """Return `value` as a signed 64-bit int, or raise SceneError."""
    try:
        number = int(value)  # type: ignore[call-overload]
    except (TypeError, ValueError, OverflowError) as error:
        raise SceneError(f"field {name}: expected an int, found {value!r}") from error
    if number not in _INT64:
        raise SceneError(f"field {name}: {number} does not fit a signed 64-bit integer")
    return int(number)


def as_floats(value: object, name: str) -> FloatArray:
    """Return `value` as a new flat float32 array, or raise SceneError."""
    try:
        with np.errstate(over="ignore"):
            return np.array(value, dtype=np.float32).reshape(-1)
    except (TypeError, ValueError) as error:
        raise SceneError(f"field {name}: expected floats, found {value!r}") from error


class Field:
    """One named, typed value of a component record.

    Parameters
    ----------
    name : str
    kind : Kind or int
        Selects which of `number`, `integer`, `text` and `floats` holds the value; the others
        read as zero. A FLOAT is also `floats[0]`.

    Raises
    ------
    SceneError
        `kind` is not one of the six kinds.
    """

    __slots__ = ("_data", "_kind", "name")

    def __init__(self, name: str, kind: Kind | int) -> None:
        try:
            self._kind = Kind(kind)
        except ValueError as error:
            raise SceneError(f"field {name}: unknown field kind {kind!r}") from error
        self.name = name
        self._data: Any = _initial(self._kind)

    @classmethod
    def of(cls, name: str, kind: Kind | int, value: object) -> Field:
        """Return a field that holds `value`."""
        field = cls(name, kind)
        field.value = value
        return field

    @property
    def kind(self) -> Kind:
        """What it holds; setting another kind resets the value."""
        return self._kind

    @kind.setter
    def kind(self, kind: Kind | int) -> None:
        if Kind(kind) is not self._kind:
            self._kind = Kind(kind)
            self._data = _initial(self._kind)

    @property
    def value(self) -> Any:
        """What `kind` selects: np.float32, int, bool, str or a (n,) float32 array."""
        if self._kind is Kind.FLOAT:
            return self._data[0]
        if self._kind is Kind.BOOL:
            return bool(self._data)
        return self._data

    @value.setter
    def value(self, value: Any) -> None:
        self._data = _coerce(self._kind, value, self.name)

    @property
    def number(self) -> np.float32:
        """The value of a FLOAT; 0 for other kinds."""
        return self._data[0] if self._kind is Kind.FLOAT else _ZERO

    @number.setter
    def number(self, value: float | np.float32) -> None:
        self._expect(self._kind is Kind.FLOAT, "number")
        self.value = value

    @property
    def integer(self) -> int:
        """The value of an INT, BOOL (0 or 1) or ENTITY (-1 = none)."""
        return self._data if self._kind in (Kind.INT, Kind.BOOL, Kind.ENTITY) else 0

    @integer.setter
    def integer(self, value: int) -> None:
        self._expect(self._kind in (Kind.INT, Kind.BOOL, Kind.ENTITY), "integer")
        self.value = value

    @property
    def text(self) -> str:
        """The value of a STRING; empty for other kinds."""
        return self._data if self._kind is Kind.STRING else ""

    @text.setter
    def text(self, value: str) -> None:
        self._expect(self._kind is Kind.STRING, "text")
        self.value = value

    @property
    def floats(self) -> FloatArray:
        """(n,) float32, live: the values of FLOATS, the one of a FLOAT, none of other kinds."""
        if self._kind in (Kind.FLOAT, Kind.FLOATS):
            return self._data  # type: ignore[no-any-return]
        return np.empty(0, np.float32)

    @floats.setter
    def floats(self, value: object) -> None:
        self._expect(self._kind in (Kind.FLOAT, Kind.FLOATS), "floats")
        self.value = as_floats(value, self.name)[0] if self._kind is Kind.FLOAT else value

    def _expect(self, is_ok: bool, attribute: str) -> None:
        if not is_ok:
            raise SceneError(f"field {self.name}: a {self._kind.name} field has no {attribute}")

    def copy(self) -> Field:
        """Return an independent copy."""
        field = Field.__new__(Field)
        field.name, field._kind = self.name, self._kind
        data = self._data
        field._data = data.copy() if isinstance(data, np.ndarray) else data
        return field

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Field):
            return NotImplemented
        if self.name != other.name or self.kind != other.kind:
            return False
        if self.kind in (Kind.FLOAT, Kind.FLOATS):
            return self.floats.tobytes() == other.floats.tobytes()
        return bool(self.value == other.value)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Field({self.name!r}, {self.kind.name}, {self.value!r})"


def _initial(kind: Kind) -> Any:
    if kind is Kind.FLOAT:
        return np.zeros(1, np.float32)
    if kind is Kind.FLOATS:
        return np.zeros(0, np.float32)
    if kind is Kind.STRING:
        return ""
    return -1 if kind is Kind.ENTITY else 0


def _coerce(kind: Kind, value: Any, name: str) -> Any:
    if kind is Kind.FLOAT:
        floats = as_floats(value, name)
        if len(floats) != 1:
            raise SceneError(f"field {name}: expected a float, found {value!r}")
        return floats
    if kind is Kind.FLOATS:
        return as_floats(value, name)
    if kind is Kind.STRING:
        if not isinstance(value, str):
            raise SceneError(f"field {name}: expected a string, found {value!r}")
        return str(value)
    number = as_int64(value, name)
    if kind is Kind.BOOL and number not in (0, 1):
        raise SceneError(f"field {name}: expected a bool, found {value!r}")
    return number


class ComponentRecord:
    """A component as it is stored: its scene name and its fields in write order."""

    __slots__ = ("fields", "name")

    def __init__(self, name: str, fields: list[Field] | None = None) -> None:
        self.name = name
        self.fields: list[Field] = fields if fields is not None else []

    def find(self, name: str) -> int:
        """Return the index of the field called `name`, or -1."""
        for i, field in enumerate(self.fields):
            if field.name == name:
                return i
        return -1

    def get(self, name: str) -> Field | None:
        """Return the field called `name`, or None."""
        i = self.find(name)
        return self.fields[i] if i >= 0 else None

    def rename_field(self, old: str, new: str) -> bool:
        """Rename the field `old` to `new` (for migrations); False when there is none."""
        field = self.get(old)
        if field is None:
            return False
        field.name = new
        return True

    def copy(self) -> ComponentRecord:
        """Return an independent copy."""
        return ComponentRecord(self.name, [field.copy() for field in self.fields])

    def __iter__(self) -> Iterator[Field]:
        return iter(self.fields)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ComponentRecord):
            return NotImplemented
        return self.name == other.name and list(self.fields) == list(other.fields)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"ComponentRecord({self.name!r}, {list(self.fields)!r})"
