"""Which rows of a document differ from those of an earlier one, column against column."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.scene.document.columns import (
    Columns,
    ComponentTable,
    FieldColumn,
    IndexArray,
    Layout,
)


def changed_rows(old: Columns, new: Columns) -> tuple[list[NDArray[np.bool_]], NDArray[np.bool_]]:
    """Compare two documents record by record, floats bit by bit.

    Returns
    -------
    rows : list of (n,) bool
        For each table of `new`, which of its rows have no equal record in `old`.
    entities : (m,) bool
        Which entities differ in any record, in their number or in their order; m is the larger
        number of entities.
    """
    count = max(old.entity_count, new.entity_count)
    entities = np.zeros(count, np.bool_)
    entities[min(old.entity_count, new.entity_count) :] = True
    old_tables = _by_layout(old)
    rows = []
    counts = np.bincount(old.owners(), minlength=count)
    for table in new.tables:
        is_changed, is_moved = _changed_in(old_tables.get(table.layout, []), table)
        entities[table.owner[is_changed | is_moved]] = True
        rows.append(is_changed)
    entities |= counts != np.bincount(new.owners(), minlength=count)
    return rows, entities


def _by_layout(columns: Columns) -> dict[Layout, list[ComponentTable]]:
    found: dict[Layout, list[ComponentTable]] = {}
    for table in columns.tables:
        found.setdefault(table.layout, []).append(table)
    return found


def _changed_in(
    old: list[ComponentTable], new: ComponentTable
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which rows of `new` have no equal row in `old`, and which stand elsewhere."""
    is_changed = np.ones(len(new), np.bool_)
    is_moved = np.zeros(len(new), np.bool_)
    for table in old:
        rows, old_rows = _shared(new.owner, table.owner)
        is_equal = np.ones(len(rows), np.bool_)
        for before, after in zip(table.fields, new.fields, strict=True):
            is_equal &= _equal(before, old_rows, after, rows)
        is_changed[rows[is_equal]] = False
        is_moved[rows] |= table.position[old_rows] != new.position[rows]
    return is_changed, is_moved


def _shared(a: IndexArray, b: IndexArray) -> tuple[IndexArray, IndexArray]:
    if len(a) == len(b) and bool((a == b).all()):
        everything = np.arange(len(a))
        return everything, everything
    _, rows_a, rows_b = np.intersect1d(a, b, return_indices=True)
    return rows_a, rows_b


def _equal(
    a: FieldColumn, rows_a: IndexArray, b: FieldColumn, rows_b: IndexArray
) -> NDArray[np.bool_]:
    left, right = _bits(a.values[rows_a]), _bits(b.values[rows_b])
    same: NDArray[np.bool_] = np.equal(left, right).astype(np.bool_)
    if same.ndim > 1:
        same = np.logical_and.reduce(same, axis=1)
    return same


def _bits(values: NDArray[Any]) -> NDArray[Any]:
    """Return values whose equality is that of their bits."""
    return values.view(np.uint32) if values.dtype == np.float32 else values
