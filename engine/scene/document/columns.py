"""The storage of a document: one table per component layout, one column per field.

A layout is a component name and its fields with their kinds (and, for float lists, their
length). Every row says which entity owns it and in which place it stands among that entity's
components. Tables are never changed in place: a document that was edited makes new ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.reflect import ComponentRecord, Field, Kind

IndexArray = NDArray[np.int64]
Layout = tuple[str, tuple[tuple[str, Kind, int], ...]]

DTYPES: dict[Kind, Any] = {
    Kind.FLOAT: np.float32,
    Kind.INT: np.int64,
    Kind.BOOL: np.bool_,
    Kind.STRING: object,
    Kind.ENTITY: np.int64,
    Kind.FLOATS: np.float32,
}


@dataclass(frozen=True, slots=True)
class FieldColumn:
    """One field of a table: `values` is (n,), or (n, k) float32 where `kind` is FLOATS."""

    name: str
    kind: Kind
    values: NDArray[Any]

    @property
    def width(self) -> int:
        """How many floats each row of a FLOATS column holds; 0 for the other kinds."""
        return int(self.values.shape[1]) if self.kind is Kind.FLOATS else 0

    def take(self, rows: NDArray[Any]) -> FieldColumn:
        """Return the column of some rows, a copy."""
        return FieldColumn(self.name, self.kind, self.values[rows])


@dataclass(frozen=True, slots=True)
class ComponentTable:
    """All records of one layout: `owner` and `position` are (n,) int64."""

    name: str
    fields: tuple[FieldColumn, ...]
    owner: IndexArray
    position: IndexArray

    def __len__(self) -> int:
        return len(self.owner)

    @property
    def layout(self) -> Layout:
        """The name of the component, and name, kind and width of each field."""
        return self.name, tuple((f.name, f.kind, f.width) for f in self.fields)

    def column(self, name: str) -> FieldColumn | None:
        """Return the column of a field, None where there is none of that name."""
        return next((field for field in self.fields if field.name == name), None)

    def take(self, rows: NDArray[Any], owner: IndexArray, position: IndexArray) -> ComponentTable:
        """Return the table of `rows` under other owners and positions."""
        return ComponentTable(self.name, tuple(f.take(rows) for f in self.fields), owner, position)

    def with_references(self, translate: Callable[[IndexArray], IndexArray]) -> ComponentTable:
        """Return the table with `translate` applied to every column of references."""
        fields = tuple(
            FieldColumn(f.name, f.kind, translate(f.values)) if f.kind is Kind.ENTITY else f
            for f in self.fields
        )
        return ComponentTable(self.name, fields, self.owner, self.position)

    def fields_of(self, row: int) -> list[Field]:
        """Return the fields of one row as new objects."""
        return [Field.of(f.name, f.kind, f.values[row]) for f in self.fields]


class Columns:
    """The tables of a document and the number of its entities."""

    __slots__ = ("_order", "entity_count", "tables")

    def __init__(self, entity_count: int, tables: list[ComponentTable]) -> None:
        self.entity_count = entity_count
        self.tables = tables
        self._order: tuple[IndexArray, IndexArray, IndexArray] | None = None

    def _rows_by_entity(self) -> tuple[IndexArray, IndexArray, IndexArray]:
        if self._order is None:
            owner, position = self.owners(), self.positions()
            sizes = [len(t) for t in self.tables]
            table_of = np.repeat(np.arange(len(sizes)), sizes)
            row_of = np.concatenate([np.arange(n) for n in sizes]) if sizes else owner
            order = np.lexsort((position, owner))
            counts = np.bincount(owner, minlength=self.entity_count)
            starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
            self._order = starts, table_of[order], row_of[order]
        return self._order

    def owners(self) -> IndexArray:
        """Return the owner of every row, table after table."""
        return _joined([t.owner for t in self.tables])

    def positions(self) -> IndexArray:
        """Return the place of every row among its owner's components, table after table."""
        return _joined([t.position for t in self.tables])

    def rows_of(self, entity: int) -> list[tuple[ComponentTable, int]]:
        """Return the rows of one entity in their order."""
        starts, table_of, row_of = self._rows_by_entity()
        span = slice(int(starts[entity]), int(starts[entity + 1]))
        return [
            (self.tables[t], r)
            for t, r in zip(table_of[span].tolist(), row_of[span].tolist(), strict=True)
        ]

    def records_of(self, entity: int) -> list[ComponentRecord]:
        """Return the records of one entity; each makes its fields when they are asked for."""
        return [StoredRecord(table, row) for table, row in self.rows_of(entity)]

    def reordered(self, new_index: IndexArray) -> list[ComponentTable]:
        """Return the tables with `new_index[owner]` as owner, without the rows where it is -1."""
        tables = []
        for table in self.tables:
            owner = new_index[table.owner]
            rows = np.flatnonzero(owner >= 0)
            if len(rows) == len(table):
                tables.append(ComponentTable(table.name, table.fields, owner, table.position))
            elif len(rows):
                tables.append(table.take(rows, owner[rows], table.position[rows]))
        return tables


def _joined(parts: list[IndexArray]) -> IndexArray:
    return np.concatenate(parts) if parts else np.empty(0, np.int64)


class StoredRecord(ComponentRecord):
    """A record that lies in a table until its fields are asked for."""

    __slots__ = ("_fields", "row", "table")

    def __init__(self, table: ComponentTable, row: int) -> None:
        self.name = table.name
        self.table = table
        self.row = row
        self._fields: list[Field] | None = None

    @property
    def is_untouched(self) -> bool:
        """Whether the fields still are those of the table."""
        return self._fields is None

    @property
    def fields(self) -> list[Field]:
        """The fields as views of their columns."""
        if self._fields is None:
            self._fields = self.table.fields_of(self.row)
        return self._fields

    @fields.setter
    def fields(self, fields: list[Field]) -> None:
        self._fields = fields

    def __reduce__(self) -> tuple[Any, ...]:
        return ComponentRecord, (self.name, self.fields)


PlacedRecord = tuple[int, int, ComponentRecord]


def pack(placed: Iterable[PlacedRecord]) -> list[ComponentTable]:
    """Make tables of (owner, position, record) triples."""
    stored: dict[tuple[int, str], list[PlacedRecord]] = {}
    loose: dict[Layout, list[PlacedRecord]] = {}
    for item in placed:
        record = item[2]
        if isinstance(record, StoredRecord) and record.is_untouched:
            stored.setdefault((id(record.table), record.name), []).append(item)
        else:
            key = (record.name, tuple((f.name, f.kind, _width(f)) for f in record.fields))
            loose.setdefault(key, []).append(item)
    tables = [_take_stored(name, items) for (_, name), items in stored.items()]
    return tables + [_make_table(layout, items) for layout, items in loose.items()]


def _width(field: Field) -> int:
    return len(field.floats) if field.kind is Kind.FLOATS else 0


def _places(items: list[PlacedRecord]) -> tuple[IndexArray, IndexArray]:
    return (
        np.array([owner for owner, _, _ in items], np.int64),
        np.array([position for _, position, _ in items], np.int64),
    )


def _take_stored(name: str, items: list[PlacedRecord]) -> ComponentTable:
    records: list[Any] = [record for _, _, record in items]
    table: ComponentTable = records[0].table
    rows = np.array([record.row for record in records], np.int64)
    fields = tuple(f.take(rows) for f in table.fields)
    return ComponentTable(name, fields, *_places(items))


def _make_table(layout: Layout, items: list[PlacedRecord]) -> ComponentTable:
    name, described = layout
    columns = []
    for i, (field_name, kind, width) in enumerate(described):
        fields = [record.fields[i] for _, _, record in items]
        columns.append(FieldColumn(field_name, kind, _column_of(fields, kind, width)))
    return ComponentTable(name, tuple(columns), *_places(items))


def _column_of(fields: list[Field], kind: Kind, width: int) -> NDArray[Any]:
    if kind is Kind.FLOATS:
        return np.concatenate([f.floats for f in fields]).reshape(len(fields), width)
    if kind is Kind.FLOAT:
        return np.concatenate([f.floats for f in fields])
    return column_from([f.value for f in fields], kind)


def column_from(values: list[Any], kind: Kind) -> NDArray[Any]:
    """Return the column of INT, BOOL, STRING or ENTITY values."""
    column = np.empty(len(values), DTYPES[kind])
    column[:] = values
    return column
