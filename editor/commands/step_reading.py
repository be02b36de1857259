"""Reading what `step_codec` writes: every damage is a SceneError."""

from __future__ import annotations

import re
import struct

from engine.errors import SceneError
from engine.reflect import ComponentRecord, Kind
from engine.scene import SceneDoc, read_binary

_SIZE = struct.Struct("<I")
_NUMBER = re.compile(r"-?[0-9]{1,18}")


def split_documents(data: bytes) -> list[SceneDoc]:
    """Return the documents that `join_documents` put together.

    Raises
    ------
    SceneError
        A size leads beyond the end, or something there is no document.
    """
    documents, at = [], 0
    while at < len(data):
        if at + _SIZE.size > len(data):
            raise SceneError("step: unexpected end of data")
        (size,) = _SIZE.unpack_from(data, at)
        at += _SIZE.size
        if at + size > len(data):
            raise SceneError("step: unexpected end of data")
        documents.append(read_binary(data[at : at + size]))
        at += size
    return documents


def text_in(record: ComponentRecord, name: str) -> str:
    """Return a string field."""
    field = record.get(name)
    if field is None or field.kind is not Kind.STRING:
        raise SceneError(f"step: {record.name}.{name}: expected a string")
    return field.text


def integer_in(record: ComponentRecord, name: str) -> int:
    """Return an int field."""
    field = record.get(name)
    if field is None or field.kind is not Kind.INT:
        raise SceneError(f"step: {record.name}.{name}: expected an int")
    return field.integer


def integers_in(text: str) -> list[int]:
    """Return the numbers of a list with spaces between them."""
    return [number_in(word) for word in text.split()]


def number_in(word: str) -> int:
    """Return the number that a word is."""
    if not _NUMBER.fullmatch(word):
        raise SceneError(f"step: {word[:40]!r} names no entity")
    return int(word)
