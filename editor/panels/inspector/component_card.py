"""The card of one component: a row per field of its record, whatever the component is."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QWidget

from editor.document import ComponentView
from editor.panels.inspector.field_editors import EditorContext, FieldInfo
from editor.panels.inspector.field_row import FieldRow
from editor.panels.inspector.raw_text import record_lines
from editor.qt.fonts import TITLE, monospace_font
from editor.qt.hierarchy.entity_icon import component_icon
from editor.qt.names import component_title
from editor.qt.widgets.section_card import SectionCard
from engine.reflect import FieldSpec, Kind, component_fields

__all__ = ["CardKey", "ComponentCard"]

_MOST_ROWS: Final = 100


@dataclass(frozen=True)
class CardKey:
    """What decides whether a card can be reused: the component and the shape of its record.

    `more` fields of it are in no row, since there are too many.
    """

    name: str
    fields: tuple[tuple[str, Kind, int], ...]
    more: int
    read_only: bool
    raw: bool

    @staticmethod
    def of(view: ComponentView) -> "CardKey":
        """Return the key for a component as the document shows it."""
        fields = tuple(
            (field.name, field.kind, len(field.floats) if field.kind is Kind.FLOATS else 0)
            for field in view.record.fields[:_MOST_ROWS]
        )
        more = max(0, len(view.record.fields) - _MOST_ROWS)
        if view.unknown:
            fields, more = (), 0
        return CardKey(view.name, fields, more, view.derived, view.unknown)


class ComponentCard(SectionCard):
    """A component of the selection.

    Signals
    -------
    edited(ComponentCard, str, FieldEdit), previewed(ComponentCard, str, FieldEdit)
    preview_started(ComponentCard, str), preview_finished(bool)
    reset_requested(ComponentCard, str), revert_requested(ComponentCard, str)
    """

    edited = Signal(object, str, object)
    previewed = Signal(object, str, object)
    preview_started = Signal(object, str)
    preview_finished = Signal(bool)
    reset_requested = Signal(object, str)
    revert_requested = Signal(object, str)

    def __init__(
        self, key: CardKey, view: ComponentView, context: EditorContext, parent: QWidget
    ) -> None:
        role = "warning" if key.raw else "accent" if key.name == "GltfInstance" else "quiet"
        super().__init__(component_icon(key.name), component_title(key.name), parent, role=role)
        self.setObjectName(f"card.{key.name}")
        self.key = key
        self.view = view
        self._rows: list[FieldRow] = []
        self._raw: QLabel | None = None
        self._defaults: dict[str, Any] = {}
        if key.raw:
            self._add_raw()
        else:
            self._add_rows(context)
        if key.read_only:
            self.title.set_style("quiet", TITLE)
            self.title.setToolTip("Derived while the level is open; not saved")

    def _specs(self) -> dict[str, FieldSpec]:
        type_ = self.view.type_
        return {} if type_ is None else {spec.name: spec for spec in component_fields(type_)}

    def _add_rows(self, context: EditorContext) -> None:
        specs = self._specs()
        self._defaults = {name: spec.default for name, spec in specs.items()}
        for name, kind, size in self.key.fields:
            spec = specs.get(name)
            if spec is not None and spec.hidden:
                continue
            info = FieldInfo(self.key.name, name, kind, size, spec, self.key.read_only)
            row = FieldRow(info, context)
            row.edited.connect(lambda field, edit: self.edited.emit(self, field, edit))
            row.previewed.connect(lambda field, edit: self.previewed.emit(self, field, edit))
            row.preview_started.connect(lambda field: self.preview_started.emit(self, field))
            row.preview_finished.connect(self.preview_finished)
            row.reset_requested.connect(lambda field: self.reset_requested.emit(self, field))
            row.revert_requested.connect(lambda field: self.revert_requested.emit(self, field))
            self._rows.append(row)
            self.add_row(row)
        if self.key.more:
            self._add_note(
                f"And {self.key.more:,} more fields. They are kept and saved as they are."
            )

    def _add_note(self, text: str) -> None:
        note = QLabel(text, self)
        note.setProperty("role", "quiet")
        note.setWordWrap(True)
        self.add_row(note)

    def _add_raw(self) -> None:
        self._add_note("Unknown to this editor. It is kept and saved as it is.")
        self._raw = QLabel(self)
        self._raw.setFont(monospace_font())
        self._raw.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._raw.setWordWrap(True)
        self.add_row(self._raw)

    def _mark_added(self, on: bool) -> None:
        self.title.set_style("override" if on else "text", TITLE)
        self.title.setToolTip("Added by this level; its asset has no such component" if on else "")

    def set_views(self, views: Sequence[ComponentView]) -> None:
        """Show the component of the selected entities, one view per entity."""
        self.view = views[0]
        if not self.key.read_only:
            self._mark_added(any(view.is_added for view in views))
        if self._raw is not None:
            self._raw.setText("\n".join(record_lines(self.view.record)))
            return
        for row in self._rows:
            name = row.info.name
            values = [f.value for view in views if (f := view.record.get(name)) is not None]
            overridden = any(name in view.overridden for view in views)
            default = self._defaults.get(name)
            row.editor.set_records([view.record for view in views])
            differs = default is not None and any(not np.array_equal(v, default) for v in values)
            row.set_values(values, overridden=overridden, can_reset=differs)
            row.setVisible(row.editor.matters and _means_something(row.info.spec, views))


def _means_something(spec: FieldSpec | None, views: Sequence[ComponentView]) -> bool:
    """Whether a field does anything on one of the entities shown."""
    needed = spec.only_with if spec is not None else None
    if needed is None:
        return True
    others = [other for view in views if (other := view.record.get(needed.field)) is not None]
    return not others or any(other.value in needed.values for other in others)
