"""The binary format to documents, many records at once.

Records of one layout start with the same bytes. When a layout is met for the first time, one
record is read exactly, all places where those bytes occur are found, and everything else in
those records is checked and located with array operations. One walk from record to record then
decides which of the places really are records, so the result is exactly that of a reader that
goes from byte to byte. Anything unusual goes through that reader, from which all messages come.
"""

from __future__ import annotations

import re
import struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.collector import paused_collector
from engine.errors import SceneError
from engine.reflect import ComponentRecord, Kind
from engine.scene.document.binary_layout import Stretch, head_of, stretches_of
from engine.scene.document.binary_records import BinaryCursor
from engine.scene.document.binary_tiling import tile, tile_front
from engine.scene.document.checks import MAX_COMPONENTS, find_double
from engine.scene.document.columns import (
    Columns,
    ComponentTable,
    FieldColumn,
    IndexArray,
    Layout,
    PlacedRecord,
    column_from,
    pack,
)
from engine.scene.document.scene_doc import SceneDoc

Bytes = NDArray[np.uint8]
_COUNT = struct.Struct("<I")
_Unusual = (SceneError, struct.error, UnicodeDecodeError)
_MOST_LAYOUTS = 64
SMALL_FILE = 1 << 14
FIRST_TRY = 64


def read_binary(data: bytes | bytearray | memoryview) -> SceneDoc:
    """Parse the binary format into a document of the version that it declares.

    Raises
    ------
    SceneError
        What is wrong and at which byte. Bytes behind the last entity are ignored.
    """
    data = bytes(data)
    cursor = BinaryCursor(data)
    version, entity_count = cursor.header()
    columns = None
    if len(data) > SMALL_FILE:
        with paused_collector():
            columns = _Walk(data, entity_count, cursor.at).read()
    return SceneDoc.from_columns(version, columns or _read_exactly(cursor, entity_count))


def read_front(data: bytes, most: int) -> tuple[Columns, int] | None:
    """Read the first of the entities that a piece of a file holds.

    Parameters
    ----------
    data : bytes
        From an entity's count of components on; it may end anywhere.
    most : int
        How many entities the file still has.

    Returns
    -------
    columns : Columns
        At least one entity, and only whole ones.
    end : int
        The byte behind them.
    None where the piece holds no whole entity, or something in it is wrong.
    """
    with paused_collector():
        return _Walk(data, most, 0).read_front()


def read_rest(data: bytes, entity_count: int, base: int) -> Columns:
    """Read the last piece of a file, which starts at its byte `base`.

    Raises
    ------
    SceneError
        As `read_binary`.
    """
    columns = None
    if len(data) > SMALL_FILE:
        with paused_collector():
            columns = _Walk(data, entity_count, 0).read()
    return columns or _read_exactly(BinaryCursor(data, base=base), entity_count)


def _read_exactly(cursor: BinaryCursor, entity_count: int) -> Columns:
    placed: list[PlacedRecord] = []
    for entity in range(entity_count):
        names = set()
        for position in range(cursor.component_count()):
            record = cursor.component()
            if record.name in names:
                raise cursor.error(f"entity {entity}: component {record.name} twice")
            names.add(record.name)
            placed.append((entity, position, record))
    return Columns(entity_count, pack(placed))


class _Walk:
    """One pass over a file; rows are numbered through all layouts that were met."""

    def __init__(self, data: bytes, entity_count: int, start: int) -> None:
        self._data = data
        self._entity_count = entity_count
        self._start = start
        self._row_at: dict[int, int] = {}
        self._row_ends: list[int] = []
        self._layouts: list[tuple[int, _LayoutRows]] = []
        self._known: set[Layout] = set()
        self._loose: list[tuple[int, ComponentRecord]] = []

    def read(self) -> Columns | None:
        """Return the columns, or None where the exact reader has to look at the whole."""
        try:
            counts, rows = self._walk()
            columns = self._assemble(counts, rows)
        except _Unusual:
            return None
        return None if find_double(columns) else columns

    def read_front(self) -> tuple[Columns, int] | None:
        """Return the whole entities in front, and where they end; None where there are none."""
        try:
            counts, rows, end = self._walk_front()
            columns = self._assemble(counts, rows) if len(counts) else None
        except _Unusual:
            return None
        return None if columns is None or find_double(columns) else (columns, end)

    def _walk(self) -> tuple[IndexArray, IndexArray]:
        """Return each entity's number of components, and their rows in file order.

        Now and then the rest of the file is tried at once, with the layouts met so far.
        """
        counts: list[int] = []
        rows: list[int] = []
        at, next_try = self._start, FIRST_TRY
        for entity in range(self._entity_count):
            if entity == next_try:
                next_try *= 8
                starts, ends, found = self._known_rows()
                rest = tile(self._data, at, self._entity_count - entity, starts, ends)
                if rest is not None:
                    return _joined(counts, rest[0]), _joined(rows, found[rest[1]])
            entity_rows, at = self._walk_entity(at)
            counts.append(len(entity_rows))
            rows += entity_rows
        return np.array(counts, np.int64), np.array(rows, np.int64)

    def _walk_front(self) -> tuple[IndexArray, IndexArray, int]:
        """As `_walk`, as far as the data goes; also return where it went."""
        counts: list[int] = []
        rows: list[int] = []
        at, next_try = self._start, FIRST_TRY
        while len(counts) < self._entity_count:
            if len(counts) == next_try:
                next_try *= 8
                starts, ends, found = self._known_rows()
                most = self._entity_count - len(counts)
                front = tile_front(self._data, at, most, starts, ends)
                if front is not None:
                    return _joined(counts, front[0]), _joined(rows, found[front[1]]), front[2]
            try:
                entity_rows, at = self._walk_entity(at)
            except _Unusual:
                break
            counts.append(len(entity_rows))
            rows += entity_rows
        return np.array(counts, np.int64), np.array(rows, np.int64), at

    def _walk_entity(self, at: int) -> tuple[list[int], int]:
        """Return the rows of the entity at `at`, and the byte behind it."""
        (count,) = _COUNT.unpack_from(self._data, at)
        if count > MAX_COMPONENTS:
            raise SceneError("implausible")
        at += _COUNT.size
        rows = []
        for _ in range(count):
            row = self._row_at.get(at)
            if row is None:
                row = self._learn(at)
            rows.append(row)
            at = self._row_ends[row]
        return rows, at

    def _known_rows(self) -> tuple[IndexArray, IndexArray, IndexArray]:
        """Return start, end and number of every row found so far."""
        starts = np.fromiter(self._row_at, np.int64, len(self._row_at))
        rows = np.fromiter(self._row_at.values(), np.int64, len(self._row_at))
        return starts, np.array(self._row_ends, np.int64)[rows], rows

    def _learn(self, at: int) -> int:
        """Read the record at `at`, and find all others of its layout; return its row."""
        cursor = BinaryCursor(self._data, at)
        record = cursor.component()
        layout = pack([(0, 0, record)])[0].layout
        if layout in self._known or len(self._known) == _MOST_LAYOUTS:
            self._add_rows([at], [cursor.at])
            self._loose.append((self._row_at[at], record))
        else:
            self._known.add(layout)
            found = _LayoutRows(self._data, layout, at)
            self._layouts.append((len(self._row_ends), found))
            self._add_rows(found.starts.tolist(), found.ends.tolist())
        return self._row_at[at]

    def _add_rows(self, starts: list[int], ends: list[int]) -> None:
        first = len(self._row_ends)
        self._row_ends.extend(ends)
        self._row_at.update(zip(starts, range(first, first + len(starts)), strict=True))

    def _assemble(self, counts: IndexArray, order: IndexArray) -> Columns:
        owner = np.repeat(np.arange(len(counts)), counts)
        position = np.arange(len(order)) - np.repeat(np.cumsum(counts) - counts, counts)
        tables = []
        for first, layout_rows in self._layouts:
            used = np.flatnonzero((order >= first) & (order < first + len(layout_rows)))
            fields = layout_rows.columns(order[used] - first)
            name = layout_rows.layout[0]
            tables.append(ComponentTable(name, fields, owner[used], position[used]))
        places = {row: i for i, row in enumerate(order.tolist())} if self._loose else {}
        tables += pack(
            (int(owner[places[row]]), int(position[places[row]]), record)
            for row, record in self._loose
        )
        return Columns(len(counts), tables)


def _joined(first: list[int], rest: IndexArray) -> IndexArray:
    return np.concatenate([np.array(first, np.int64), rest])


class _LayoutRows:
    """The places in a file that hold, or look like, a record of one layout."""

    def __init__(self, data: bytes, layout: Layout, start: int) -> None:
        self.layout = layout
        self._data = data
        self._stretches = stretches_of(layout)
        self.starts: IndexArray = _occurrences(data, head_of(layout), start)
        self.ends: IndexArray = self.starts
        self._rows: list[Bytes] = []
        self._strings: dict[int, tuple[IndexArray, IndexArray]] = {}
        for stretch in self._stretches:
            self._take(stretch)

    def __len__(self) -> int:
        return len(self.starts)

    def _take(self, stretch: Stretch) -> None:
        """Read a stretch behind what was read so far; drop the places where it cannot be."""
        self._keep(self.ends + stretch.size <= len(self._data))
        rows = _gather(self._data, self.ends, stretch.size)
        constant = stretch.constant_bytes()
        template = np.frombuffer(bytes(stretch.template), np.uint8)[constant]
        is_sound = (rows[:, constant] == template).all(axis=1)
        self._rows.append(rows)
        self._keep(is_sound)
        self.ends = self.ends + stretch.size
        if stretch.string_field >= 0:
            sizes = self._rows[-1][:, -4:].copy().view("<u4")[:, 0].astype(np.int64)
            self._strings[stretch.string_field] = (self.ends, sizes)
            self.ends = self.ends + sizes
            self._keep(self.ends <= len(self._data))

    def _keep(self, is_kept: NDArray[np.bool_]) -> None:
        if is_kept.all():
            return
        self.starts, self.ends = self.starts[is_kept], self.ends[is_kept]
        self._rows = [rows[is_kept] for rows in self._rows]
        self._strings = {k: (a[is_kept], n[is_kept]) for k, (a, n) in self._strings.items()}

    def columns(self, chosen: IndexArray) -> tuple[FieldColumn, ...]:
        """Return the columns of the chosen rows."""
        payloads: dict[int, Bytes] = {}
        for stretch, rows in zip(self._stretches, self._rows, strict=True):
            for index, offset, size in stretch.payloads:
                payloads[index] = rows[chosen, offset : offset + size]
        columns = []
        for index, (name, kind, width) in enumerate(self.layout[1]):
            if kind is Kind.STRING:
                at, sizes = self._strings[index]
                values = _decode_strings(self._data, at[chosen], sizes[chosen])
            else:
                values = _decode_payload(payloads[index], kind, width)
            columns.append(FieldColumn(name, kind, values))
        return tuple(columns)


def _occurrences(data: bytes, head: bytes, start: int) -> IndexArray:
    found = re.compile(re.escape(head)).finditer(data, start)
    return np.array([match.start() for match in found], np.int64)


def _gather(data: bytes, at: IndexArray, size: int) -> Bytes:
    """Return the `size` bytes at each offset, (n, size)."""
    if not size or not len(at):
        return np.empty((len(at), size), np.uint8)
    windows = np.ndarray((len(data) - size + 1,), f"V{size}", data, strides=(1,))
    found: Bytes = windows[at].view(np.uint8).reshape(-1, size)
    return found


def _decode_payload(payload: Bytes, kind: Kind, width: int) -> NDArray[Any]:
    contiguous = np.ascontiguousarray(payload)
    if kind is Kind.FLOATS:
        return contiguous.view("<f4").reshape(len(payload), width).astype(np.float32, copy=False)
    if kind is Kind.FLOAT:
        floats: NDArray[Any] = contiguous.view("<f4")[:, 0]
        return floats.astype(np.float32, copy=False)
    numbers: NDArray[Any] = contiguous.view("<i8")[:, 0].astype(np.int64, copy=False)
    if kind is Kind.BOOL:
        if ((numbers < 0) | (numbers > 1)).any():
            raise SceneError("a bool is 0 or 1")
        return numbers.astype(np.bool_)
    if kind is Kind.ENTITY and (numbers < -1).any():
        raise SceneError("a reference below -1")
    return numbers


def _decode_strings(data: bytes, at: IndexArray, sizes: IndexArray) -> NDArray[Any]:
    starts, ends = at.tolist(), (at + sizes).tolist()
    pieces = [data[a:b] for a, b in zip(starts, ends, strict=True)]
    joined = b"".join(pieces)
    if joined.isascii():
        return column_from(_cut(joined.decode(), sizes), Kind.STRING)
    return column_from([piece.decode() for piece in pieces], Kind.STRING)


def _cut(text: str, sizes: IndexArray) -> list[str]:
    ends = np.cumsum(sizes)
    starts = (ends - sizes).tolist()
    return [text[a:b] for a, b in zip(starts, ends.tolist(), strict=True)]
