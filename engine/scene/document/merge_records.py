"""Three-way merging of one entity: component by component, field by field."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engine.reflect import ComponentRecord, Field, Kind
from engine.scene.document.identity import Records, by_name

Found = Field | ComponentRecord | tuple[ComponentRecord, ...] | None


@dataclass(frozen=True)
class Conflict:
    """Both sides changed one thing, each in its own way; the result holds what ours has.

    Attributes
    ----------
    entity : int
        Its index in the result.
    label : str
        Its name.
    component, field : str
        Where: `field` is empty where whole components differ, both are where whole entities do.
    base, ours, theirs : Field, ComponentRecord, tuple of ComponentRecord, or None
        The three values, references as in the result; None is absent or deleted.
    """

    entity: int
    label: str
    component: str
    field: str
    base: Found
    ours: Found
    theirs: Found


Report = Callable[[str, str, Found, Found, Found], None]


def merge_entity(base: Records, ours: Records, theirs: Records, report: Report) -> Records:
    """Merge the records of one entity, in the order of `ours`; conflicts keep what ours has."""
    merged: dict[str, ComponentRecord | None] = {}
    of_base, of_ours, of_theirs = by_name(base), by_name(ours), by_name(theirs)
    for name in {**of_ours, **of_theirs, **of_base}:
        sides = of_base.get(name), of_ours.get(name), of_theirs.get(name)
        merged[name] = _merge_component(name, *sides, report)
    names = _in_order([r.name for r in ours], [r.name for r in theirs])
    return [record for name in names if (record := merged[name]) is not None]


def _merge_component(
    name: str,
    base: ComponentRecord | None,
    ours: ComponentRecord | None,
    theirs: ComponentRecord | None,
    report: Report,
) -> ComponentRecord | None:
    if ours == theirs or theirs == base:
        return ours
    if ours == base:
        return theirs
    if ours is None or theirs is None:
        report(name, "", base, ours, theirs)
        return ours
    merged: dict[str, Field | None] = {}
    before = base or ComponentRecord(name)
    for field in dict.fromkeys(f.name for r in (ours, theirs, before) for f in r.fields):
        b, o, t = before.get(field), ours.get(field), theirs.get(field)
        merged[field] = _merge_field(b, o, t)
        if not _is_settled(b, o, t):
            report(name, field, b, o, t)
    names = _in_order([f.name for f in ours.fields], [f.name for f in theirs.fields])
    return ComponentRecord(name, [f for n in names if (f := merged[n]) is not None])


def _merge_field(base: Field | None, ours: Field | None, theirs: Field | None) -> Field | None:
    return theirs if same_value(ours, base) and not same_value(theirs, base) else ours


def _is_settled(base: Field | None, ours: Field | None, theirs: Field | None) -> bool:
    return same_value(ours, theirs) or same_value(ours, base) or same_value(theirs, base)


def same_value(a: Field | None, b: Field | None) -> bool:
    """Whether two fields hold the same; a number may be spelled as an int or as a float."""
    if a is None or b is None or a.kind is b.kind:
        return a == b
    if {a.kind, b.kind} == {Kind.INT, Kind.FLOAT}:
        return float(a.value) == float(b.value)
    return False


def _in_order(ours: Sequence[str], theirs: Sequence[str]) -> list[str]:
    """Return the names of ours, each other one behind the one that it follows in theirs."""
    known, last = set(ours), ""
    behind: dict[str, list[str]] = {}
    for name in theirs:
        if name in known:
            last = name
        else:
            behind.setdefault(last, []).append(name)
    return [name for own in ("", *ours) for name in (own, *behind.get(own, ())) if name]
