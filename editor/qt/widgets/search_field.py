"""A search field with a magnifier, a clear button and Escape to clear."""

from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from editor.qt.icons import icon

__all__ = ["SearchField"]

_TEXT_LEFT: Final = -8
"""Qt leaves more room behind the magnifier than a row leaves behind its icon."""


class SearchField(QLineEdit):
    """Text that filters a view as it is typed."""

    def __init__(self, placeholder: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setPlaceholderText(placeholder)
        self.setAccessibleName(placeholder)
        position = QLineEdit.ActionPosition
        self.setTextMargins(_TEXT_LEFT, 0, 0, 0)
        self.addAction(icon("magnifying-glass", "quiet", scale=0.8), position.LeadingPosition)
        self._clear = self.addAction(icon("x", "quiet", scale=0.75), position.TrailingPosition)
        self._clear.setToolTip("Clear the search  (Esc)")
        self._clear.setVisible(False)
        self._clear.triggered.connect(self.clear)
        self.textChanged.connect(lambda text: self.set_clearable(bool(text)))

    def set_clearable(self, on: bool) -> None:
        """Show the button that clears the text, or not."""
        self._clear.setVisible(on)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            if self.text():
                self.clear()
            else:
                self.clearFocus()
            event.accept()
            return
        super().keyPressEvent(event)
