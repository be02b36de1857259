"""What changed between two documents, entity by entity and field by field, as data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from engine.reflect import ComponentRecord, Field
from engine.scene.document.columns import Columns
from engine.scene.document.compare import changed_rows
from engine.scene.document.identity import Records, by_name, is_same_entity, label_of
from engine.scene.document.merge_records import same_value
from engine.scene.document.scene_doc import SceneDoc

Value = Field | ComponentRecord | tuple[ComponentRecord, ...] | None


@dataclass(frozen=True)
class Change:
    """One difference.

    Attributes
    ----------
    entity : int
        The file index.
    label : str
        The entity's name in the newer document, or in the older one where it is gone.
    component, field : str
        What differs; `field` is empty where a component came or went, both are empty where an
        entity did.
    before, after : Field, ComponentRecord, tuple of ComponentRecord, or None
        The two values; None is absent.
    """

    entity: int
    label: str
    component: str
    field: str
    before: Value
    after: Value


def diff(old: SceneDoc, new: SceneDoc) -> Iterator[Change]:
    """Yield the differences in the order of the entities.

    A record that was given to another entity is a removal and an addition; one that only has
    another name is a renamed one. The order of
    components and fields and the spelling of numbers make no difference.
    """
    before, after = old.to_columns(), new.to_columns()
    _, entities = changed_rows(before, after)
    for index in np.flatnonzero(entities).tolist():
        yield from _entity(index, _records(before, index), _records(after, index))


def _records(columns: Columns, index: int) -> Records:
    return columns.records_of(index) if index < columns.entity_count else []


def _entity(index: int, old: Records, new: Records) -> Iterator[Change]:
    if old and new and (is_same_entity(old, new) or _is_renamed(old, new)):
        yield from _components(index, label_of(new), old, new)
        return
    if old:
        yield Change(index, label_of(old), "", "", tuple(old), None)
    if new:
        yield Change(index, label_of(new), "", "", None, tuple(new))


def _is_renamed(old: Records, new: Records) -> bool:
    """Whether nothing but the name differs: to a reader that is no other entity."""
    rest = [[record for record in records if record.name != "Name"] for records in (old, new)]
    return rest[0] == rest[1] and bool(rest[0])


def _components(index: int, label: str, old: Records, new: Records) -> Iterator[Change]:
    olds, news = by_name(old), by_name(new)
    for name in {**olds, **news}:
        before, after = olds.get(name), news.get(name)
        if before is None or after is None:
            yield Change(index, label, name, "", before, after)
            continue
        for field in dict.fromkeys(f.name for record in (before, after) for f in record.fields):
            a, b = before.get(field), after.get(field)
            if not same_value(a, b):
                yield Change(index, label, name, field, a, b)
