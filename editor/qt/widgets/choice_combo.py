"""A combo box for a fixed list of choices, with a mixed state."""

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QRect, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QWheelEvent
from PySide6.QtWidgets import QComboBox, QListView, QSizePolicy, QWidget

from editor.qt.icons import draw_icon
from editor.qt.theme import color

__all__ = ["ChoiceCombo"]

_MOST_SHOWN: Final = 200


class ChoiceCombo(QComboBox):
    """One of several texts.

    Signals
    -------
    edited(str)
        The artist chose.
    """

    edited = Signal(str)

    def __init__(self, choices: Sequence[str] = (), parent: QWidget | None = None) -> None:
        super().__init__(parent)
        view = QListView(self)
        view.setUniformItemSizes(True)
        self.setView(view)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMinimumWidth(60)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.set_choices(choices)
        self.activated.connect(lambda index: self.edited.emit(str(self.itemData(index))))

    def set_choices(self, choices: Sequence[str]) -> None:
        """Replace the list; the words that are shown are made from the choices."""
        self.set_labelled([(c, c.replace("_", " ").capitalize()) for c in choices])

    def set_labelled(self, choices: Sequence[tuple[str, str]]) -> None:
        """Replace the list by choices with the words to show for each."""
        self.clear()
        self._offered = 0
        for choice, label in choices:
            self.add_choice(choice, label)

    def add_choice(self, choice: str, label: str) -> None:
        """Put one more at the end of the list."""
        self.addItem(label, choice)
        self._offered = self.count()

    def set_value(self, value: str | None) -> None:
        """Show a choice, "mixed" for None; a value outside the list is added and shown as it is."""
        while self.count() > self._offered:
            self.removeItem(self.count() - 1)
        if value is None:
            self.setCurrentIndex(-1)
            self.setPlaceholderText("mixed")
            return
        index = self.findData(value)
        if index < 0:
            self.addItem(value if len(value) <= _MOST_SHOWN else f"{value[:_MOST_SHOWN]}…", value)
            index = self.count() - 1
        self.setCurrentIndex(index)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        rect = QRect(self.width() - 18, (self.height() - 10) // 2, 10, 10)
        draw_icon(painter, rect, "caret-down", color("quiet" if self.isEnabled() else "faint"))
        painter.end()
