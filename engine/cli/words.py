"""Changes to levels in an artist's words."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from engine.math import euler_deg_from_quat
from engine.reflect import ComponentRecord, Field, Kind
from engine.scene.document import SceneDoc
from engine.scene.document.diff import Change, Value
from engine.scene.document.identity import label_of
from engine.scene.document.text_write import record_line

_SHOWN_DIGITS = 6


def name_of(index: int, label: str) -> str:
    """Return how an entity is called: its name and its index."""
    return f'"{label}" (#{index})' if label else f"#{index}"


def spell(value: Value) -> str:
    """Return a value as it stands in a file, on one line."""
    if value is None:
        return "(absent)"
    if isinstance(value, Field):
        line = record_line(ComponentRecord("X", [Field.of("x", value.kind, value.value)]))
        return line.partition("=")[2]
    if isinstance(value, ComponentRecord):
        return record_line(value).strip()
    return " | ".join(record_line(record).strip() for record in value) or "(empty)"


class Words:
    """Describes the changes between two documents.

    Parameters
    ----------
    old, new : SceneDoc
        What references are named by.
    """

    def __init__(self, old: SceneDoc, new: SceneDoc) -> None:
        self._old, self._new = old.to_columns(), new.to_columns()
        self._phrases: dict[tuple[str, str], Callable[[Change], str]] = {
            ("Name", "text"): self._renamed,
            ("Parent", "entity"): self._reparented,
            ("Parent", ""): self._parent_component,
            ("LocalTransform", "translation"): lambda c: self._from_to("moved", c),
            ("LocalTransform", "rotation"): self._turned,
            ("LocalTransform", "scale"): lambda c: self._from_to("scaled", c),
            ("GltfInstance", "asset"): lambda c: self._from_to("replaced the asset of", c),
            ("SceneInstance", "level"): lambda c: self._from_to("replaced the level of", c),
            ("Enabled", "on"): self._enabled,
            ("Order", "rank"): lambda c: f"reordered {self._who(c)} among its siblings",
        }

    def describe(self, change: Change) -> str:
        """Return one line about a change."""
        if not change.component:
            return self._entity(change)
        has_both = change.before is not None and change.after is not None
        phrase = self._phrases.get((change.component, change.field))
        if phrase is not None and (has_both or change.component == "Parent"):
            return phrase(change)
        if not change.field:
            return self._component(change)
        what = f"{change.component}.{change.field}"
        return f"changed {what} of {self._who(change)}{self._values(change)}"

    def _who(self, change: Change) -> str:
        return name_of(change.entity, change.label)

    def _entity(self, change: Change) -> str:
        if isinstance(change.after, tuple):
            carried = ", ".join(record.name for record in change.after)
            return f"added {self._who(change)} with {carried}"
        return f"removed {self._who(change)}"

    def _component(self, change: Change) -> str:
        if change.before is None:
            return f"added {change.component} to {self._who(change)}"
        return f"removed {change.component} from {self._who(change)}"

    def _from_to(self, verb: str, change: Change) -> str:
        return f"{verb} {self._who(change)}{self._values(change)}"

    def _values(self, change: Change) -> str:
        before = self._shown(change.before, is_old=True)
        return f" from {before} to {self._shown(change.after, is_old=False)}"

    def _shown(self, value: Value, *, is_old: bool) -> str:
        if not isinstance(value, Field):
            return spell(value)
        if value.kind is Kind.ENTITY:
            return self._target(value.integer, is_old=is_old)
        if value.kind is Kind.FLOATS:
            return f"({', '.join(map(_number, value.floats))})"
        return _number(value.number) if value.kind is Kind.FLOAT else spell(value)

    def _target(self, index: int, *, is_old: bool) -> str:
        columns = self._old if is_old else self._new
        if index < 0:
            return "nothing"
        is_inside = index < columns.entity_count
        return name_of(index, label_of(columns.records_of(index)) if is_inside else "")

    def _renamed(self, change: Change) -> str:
        assert isinstance(change.before, Field)
        old = name_of(change.entity, change.before.text)
        return f'renamed {old} to "{change.label}"'

    def _parent_component(self, change: Change) -> str:
        record = change.after if change.after is not None else change.before
        field = record.get("entity") if isinstance(record, ComponentRecord) else None
        if field is None or change.after is None:
            return f"took {self._who(change)} out of its parent"
        return f"put {self._who(change)} under {self._target(field.integer, is_old=False)}"

    def _reparented(self, change: Change) -> str:
        if not isinstance(change.after, Field) or change.after.integer < 0:
            return f"took {self._who(change)} out of its parent"
        return f"put {self._who(change)} under {self._target(change.after.integer, is_old=False)}"

    def _enabled(self, change: Change) -> str:
        is_on = isinstance(change.after, Field) and change.after.value is True
        return f"{'enabled' if is_on else 'disabled'} {self._who(change)}"

    def _turned(self, change: Change) -> str:
        angles = [_euler(value) for value in (change.before, change.after)]
        if None in angles:
            return self._from_to("turned", change)
        return f"turned {self._who(change)} from {angles[0]} to {angles[1]} degrees"


def _number(value: object) -> str:
    # Adding zero turns a negative zero into one without a sign.
    return f"{float(value) + 0.0:.{_SHOWN_DIGITS}g}"  # type: ignore[arg-type]


def _euler(value: Value) -> str | None:
    if not isinstance(value, Field) or len(value.floats) != 4:
        return None
    if not np.isfinite(value.floats).all() or not value.floats.any():
        return None
    return f"({', '.join(_number(round(float(a), 3)) for a in euler_deg_from_quat(value.floats))})"
