"""Documents to the binary format, column by column.

The size of every record is known from its layout and its strings, so all offsets come from one
running sum; then each table scatters its bytes into the output at once.
"""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import SceneError
from engine.reflect import Kind
from engine.scene.document.binary_layout import Stretch, stretches_of
from engine.scene.document.binary_records import MAGIC
from engine.scene.document.checks import check_writable
from engine.scene.document.columns import Columns, ComponentTable, FieldColumn, IndexArray
from engine.scene.document.scene_doc import SceneDoc

Bytes = NDArray[np.uint8]


def write_binary(doc: SceneDoc) -> bytes:
    """Return `doc` in the binary format.

    Raises
    ------
    SceneError
        A name, version or string that the format cannot hold.
    """
    columns = doc.to_columns()
    check_writable(doc.version, columns)
    return _write(columns, binary_header(doc.version, columns.entity_count))


def binary_header(version: int, entity_count: int) -> bytes:
    """Return the first bytes of a document."""
    return MAGIC + struct.pack("<II", version, entity_count)


def binary_body(columns: Columns) -> bytes:
    """Return the records of entities that were checked; they stand behind a header.

    Raises
    ------
    SceneError
        A string that UTF-8 cannot hold.
    """
    return _write(columns, b"")


def _write(columns: Columns, header: bytes) -> bytes:
    tables = [_TableBytes(table) for table in columns.tables]
    counts = np.bincount(columns.owners(), minlength=columns.entity_count)
    record_at, entity_at, total = _offsets(columns, tables, counts, len(header))
    out = np.zeros(total, np.uint8)
    out[: len(header)] = np.frombuffer(header, np.uint8)
    _scatter(out, entity_at, counts.astype("<u4").view(np.uint8).reshape(-1, 4))
    for table, at in zip(tables, record_at, strict=True):
        table.write(out, at)
    return out.tobytes()


def _offsets(
    columns: Columns, tables: list[_TableBytes], counts: IndexArray, start: int
) -> tuple[list[IndexArray], IndexArray, int]:
    """Return where each record of each table starts, where each entity does, and the end."""
    first_slot = np.cumsum(counts + 1) - (counts + 1)
    sizes = np.full(columns.entity_count + int(counts.sum()), 4, np.int64)
    slots = [first_slot[t.owner] + 1 + t.position for t in columns.tables]
    for slot, table in zip(slots, tables, strict=True):
        sizes[slot] = table.sizes
    ends = start + np.cumsum(sizes)
    starts = ends - sizes
    total = int(ends[-1]) if len(ends) else start
    return [starts[slot] for slot in slots], starts[first_slot], total


class _TableBytes:
    """One table on its way out: its stretches and its strings."""

    def __init__(self, table: ComponentTable) -> None:
        self._table = table
        self._stretches = stretches_of(table.layout)
        self._strings = [
            _StringBytes(table.fields[s.string_field], table.name)
            for s in self._stretches
            if s.string_field >= 0
        ]
        fixed = sum(stretch.size for stretch in self._stretches)
        self.sizes: IndexArray = np.full(len(table), fixed, np.int64)
        for strings in self._strings:
            self.sizes += strings.sizes

    def write(self, out: Bytes, at: IndexArray) -> None:
        """Write every record at its offset."""
        for i, stretch in enumerate(self._stretches):
            rows = self._fill(stretch)
            if i < len(self._strings):
                strings = self._strings[i]
                rows[:, -4:] = strings.sizes.astype("<u4").view(np.uint8).reshape(-1, 4)
                _scatter(out, at, rows)
                strings.write(out, at + stretch.size)
                at = at + stretch.size + strings.sizes
            else:
                _scatter(out, at, rows)

    def _fill(self, stretch: Stretch) -> Bytes:
        count = len(self._table)
        rows = np.tile(np.frombuffer(bytes(stretch.template), np.uint8), (count, 1))
        for index, offset, size in stretch.payloads:
            if size:
                payload = _payload_bytes(self._table.fields[index]).reshape(count, size)
                rows[:, offset : offset + size] = payload
        return rows


def _payload_bytes(field: FieldColumn) -> Bytes:
    dtype = "<f4" if field.kind in (Kind.FLOAT, Kind.FLOATS) else "<i8"
    values: NDArray[Any] = np.ascontiguousarray(field.values)
    if values.dtype != np.dtype(dtype):
        values = values.astype(dtype)
    return values.view(np.uint8)


def _scatter(out: Bytes, at: IndexArray, rows: Bytes) -> None:
    """Copy each row of (n, size) bytes to its offset in `out`."""
    size = rows.shape[1]
    if not size or not len(rows):
        return
    windows = np.ndarray((len(out) - size + 1,), f"V{size}", out.data, strides=(1,))
    windows[at] = np.ascontiguousarray(rows).view(f"V{size}")[:, 0]


class _StringBytes:
    """The strings of one column as UTF-8."""

    def __init__(self, field: FieldColumn, component: str) -> None:
        texts: list[str] = field.values.tolist()
        joined = "".join(texts)
        if joined.isascii():
            self._data = joined.encode()
            sizes = list(map(len, texts))
        else:
            encoded = [_encode(text, component, field.name) for text in texts]
            self._data = b"".join(encoded)
            sizes = list(map(len, encoded))
        self.sizes: IndexArray = np.array(sizes, np.int64)

    def write(self, out: Bytes, at: IndexArray) -> None:
        """Copy each string to its offset in `out`."""
        source_at = np.cumsum(self.sizes) - self.sizes
        target = np.repeat(at - source_at, self.sizes) + np.arange(len(self._data))
        out[target] = np.frombuffer(self._data, np.uint8)


def _encode(text: str, component: str, field: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise SceneError(
            f"{component}: field {field}: not valid UTF-8 (a lone surrogate)"
        ) from error
