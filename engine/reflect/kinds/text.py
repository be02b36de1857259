"""``text: str`` — kept in a Python list, since strings have no useful numpy column."""

from __future__ import annotations

from typing import Any

from engine.reflect.codec import FieldReader, FieldWriter
from engine.reflect.kinds.base import FieldKind, wrong
from engine.reflect.record import Kind


class TextKind(FieldKind):
    """A STRING field."""

    record_kind = Kind.STRING

    def zero(self) -> str:
        return ""

    def coerce(self, value: Any, where: str) -> str:
        if type(value) is str:
            return value
        if isinstance(value, str):
            return str.__str__(value)
        raise wrong(where, "a string", value)

    def write(self, writer: FieldWriter, name: str, value: Any) -> None:
        writer.string(name, value)

    def read(self, reader: FieldReader, name: str, default: Any) -> str:
        return reader.string(name, default)
