"""`Table`: all entities that carry the same set of components, in columns.

Every declared field is one numpy array with room to grow (strings and float lists: a Python
list); a row belongs to one entity. Rows are removed by moving the last one into the gap. Every
row remembers, per component type, the tick at which it was last written, so that systems can ask
what changed since they looked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.ecs.clock import Clock
from engine.errors import ComponentError
from engine.reflect import FieldSpec, SceneComponent, component_fields, is_object_stored

ComponentType = type[SceneComponent]
FIRST_CAPACITY = 8


class Table:
    """The rows of one archetype. Made by the world; its mutators are the world's alone."""

    def __init__(self, id: int, types: tuple[ComponentType, ...], clock: Clock) -> None:
        self.id = id
        self.types = types
        self.structure = 0
        self._clock = clock
        self._count = 0
        self._capacity = FIRST_CAPACITY
        self._entities = np.zeros(FIRST_CAPACITY, np.int64)
        self._ticks = {t: np.zeros(FIRST_CAPACITY, np.int64) for t in types}
        self._loans = dict.fromkeys(types, 0)
        self._specs: dict[ComponentType, tuple[FieldSpec, ...]] = {
            t: component_fields(t) for t in types
        }
        self._arrays: dict[tuple[ComponentType, str], NDArray[Any]] = {}
        self._lists: dict[tuple[ComponentType, str], list[Any]] = {}
        for type_ in types:
            for spec in self._specs[type_]:
                if spec.kind.dtype is None:
                    self._lists[type_, spec.name] = []
                else:
                    shape = (FIRST_CAPACITY, *spec.kind.shape)
                    self._arrays[type_, spec.name] = np.zeros(shape, spec.kind.dtype)
            if is_object_stored(type_):
                self._lists[type_, ""] = []

    def __len__(self) -> int:
        return self._count

    def __contains__(self, type_: ComponentType) -> bool:
        return type_ in self._ticks

    @property
    def entities(self) -> NDArray[np.int64]:
        """The handles, (n,) int64, read-only."""
        return _frozen(self._entities[: self._count])

    def column(self, type_: ComponentType, field: str) -> Any:
        """Return the (n, ...) column of a field to read or write; the list itself for strings.

        The table counts the whole column as changed by whoever asks for it. Writing to a
        LocalTransform takes effect for the rows given to `mark_dirty`.

        Raises
        ------
        ComponentError
            The table has no such component or field.
        """
        found = self._find(type_, field)
        self._loans[type_] = self._clock.advance(type_)
        return found

    def view(self, type_: ComponentType, field: str) -> Any:
        """Return the column to read: a read-only array, or the list for strings."""
        found = self._find(type_, field)
        return found if isinstance(found, list) else _frozen(found)

    def objects(self, type_: ComponentType) -> list[Any]:
        """Return the stored values of a component that is kept as objects (not copies)."""
        found: list[Any] = self._find(type_, "")
        return found

    def row_ticks(self, type_: ComponentType) -> NDArray[np.int64]:
        """Return the tick of the last write of each row, (n,) int64, read-only."""
        if type_ not in self._ticks:
            raise self._absent(type_, "")
        return _frozen(self._ticks[type_][: self._count])

    def loaned(self, type_: ComponentType) -> int:
        """Return the tick at which a writable column was last handed out; 0 = never."""
        return self._loans.get(type_, 0)

    def write(self, type_: ComponentType, field: str, rows: Any, values: Any) -> None:
        """Write `values` into the given rows of a column and stamp them as changed."""
        found = self._find(type_, field)
        if isinstance(found, list):
            for row, value in zip(rows, values, strict=True):
                found[row] = value
        else:
            found[rows] = values
        self._ticks[type_][: self._count][rows] = self._clock.advance(type_)

    def touch(self, type_: ComponentType, rows: Any) -> None:
        """Stamp rows as changed without writing, for values that were changed in place."""
        self._ticks[type_][: self._count][rows] = self._clock.advance(type_)

    def _find(self, type_: ComponentType, field: str) -> Any:
        array = self._arrays.get((type_, field))
        if array is not None:
            return array[: self._count]
        found = self._lists.get((type_, field))
        if found is None:
            raise self._absent(type_, field)
        return found

    def _absent(self, type_: ComponentType, field: str) -> ComponentError:
        what = f"{type_.scene_name()}.{field}" if field else type_.scene_name()
        carried = ", ".join(t.scene_name() for t in self.types)
        return ComponentError(f"no column {what} in the table of ({carried})")

    # -- mutators of the world ---------------------------------------------------------------

    def reserve(self, extra: int) -> None:
        """Make room for `extra` more rows."""
        needed = self._count + extra
        if needed <= self._capacity:
            return
        capacity = max(needed, 2 * self._capacity)
        self._entities = _grown(self._entities, capacity)
        for type_, ticks in self._ticks.items():
            self._ticks[type_] = _grown(ticks, capacity)
        for key, array in self._arrays.items():
            self._arrays[key] = _grown(array, capacity)
        self._capacity = capacity

    def append(self, entity: int, components: Sequence[SceneComponent], tick: int) -> int:
        """Add one row; `components` hold one value of each of the table's types."""
        self.reserve(1)
        row = self._count
        self._count += 1
        self._entities[row] = entity
        self.structure = self._clock.structure = tick
        for value in components:
            type_ = type(value)
            self._ticks[type_][row] = tick
            self._store(type_, value, row, is_new=True)
        return row

    def _store(
        self, type_: ComponentType, value: SceneComponent, row: int, *, is_new: bool
    ) -> None:
        for spec in self._specs[type_]:
            key = (type_, spec.name)
            item = getattr(value, spec.name)
            if spec.kind.dtype is not None:
                self._arrays[key][row] = item
            else:
                item = spec.kind.copy(spec.kind.coerce(item, f"{type_.__name__}.{spec.name}"))
                _put(self._lists[key], row, item, is_new)
        if (type_, "") in self._lists:
            _put(self._lists[type_, ""], row, value.copy(), is_new)

    def append_rows(
        self,
        entities: NDArray[np.int64],
        columns: Mapping[ComponentType, Mapping[str, Any]],
        tick: int,
    ) -> None:
        """Add many rows at once; `columns` hold checked arrays, absent fields take defaults."""
        n = len(entities)
        self.reserve(n)
        rows = slice(self._count, self._count + n)
        self._entities[rows] = entities
        self.structure = self._clock.structure = tick
        for type_ in self.types:
            self._ticks[type_][rows] = tick
            given = columns[type_]
            for spec in self._specs[type_]:
                key = (type_, spec.name)
                values = given.get(spec.name, spec.default)
                if spec.kind.dtype is not None:
                    self._arrays[key][rows] = values
                elif spec.name in given:
                    self._lists[key].extend(values)
                else:
                    self._lists[key].extend(spec.kind.copy(spec.default) for _ in range(n))
            if (type_, "") in self._lists:
                self._lists[type_, ""].extend(given[""])
        self._count += n

    def replace(self, row: int, value: SceneComponent, tick: int) -> None:
        """Overwrite one component of a row."""
        type_ = type(value)
        self._store(type_, value, row, is_new=False)
        self._ticks[type_][row] = tick

    def keep_ticks(self, row: int | slice, ticks: Mapping[ComponentType, Any]) -> None:
        """Give rows that moved in from another table their old ticks back."""
        for type_, tick in ticks.items():
            self._ticks[type_][row] = tick

    def read(self, row: int, type_: ComponentType) -> SceneComponent:
        """Return one component of a row as a value of its own."""
        if (type_, "") in self._lists:
            stored: SceneComponent = self._lists[type_, ""][row]
            return stored.copy()
        value = object.__new__(type_)
        for spec in self._specs[type_]:
            key = (type_, spec.name)
            column: Any = self._arrays.get(key)
            item = self._lists[key][row] if column is None else column[row]
            object.__setattr__(value, spec.name, spec.kind.from_column(item))
        return value

    def columns_of(self, rows: NDArray[np.int64]) -> dict[ComponentType, dict[str, Any]]:
        """Return whole rows as columns for `append_rows`; objects are not copied."""
        columns: dict[ComponentType, dict[str, Any]] = {type_: {} for type_ in self.types}
        for (type_, name), array in self._arrays.items():
            columns[type_][name] = array[rows]
        for (type_, name), values in self._lists.items():
            columns[type_][name] = [values[row] for row in rows.tolist()]
        return columns

    def remove_rows(self, rows: NDArray[np.int64], tick: int) -> None:
        """Remove many rows at once; the others move up and keep their order."""
        kept = np.ones(self._count, np.bool_)
        kept[rows] = False
        left = int(kept.sum())
        self.structure = self._clock.structure = tick
        for array in (self._entities, *self._ticks.values(), *self._arrays.values()):
            array[:left] = array[: self._count][kept]
        for values in self._lists.values():
            values[:] = [value for value, is_kept in zip(values, kept, strict=True) if is_kept]
        self._count = left

    def remove(self, row: int, tick: int) -> int:
        """Remove a row; return the handle of the entity that took its place, or 0."""
        last = self._count - 1
        self.structure = self._clock.structure = tick
        moved = 0
        if row != last:
            moved = int(self._entities[last])
            self._entities[row] = moved
            for ticks in self._ticks.values():
                ticks[row] = ticks[last]
            for array in self._arrays.values():
                array[row] = array[last]
            for values in self._lists.values():
                values[row] = values[last]
        for values in self._lists.values():
            values.pop()
        self._count = last
        return moved


def _put(values: list[Any], row: int, item: Any, is_new: bool) -> None:
    if is_new:
        values.append(item)
    else:
        values[row] = item


def _grown(array: NDArray[Any], capacity: int) -> NDArray[Any]:
    grown = np.zeros((capacity, *array.shape[1:]), array.dtype)
    grown[: len(array)] = array
    return grown


def _frozen(array: NDArray[Any]) -> NDArray[Any]:
    view = array.view()
    view.flags.writeable = False
    return view
