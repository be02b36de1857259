"""A line of text that shows a value, takes it back on Escape, and never cuts it."""

from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QWidget

__all__ = ["MOST_EDITED", "TextLine"]

MOST_EDITED: Final = 10_000
"""How many characters a line edits: Qt cuts off what is beyond 32 767, and lays out all of it."""


class TextLine(QLineEdit):
    """Shows a text; one that is too long for a line is shown in part and can't be changed here.

    Attributes
    ----------
    shown : str
        The whole text.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.shown = ""

    @property
    def is_cut(self) -> bool:
        """Whether only a part of the text is to be seen."""
        return len(self.shown) > MOST_EDITED

    def show_text(self, text: str, *, read_only: bool = False, tip: str = "") -> None:
        """Show a text in place of the present one, with what the tooltip then says."""
        if text != self.shown or not self.isModified():
            self.shown = text
            part = f"{text[:MOST_EDITED]}…" if self.is_cut else text
            if self.text() != part:
                self.setText(part)
                self.setCursorPosition(0)
            self.setModified(False)
        self.setReadOnly(read_only or self.is_cut)
        self.setToolTip("Too long to be edited here; it is kept whole" if self.is_cut else tip)

    def take_edited(self) -> str | None:
        """Return the text where the artist changed it since it was shown, once."""
        text = self.text()
        if self.is_cut or not self.isModified() or text == self.shown:
            return None
        self.setModified(False)
        self.shown = text
        return text

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and not self.is_cut:
            self.setText(self.shown)
            self.setModified(False)
        if event.key() == Qt.Key.Key_Escape:
            self.clearFocus()
            return
        super().keyPressEvent(event)
