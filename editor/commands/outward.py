"""What a set of entities refers to outside itself, found column by column."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from editor.model.change_set import ComponentType
from engine.ecs import Table, World
from engine.reflect import (
    ComponentRecord,
    Entity,
    Kind,
    component_fields,
    has_derived_codec,
    to_record,
)
from engine.scene import KeptRecords


def outward_references(
    world: World, entities: Sequence[Entity], types: Iterable[ComponentType]
) -> list[Entity]:
    """Return the living entities that `entities` refer to and that are none of them.

    Parameters
    ----------
    world : World
    entities : sequence of Entity
    types : iterable of component types
        Whose fields count; kept records always do.
    """
    handles = np.array(entities, np.int64)
    table_ids, rows = world.locate(handles)
    found = [np.empty(0, np.int64)]
    for table_id in np.unique(table_ids[table_ids >= 0]).tolist():
        table = world.table(table_id)
        chosen = rows[table_ids == table_id].astype(np.int64)
        for type_ in (t for t in (*types, KeptRecords) if t in table):
            found += _targets(table, type_, chosen)
    targets = np.unique(np.concatenate(found))
    alive = world.locate(targets)[0] >= 0
    return [Entity(e) for e in targets[alive & ~np.isin(targets, handles)].tolist()]


def _targets(
    table: Table, type_: ComponentType, rows: NDArray[np.int64]
) -> list[NDArray[np.int64]]:
    if type_ is KeptRecords:
        kept: list[KeptRecords] = table.objects(KeptRecords)
        return [_of_records(r for row in rows.tolist() for _, r in kept[row].records)]
    if has_derived_codec(type_):
        names = [s.name for s in component_fields(type_) if s.record_kind is Kind.ENTITY]
        return [np.asarray(table.view(type_, name), np.int64)[rows] for name in names]
    return [_of_records(to_record(table.read(row, type_)) for row in rows.tolist())]


def _of_records(records: Iterable[ComponentRecord]) -> NDArray[np.int64]:
    fields = (field for record in records for field in record.fields)
    return np.array([f.integer for f in fields if f.kind is Kind.ENTITY], np.int64)
