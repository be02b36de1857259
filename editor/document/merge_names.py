"""Renames in the file of an open level.

A merge of two files takes an entity that has another name for another entity, since its base may
be many saves old. The base of an open level is the file as it was last read, so an index means
the same entity: names are merged first, and the rest is merged under one name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from engine.reflect import ComponentRecord, Field
from engine.scene import Name, SceneDoc
from engine.scene.document.columns import Columns, ComponentTable, IndexArray
from engine.scene.document.compare import changed_rows
from engine.scene.document.merge_records import Conflict

_NAME = Name.scene_name()
_TEXT = "text"

Records = list[ComponentRecord]


def merge_names(base: SceneDoc, ours: SceneDoc, theirs: SceneDoc) -> list[Conflict]:
    """Give entities that were renamed the same name in all three documents.

    Returns
    -------
    list of Conflict
        Those that both sides renamed; the documents have ours.
    """
    sides = [doc.to_columns() for doc in (base, ours, theirs)]
    changed = np.zeros(max(side.entity_count for side in sides), np.bool_)
    for other in sides[1:]:
        rows = changed_rows(sides[0], other)[1]
        changed[: len(rows)] |= rows
    shared = min(side.entity_count for side in sides)
    conflicts: list[Conflict] = []
    names: dict[int, str] = {}
    for index in np.flatnonzero(changed[:shared]).tolist():
        records = [side.records_of(index) for side in sides]
        if _are_one(records):
            conflicts += _merge_name(index, records, names)
    if names:
        for doc, side in zip((base, ours, theirs), sides, strict=True):
            doc.assign(SceneDoc.from_columns(doc.version, _renamed(side, names)))
    return conflicts


def _are_one(sides: list[Records]) -> bool:
    kinds = [{component.name for component in records} for records in sides]
    return _NAME in kinds[0] & kinds[1] & kinds[2] and kinds[0] == kinds[2]


def _merge_name(index: int, sides: list[Records], names: dict[int, str]) -> list[Conflict]:
    """Note what an entity is called from now on where the sides differ."""
    base, ours, theirs = (_name_field(records) for records in sides)
    if base is None or ours is None or theirs is None or base == ours == theirs:
        return []
    names[index] = (ours if ours != base else theirs).text
    if base in (ours, theirs) or ours == theirs:
        return []
    return [Conflict(index, ours.text, _NAME, _TEXT, base, ours, theirs)]


def _name_field(records: Records) -> Field | None:
    return next((r.get(_TEXT) for r in records if r.name == _NAME), None)


def _renamed(columns: Columns, names: Mapping[int, str]) -> Columns:
    """Return columns where the entities of some indices have other names."""
    indices = np.fromiter(names, np.int64, len(names))
    tables = [_table_renamed(t, indices, names) for t in columns.tables]
    return Columns(columns.entity_count, tables)


def _table_renamed(
    table: ComponentTable, indices: IndexArray, names: Mapping[int, str]
) -> ComponentTable:
    column = table.column(_TEXT)
    if table.name != _NAME or column is None:
        return table
    values = column.values.copy()
    for row in np.flatnonzero(np.isin(table.owner, indices)).tolist():
        values[row] = names[int(table.owner[row])]
    fields = [replace(f, values=values) if f is column else f for f in table.fields]
    return replace(table, fields=tuple(fields))
