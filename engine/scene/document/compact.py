"""Giving up empty records: the only step that changes the indices of entities."""

from __future__ import annotations

import numpy as np

from engine.reflect import Kind
from engine.scene.document.columns import Columns, ComponentTable, FieldColumn, IndexArray
from engine.scene.document.scene_doc import SceneDoc


def compact(doc: SceneDoc) -> SceneDoc:
    """Return `doc` without its empty records, references following.

    Files that were compacted no longer merge well with older versions of themselves, so this
    happens only when somebody asks for it.
    """
    columns = doc.to_columns()
    is_used = np.bincount(columns.owners(), minlength=columns.entity_count) > 0
    new_index = np.where(is_used, np.cumsum(is_used) - 1, -1)
    count = int(is_used.sum())
    tables = [_renumbered(table, new_index) for table in columns.reordered(new_index)]
    return SceneDoc.from_columns(doc.version, Columns(count, tables))


def _renumbered(table: ComponentTable, new_index: IndexArray) -> ComponentTable:
    fields = tuple(
        FieldColumn(f.name, f.kind, _renumber(f.values, new_index)) if f.kind is Kind.ENTITY else f
        for f in table.fields
    )
    return ComponentTable(table.name, fields, table.owner, table.position)


def _renumber(indices: IndexArray, new_index: IndexArray) -> IndexArray:
    is_inside = (indices >= 0) & (indices < len(new_index))
    if not len(new_index):
        return np.full(len(indices), -1, np.int64)
    return np.where(is_inside, new_index[np.where(is_inside, indices, 0)], -1)
