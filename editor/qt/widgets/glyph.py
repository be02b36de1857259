"""A single icon as a widget, repainted with the theme."""

from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from editor.qt.icons import draw_icon
from editor.qt.theme import color

__all__ = ["Glyph"]


class Glyph(QWidget):
    """One icon of a fixed size."""

    def __init__(
        self, name: str, parent: QWidget | None = None, *, role: str = "quiet", size: int = 14
    ) -> None:
        super().__init__(parent)
        self._name = name
        self._role = role
        self.setFixedSize(size, size)

    def set_icon(self, name: str, role: str) -> None:
        """Show another icon."""
        if (name, role) != (self._name, self._role):
            self._name, self._role = name, role
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        role = self._role if self.isEnabled() else "faint"
        draw_icon(painter, self.rect(), self._name, color(role))
        painter.end()
