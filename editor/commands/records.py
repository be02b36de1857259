"""Editing a component value by the names of its record: the one way in for every field edit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from editor.model.change_set import ComponentType
from engine.errors import EngineError, SceneError
from engine.reflect import (
    ComponentRecord,
    Field,
    FieldSpec,
    HandleReader,
    HandleWriter,
    Kind,
    SceneComponent,
    component_fields,
    from_record,
    has_derived_codec,
    to_record,
)

C = TypeVar("C", bound=SceneComponent)


def _specs(type_: ComponentType) -> dict[str, FieldSpec]:
    """Return the declared fields by name; empty where a class writes its records by hand."""
    if not has_derived_codec(type_):
        return {}
    return {spec.name: spec for spec in component_fields(type_)}


def new_fields(value: SceneComponent, settings: Mapping[str, Any]) -> tuple[Field, ...]:
    """Return record fields of `value`'s type that hold `settings`.

    Parameters
    ----------
    value : SceneComponent
        Tells the fields there are and their kinds.
    settings : mapping
        From record field names to values; a matrix may be given as (4, 4).

    Raises
    ------
    SceneError
        There is no such field, or it can't hold the value.
    """
    specs = _specs(type(value))
    if specs.keys() >= settings.keys():
        fields = tuple(_declared_field(value, specs[name], v) for name, v in settings.items())
    else:
        record = to_record(value)
        fields = tuple(_written_field(value, record, name, v) for name, v in settings.items())
    for field in fields:
        _check_text(type(value).scene_name(), field)
    return fields


def _check_text(component: str, field: Field) -> None:
    """Refuse a text that no level file can hold, before it keeps the level from being saved."""
    if field.kind is not Kind.STRING:
        return
    try:
        field.text.encode()
    except UnicodeEncodeError as error:
        where = f"{component}.{field.name}"
        raise SceneError(f"{where}: {field.text[:80]!r} holds half a character") from error


def _declared_field(value: SceneComponent, spec: FieldSpec, wanted: Any) -> Field:
    where = f"{type(value).scene_name()}.{spec.name}"
    try:
        coerced = spec.kind.coerce(wanted, where)
    except EngineError as error:
        raise SceneError(str(error)) from error
    except (ValueError, TypeError, OverflowError) as error:
        raise SceneError(f"{where}: {error}") from error
    return _recorded(spec, coerced)


def _recorded(spec: FieldSpec, value: Any) -> Field:
    writer = HandleWriter("")
    spec.kind.write(writer, spec.name, value)
    return writer.record.fields[0]


def _written_field(value: SceneComponent, record: ComponentRecord, name: str, wanted: Any) -> Field:
    field = record.get(name)
    component = type(value).scene_name()
    if field is None:
        known = ", ".join(f.name for f in record.fields) or "none"
        raise SceneError(f"{component} has no field {name!r}; it has: {known}")
    if field.kind is Kind.FLOATS:
        wanted = np.asarray(wanted, np.float32).T
        if wanted.size != field.floats.size:
            raise SceneError(
                f"{component}.{name}: expected {field.floats.size} floats, found {wanted.size}"
            )
    return Field.of(name, field.kind, wanted)


def with_fields(value: C, fields: Sequence[Field]) -> C:
    """Return `value` with `fields` in place of those of the same names."""
    specs = _specs(type(value))
    if all(field.name in specs for field in fields):
        reader = HandleReader(ComponentRecord(type(value).scene_name(), list(fields)))
        edited = value.copy()
        for field in fields:
            spec = specs[field.name]
            setattr(edited, spec.name, spec.kind.read(reader, spec.name, spec.default))
        return edited
    record = to_record(value)
    for field in fields:
        place = record.find(field.name)
        if place >= 0:
            record.fields[place] = field.copy()
    return from_record(type(value), record)


def fields_of(value: SceneComponent, names: Iterable[str]) -> tuple[Field, ...]:
    """Return the record fields of `value` called `names`."""
    specs = _specs(type(value))
    if specs:
        return tuple(_recorded(specs[n], getattr(value, n)) for n in names if n in specs)
    record = to_record(value)
    return tuple(field for name in names if (field := record.get(name)) is not None)


def default_of(type_: ComponentType, name: str) -> Any:
    """Return what the record field `name` of a component holds of which nothing is set.

    Raises
    ------
    SceneError
        There is no such field.
    """
    value = from_record(type_, ComponentRecord(type_.scene_name()))
    field = to_record(value).get(name)
    if field is None:
        raise SceneError(f"{type_.scene_name()} has no field {name!r}")
    return getattr(value, name) if has_derived_codec(type_) else field.value


def same_bits(a: SceneComponent | None, b: SceneComponent | None) -> bool:
    """Whether two values are stored alike: other than by value, -0.0 is not 0.0 here."""
    if a is None or b is None:
        return a is b
    return a == b and to_record(a) == to_record(b)


def record_cost(fields: Iterable[Field]) -> int:
    """Return about how many bytes `fields` take."""
    return sum(200 + field.floats.nbytes + 2 * len(field.text) for field in fields)


def value_cost(value: SceneComponent | None) -> int:
    """Return about how many bytes a component value takes."""
    if value is None:
        return 0
    total = 100
    for held in vars(value).values():
        if isinstance(held, np.ndarray):
            total += 100 + held.nbytes
        elif isinstance(held, str):
            total += 50 + 2 * len(held)
        elif isinstance(held, list):
            total += sum(_item_cost(item) for item in held)
        else:
            total += 32
    return total


def _item_cost(item: object) -> int:
    if isinstance(item, tuple):
        return sum(_item_cost(part) for part in item)
    if isinstance(item, ComponentRecord):
        return 100 + record_cost(item.fields)
    return 32
