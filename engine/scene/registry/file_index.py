"""The way from entity handles to file indices, for one snapshot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.reflect import ComponentRecord, Field, FieldWriter, Kind
from engine.reflect.entity import INDEX_MASK

IntArray = NDArray[np.int64]


class FileIndex:
    """Maps handles to their places in a file; a stale handle is in no file.

    Parameters
    ----------
    entities : (n,) int64
        The handle of each record of the file, 0 where the record stands for none.
    """

    def __init__(self, entities: IntArray) -> None:
        self._entities = entities
        slots = entities & INDEX_MASK
        self.index_of: NDArray[Any] = np.full(int(slots.max(initial=0)) + 1, -1, np.int64)
        used = np.flatnonzero(entities)
        self.index_of[slots[used]] = used

    def of_column(self, handles: IntArray) -> IntArray:
        """Return the file index of many handles, -1 where one is null or not in the file."""
        slots = handles & INDEX_MASK
        is_inside = (slots < len(self.index_of)) & (handles > 0)
        found: IntArray = np.where(is_inside, self.index_of[np.where(is_inside, slots, 0)], -1)
        is_same = self._entities[found] == handles if len(self._entities) else is_inside
        return np.where((found >= 0) & is_same, found, -1)

    def of(self, handle: int) -> int:
        """Return the file index of one handle, or -1."""
        slot = int(handle) & INDEX_MASK
        found = int(self.index_of[slot]) if handle and slot < len(self.index_of) else -1
        return found if found >= 0 and int(self._entities[found]) == handle else -1

    def localised(self, record: ComponentRecord) -> list[Field]:
        """Return copies of the record's fields with file indices for handles."""
        return [
            Field.of(f.name, f.kind, self.of(f.integer)) if f.kind is Kind.ENTITY else f.copy()
            for f in record.fields
        ]


class SnapshotWriter(FieldWriter):
    """A writer that knows generations, so that a reused slot is never taken for its forebear."""

    __slots__ = ("_file_index",)

    def __init__(self, name: str, file_index: FileIndex) -> None:
        super().__init__(name, _as_sequence(file_index))
        self._file_index = file_index

    def index_for(self, e: int) -> int:
        return self._file_index.of(e)


def _as_sequence(file_index: FileIndex) -> Sequence[int]:
    indices: Any = file_index.index_of
    return indices  # type: ignore[no-any-return]
