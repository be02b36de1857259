"""A world's entities as a document, whole columns per archetype."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.ecs import Table, World
from engine.errors import EntityError
from engine.reflect import ComponentRecord, Entity, SceneComponent
from engine.scene.components.instance_node import InstanceNode
from engine.scene.components.kept_records import KeptRecords
from engine.scene.document.columns import Columns, ComponentTable, PlacedRecord, pack
from engine.scene.registry.column_codec import columns_of, moves_by_column
from engine.scene.registry.file_index import FileIndex, IntArray
from engine.scene.registry.kept import UnknownFields, with_fields
from engine.scene.registry.value_codec import write_value

ComponentType = type[SceneComponent]


def snapshot(
    world: World,
    types: Sequence[ComponentType],
    entities: Sequence[int] | IntArray | None,
    left_empty: IntArray | None = None,
) -> Columns:
    """Return the records of `entities` in that order.

    Parameters
    ----------
    world : World
    types : sequence of component types
        What is written, in the order of an entity's records.
    entities : sequence of handles or None
        None means every live entity in archetype order; a null handle writes an empty record.
    left_empty : (m,) int64, optional
        File indices whose entities get an empty record although others may refer to them.

    Raises
    ------
    EntityError
        A handle that is not alive.
    """
    handles = _handles(world, entities)
    table_ids, rows = world.locate(handles)
    _expect_alive(handles, table_ids)
    if left_empty is not None:
        table_ids[left_empty] = -1
    file_index = FileIndex(handles)
    tables: list[ComponentTable] = []
    for table_id in np.unique(table_ids[table_ids >= 0]).tolist():
        owner = np.flatnonzero(table_ids == table_id)
        writer = _ArchetypeWriter(world.table(table_id), types, file_index)
        tables += writer.write(owner, rows[owner].astype(np.int64))
    return Columns(len(handles), tables)


def _handles(world: World, entities: Sequence[int] | IntArray | None) -> IntArray:
    if entities is None:
        parts = [table.entities for table in world.tables]
        return np.concatenate(parts) if parts else np.empty(0, np.int64)
    return np.array(entities, np.int64).reshape(-1)


def _expect_alive(handles: IntArray, table_ids: np.ndarray[tuple[int], np.dtype[np.int32]]) -> None:
    stale = np.flatnonzero((table_ids < 0) & (handles != 0))
    if len(stale):
        raise EntityError(f"entity {Entity(handles[stale[0]])} is not alive")


class _ArchetypeWriter:
    """Writes the records of the entities in one table of the world."""

    def __init__(self, table: Table, types: Sequence[ComponentType], index: FileIndex) -> None:
        self._table = table
        self._index = index
        is_node = InstanceNode in table and InstanceNode in types
        # The other components of a node of a placed prop follow from the asset.
        self._types = [t for t in types if t in table and (t is InstanceNode or not is_node)]

    def write(self, owner: IntArray, rows: IntArray) -> list[ComponentTable]:
        """Return the tables of the entities `owner` (file indices), which stand in `rows`."""
        if KeptRecords not in self._table:
            return self._write_plain(owner, rows)
        kept: list[KeptRecords] = self._table.objects(KeptRecords)
        has_kept = np.array([bool(kept[row].records) for row in rows.tolist()], np.bool_)
        tables = self._write_plain(owner[~has_kept], rows[~has_kept])
        placed: list[PlacedRecord] = []
        for entity, row in zip(owner[has_kept].tolist(), rows[has_kept].tolist(), strict=True):
            records = self._merged(self._records(entity, row), kept[row])
            placed.extend((entity, i, record) for i, record in enumerate(records))
        return tables + pack(placed)

    def _write_plain(self, owner: IntArray, rows: IntArray) -> list[ComponentTable]:
        if not len(owner):
            return []
        is_whole = len(rows) == len(self._table) and bool((np.diff(rows) == 1).all())
        tables: list[ComponentTable] = []
        for i, type_ in enumerate(self._types):
            position = np.full(len(owner), i, np.int64)
            name = type_.scene_name()
            if moves_by_column(type_):
                chosen = None if is_whole else rows
                fields = columns_of(self._table, type_, chosen, self._index)
                tables.append(ComponentTable(name, fields, owner, position))
            else:
                records = [self._value_record(type_, row) for row in rows.tolist()]
                places = zip(owner.tolist(), position.tolist(), records, strict=True)
                tables += pack(places)
        return tables

    def _value_record(self, type_: ComponentType, row: int) -> ComponentRecord:
        value = self._table.read(row, type_)
        return write_value(value, type_.scene_name(), self._index)

    def _records(self, entity: int, row: int) -> list[ComponentRecord]:
        tables = self._write_plain(np.array([entity], np.int64), np.array([row], np.int64))
        return [ComponentRecord(t.name, t.fields_of(0)) for t in tables]

    def _merged(self, records: list[ComponentRecord], kept: KeptRecords) -> list[ComponentRecord]:
        at = {record.name: i for i, record in enumerate(records)}
        own: list[tuple[int, ComponentRecord]] = []
        for position, record in kept.records:
            fields = self._index.localised(record)
            if record.name in at:
                i = at[record.name]
                order = record.order if isinstance(record, UnknownFields) else ()
                records[i] = with_fields(records[i], fields, order)
            elif not isinstance(record, UnknownFields):
                own.append((position, ComponentRecord(record.name, fields)))
        for position, record in sorted(own, key=lambda item: item[0]):
            records.insert(min(position, len(records)), record)
        return records
