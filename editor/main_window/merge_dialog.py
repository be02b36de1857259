"""What both sides changed in a level, each in its own way: one row per conflict, ours chosen."""

from collections.abc import Callable, Sequence
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import (
    QButtonGroup,
    QDialog,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QRadioButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from editor.document.merging import Conflict
from editor.qt.names import component_title, field_title
from editor.qt.widgets.labels import heading
from editor.qt.widgets.scrolling import plain_scroll_area
from engine.cli.words import spell
from engine.math import euler_deg_from_quat
from engine.reflect import ComponentRecord, Field, Kind

__all__ = ["MergeDialog", "conflict_title", "conflict_value", "conflict_values"]

_MOST_ROWS: Final = 200
_MOST_TEXT: Final = 200
_SIDES: Final = ("Mine", "Theirs")
_CHOICE_WIDTH = 520


def conflict_title(conflict: Conflict) -> str:
    """Return what a conflict is about: the entity, its component, the field."""
    parts = [conflict.label or f"entity {conflict.entity}"]
    if conflict.component:
        parts.append(component_title(conflict.component))
    if conflict.field:
        parts.append(field_title(conflict.field))
    return "  ·  ".join(parts)


def conflict_value(conflict: Conflict, side: str) -> str:
    """Return one side's value of a conflict in words; `side` is "base", "ours" or "theirs"."""
    value = getattr(conflict, side)
    if value is None:
        return "removed" if side != "base" else "not there"
    if isinstance(value, tuple):
        return "changed" if side != "base" else "as it was"
    if isinstance(value, ComponentRecord):
        return ", ".join(f"{field_title(f.name)} {_spelled(f)}" for f in value.fields) or "there"
    return _spelled(value)


def conflict_values(conflict: Conflict) -> tuple[str, str]:
    """Return the values of ours and theirs, told apart to the last digit where need be."""
    ours, theirs = conflict_value(conflict, "ours"), conflict_value(conflict, "theirs")
    if ours == theirs and conflict.ours is not None and conflict.theirs is not None:
        return spell(conflict.ours), spell(conflict.theirs)
    return ours, theirs


def _spelled(field: Field) -> str:
    if field.kind not in (Kind.FLOAT, Kind.FLOATS):
        return spell(field)
    if field.name == "rotation" and field.floats.size == 4:
        angles = euler_deg_from_quat(field.floats)
        return ", ".join(f"{angle:.4g}°" for angle in angles.tolist())
    return ", ".join(f"{number:.4g}" for number in field.floats.tolist())


class MergeDialog(QDialog):
    """Lists conflicts with both values.

    Parameters
    ----------
    name : str
        The level's file.
    conflicts : sequence of Conflict
    answered : callable
        Called with the places of those where theirs was chosen; not when it is cancelled.
    parent : QWidget
    """

    def __init__(
        self,
        name: str,
        conflicts: Sequence[Conflict],
        answered: Callable[[list[int]], None],
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("dialog.merge")
        self.setWindowTitle("Merge")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._answered = answered
        self._count = len(conflicts)
        self._ours: list[QRadioButton] = []
        self._theirs: list[QRadioButton] = []
        self._others: QRadioButton | None = None
        column = QVBoxLayout(self)
        column.setContentsMargins(22, 20, 22, 16)
        column.setSpacing(12)
        column.addWidget(heading(f"{name} was changed by somebody else", self))
        count = len(conflicts)
        what = "one thing was" if count == 1 else f"{count} things were"
        text = QLabel(
            f"All their other changes are taken in; {what} changed on both sides. "
            "Choose what stays. It is one step that can be undone.",
            self,
        )
        text.setProperty("role", "quiet")
        text.setWordWrap(True)
        column.addWidget(text)
        column.addWidget(self._list(conflicts), 1)
        column.addLayout(self._buttons())
        self.resize(640, min(220 + 92 * count, 640))

    def chosen(self) -> list[int]:
        """Return the places of the conflicts where theirs is chosen."""
        listed = [i for i, button in enumerate(self._theirs) if button.isChecked()]
        are_others = self._others is not None and self._others.isChecked()
        return [*listed, *range(len(self._theirs), self._count)] if are_others else listed

    def _list(self, conflicts: Sequence[Conflict]) -> QScrollArea:
        body = QWidget()
        body.setProperty("role", "plain")
        rows = QVBoxLayout(body)
        rows.setContentsMargins(0, 0, 10, 0)
        rows.setSpacing(8)
        for place, conflict in enumerate(conflicts[:_MOST_ROWS]):
            rows.addWidget(self._row(place, conflict, body))
        more = len(conflicts) - _MOST_ROWS
        if more > 0:
            rows.addWidget(self._row_of_others(more, body))
        rows.addStretch(1)
        return plain_scroll_area(body, self)

    def _row(self, place: int, conflict: Conflict, parent: QWidget) -> QWidget:
        card, column = _card(parent)
        head = QHBoxLayout()
        head.addWidget(QLabel(conflict_title(conflict)[:_MOST_TEXT], card), 1)
        before = QLabel(f"was {conflict_value(conflict, 'base')[:_MOST_TEXT]}", card)
        before.setProperty("role", "quiet")
        head.addWidget(before)
        column.addLayout(head)
        values = conflict_values(conflict)
        choices = [f"{who}:  {v[:_MOST_TEXT]}" for who, v in zip(_SIDES, values, strict=True)]
        self._theirs.append(self._add_choices(choices, f"merge.{place}", card, column))
        return card

    def _row_of_others(self, count: int, parent: QWidget) -> QWidget:
        """Return what chooses for all those that are too many to be listed."""
        card, column = _card(parent)
        column.addWidget(QLabel(f"And {count:,} more, chosen together", card))
        self._others = self._add_choices(_SIDES, "merge.others", card, column)
        return card

    def _add_choices(
        self, texts: Sequence[str], name: str, card: QWidget, column: QVBoxLayout
    ) -> QRadioButton:
        """Add a button for ours, which is chosen, and one for theirs; return the latter."""
        group = QButtonGroup(card)
        ours, theirs = (self._choice(text, card) for text in texts)
        for side, button in (("ours", ours), ("theirs", theirs)):
            button.setObjectName(f"{name}.{side}")
            group.addButton(button)
            column.addWidget(button)
        ours.setChecked(True)
        self._ours.append(ours)
        return theirs

    def _choice(self, text: str, parent: QWidget) -> QRadioButton:
        shown = QFontMetrics(self.font()).elidedText(
            text, Qt.TextElideMode.ElideRight, _CHOICE_WIDTH
        )
        button = QRadioButton(shown, parent)
        if shown != text:
            button.setToolTip(text)
        button.setAccessibleName(text)
        return button

    def _buttons(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(8)
        for title, checked in (("All mine", False), ("All theirs", True)):
            button = QPushButton(title, self)
            button.setAutoDefault(False)
            button.clicked.connect(lambda _=False, on=checked: self._choose_all(on))
            row.addWidget(button)
        row.addStretch(1)
        cancel = QPushButton("Not now", self)
        cancel.setAutoDefault(False)
        cancel.clicked.connect(self.reject)
        merge = QPushButton("Merge", self)
        merge.setObjectName("merge.accept")
        merge.setDefault(True)
        merge.clicked.connect(self._merge)
        row.addWidget(cancel)
        row.addWidget(merge)
        return row

    def _choose_all(self, theirs: bool) -> None:
        others = [self._others] if self._others is not None else []
        for button in [*self._theirs, *others] if theirs else self._ours:
            button.setChecked(True)

    def _merge(self) -> None:
        chosen = self.chosen()
        self.accept()
        self._answered(chosen)


def _card(parent: QWidget) -> tuple[QWidget, QVBoxLayout]:
    card = QWidget(parent)
    card.setProperty("role", "card")
    card.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
    column = QVBoxLayout(card)
    column.setContentsMargins(12, 9, 12, 10)
    column.setSpacing(5)
    return card, column
