"""A world's entities as a document, whole columns per archetype."""

from __future__ import annotations

from collections.abc import Container, Sequence
from functools import lru_cache
from operator import itemgetter

import numpy as np

from engine.ecs import Table, World
from engine.errors import EntityError
from engine.reflect import ComponentRecord, Entity, SceneComponent
from engine.scene.components.instance_node import InstanceNode
from engine.scene.components.kept_records import KeptRecords
from engine.scene.document.columns import (
    Columns,
    ComponentTable,
    PlacedRecord,
    StoredRecord,
    pack,
)
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


def _is_mixed(kept: KeptRecords, names: Container[str]) -> bool:
    """Whether some of the records are parts of components that the entity has."""
    return any(
        record.name in names or isinstance(record, UnknownFields) for _, record in kept.records
    )


@lru_cache(maxsize=4096)
def _interleaved(count: int, asked: tuple[int, ...]) -> tuple[IntArray, tuple[int, ...]]:
    """Return the places of `count` records, and of others that asked for places among them.

    Parameters
    ----------
    count : int
    asked : tuple of int
        Ascending; each is met as far as there are so many records.
    """
    order = list(range(count))
    for i, position in enumerate(asked):
        order.insert(min(position, len(order)), count + i)
    place = np.argsort(order)
    return place[:count], tuple(place[count:].tolist())


class _ArchetypeWriter:
    """Writes the records of the entities in one table of the world."""

    def __init__(self, table: Table, types: Sequence[ComponentType], index: FileIndex) -> None:
        self._table = table
        self._index = index
        is_node = InstanceNode in table and InstanceNode in types
        # The other components of a node of a placed prop follow from the asset.
        self._types = [t for t in types if t in table and (t is InstanceNode or not is_node)]
        self._localised_tables: dict[int, ComponentTable] = {}

    def write(self, owner: IntArray, rows: IntArray) -> list[ComponentTable]:
        """Return the tables of the entities `owner` (file indices), which stand in `rows`."""
        if KeptRecords not in self._table:
            return self._write_plain(owner, rows)
        kept: list[KeptRecords] = self._table.objects(KeptRecords)
        names = {type_.scene_name() for type_ in self._types}
        is_mixed = np.array([_is_mixed(kept[row], names) for row in rows.tolist()], np.bool_)
        placed: list[PlacedRecord] = []
        for entity, row in zip(owner[is_mixed].tolist(), rows[is_mixed].tolist(), strict=True):
            records = self._merged(self._records(entity, row), kept[row])
            placed.extend((entity, i, record) for i, record in enumerate(records))
        return self._write_beside(owner[~is_mixed], rows[~is_mixed], kept) + pack(placed)

    def _write_beside(
        self, owner: IntArray, rows: IntArray, kept: list[KeptRecords]
    ) -> list[ComponentTable]:
        """Write entities whose kept records are components of their own, between the others."""
        positions = np.tile(np.arange(len(self._types)), (len(owner), 1))
        placed: list[PlacedRecord] = []
        for i, (entity, row) in enumerate(zip(owner.tolist(), rows.tolist(), strict=True)):
            records = sorted(kept[row].records, key=itemgetter(0))
            asked = tuple(position for position, _ in records)
            positions[i], places = _interleaved(len(self._types), asked)
            placed += [
                (entity, place, self._localised(record))
                for place, (_, record) in zip(places, records, strict=True)
            ]
        return self._write_plain(owner, rows, positions) + pack(placed)

    def _localised(self, record: ComponentRecord) -> ComponentRecord:
        if not isinstance(record, StoredRecord) or not record.is_untouched:
            return ComponentRecord(record.name, self._index.localised(record))
        table = self._localised_tables.get(id(record.table))
        if table is None:
            table = record.table.with_references(self._index.of_column)
            self._localised_tables[id(record.table)] = table
        return StoredRecord(table, record.row)

    def _write_plain(
        self, owner: IntArray, rows: IntArray, positions: IntArray | None = None
    ) -> list[ComponentTable]:
        if not len(owner):
            return []
        is_whole = len(rows) == len(self._table) and bool((np.diff(rows) == 1).all())
        tables: list[ComponentTable] = []
        for i, type_ in enumerate(self._types):
            position = np.full(len(owner), i) if positions is None else positions[:, i].copy()
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
