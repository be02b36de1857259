"""The binary format, record by record: exact, bounds-checked, and the source of every message."""

from __future__ import annotations

import struct

import numpy as np

from engine.errors import SceneError
from engine.reflect import ComponentRecord, Field, Kind
from engine.scene.document.checks import MAX_COMPONENTS, MAX_ENTITIES, MAX_FIELDS, MAX_FLOATS
from engine.scene.document.names import check_component_name, check_field_name

MAGIC = b"CSCN"
HEADER_SIZE = 12
_U32 = struct.Struct("<I")
_I64 = struct.Struct("<q")


class BinaryCursor:
    """Reads the values of the format one after the other; every read is bounds-checked.

    Parameters
    ----------
    data : bytes
    at : int
        The byte to start at.
    base : int
        Where `data` starts in its file, for messages.
    """

    def __init__(self, data: bytes, at: int = 0, base: int = 0) -> None:
        self.data = data
        self.at = at
        self._base = base

    def error(self, message: str) -> SceneError:
        """Return the error about the byte that was reached."""
        return SceneError(f"byte {self._base + self.at}: {message}")

    def _advance(self, size: int) -> int:
        at = self.at
        if size > len(self.data) - at:
            raise self.error("unexpected end of data")
        self.at = at + size
        return at

    def header(self) -> tuple[int, int]:
        """Read the magic bytes; return the version and the number of entities."""
        if self.data[: len(MAGIC)] != MAGIC[: len(self.data)]:
            raise self.error(f"bad magic: expected {MAGIC!r}, found {self.data[:4]!r}")
        self._advance(len(MAGIC))
        version = self._u32()
        if not version:
            raise self.error("missing header: 0 is not a version")
        return version, self._count(MAX_ENTITIES, "entities")

    def _u32(self) -> int:
        return int(_U32.unpack_from(self.data, self._advance(4))[0])

    def _count(self, limit: int, what: str) -> int:
        count = self._u32()
        if count > limit:
            raise self.error(f"implausible: {count} {what} (at most {limit})")
        return count

    def component_count(self) -> int:
        """Return how many components follow; SceneError for more than can be."""
        return self._count(MAX_COMPONENTS, "components")

    def string(self) -> str:
        """Return a text; SceneError where it is cut or not UTF-8."""
        size = self._u32()
        start = self._advance(size)
        try:
            return self.data[start : self.at].decode()
        except UnicodeDecodeError as error:
            raise self.error("not valid UTF-8") from error

    def component(self) -> ComponentRecord:
        """Read one component record."""
        try:
            record = ComponentRecord(self.string())
            check_component_name(record.name)
            names = set()
            for _ in range(self._count(MAX_FIELDS, "fields")):
                field = self._field(record.name)
                if field.name in names:
                    raise SceneError(f"{record.name}: field {field.name} twice")
                names.add(field.name)
                record.fields.append(field)
        except SceneError as error:
            raise error if str(error).startswith("byte ") else self.error(str(error)) from error
        return record

    def _field(self, component: str) -> Field:
        name = self.string()
        check_field_name(name, component)
        kind = self.data[self._advance(1)]
        if not Kind.FLOAT <= kind <= Kind.FLOATS:
            raise self.error(f"{component}: field {name}: unknown kind {kind}")
        return Field.of(name, kind, self._payload(Kind(kind), f"{component}: field {name}"))

    def _payload(self, kind: Kind, where: str) -> object:
        if kind is Kind.STRING:
            return self.string()
        if kind in (Kind.FLOAT, Kind.FLOATS):
            count = self._count(MAX_FLOATS, "floats") if kind is Kind.FLOATS else 1
            start = self._advance(4 * count)
            return np.frombuffer(self.data, "<f4", count, start)
        number = int(_I64.unpack_from(self.data, self._advance(8))[0])
        if kind is Kind.BOOL and number not in (0, 1):
            raise self.error(f"{where}: a bool is 0 or 1, found {number}")
        if kind is Kind.ENTITY and number < -1:
            raise self.error(f"{where}: a reference below -1: {number}")
        return number
