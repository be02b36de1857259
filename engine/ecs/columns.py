"""Checks on whole columns before they enter a table, so that bulk spawning is all or nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from engine.ecs.table import ComponentType
from engine.errors import ComponentError
from engine.reflect import FieldSpec, component_fields, is_object_stored


def checked_columns(
    n: int, columns: Mapping[ComponentType, Mapping[str, Any]]
) -> dict[ComponentType, dict[str, Any]]:
    """Return `columns` as arrays that fit their tables.

    Raises
    ------
    ComponentError
        An unknown attribute, a wrong number of values, or values that do not convert.
    """
    if n < 0:
        raise ComponentError(f"expected a number of entities, found {n}")
    return {type_: _checked(n, type_, given) for type_, given in columns.items()}


def _checked(n: int, type_: ComponentType, given: Mapping[str, Any]) -> dict[str, Any]:
    specs = {spec.name: spec for spec in component_fields(type_)}
    checked: dict[str, Any] = {}
    for name, values in given.items():
        where = f"{type_.scene_name()}.{name}" if name else type_.scene_name()
        if name == "" and is_object_stored(type_):
            checked[""] = _counted(list(values), n, where)
        elif name in specs:
            checked[name] = _fitting(n, specs[name], values, where)
        else:
            raise ComponentError(f"{where}: no such field (there are {', '.join(specs) or 'none'})")
    if is_object_stored(type_) and "" not in checked:
        raise ComponentError(f"{type_.scene_name()}: expected {n} values under ''")
    return checked


def _fitting(n: int, spec: FieldSpec, values: Any, where: str) -> Any:
    kind = spec.kind
    if kind.dtype is None:
        if isinstance(values, str):
            raise ComponentError(f"{where}: expected {n} values, found one string")
        return [kind.coerce(value, where) for value in _counted(list(values), n, where)]
    try:
        array = np.asarray(values)
        if not np.can_cast(array.dtype, kind.dtype, "same_kind") and array.size:
            raise TypeError(f"{array.dtype} values")
        array = array.astype(kind.dtype, copy=False)
    except (TypeError, ValueError, OverflowError) as error:
        raise ComponentError(f"{where}: expected {kind.dtype} values, found {error}") from error
    if array.shape != (n, *kind.shape):
        raise ComponentError(
            f"{where}: expected an array of shape {(n, *kind.shape)}, found {array.shape}"
        )
    return array


def _counted(values: list[Any], n: int, where: str) -> list[Any]:
    if len(values) != n:
        raise ComponentError(f"{where}: expected {n} values, found {len(values)}")
    return values
