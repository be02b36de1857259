"""`SceneDoc`: the neutral form of a scene that is read, migrated, merged and written.

It is stored in columns. `entities` is an ordinary list whose records appear when they are asked
for, so that a migration may edit them with ordinary list code; whoever needs columns again gets
the untouched rows as they are and the touched records packed into new tables.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from engine.reflect import ComponentRecord
from engine.scene.document.columns import Columns, PlacedRecord, pack

SCENE_VERSION = 2


class EntityRecord:
    """One entity of a scene: the records of its components, in order."""

    __slots__ = ("_columns", "_components", "_index")

    def __init__(self, components: Iterable[ComponentRecord] = ()) -> None:
        self._components: list[ComponentRecord] | None = list(components)
        self._columns: Columns | None = None
        self._index = -1

    @classmethod
    def _stored(cls, columns: Columns, index: int) -> EntityRecord:
        record = cls.__new__(cls)
        record._components, record._columns, record._index = None, columns, index
        return record

    @property
    def components(self) -> list[ComponentRecord]:
        """The records of its components, in their order; live."""
        if self._components is None:
            assert self._columns is not None
            self._components = self._columns.records_of(self._index)
        return self._components

    @components.setter
    def components(self, components: Iterable[ComponentRecord]) -> None:
        self._components = components if isinstance(components, list) else list(components)

    def find(self, name: str) -> int:
        """Return the index of the component record called `name`, or -1."""
        for i, record in enumerate(self.components):
            if record.name == name:
                return i
        return -1

    def get(self, name: str) -> ComponentRecord | None:
        """Return the component record called `name`, or None."""
        i = self.find(name)
        return self.components[i] if i >= 0 else None

    def copy(self) -> EntityRecord:
        """Return an independent copy."""
        return EntityRecord(record.copy() for record in self.components)

    def __reduce__(self) -> tuple[Any, ...]:
        return EntityRecord, (self.components,)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, EntityRecord):
            return NotImplemented
        return list(self.components) == list(other.components)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"EntityRecord({self.components!r})"


class SceneDoc:
    """A version and the entities in file order.

    ENTITY fields hold indices into `entities` (-1 = none).
    """

    __slots__ = ("_columns", "_entities", "version")

    def __init__(self, version: int = SCENE_VERSION) -> None:
        self.version = version
        self._columns = Columns(0, [])
        self._entities: list[EntityRecord] | None = None

    @classmethod
    def from_columns(cls, version: int, columns: Columns) -> SceneDoc:
        """Return a document over `columns`, which it never changes."""
        doc = cls(version)
        doc._columns = columns
        return doc

    @property
    def entities(self) -> list[EntityRecord]:
        """The record of every entity, by file index; live."""
        if self._entities is None:
            columns = self._columns
            self._entities = [EntityRecord._stored(columns, i) for i in range(len(self))]
        return self._entities

    @entities.setter
    def entities(self, entities: Iterable[EntityRecord]) -> None:
        self._entities = entities if isinstance(entities, list) else list(entities)

    def __len__(self) -> int:
        """Return the number of entities, without making their records."""
        return self._columns.entity_count if self._entities is None else len(self._entities)

    def to_columns(self) -> Columns:
        """Return the document as columns, as it is now."""
        if self._entities is None:
            return self._columns
        new_index, placed = self._sort_out(self._entities)
        is_unchanged = not placed and len(new_index) == len(self._entities)
        if is_unchanged and np.array_equal(new_index, np.arange(len(new_index))):
            return self._columns
        tables = self._columns.reordered(new_index)
        return Columns(len(self._entities), tables + pack(placed))

    def _sort_out(self, entities: list[EntityRecord]) -> tuple[Any, list[PlacedRecord]]:
        """Return where the untouched records went, and the records that were made or touched."""
        new_index = np.full(self._columns.entity_count, -1, np.int64)
        placed: list[PlacedRecord] = []
        for i, entity in enumerate(entities):
            is_stored = entity._components is None and entity._columns is self._columns
            if is_stored and new_index[entity._index] < 0:
                new_index[entity._index] = i
            else:
                placed.extend((i, p, record) for p, record in enumerate(entity.components))
        return new_index, placed

    def copy(self) -> SceneDoc:
        """Return an independent copy; columns are shared, since nobody changes them."""
        return SceneDoc.from_columns(self.version, self.to_columns())

    def assign(self, other: SceneDoc) -> None:
        """Become what `other` is; records handed out before are no longer part of the document."""
        self.version, self._columns, self._entities = other.version, other.to_columns(), None

    def __deepcopy__(self, memo: dict[int, Any]) -> SceneDoc:
        return self.copy()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SceneDoc):
            return NotImplemented
        return self.version == other.version and self.entities == other.entities

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"SceneDoc(version={self.version}, {len(self)} entities)"
