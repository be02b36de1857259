"""Documents a piece at a time, for files that need not be in memory as a whole.

A piece is a run of whole entities. Text is cut in front of a line that opens an entity, binary
where the records of an entity end; the pieces are read by the same readers as whole files, so the
columns and the messages are theirs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import BinaryIO

import numpy as np

from engine.errors import SceneError
from engine.scene.document.binary_read import read_front, read_rest
from engine.scene.document.binary_records import HEADER_SIZE, MAGIC, BinaryCursor
from engine.scene.document.checks import MAX_ENTITIES
from engine.scene.document.columns import Columns, ComponentTable, FieldColumn, Layout
from engine.scene.document.text_lines import parse_header
from engine.scene.document.text_read import decode, read_block

CHUNK_BYTES = 8 << 20
_OPENING = re.compile(rb"^[ \t]*entity[ \t]", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Chunk:
    """Some entities of a document, one behind the other.

    Parameters
    ----------
    version : int
        That of the document.
    is_binary : bool
        Which format it is in.
    first : int
        The index of the first of them in the document.
    columns : Columns
        Their components; owners count from `first`.
    end : int
        How many bytes of the file were read by now.
    """

    version: int
    is_binary: bool
    first: int
    columns: Columns
    end: int


def read_chunks(
    file: BinaryIO, *, binary: bool = False, size: int = CHUNK_BYTES
) -> Iterator[Chunk]:
    """Read a document piece by piece; there is at least one piece.

    Parameters
    ----------
    file : binary file
        At its start.
    binary : bool
        What a file is that does not start with the magic bytes of the binary format.
    size : int
        Bytes to read at a time; an entity that is larger is read as a whole.

    Raises
    ------
    SceneError
        As `read_text` and `read_binary`, once the piece with the fault is reached.
    """
    head = file.read(max(size, HEADER_SIZE))
    if binary or head.startswith(MAGIC):
        return _binary_chunks(file, head, size)
    return _text_chunks(file, head, size)


def _text_chunks(file: BinaryIO, data: bytes, size: int) -> Iterator[Chunk]:
    while b"\n" not in data and (more := file.read(size)):
        data += more
    header, newline, data = data.partition(b"\n")
    version = parse_header(decode(header).removesuffix("\r"))
    at, entity, line = len(header) + len(newline), 0, 2
    is_end = False
    while not is_end:
        block, data, is_end = _next_block(file, data, size)
        columns = read_block(block, entity, line, at)
        at += len(block)
        yield Chunk(version, False, entity, columns, at)
        entity += columns.entity_count
        line += block.count(b"\n")
        _check_total(entity)


def _next_block(file: BinaryIO, data: bytes, size: int) -> tuple[bytes, bytes, bool]:
    """Return whole entities, what was read behind them, and whether the file ends there."""
    while True:
        more = file.read(size)
        data += more
        if not more:
            return data, b"", True
        cut = _last_opening(data)
        if cut:
            return data[:cut], data[cut:], False


def _last_opening(data: bytes) -> int:
    """Return where the last line starts that opens an entity; 0 where none does."""
    back = 1 << 12
    while True:
        found = [match.start() for match in _OPENING.finditer(data, max(0, len(data) - back))]
        if found or back >= len(data):
            return found[-1] if found else 0
        back *= 8


def _binary_chunks(file: BinaryIO, data: bytes, size: int) -> Iterator[Chunk]:
    cursor = BinaryCursor(data)
    version, count = cursor.header()
    at, entity, data = cursor.at, 0, data[cursor.at :]
    while True:
        more = file.read(size)
        data += more
        if not more:
            columns = read_rest(data, count - entity, at)
            yield Chunk(version, True, entity, columns, at + len(data))
            return
        front = read_front(data, count - entity)
        if front is None:
            # One entity is larger than what was read, or something is wrong: more will tell.
            size *= 2
            continue
        columns, end = front
        at, data = at + end, data[end:]
        yield Chunk(version, True, entity, columns, at)
        entity += columns.entity_count
        if entity == count:
            return


def _check_total(count: int) -> None:
    if count > MAX_ENTITIES:
        raise SceneError(f"implausible: {count} entities (at most {MAX_ENTITIES})")


def join_chunks(chunks: Iterable[Chunk]) -> tuple[int, Columns]:
    """Return the version and the columns of a whole document."""
    version, count = 0, 0
    tables: dict[Layout, list[ComponentTable]] = {}
    for chunk in chunks:
        version, count = chunk.version, chunk.first + chunk.columns.entity_count
        for table in chunk.columns.tables:
            moved = replace(table, owner=table.owner + chunk.first)
            tables.setdefault(table.layout, []).append(moved)
    return version, Columns(count, [_joined(parts) for parts in tables.values()])


def _joined(parts: list[ComponentTable]) -> ComponentTable:
    if len(parts) == 1:
        return parts[0]
    fields = zip(*(part.fields for part in parts), strict=True)
    return ComponentTable(
        parts[0].name,
        tuple(
            FieldColumn(same[0].name, same[0].kind, np.concatenate([f.values for f in same]))
            for same in fields
        ),
        np.concatenate([part.owner for part in parts]),
        np.concatenate([part.position for part in parts]),
    )
