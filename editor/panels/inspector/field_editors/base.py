"""The contract of a field editor.

An editor shows the values that a field has on the selected entities, one value per entity, and
turns what the artist does into a `FieldEdit`: a function from an entity's old value to its new one.
That is what lets `+=2`, one axis of a vector or a scrub reach a mixed selection and keep its
differences. An editor never touches the document.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QHBoxLayout, QWidget

from editor.qt.names import field_title
from editor.qt.widgets.label_column import LabelColumn
from editor.qt.widgets.number_field import NumberField
from editor.qt.widgets.vector_row import VectorRow
from engine.reflect import ComponentRecord, Entity, FieldSpec, Kind

Scrubbed = NumberField | VectorRow

__all__ = ["EditorContext", "FieldEdit", "FieldEditor", "FieldInfo", "shared_value"]


@dataclass(frozen=True)
class FieldInfo:
    """What an editor is made for.

    Attributes
    ----------
    size
        Number of floats of a FLOATS field, else 0.
    spec
        The declaration; None for a record that was written by hand or is unknown.
    """

    component: str
    name: str
    kind: Kind
    size: int = 0
    spec: FieldSpec | None = None
    read_only: bool = False

    @property
    def title(self) -> str:
        """The name for people: ``cast_shadows`` is "Cast Shadows" unless it has a title."""
        title = self.spec.title if self.spec is not None else ""
        return title or field_title(self.name)

    @property
    def unit(self) -> str:
        """The unit shown inside the field."""
        if self.spec is None:
            return ""
        return "°" if self.spec.angle else self.spec.unit


@dataclass(frozen=True)
class FieldEdit:
    """One edit of a field.

    Attributes
    ----------
    apply
        New value from (old value, position in the selection, size of the selection).
    """

    apply: Callable[[Any, int, int], Any]

    @staticmethod
    def to(value: object) -> "FieldEdit":
        """Return the edit that sets the same value everywhere."""
        return FieldEdit(lambda old, index, count: value)


class EditorContext(Protocol):
    """What rows and editors may ask of the inspector."""

    @property
    def label_column(self) -> LabelColumn:
        """The width that all labels share."""

    def entity_label(self, entity: Entity) -> str:
        """Return the name of an entity, empty if it is gone."""

    def entity_glyph(self, entity: Entity) -> tuple[str, str]:
        """Return icon and colour role of an entity."""

    def select_entity(self, entity: Entity) -> None:
        """Follow a reference."""

    def pick_entity(self, on_picked: Callable[[Entity], None]) -> None:
        """Let the artist point at an entity in the viewport."""

    def choose_asset(self, pattern: str, on_chosen: Callable[[str], None]) -> None:
        """Ask for a file of the project."""

    def reveal_asset(self, path: str) -> None:
        """Show a file in the assets panel."""

    def asset_path(self, dropped: str) -> str:
        """Return the path to store for a dropped file, empty if it cannot be used."""

    def asset_picture(self, path: str) -> QPixmap | None:
        """Return a small picture of an asset, None while or where there is none."""

    def asset_problem(self, path: str) -> str:
        """Return what is wrong with an asset, empty if nothing."""

    def asset_user_count(self, path: str) -> int:
        """Return how many entities of the level name a file."""

    def select_asset_users(self, path: str) -> None:
        """Select everything in the level that names a file, to edit it as one."""

    def make_asset_unique(self, path: str) -> None:
        """Give what is shown a copy of the file that nothing else names."""

    def asset_variants(self, path: str) -> tuple[str, ...]:
        """Return the material variants that a file offers, none while it is not loaded."""


def shared_value(values: Sequence[Any]) -> Any | None:
    """Return the value that all share, None when they differ or there is none."""
    if not values:
        return None
    first = values[0]
    same = all(np.array_equal(first, other) for other in values[1:])
    return first if same else None


class FieldEditor(QWidget):
    """Base of all field editors.

    Signals
    -------
    edited(FieldEdit)
        A finished change: one undo step.
    preview_started(), previewed(FieldEdit), preview_finished(bool)
        A drag: each preview is relative to the values at its start.
    """

    edited = Signal(object)
    preview_started = Signal()
    previewed = Signal(object)
    preview_finished = Signal(bool)
    scrubs = False
    matters = True
    """Whether there is anything to see or to choose for the values shown; else the row goes."""

    def __init__(self, info: FieldInfo, context: EditorContext) -> None:
        super().__init__()
        self.info = info
        self.context = context
        self.row = QHBoxLayout(self)
        self.row.setContentsMargins(0, 0, 0, 0)
        self.row.setSpacing(4)

    @classmethod
    def handles(cls, info: FieldInfo) -> bool:
        """Whether this editor is meant for such a field."""
        raise TypeError(f"{cls.__name__} does not say what it handles")

    def set_records(self, records: Sequence[ComponentRecord]) -> None:
        """Take in the components that the values are about to come from; most need not know."""

    def set_values(self, values: Sequence[Any]) -> None:
        """Show the values of the selection, one per entity, never none."""
        raise TypeError(f"{type(self).__name__} does not show values")

    def scrub(self, pixels: float, modifiers: Qt.KeyboardModifier) -> FieldEdit | None:
        """Return the edit that a drag of the label means."""
        return None

    def adopt_scrubbed(self, widget: Scrubbed, edit_of: Callable[..., FieldEdit]) -> None:
        """Adopt a widget whose numbers are typed and dragged.

        Parameters
        ----------
        edit_of
            What is meant by what the widget tells of a change.
        """
        widget.edited.connect(lambda *told: self.edited.emit(edit_of(*told)))
        widget.scrub_started.connect(self.preview_started)
        widget.scrubbed.connect(lambda *told: self.previewed.emit(edit_of(*told)))
        widget.scrub_finished.connect(self.preview_finished)
        self.adopt(widget)

    def adopt(self, widget: QWidget) -> None:
        """Put the widget that edits into the row and give it the focus of the editor."""
        self.row.addWidget(widget, 1)
        self.setFocusProxy(widget)
        widget.setAccessibleName(self.info.title)
        if self.info.read_only:
            widget.setEnabled(False)
