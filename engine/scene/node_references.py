"""Which nodes of instances something of the level holds on to.

A reference counts when it stands in what a level stores: a field of an entity of the level, or a
record kept beside an `InstanceNode`. What realised nodes say of each other follows from the asset.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from engine.ecs import ComponentType, Table, World
from engine.reflect import (
    ComponentRecord,
    Entity,
    Kind,
    component_fields,
    has_derived_codec,
    is_object_stored,
    to_record,
)
from engine.scene.components import InstanceNode, KeptRecords, Realised

Handles = NDArray[np.int64]


def referenced_nodes(world: World, nodes: Iterable[Entity]) -> set[Entity]:
    """Return those of `nodes` that a field or a kept record of the level refers to."""
    wanted = np.fromiter(nodes, np.int64)
    if not len(wanted):
        return set()
    found = [handles[np.isin(handles, wanted)] for handles in _references(world)]
    return {Entity(e) for handles in found for e in handles.tolist()}


def referrers(world: World, nodes: Iterable[Entity]) -> list[tuple[Entity, ComponentType]]:
    """Return what in the level refers to some nodes: entities, and the components that do."""
    wanted = np.fromiter(nodes, np.int64)
    found: list[tuple[Entity, ComponentType]] = []
    for table in world.tables if len(wanted) else ():
        types = table.types if Realised not in table else ()
        for type_ in (t for t in dict.fromkeys((*types, KeptRecords)) if t in table):
            rows = _rows_that_refer(table, type_, wanted)
            found += [(Entity(int(table.entities[row])), type_) for row in rows]
    return found


def _rows_that_refer(table: Table, type_: ComponentType, wanted: Handles) -> list[int]:
    if type_ is KeptRecords or (is_object_stored(type_) and not has_derived_codec(type_)):
        values = table.objects(type_)
        records = (
            [r for _, r in v.records] if type_ is KeptRecords else [to_record(v)] for v in values
        )
        return [row for row, own in enumerate(records) if np.isin(_in_records(own), wanted).any()]
    is_found = np.zeros(len(table), np.bool_)
    for handles in _in_column(table, type_):
        is_found |= np.isin(handles, wanted)
    rows: list[int] = np.flatnonzero(is_found).tolist()
    return rows


def _references(world: World) -> Iterator[Handles]:
    for table in world.tables:
        if not len(table):
            continue
        if KeptRecords in table:
            kept = (record for value in table.objects(KeptRecords) for _, record in value.records)
            yield _in_records(kept)
        if Realised not in table:
            for type_ in table.types:
                yield from _in_column(table, type_)


def _in_column(table: Table, type_: ComponentType) -> Iterator[Handles]:
    if type_ in (InstanceNode, KeptRecords):
        return
    for spec in component_fields(type_):
        if spec.record_kind is Kind.ENTITY:
            yield table.view(type_, spec.name)
    if is_object_stored(type_) and not has_derived_codec(type_):
        yield _in_records(to_record(value) for value in table.objects(type_))


def _in_records(records: Iterable[ComponentRecord]) -> Handles:
    fields = (field for record in records for field in record.fields)
    return np.array([f.integer for f in fields if f.kind is Kind.ENTITY], np.int64)
