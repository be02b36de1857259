"""A document's records as entities of a world: all of them, or nothing.

Everything that can be wrong is found before the first entity is alive. Then each entity enters
its final archetype directly, in one bulk call per archetype.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.ecs import World
from engine.errors import ComponentError, SceneError
from engine.reflect import ComponentRecord, Entity, Field, Kind, SceneComponent, component_fields
from engine.scene.components.instance_node import InstanceNode
from engine.scene.components.kept_records import KeptRecords
from engine.scene.document.checks import find_double
from engine.scene.document.columns import Columns, ComponentTable, StoredRecord
from engine.scene.registry.column_codec import (
    default_column,
    entity_fields,
    moves_by_column,
    read_columns,
)
from engine.scene.registry.file_index import IntArray
from engine.scene.registry.kept import UnknownFields
from engine.scene.registry.value_codec import read_value, stack_values

ComponentType = type[SceneComponent]
Batch = tuple[IntArray, dict[str, Any]]
_BITS_PER_WORD = 62


def instantiate_columns(
    world: World,
    columns: Columns,
    types: Mapping[str, ComponentType],
    *,
    keep_unknown: bool,
    skip_empty: bool = False,
    beyond: IntArray | None = None,
) -> IntArray:
    """Spawn the entities of a document.

    Parameters
    ----------
    world : World
    columns : Columns
    types : mapping of scene name to component type
        In the order in which an entity shall carry them.
    keep_unknown : bool
        Whether records of other components are kept on their entity, instead of refused.
    skip_empty : bool
        Whether a record without components spawns nothing.
    beyond : (k,) int64, optional
        Entities of the world that references behind the last record mean.

    Returns
    -------
    (n,) int64
        The handle of each record; 0 where nothing was spawned.

    Raises
    ------
    SceneError
        An unknown component, or a field of the wrong kind. The world is then as it was.
    """
    double = find_double(columns)
    if double is not None:
        raise SceneError(f"entity {double[0]}: component {double[1]} twice")
    plan = _Plan(columns, types, keep_unknown)
    is_spawned = np.ones(columns.entity_count, np.bool_)
    if skip_empty:
        is_spawned = np.bincount(columns.owners(), minlength=columns.entity_count) > 0
    handles = np.zeros(columns.entity_count, np.int64)
    handles[is_spawned] = world.reserve_many(int(is_spawned.sum()))
    try:
        plan.resolve(handles if beyond is None else np.concatenate([handles, beyond]))
        plan.spawn(world, handles)
    except BaseException:
        _take_back(world, handles)
        raise
    return handles


def _take_back(world: World, handles: IntArray) -> None:
    for handle in handles[handles != 0].tolist():
        if world.alive(Entity(handle)):
            world.despawn(Entity(handle))
        else:
            world.forget(Entity(handle))


class _Plan:
    """The batches of component columns that a document holds, and the records to keep."""

    def __init__(
        self, columns: Columns, types: Mapping[str, ComponentType], keep_unknown: bool
    ) -> None:
        self._count = columns.entity_count
        self._order = list(types.values())
        self._batches: dict[ComponentType, list[Batch]] = {}
        self._by_value: list[tuple[ComponentType, ComponentTable, NDArray[Any]]] = []
        self._kept: dict[int, list[tuple[int, ComponentRecord]]] = {}
        self._kept_tables: list[ComponentTable] = []
        is_node = self._nodes(columns, types)
        for table in columns.tables:
            type_ = types.get(table.name)
            if type_ is None and not keep_unknown:
                where = f"entity {int(table.owner[0])}" if len(table) else "document"
                raise SceneError(f"{where}: unknown component: {table.name}")
            is_kept = np.zeros(len(table), np.bool_)
            if type_ is not InstanceNode:
                is_kept = is_node[table.owner] if type_ else ~is_kept
            if is_kept.any():
                self._kept_tables.append(_rows_of(table, np.flatnonzero(is_kept)))
            if type_ is not None and not is_kept.all():
                self._plan_table(type_, table, np.flatnonzero(~is_kept))

    def _nodes(self, columns: Columns, types: Mapping[str, ComponentType]) -> NDArray[np.bool_]:
        is_node = np.zeros(self._count, np.bool_)
        name = InstanceNode.scene_name()
        if types.get(name) is InstanceNode:
            for table in columns.tables:
                if table.name == name:
                    is_node[table.owner] = True
        return is_node

    def _keep(self, entity: int, position: int, record: ComponentRecord) -> None:
        self._kept.setdefault(entity, []).append((position, record))

    def _plan_table(self, type_: ComponentType, table: ComponentTable, rows: IntArray) -> None:
        table = _rows_of(table, rows)
        if not moves_by_column(type_):
            self._by_value.append((type_, table, table.position))
            return
        self._batches.setdefault(type_, []).append((table.owner, read_columns(type_, table)))
        known = {spec.name for spec in component_fields(type_)}
        order = [field.name for field in table.fields]
        unknown = [i for i, name in enumerate(order) if name not in known]
        for row in range(len(table)) if unknown else ():
            fields = table.fields_of(row)
            record = UnknownFields(table.name, [fields[i] for i in unknown], order)
            self._keep(int(table.owner[row]), int(table.position[row]), record)

    def resolve(self, handles: IntArray) -> None:
        """Replace file indices by handles, and read what is read value by value."""
        for type_, batches in self._batches.items():
            for _, columns in batches:
                for name in entity_fields(type_):
                    if name in columns:
                        columns[name] = _resolved(columns[name], handles)
        entities = [Entity(handle) for handle in handles.tolist()] if self._by_value else []
        for type_, table, _ in self._by_value:
            self._read_values(type_, table, entities)
        for records in self._kept.values():
            for _, record in records:
                _resolve_record(record, handles)
        for table in self._kept_tables:
            self._keep_table(_resolved_table(table, handles))
        for records in self._kept.values():
            records.sort(key=lambda item: item[0])

    def _keep_table(self, table: ComponentTable) -> None:
        places = zip(table.owner.tolist(), table.position.tolist(), strict=True)
        for row, (entity, position) in enumerate(places):
            self._keep(entity, position, StoredRecord(table, row))

    def _read_values(
        self, type_: ComponentType, table: ComponentTable, entities: Sequence[Entity]
    ) -> None:
        values = []
        for row, owner in enumerate(table.owner.tolist()):
            record = ComponentRecord(table.name, table.fields_of(row))
            value, unread = read_value(type_, record, entities, f"entity {owner}")
            values.append(value)
            if unread:
                fields = UnknownFields(table.name, unread, [f.name for f in record.fields])
                self._keep(owner, int(table.position[row]), fields)
        try:
            columns = stack_values(type_, values)
        except ComponentError as error:
            raise SceneError(f"entity {int(table.owner[0])}: {table.name}: {error}") from error
        self._batches.setdefault(type_, []).append((table.owner, columns))

    def spawn(self, world: World, handles: IntArray) -> None:
        """Bring the reserved handles into the world, one call per archetype."""
        components = [
            _Component(type_, self._count, self._batches[type_])
            for type_ in self._order
            if type_ in self._batches
        ]
        if self._kept:
            owner = np.array(list(self._kept), np.int64)
            values = [KeptRecords(records) for records in self._kept.values()]
            batch = (owner, {"": values})
            components.append(_Component(KeptRecords, self._count, [batch]))
        for members in _archetypes(components, np.flatnonzero(handles), self._count):
            present = [c for c in components if c.row_of[members[0]] >= 0]
            columns = {c.type: c.columns(members) for c in present}
            world.restore_many(handles[members], columns)


class _Component:
    """All rows of one component type, found by their entity."""

    def __init__(self, type_: ComponentType, count: int, batches: list[Batch]) -> None:
        self.type = type_
        owner = np.concatenate([owner for owner, _ in batches])
        self.row_of: IntArray = np.full(count, -1, np.int64)
        self.row_of[owner] = np.arange(len(owner))
        self._columns = _joined(type_, batches)

    def columns(self, members: IntArray) -> dict[str, Any]:
        """Return the columns of the entities `members`."""
        rows = self.row_of[members]
        chosen: dict[str, Any] = {}
        for name, values in self._columns.items():
            if isinstance(values, list):
                chosen[name] = [values[row] for row in rows.tolist()]
            else:
                taken = values[rows]
                chosen[name] = taken.tolist() if values.dtype == object else taken
        return chosen


def _joined(type_: ComponentType, batches: list[Batch]) -> dict[str, Any]:
    names = dict.fromkeys(name for _, columns in batches for name in columns)
    if len(batches) == 1:
        return batches[0][1]
    specs = {spec.name: spec for spec in component_fields(type_)}
    joined: dict[str, Any] = {}
    for name in names:
        parts = [
            columns[name] if name in columns else default_column(specs[name], len(owner))
            for owner, columns in batches
        ]
        if any(isinstance(part, list) for part in parts):
            joined[name] = [value for part in parts for value in part]
        else:
            joined[name] = np.concatenate(parts)
    return joined


def _archetypes(components: list[_Component], entities: IntArray, count: int) -> list[IntArray]:
    """Return the entities that carry the same components, group by group, in first-seen order."""
    words = np.zeros((count, len(components) // _BITS_PER_WORD + 1), np.int64)
    for i, item in enumerate(components):
        word, bit = divmod(i, _BITS_PER_WORD)
        words[:, word] |= (item.row_of >= 0).astype(np.int64) << bit
    keys = np.ascontiguousarray(words[entities])
    if keys.shape[1] > 1:
        _, keys = np.unique(keys, axis=0, return_inverse=True)
    _, first, group = np.unique(keys.reshape(-1), return_index=True, return_inverse=True)
    return [entities[group == g] for g in np.argsort(first).tolist()]


def _rows_of(table: ComponentTable, rows: IntArray) -> ComponentTable:
    if len(rows) == len(table):
        return table
    return table.take(rows, table.owner[rows], table.position[rows])


def _resolved_table(table: ComponentTable, handles: IntArray) -> ComponentTable:
    """Return the table with handles for file indices."""
    return table.with_references(lambda indices: _resolved(indices, handles))


def _resolved(indices: IntArray, handles: IntArray) -> IntArray:
    is_inside = (indices >= 0) & (indices < len(handles))
    return np.where(is_inside, handles[np.where(is_inside, indices, 0)], 0)


def _resolve_record(record: ComponentRecord, handles: IntArray) -> None:
    record.fields = [
        Field.of(f.name, Kind.ENTITY, _resolved(np.array([f.integer]), handles)[0])
        if f.kind is Kind.ENTITY
        else f
        for f in record.fields
    ]
