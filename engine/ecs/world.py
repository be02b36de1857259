"""`World`: entities and their components, kept in one table per archetype.

An *archetype* is the set of component types that an entity carries. Spawning, adding and removing
move an entity between tables; values are read out and written in as copies, and what runs over
many entities works on the tables' columns. Every mutation advances one clock; a system compares
ticks to see what changed since it last looked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from engine.ecs.archetypes import Archetypes, types_of
from engine.ecs.clock import Clock
from engine.ecs.columns import checked_columns
from engine.ecs.deferred import DeferredOps
from engine.ecs.move_log import MoveLog
from engine.ecs.slots import Slots
from engine.ecs.table import ComponentType, Table
from engine.errors import ComponentError
from engine.reflect import Entity, SceneComponent
from engine.reflect.entity import INDEX_MASK

C = TypeVar("C", bound=SceneComponent)
R = TypeVar("R")
Columns = Mapping[ComponentType, Mapping[str, Any]]


class World:
    """Entities with components. `alive` and `has` answer for any handle; the rest raise."""

    def __init__(self) -> None:
        self._clock = Clock()
        self._slots = Slots()
        self._archetypes = Archetypes(self._clock)
        self._tables = self._archetypes.tables
        self._resources: dict[Any, Any] = {}
        self._count = 0
        self._moves = MoveLog()
        self.deferred = DeferredOps(self)

    # -- entities ----------------------------------------------------------------------------

    def spawn(self, *components: SceneComponent) -> Entity:
        """Make an entity that carries `components`.

        Raises
        ------
        ComponentError
            Two components of one type, or something that is no component.
        """
        table = self._archetypes.table_for(types_of(components))
        entity = Entity(self._slots.take())
        self._insert(table, entity, components)
        return entity

    def spawn_many(self, n: int, columns: Columns) -> NDArray[np.int64]:
        """Make `n` entities of one archetype from columns.

        Parameters
        ----------
        n : int
        columns : {Type: {attribute: array of n values}}
            Absent attributes take their defaults. A component that is kept as objects takes its
            values under the attribute ``""``.

        Returns
        -------
        (n,) int64
            The handles, in row order.

        Raises
        ------
        ComponentError
            An unknown attribute, or values that do not fit its column.
        """
        checked = checked_columns(n, columns)
        entities = self._slots.take_many(n)
        self._insert_many(entities, checked)
        return entities

    def reserve_many(self, n: int) -> NDArray[np.int64]:
        """Return `n` handles that are not alive yet, serials in order; for `restore_many`."""
        return self._slots.take_many(n)

    def restore_many(self, entities: NDArray[np.int64], columns: Columns) -> None:
        """Bring reserved handles into the world, all in one archetype, from columns.

        Raises
        ------
        EntityError
            A handle that is not reserved.
        ComponentError
            As in `spawn_many`.
        """
        entities = np.asarray(entities, np.int64)
        self._slots.expect_all_reserved(entities)
        self._insert_many(entities, checked_columns(len(entities), columns))

    def despawn(self, entity: Entity, reserve: bool = False) -> None:
        """Remove an entity; with `reserve` its handle stays out of use until `forget`."""
        slot = self._slots.expect_alive(entity)
        table = self._tables[self._slots.table[slot]]
        tick = self._clock.advance(*table.types)
        self._remove_row(table, int(self._slots.row[slot]), tick)
        self._moves.note(tick, (entity,))
        self._count -= 1
        self._slots.reserve(entity)
        if not reserve:
            self._slots.free(entity)

    def restore(self, entity: Entity, *components: SceneComponent) -> None:
        """Bring a reserved entity back: the same handle, at its place among its siblings.

        Raises
        ------
        EntityError
            The slot is in use, or the handle is stale.
        """
        table = self._archetypes.table_for(types_of(components))
        self._slots.expect_reserved(entity)
        self._insert(table, Entity(entity), components)

    def forget(self, entity: Entity) -> None:
        """Give a reserved slot back for reuse; the handle goes stale."""
        self._slots.expect_reserved(entity)
        self._slots.free(entity)

    def alive(self, entity: Entity) -> bool:
        """Whether a handle is that of a live entity; False for one that is stale or null."""
        return self._slots.is_alive(entity)

    def __len__(self) -> int:
        return self._count

    def entities(self) -> list[Entity]:
        """Return every live entity, in archetype order."""
        return [Entity(e) for table in self._tables for e in table.entities.tolist()]

    def serial(self, entity: Entity) -> int:
        """Return the spawn serial: siblings of equal rank stand in its order."""
        return int(self._slots.serial[self._slots.expect_alive(entity)])

    def serials(self, entities: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the spawn serials of many handles, (n,) int64, whether alive or reserved."""
        serials: NDArray[np.int64] = self._slots.serial[np.asarray(entities, np.int64) & INDEX_MASK]
        return serials

    # -- components --------------------------------------------------------------------------

    def add(self, entity: Entity, component: SceneComponent, *others: SceneComponent) -> None:
        """Add a component, or replace its value; several at once move the entity only once."""
        table, row = self._find(entity)
        values = (component, *others)
        new = [value for value in values if type(value) not in table]
        target = self._archetypes.table_for((*table.types, *types_of(new))) if new else table
        for value in values:
            if type(value) in table:
                self._replace(table, row, value)
        if new:
            self._move(entity, table, row, target, new)

    def add_many(
        self,
        entities: NDArray[np.int64],
        type_: ComponentType,
        columns: Mapping[str, Any] | None = None,
    ) -> None:
        """Add a component to many entities that do not have it.

        Parameters
        ----------
        entities : (n,) int64
            Handles, each once.
        columns : {attribute: array of n values}, optional
            As in `spawn_many`.

        Raises
        ------
        EntityError
            A handle that is not alive; nothing changed.
        ComponentError
            A handle given twice, an entity that has the component, or values that do not fit;
            nothing changed.
        """
        entities = np.asarray(entities, np.int64)
        given = checked_columns(len(entities), {type_: columns or {}})[type_]
        table_ids, rows = self._slots.locate(entities)
        for dead in entities[table_ids < 0][:1].tolist():
            self._slots.expect_alive(dead)
        if len(np.unique(entities)) != len(entities):
            raise ComponentError(f"add_many {type_.scene_name()}: an entity is given twice")
        tables = [self._tables[i] for i in np.unique(table_ids).tolist()]
        for table in tables:
            if type_ in table:
                first = entities[table_ids == table.id][0]
                raise ComponentError(f"entity {Entity(first)} has {type_.scene_name()} already")
        for table in tables:
            here = np.flatnonzero(table_ids == table.id)
            values = {
                name: [column[i] for i in here] if isinstance(column, list) else column[here]
                for name, column in given.items()
            }
            self._move_many(table, rows[here].astype(np.int64), type_, values)

    def set(self, entity: Entity, component: SceneComponent) -> None:
        """Replace a component's value.

        Raises
        ------
        ComponentError
            The entity has no such component.
        """
        table, row = self._find(entity)
        self._expect(table, entity, type(component))
        self._replace(table, row, component)

    def get(self, entity: Entity, type_: type[C]) -> C:
        """Return a copy of a component's value.

        Raises
        ------
        ComponentError
            The entity has no such component.
        """
        table, row = self._find(entity)
        self._expect(table, entity, type_)
        value = table.read(row, type_)
        assert isinstance(value, type_)
        return value

    def has(self, entity: Entity, type_: ComponentType) -> bool:
        """Whether an entity is alive and carries a component."""
        if not self._slots.is_alive(entity):
            return False
        return type_ in self._tables[self._slots.table[entity & INDEX_MASK]]

    def remove(self, entity: Entity, type_: ComponentType) -> None:
        """Remove a component.

        Raises
        ------
        ComponentError
            The entity has no such component.
        """
        table, row = self._find(entity)
        self._expect(table, entity, type_)
        target = self._archetypes.table_for(tuple(t for t in table.types if t is not type_))
        self._clock.advance(type_)
        self._move(entity, table, row, target)

    def types(self, entity: Entity) -> tuple[ComponentType, ...]:
        """Return the types of an entity's components."""
        return self._find(entity)[0].types

    def values(self, entity: Entity) -> list[SceneComponent]:
        """Return copies of all of an entity's components."""
        table, row = self._find(entity)
        return [table.read(row, type_) for type_ in table.types]

    # -- bulk --------------------------------------------------------------------------------

    @property
    def tables(self) -> list[Table]:
        """Every table, in the order in which the archetypes appeared."""
        return self._tables

    def table(self, id: int) -> Table:
        """Return the table that has this id, which is its place in `tables`."""
        return self._tables[id]

    def locate(self, entities: NDArray[np.int64]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Return the table ids and rows of many handles, -1 where a handle is not alive."""
        return self._slots.locate(entities)

    @property
    def tick(self) -> int:
        """Grows with every mutation."""
        return self._clock.tick

    @property
    def structure(self) -> int:
        """The tick at which a row of any table last came, went or moved."""
        return self._clock.structure

    def moved_after(self, tick: int) -> list[int] | None:
        """Return the handles that came, went or changed their archetype after `tick`.

        None when they were many or it is long ago; then look at everything.
        """
        return self._moves.after(tick)

    def version(self, type_: ComponentType) -> int:
        """Return the tick of the last change that touched `type_`; 0 = never."""
        return self._clock.versions.get(type_, 0)

    def resource(self, key: Any, factory: Callable[[], R]) -> R:
        """Return this world's one value for `key`, made by `factory` at first use."""
        if key not in self._resources:
            self._resources[key] = factory()
        value: R = self._resources[key]
        return value

    # -- inside ------------------------------------------------------------------------------

    def _find(self, entity: Entity) -> tuple[Table, int]:
        slot = self._slots.expect_alive(entity)
        return self._tables[self._slots.table[slot]], int(self._slots.row[slot])

    def _expect(self, table: Table, entity: Entity, type_: ComponentType) -> None:
        if type_ not in table:
            found = ", ".join(t.scene_name() for t in table.types) or "no components"
            raise ComponentError(f"entity {Entity(entity)} has no {type_.scene_name()} ({found})")

    def _insert(self, table: Table, entity: Entity, values: Iterable[SceneComponent]) -> None:
        tick = self._clock.advance(*table.types)
        row = table.append(entity, tuple(values), tick)
        self._slots.place(entity, table.id, row)
        self._moves.note(tick, (entity,))
        self._count += 1

    def _insert_many(self, entities: NDArray[np.int64], columns: Columns) -> None:
        table = self._archetypes.table_for(tuple(columns))
        first, tick = len(table), self._clock.advance(*table.types)
        table.append_rows(entities, columns, tick)
        self._moves.note(tick, entities[: MoveLog.LIMIT + 1].tolist())
        slots = entities & INDEX_MASK
        self._slots.table[slots] = table.id
        self._slots.row[slots] = np.arange(first, first + len(entities))
        self._count += len(entities)

    def _replace(self, table: Table, row: int, component: SceneComponent) -> None:
        table.replace(row, component, self._clock.advance(type(component)))

    def _remove_row(self, table: Table, row: int, tick: int) -> None:
        moved = table.remove(row, tick)
        if moved:
            self._slots.place(moved, table.id, row)

    def _move_many(
        self, table: Table, rows: NDArray[np.int64], type_: ComponentType, values: dict[str, Any]
    ) -> None:
        """Move rows to the table that also has `type_`, with `values` for it."""
        target = self._archetypes.table_for((*table.types, type_))
        tick = self._clock.advance(type_)
        entities, first = table.entities[rows], len(target)
        ticks = {t: table.row_ticks(t)[rows] for t in table.types}
        target.append_rows(entities, {**table.columns_of(rows), type_: values}, tick)
        target.keep_ticks(slice(first, len(target)), ticks)
        table.remove_rows(rows, tick)
        self._moves.note(tick, entities[: MoveLog.LIMIT + 1].tolist())
        for holder, start in ((table, 0), (target, first)):
            slots = holder.entities[start:] & INDEX_MASK
            self._slots.table[slots] = holder.id
            self._slots.row[slots] = np.arange(start, len(holder))

    def _move(
        self,
        entity: Entity,
        table: Table,
        row: int,
        target: Table,
        new: Sequence[SceneComponent] = (),
    ) -> None:
        kept = [t for t in table.types if t in target]
        values = [table.read(row, type_) for type_ in kept]
        ticks = {t: int(table.row_ticks(t)[row]) for t in kept}
        values.extend(new)
        tick = self._clock.advance(*types_of(new))
        landed = target.append(entity, values, tick)
        target.keep_ticks(landed, ticks)
        self._remove_row(table, row, tick)
        self._slots.place(entity, target.id, landed)
        self._moves.note(tick, (entity,))
