"""Whole columns between documents and worlds, for components whose records follow their fields.

The element kinds are those of `engine.reflect`; a component that has any other kind of field, or
writes its records by hand, goes value by value instead (`value_codec`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.ecs import Table
from engine.errors import SceneError
from engine.reflect import (
    FieldSpec,
    Kind,
    SceneComponent,
    component_fields,
    has_derived_codec,
    is_object_stored,
)
from engine.reflect.kinds import (
    BooleanKind,
    EntityKind,
    FloatArrayKind,
    IntegerKind,
    MatrixKind,
    NumberKind,
    TextKind,
)
from engine.scene.document.columns import ComponentTable, FieldColumn, column_from
from engine.scene.registry.file_index import FileIndex, IntArray

_COLUMN_KINDS = (
    BooleanKind,
    EntityKind,
    FloatArrayKind,
    IntegerKind,
    MatrixKind,
    NumberKind,
    TextKind,
)
_EXPECTED = {
    Kind.FLOAT: "a float",
    Kind.INT: "an int",
    Kind.BOOL: "a bool",
    Kind.STRING: "a string",
}


def moves_by_column(type_: type[SceneComponent]) -> bool:
    """Whether the records of `type_` can be made of its columns without making values."""
    if is_object_stored(type_) or not has_derived_codec(type_):
        return False
    return all(type(spec.kind) in _COLUMN_KINDS for spec in component_fields(type_))


def columns_of(
    table: Table, type_: type[SceneComponent], rows: IntArray | None, file_index: FileIndex
) -> tuple[FieldColumn, ...]:
    """Return the document columns of one component; `rows` None means all of them."""
    return tuple(
        FieldColumn(
            spec.name,
            spec.record_kind,
            _to_document(spec, table.view(type_, spec.name), rows, file_index),
        )
        for spec in component_fields(type_)
    )


def _to_document(
    spec: FieldSpec, column: Any, rows: IntArray | None, file_index: FileIndex
) -> NDArray[Any]:
    if isinstance(column, list):
        chosen = column if rows is None else [column[row] for row in rows.tolist()]
        return column_from(chosen, Kind.STRING)
    values: NDArray[Any] = column.copy() if rows is None else column[rows]
    if spec.record_kind is Kind.ENTITY:
        return file_index.of_column(values)
    if isinstance(spec.kind, MatrixKind):
        values = values.transpose(0, 2, 1)
    return values.reshape(len(values), -1) if spec.record_kind is Kind.FLOATS else values


def read_columns(type_: type[SceneComponent], table: ComponentTable) -> dict[str, Any]:
    """Return the world's columns of one table by attribute, ENTITY ones as file indices still.

    Raises
    ------
    SceneError
        A field of another kind than the component reads, in the words of `FieldReader`.
    """
    columns: dict[str, Any] = {}
    for spec in component_fields(type_):
        field = table.column(spec.name)
        if field is None:
            continue
        values = _from_document(spec, field)
        if values is None:
            where = f"entity {int(table.owner[0])}: {table.name}"
            raise SceneError(f"{where}: field {spec.name}: expected {_expected(spec)}")
        columns[spec.name] = values
    return columns


def _expected(spec: FieldSpec) -> str:
    if spec.record_kind is Kind.FLOATS:
        return f"{int(np.prod(spec.kind.shape))} floats"
    return _EXPECTED[spec.record_kind]


def _from_document(spec: FieldSpec, field: FieldColumn) -> NDArray[Any] | None:
    wanted, values = spec.record_kind, field.values
    if wanted is Kind.ENTITY:
        return values if field.kind is wanted else np.full(len(values), -1, np.int64)
    if wanted is Kind.FLOAT and field.kind is Kind.INT:
        return values.astype(np.float32)
    if field.kind is not wanted:
        return None
    if wanted is not Kind.FLOATS:
        return values
    if field.width != np.prod(spec.kind.shape):
        return None
    shaped = values.reshape(len(values), *spec.kind.shape)
    return shaped.transpose(0, 2, 1) if isinstance(spec.kind, MatrixKind) else shaped


def default_column(spec: FieldSpec, count: int) -> NDArray[Any]:
    """Return `count` times the default of a field."""
    if spec.kind.dtype is None:
        return column_from([spec.default] * count, Kind.STRING)
    shape = (count, *spec.kind.shape)
    return np.broadcast_to(np.asarray(spec.default, spec.kind.dtype), shape)


def entity_fields(type_: type[SceneComponent]) -> list[str]:
    """Return the attributes that hold references."""
    return [s.name for s in component_fields(type_) if s.record_kind is Kind.ENTITY]
