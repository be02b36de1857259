"""Records one value at a time, for components that write and read them by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from engine.errors import EngineError, SceneError
from engine.reflect import (
    ComponentRecord,
    Entity,
    Field,
    FieldReader,
    SceneComponent,
    component_fields,
    is_object_stored,
)
from engine.scene.registry.file_index import FileIndex, SnapshotWriter


def write_value(value: SceneComponent, name: str, file_index: FileIndex) -> ComponentRecord:
    """Return the record that a component writes of itself."""
    writer = SnapshotWriter(name, file_index)
    value.write_scene(writer)
    return writer.record


class _ReadRecord(ComponentRecord):
    """A record that remembers which of its fields were asked for."""

    __slots__ = ("asked",)

    def __init__(self, record: ComponentRecord) -> None:
        super().__init__(record.name, record.fields)
        self.asked: set[str] = set()

    def find(self, name: str) -> int:
        self.asked.add(name)
        return super().find(name)

    def unread(self) -> list[Field]:
        return [field for field in self.fields if field.name not in self.asked]


def read_value(
    type_: type[SceneComponent], record: ComponentRecord, handles: Sequence[Entity], where: str
) -> tuple[SceneComponent, list[Field]]:
    """Return the component that a record describes, and the fields that it did not read.

    Raises
    ------
    SceneError
        A field of another kind than the component reads, or a value that it refuses.
    """
    watched = _ReadRecord(record)
    reader = FieldReader(watched, handles)
    try:
        value = type_.read_scene(reader)
    except EngineError as error:
        raise SceneError(f"{where}: {record.name}: {reader.error or error}") from error
    if reader.error:
        raise SceneError(f"{where}: {record.name}: {reader.error}")
    if type(value) is not type_:
        raise SceneError(f"{where}: {record.name}: read_scene made a {type(value).__name__}")
    return value, watched.unread()


def stack_values(type_: type[SceneComponent], values: Sequence[SceneComponent]) -> dict[str, Any]:
    """Return the world's columns of component values."""
    if is_object_stored(type_):
        return {"": list(values)}
    columns: dict[str, Any] = {}
    for spec in component_fields(type_):
        where = f"{type_.__name__}.{spec.name}"
        column = [spec.kind.coerce(getattr(value, spec.name), where) for value in values]
        is_list = spec.kind.dtype is None
        columns[spec.name] = column if is_list else np.array(column, spec.kind.dtype)
    return columns
