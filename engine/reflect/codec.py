"""`FieldWriter` and `FieldReader`: how a component value becomes a record and comes back.

In a document an entity reference is a file index; in memory (undo, clipboard, inspector) it is
the packed handle itself. `to_record` and `from_record` speak of handles.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from engine.errors import SceneError
from engine.reflect.entity import Entity
from engine.reflect.record import ComponentRecord, Field, FloatArray, Kind

if TYPE_CHECKING:
    from engine.reflect.component import SceneComponent

C = TypeVar("C", bound="SceneComponent")
IndexOf = Mapping[int, int] | Sequence[int]
# The classes below have methods called like the builtin types.
_Float = float
_Int = int
_Bool = bool


class FieldWriter:
    """Collects a component's fields.

    Parameters
    ----------
    name : str
        The component's scene name.
    index_of : mapping or sequence of int
        From `entity.index` to the file index; what is absent is written as -1.
    """

    __slots__ = ("index_of", "record")

    def __init__(self, name: str, index_of: IndexOf) -> None:
        self.record = ComponentRecord(name)
        self.index_of = index_of

    def _append(self, name: str, kind: Kind, value: Any) -> None:
        self.record.fields.append(Field.of(name, kind, value))

    def float(self, name: str, v: _Float | np.float32) -> None:
        """Append a FLOAT; its bits are kept."""
        self._append(name, Kind.FLOAT, v)

    def int(self, name: str, v: _Int) -> None:
        """Append an INT, signed 64-bit."""
        self._append(name, Kind.INT, v)

    def bool(self, name: str, v: _Bool) -> None:
        """Append a BOOL."""
        self._append(name, Kind.BOOL, v)

    def string(self, name: str, v: str) -> None:
        """Append a STRING."""
        self._append(name, Kind.STRING, v)

    def entity(self, name: str, e: Entity) -> None:
        """Append the file index of `e`: -1 when it is null or not part of the snapshot."""
        self._append(name, Kind.ENTITY, self.index_for(e))

    def index_for(self, e: _Int) -> _Int:
        """Return what an ENTITY field stores for the handle `e`."""
        if not e:
            return -1
        slot = Entity(e).index
        if isinstance(self.index_of, Mapping):
            return self.index_of.get(slot, -1)
        return self.index_of[slot] if slot < len(self.index_of) else -1

    def floats(self, name: str, values: ArrayLike) -> None:
        """Append a copy of `values`, any number of floats."""
        self._append(name, Kind.FLOATS, values)

    def vec3(self, name: str, v: ArrayLike) -> None:
        """Append FLOATS of three."""
        self._append(name, Kind.FLOATS, _counted(v, 3, name))

    def mat4(self, name: str, m: ArrayLike) -> None:
        """Append a (4, 4) matrix as 16 floats in column-major order."""
        self._append(name, Kind.FLOATS, _counted(np.asarray(m, np.float32).T, 16, name))


class FieldReader:
    """Reads a component's fields by name; a missing field takes the given default.

    `error` keeps the first kind mismatch, in the words of the seed; it is empty while all is well.
    """

    __slots__ = ("entities", "error", "record")

    def __init__(self, record: ComponentRecord, entities: Sequence[Entity]) -> None:
        self.record = record
        self.entities = entities
        self.error = ""

    def expected(self, name: str, what: str) -> None:
        """Note that the field `name` should have been `what`; the first such note stays."""
        if not self.error:
            self.error = f"field {name}: expected {what}"

    def has(self, name: str) -> _Bool:
        """Whether the record has a field of that name."""
        return self.record.find(name) >= 0

    def float(self, name: str, default: _Float | np.float32 = 0.0) -> np.float32:
        """Return the field as a float; an integer field is converted."""
        field = self.record.get(name)
        if field is not None:
            if field.kind is Kind.FLOAT:
                return field.number
            if field.kind is Kind.INT:
                return np.float32(field.integer)
            self.expected(name, "a float")
        return _float32(default)

    def int(self, name: str, default: _Int = 0) -> _Int:
        """Return an INT, or `default` where it is absent or another kind, which is noted."""
        field = self.record.get(name)
        if field is not None:
            if field.kind is Kind.INT:
                return field.integer
            self.expected(name, "an int")
        return default

    def bool(self, name: str, default: _Bool = False) -> _Bool:
        """Return a BOOL, or `default` where it is absent or another kind, which is noted."""
        field = self.record.get(name)
        if field is not None:
            if field.kind is Kind.BOOL:
                return field.integer != 0
            self.expected(name, "a bool")
        return default

    def string(self, name: str, default: str = "") -> str:
        """Return a STRING, or `default` where it is absent or another kind, which is noted."""
        field = self.record.get(name)
        if field is not None:
            if field.kind is Kind.STRING:
                return field.text
            self.expected(name, "a string")
        return default

    def entity(self, name: str) -> Entity:
        """Return the entity spawned for the index; null when absent, -1 or out of range."""
        field = self.record.get(name)
        if field is None or field.kind is not Kind.ENTITY:
            return Entity.null()
        return self.entity_at(field.integer)

    def entity_at(self, index: _Int) -> Entity:
        """Return the entity that an ENTITY field's stored number means."""
        if 0 <= index < len(self.entities):
            return Entity(self.entities[index])
        return Entity.null()

    def floats(self, name: str, count: _Int) -> FloatArray:
        """Return `count` floats; zeros when the field is absent or of another shape."""
        field = self.record.get(name)
        if field is not None:
            if field.kind is Kind.FLOATS and len(field.floats) == count:
                return field.floats.copy()
            self.expected(name, f"{count} floats")
        return np.zeros(count, np.float32)

    def float_list(self, name: str, default: ArrayLike = ()) -> FloatArray:
        """Return the floats of a field of any length, or `default` when it is absent."""
        field = self.record.get(name)
        if field is not None:
            if field.kind is Kind.FLOATS:
                return field.floats.copy()
            self.expected(name, "floats")
        return np.array(default, np.float32).reshape(-1)

    def vec3(self, name: str, default: ArrayLike = (0.0, 0.0, 0.0)) -> FloatArray:
        """Return three floats: `default` when absent, zeros when of another shape."""
        if not self.has(name):
            return np.array(default, np.float32)
        return self.floats(name, 3)

    def mat4(self, name: str) -> FloatArray:
        """Return a (4, 4) matrix: identity when absent, zeros when of another shape."""
        if not self.has(name):
            return np.eye(4, dtype=np.float32)
        return np.ascontiguousarray(self.floats(name, 16).reshape(4, 4).T)


class HandleWriter(FieldWriter):
    """A writer whose entity fields hold the packed handle."""

    def __init__(self, name: str) -> None:
        super().__init__(name, ())

    def index_for(self, e: _Int) -> _Int:
        return e


class HandleReader(FieldReader):
    """A reader of records whose entity fields hold the packed handle."""

    def __init__(self, record: ComponentRecord) -> None:
        super().__init__(record, ())

    def entity_at(self, index: _Int) -> Entity:
        return Entity(index) if index > 0 else Entity.null()


def to_record(component: SceneComponent) -> ComponentRecord:
    """Return the record of a component value, entity fields holding handles (0 = null)."""
    writer = HandleWriter(component.scene_name())
    component.write_scene(writer)
    return writer.record


def from_record(type_: type[C], record: ComponentRecord) -> C:
    """Build a component value from a record whose entity fields hold handles.

    Raises
    ------
    SceneError
        A field has another kind than the component reads.
    """
    reader = HandleReader(record)
    component = type_.read_scene(reader)
    if reader.error:
        raise SceneError(f"{type_.scene_name()}: {reader.error}")
    return component


def _counted(values: ArrayLike, count: _Int, name: str) -> FloatArray:
    floats = np.asarray(values, np.float32).reshape(-1)
    if len(floats) != count:
        raise SceneError(f"field {name}: expected {count} floats, found {len(floats)}")
    return floats


def _float32(value: _Float | np.float32) -> np.float32:
    return value if isinstance(value, np.float32) else np.float32(value)
