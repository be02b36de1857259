"""``target: Entity`` — a reference to another entity, a handle in an int64 column."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from engine.reflect.codec import FieldReader, FieldWriter
from engine.reflect.entity import Entity
from engine.reflect.kinds.base import FieldKind, wrong
from engine.reflect.record import Kind


class EntityKind(FieldKind):
    """An ENTITY field; None means null."""

    record_kind = Kind.ENTITY
    dtype = np.dtype(np.int64)

    def zero(self) -> Entity:
        return Entity.null()

    def coerce(self, value: Any, where: str) -> Entity:
        if type(value) is Entity:
            return value
        try:
            return Entity(operator.index(0 if value is None else value))
        except TypeError as error:
            raise wrong(where, "an entity", value) from error

    def from_column(self, stored: Any) -> Entity:
        return Entity(stored)

    def write(self, writer: FieldWriter, name: str, value: Any) -> None:
        writer.entity(name, value)

    def read(self, reader: FieldReader, name: str, default: Any) -> Entity:
        return reader.entity(name) if reader.has(name) else default
