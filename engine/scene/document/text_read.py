r"""Text to documents, many lines at once.

Lines are sorted into classes by their first bytes, without looking at each in Python. The first
line of a class is read exactly; its layout becomes one compiled pattern that takes all lines
spelled like it in one call, straight into columns. Lines spelled otherwise (escapes, hexadecimal
floats, runs of blanks) are read exactly, one by one. Where anything is wrong the whole text goes
through the exact reader, so that messages and line numbers are always those of the first fault.
"""

from __future__ import annotations

import re
from contextlib import suppress
from functools import lru_cache
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.collector import paused_collector
from engine.errors import SceneError
from engine.reflect import ComponentRecord, Kind
from engine.scene.document.checks import check_counts, find_double
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
from engine.scene.document.floats import parse_decimals
from engine.scene.document.scene_doc import SceneDoc
from engine.scene.document.text_lines import (
    is_entity,
    is_skipped,
    parse_component,
    parse_entity,
    parse_header,
)

_KEY_BYTES = 16
_MOST_CLASSES = 256
_MOST_LAYOUTS = 24
_FEW_LINES = 8


def read_text(text: str | bytes) -> SceneDoc:
    """Parse the text format into a document of the version that it declares.

    Raises
    ------
    SceneError
        What is wrong and in which line: the words of the seed, behind "line N: ".
    """
    decoded = decode(text)
    lines = split_lines(decoded)
    version = parse_header(lines[0])
    return SceneDoc.from_columns(version, _read_lines(lines, decoded.encode(), 0, 1))


def read_block(data: bytes, first_entity: int, first_line: int, first_byte: int) -> Columns:
    """Parse some whole lines from the middle of a document.

    Parameters
    ----------
    data : bytes
        From the start of a line that opens an entity, or from the line behind the header.
    first_entity, first_line, first_byte : int
        The index of that entity in the document, the number of that line, and where it starts.

    Raises
    ------
    SceneError
        As `read_text`, with the line of the document.
    """
    decoded = _decode(data, first_line, first_byte)
    return _read_lines(["", *split_lines(decoded)], b"\n" + data, first_entity, first_line - 1)


def _read_lines(lines: list[str], data: bytes, first_entity: int, first_line: int) -> Columns:
    """Read all lines but the first, whose number is `first_line`; `data` holds the same bytes."""
    columns = None
    with paused_collector(), suppress(SceneError):
        columns = _LineClasses(lines, data, first_entity).read()
    columns = columns or _read_exactly(lines, first_entity, first_line)
    # What a text could hold and no writer would take must not open: it could never be saved.
    check_counts(columns)
    return columns


def decode(text: str | bytes) -> str:
    """Return the characters of a document, without a byte order mark."""
    if isinstance(text, bytes):
        return _decode(text, 1, 0).removeprefix("\ufeff")
    if not isinstance(text, str):
        return decode(bytes(text))
    try:
        text.isascii() or text.encode()
    except UnicodeEncodeError as error:
        line = text.count("\n", 0, error.start) + 1
        raise SceneError(f"line {line}: not valid UTF-8 (a lone surrogate)") from error
    return text.removeprefix("\ufeff")


def _decode(data: bytes, first_line: int, first_byte: int) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + first_line
        at = first_byte + error.start
        raise SceneError(f"line {line}: not valid UTF-8 at byte {at}") from error


def split_lines(text: str) -> list[str]:
    r"""Split at "\n" only, dropping one "\r" before each."""
    lines = text.split("\n")
    return [line.removesuffix("\r") for line in lines] if "\r" in text else lines


def _read_exactly(lines: list[str], first_entity: int = 0, first_line: int = 1) -> Columns:
    placed: list[PlacedRecord] = []
    entity = position = -1
    names: set[str] = set()
    for number, line in enumerate(lines[1:], first_line + 1):
        if is_skipped(line):
            continue
        try:
            if is_entity(line):
                parse_entity(line, first_entity + entity + 1)
                entity, position, names = entity + 1, 0, set()
                continue
            record = parse_component(line)
            if entity < 0:
                raise SceneError(f"component {record.name} before the first entity")
            if record.name in names:
                where = f"entity {first_entity + entity}"
                raise SceneError(f"{where}: component {record.name} twice")
        except SceneError as error:
            raise SceneError(f"line {number}: {error}") from error
        names.add(record.name)
        placed.append((entity, position, record))
        position += 1
    return Columns(entity + 1, pack(placed))


class _LineClasses:
    """The lines of one document, and the tables that were made of them so far."""

    def __init__(self, lines: list[str], data: bytes, first_entity: int) -> None:
        self._lines = lines
        self._data = data
        self._first_entity = first_entity
        self._tables: list[tuple[str, tuple[FieldColumn, ...], IndexArray]] = []
        self._loose: list[tuple[int, ComponentRecord]] = []
        self._entity_lines: list[IndexArray] = []

    def read(self) -> Columns | None:
        """Return the columns, or None where the exact reader has to look at the whole."""
        classes = _classify(self._data, len(self._lines))
        if classes is None:
            return None
        for members in classes:
            self._read_class(members)
        return self._assemble()

    def _read_class(self, pending: IndexArray) -> None:
        for _ in range(_MOST_LAYOUTS):
            if not len(pending):
                return
            pending = self._read_like_first(pending)
        self._read_singly(pending)

    def _read_like_first(self, pending: IndexArray) -> IndexArray:
        """Take the lines that look like the first one; return the others."""
        line = self._lines[int(pending[0])]
        if is_skipped(line):
            is_left = np.array([not is_skipped(self._lines[i]) for i in pending.tolist()])
            rest: IndexArray = pending[is_left]
            return rest
        if is_entity(line):
            return self._read_entities(pending)
        record = parse_component(line)
        if len(pending) <= _FEW_LINES:
            self._read_singly(pending)
            return pending[:0]
        layout = pack([(0, 0, record)])[0].layout
        rows, taken = _match(line_pattern(layout), self._lines, pending)
        columns = _columns_of(layout, rows) if len(rows) else None
        if columns is None:
            self._loose.append((int(pending[0]), record))
            return pending[1:]
        self._tables.append((layout[0], columns, pending[taken]))
        others: IndexArray = pending[~taken]
        return others

    def _read_entities(self, pending: IndexArray) -> IndexArray:
        chosen = itemgetter(*pending.tolist(), 0)(self._lines)[:-1]
        if list(chosen) == _openings(self._first_entity, len(chosen)):
            is_opening = np.ones(len(pending), np.bool_)
        else:
            is_opening = np.array([is_entity(line) for line in chosen])
        self._entity_lines.append(pending[is_opening])
        others: IndexArray = pending[~is_opening]
        return others

    def _read_singly(self, pending: IndexArray) -> None:
        for i in pending.tolist():
            line = self._lines[i]
            if is_entity(line):
                self._entity_lines.append(np.array([i], np.int64))
            elif not is_skipped(line):
                self._loose.append((i, parse_component(line)))

    def _assemble(self) -> Columns | None:
        openings = np.sort(np.concatenate(self._entity_lines or [np.empty(0, np.int64)]))
        _check_consecutive(self._lines, openings, self._first_entity)
        loose_lines = np.array([i for i, _ in self._loose], np.int64)
        used = [lines for _, _, lines in self._tables] + [loose_lines]
        places = _places(len(self._lines), openings, np.concatenate(used))
        if places is None:
            return None
        owner, position = places
        tables = [
            ComponentTable(name, fields, owner[lines], position[lines])
            for name, fields, lines in self._tables
        ]
        tables += pack((int(owner[i]), int(position[i]), record) for i, record in self._loose)
        columns = Columns(len(openings), tables)
        return None if find_double(columns) else columns


def _classify(text: bytes, line_count: int) -> list[IndexArray] | None:
    """Sort the lines behind the header into classes of equal first word, roughly.

    Two words that agree in their first bytes share a class, which costs time and nothing else.
    """
    data = text + bytes(_KEY_BYTES)
    ends = np.flatnonzero(np.frombuffer(data, np.uint8) == 10)
    windows = np.ndarray((len(data) - _KEY_BYTES + 1,), f"V{_KEY_BYTES}", data, strides=(1,))
    keys = _first_words(windows[ends + 1].view(np.uint8).reshape(-1, _KEY_BYTES))
    pending = np.arange(1, line_count)
    classes: list[IndexArray] = []
    while len(pending):
        if len(classes) == _MOST_CLASSES:
            return None
        is_same = keys == keys[0]
        classes.append(pending[is_same])
        pending, keys = pending[~is_same], keys[~is_same]
    return classes


def _first_words(heads: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """Return a number for the first word of each (n, 16) head; the indentation counts."""
    is_end = (heads == 32) | (heads == 10) | (heads == 9)
    is_end[:, :2] = heads[:, :2] == 10
    heads = np.where(np.logical_or.accumulate(is_end, axis=1), np.uint8(0), heads)
    halves = np.ascontiguousarray(heads).view(np.uint64)
    return halves[:, 0] * np.uint64(0x9E37_79B9_7F4A_7C15) + halves[:, 1]


def _match(
    pattern: re.Pattern[str], lines: list[str], pending: IndexArray
) -> tuple[list[Any], NDArray[np.bool_]]:
    """Return the groups of the lines that `pattern` takes, and which lines those are."""
    chosen = itemgetter(*pending.tolist())(lines)
    rows = pattern.findall("\n".join(chosen))
    if len(rows) == len(pending):
        return rows, np.ones(len(pending), np.bool_)
    matches = [pattern.fullmatch(line) for line in chosen]
    rows = [m.groups() if pattern.groups != 1 else m[1] for m in matches if m]
    return rows, np.array([m is not None for m in matches])


@lru_cache(maxsize=1024)
def line_pattern(layout: Layout) -> re.Pattern[str]:
    """Return what takes a whole line of this layout in usual spelling, and captures its values."""
    name, fields = layout
    parts = [rf"^[ \t]*{re.escape(name)}"]
    for field_name, kind, width in fields:
        value = _VALUES.get(kind, "")
        if kind is Kind.FLOATS:
            items = rf"{_ITEM}(?:,{_ITEM}){{{width - 1}}}"
            value = rf"\[({items})\]" if width else r"\[\]"
        parts.append(f" {re.escape(field_name)}={value}")
    return re.compile("".join(parts) + "$", re.MULTILINE | re.ASCII)


_ITEM = r"[-+.\deE]+"
_VALUES = {
    Kind.FLOAT: r"(-?\d+[.eE][-+.\deE]*)",
    Kind.INT: r"(-?\d{1,18})",
    Kind.BOOL: r"(true|false)",
    Kind.STRING: r'"([^"\\\n]*)"',
    Kind.ENTITY: r"#(-1|\d{1,18})",
}


def _columns_of(layout: Layout, rows: list[Any]) -> tuple[FieldColumn, ...] | None:
    """Make columns of the groups of each row; None where a float is spelled unusually."""
    _, fields = layout
    captured = [f for f in fields if f[1] is not Kind.FLOATS or f[2]]
    texts = [rows] if len(captured) == 1 else list(zip(*rows, strict=True))
    by_name = dict(zip((f[0] for f in captured), texts, strict=False))
    columns = []
    for name, kind, width in fields:
        values = _values_of(kind, width, by_name.get(name, ()), len(rows))
        if values is None:
            return None
        columns.append(FieldColumn(name, kind, values))
    return tuple(columns)


def _values_of(kind: Kind, width: int, texts: Any, count: int) -> NDArray[Any] | None:
    if kind is Kind.FLOATS and not width:
        return np.empty((count, 0), np.float32)
    if kind in (Kind.FLOAT, Kind.FLOATS):
        values = parse_decimals(texts)
        if values is None or len(values) != count * max(width, 1):
            return None
        return values.reshape(count, width) if kind is Kind.FLOATS else values
    if kind is Kind.STRING:
        return column_from(list(texts), kind)
    if kind is Kind.BOOL:
        return np.array([text == "true" for text in texts], np.bool_)
    return np.array(list(map(int, texts)), np.int64)


def _openings(first: int, count: int) -> list[str]:
    return [f"entity {i}" for i in range(first, first + count)]


def _check_consecutive(lines: list[str], openings: IndexArray, first: int) -> None:
    chosen = list(itemgetter(*openings.tolist(), 0)(lines)[:-1]) if len(openings) else []
    if chosen == _openings(first, len(chosen)):
        return
    for i, line in enumerate(chosen, first):
        parse_entity(line, i)


def _places(
    line_count: int, openings: IndexArray, used: IndexArray
) -> tuple[IndexArray, IndexArray] | None:
    """Return, for every line, the entity that it belongs to and its rank among its components."""
    is_used = np.zeros(line_count, np.int64)
    is_used[used] = 1
    is_opening = np.zeros(line_count, np.int64)
    is_opening[openings] = 1
    owner = np.cumsum(is_opening) - 1
    if len(used) and int(owner[used].min()) < 0:
        return None
    rank = np.cumsum(is_used) - is_used
    base = rank[openings] if len(openings) else np.zeros(1, np.int64)
    return owner, rank - base[np.maximum(owner, 0)]
