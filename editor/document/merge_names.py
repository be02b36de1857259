"""Renames in the file of an open level.

A merge of two files takes an entity that has another name for another entity, since its base may
be many saves old. The base of an open level is the file as it was last read, so an index means
the same entity: names are merged first, and the rest is merged under one name.
"""

from __future__ import annotations

import numpy as np

from engine.reflect import Field
from engine.scene import EntityRecord, Name, SceneDoc
from engine.scene.document.compare import changed_rows
from engine.scene.document.merge_records import Conflict

_NAME = Name.scene_name()


def merge_names(base: SceneDoc, ours: SceneDoc, theirs: SceneDoc) -> list[Conflict]:
    """Give entities that were renamed the same name in all three documents.

    Returns
    -------
    list of Conflict
        Those that both sides renamed; the documents have ours.
    """
    changed = np.zeros(max(map(len, (base, ours, theirs))), np.bool_)
    for other in (ours, theirs):
        rows = changed_rows(base.to_columns(), other.to_columns())[1]
        changed[: len(rows)] |= rows
    shared = min(map(len, (base, ours, theirs)))
    conflicts = []
    for index in np.flatnonzero(changed[:shared]).tolist():
        records = [doc.entities[index] for doc in (base, ours, theirs)]
        if _are_one(records):
            conflicts += _merge_name(index, records)
    return conflicts


def _are_one(records: list[EntityRecord]) -> bool:
    kinds = [{component.name for component in record.components} for record in records]
    return _NAME in kinds[0] & kinds[1] & kinds[2] and kinds[0] == kinds[2]


def _merge_name(index: int, records: list[EntityRecord]) -> list[Conflict]:
    fields = [_name_field(record) for record in records]
    base, ours, theirs = (field.copy() if field is not None else None for field in fields)
    if base is None or ours is None or theirs is None or base == ours == theirs:
        return []
    winner = ours if ours != base else theirs
    for field in fields:
        if field is not None:
            field.text = winner.text
    if base in (ours, theirs) or ours == theirs:
        return []
    return [Conflict(index, ours.text, _NAME, "text", base, ours, theirs)]


def _name_field(record: EntityRecord) -> Field | None:
    component = record.get(_NAME)
    return component.get("text") if component is not None else None
