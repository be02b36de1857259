"""What both writers demand of a document, so that whatever was written can be read again."""

from __future__ import annotations

import numpy as np

from engine.errors import SceneError
from engine.reflect import Kind
from engine.scene.document.columns import Columns, ComponentTable
from engine.scene.document.names import check_component_name, check_field_name

LARGEST_VERSION = 0xFFFF_FFFF
MAX_ENTITIES = 10_000_000
MAX_COMPONENTS = 10_000
MAX_FIELDS = 10_000
MAX_FLOATS = 1_000_000


def check_writable(version: object, columns: Columns) -> None:
    """Raise SceneError where a document cannot be written in both formats."""
    check_version(version)
    assert isinstance(version, int)
    if version > LARGEST_VERSION:
        raise SceneError(f"missing header: version {version} does not fit 32 bits")
    check_counts(columns)
    for table in columns.tables:
        _check_table(table)
    double = find_double(columns)
    if double is not None:
        raise SceneError(f"entity {double[0]}: component {double[1]} twice")


def check_version(version: object) -> None:
    """Raise SceneError where no document can be of this version."""
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise SceneError(f"missing header: {version!r} is not a version")


def check_counts(columns: Columns) -> None:
    """Raise SceneError where there is more of something than either format holds."""
    _check_count(columns.entity_count, MAX_ENTITIES, "entities")
    for table in columns.tables:
        _check_count(len(table.fields), MAX_FIELDS, f"fields in {table.name}")
        for field in table.fields:
            _check_count(field.width, MAX_FLOATS, f"floats in field {field.name} of {table.name}")
    counts = np.bincount(columns.owners(), minlength=1)
    _check_count(int(counts.max()), MAX_COMPONENTS, "components in an entity")


def _check_table(table: ComponentTable) -> None:
    check_component_name(table.name)
    seen = set()
    for field in table.fields:
        check_field_name(field.name, table.name)
        if field.name in seen:
            raise SceneError(f"{_first(table)}: field {field.name} twice")
        seen.add(field.name)
        if field.kind is Kind.ENTITY and len(table) and int(field.values.min()) < -1:
            raise SceneError(f"{_first(table)}: field {field.name}: a reference below -1")


def _first(table: ComponentTable) -> str:
    return f"entity {int(table.owner[0])}: component {table.name}"


def _check_count(count: int, limit: int, what: str) -> None:
    if count > limit:
        raise SceneError(f"implausible: {count} {what} (at most {limit})")


def find_double(columns: Columns) -> tuple[int, str] | None:
    """Return an (entity, component name) that occurs more than once, if any."""
    ids = {name: i for i, name in enumerate({t.name: None for t in columns.tables})}
    if len(ids) == len(columns.tables) and all(_is_ascending(t) for t in columns.tables):
        return None
    keys = [t.owner * len(ids) + ids[t.name] for t in columns.tables]
    joined = np.sort(np.concatenate(keys)) if keys else np.empty(0, np.int64)
    doubles = np.flatnonzero(joined[1:] == joined[:-1])
    if not len(doubles):
        return None
    owner, name_id = divmod(int(joined[doubles[0]]), len(ids))
    return owner, list(ids)[name_id]


def _is_ascending(table: ComponentTable) -> bool:
    return bool((table.owner[1:] > table.owner[:-1]).all())
