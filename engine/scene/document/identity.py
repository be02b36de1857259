"""Whether two records of one index are the same entity, or one that took the other's place.

An index is for life within a level, but a base may be many saves old: its entity may have been
deleted and its record given to another one since. Two records are one entity when they share the
name, the asset of their instance component, or the node of an instance that they stand for.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.reflect import ComponentRecord

Records = Sequence[ComponentRecord]

# Component and fields whose values say who an entity is.
_MARKS = (
    ("Name", ("text",)),
    ("GltfInstance", ("asset",)),
    ("SceneInstance", ("level",)),
    ("InstanceNode", ("root", "path")),
)


def find_record(records: Records, name: str) -> ComponentRecord | None:
    """Return the record called `name`, or None."""
    return next((record for record in records if record.name == name), None)


def by_name(records: Records) -> dict[str, ComponentRecord]:
    """Return the records under their names, in their order."""
    return {record.name: record for record in records}


def identity_marks(records: Records) -> set[tuple[object, ...]]:
    """Return what tells an entity from others; empty where nothing does."""
    marks: set[tuple[object, ...]] = set()
    for component, names in _MARKS:
        record = find_record(records, component)
        fields = [record.get(name) for name in names] if record else []
        values = [field.value for field in fields if field is not None]
        if fields and len(values) == len(fields):
            marks.add((component, *values))
    return marks


def is_same_entity(base: Records, other: Records) -> bool:
    """Whether a record that is not empty is an edit of `base`, not something else."""
    marks = identity_marks(base)
    return not marks or bool(marks & identity_marks(other)) or list(base) == list(other)


def label_of(records: Records) -> str:
    """Return the entity's name; empty where it has none."""
    name = find_record(records, "Name")
    field = name.get("text") if name else None
    return field.text if field is not None else ""
