"""The first line of a panel: icon, title, and the panel's own buttons at the right."""

from PySide6.QtWidgets import QHBoxLayout, QLabel, QToolButton, QWidget

from editor.qt.fonts import title_font
from editor.qt.theme import Sizes
from editor.qt.widgets.glyph import Glyph
from editor.qt.widgets.tool_button import icon_button

__all__ = ["PanelHeader"]


class PanelHeader(QWidget):
    """Icon and title of a panel, with room for buttons."""

    def __init__(self, glyph: str, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFixedHeight(Sizes.ROW)
        self._layout = QHBoxLayout(self)
        self._layout.setContentsMargins(2, 0, 0, 0)
        self._layout.setSpacing(2)
        self._glyph = Glyph(glyph, self)
        self._title = QLabel(title, self)
        self._title.setFont(title_font())
        self._layout.addWidget(self._glyph)
        self._layout.addSpacing(6)
        self._layout.addWidget(self._title)
        self._layout.addStretch(1)

    def add_button(self, name: str, tip: str) -> QToolButton:
        """Append a button at the right."""
        button = icon_button(name, tip, self)
        self._layout.addWidget(button)
        return button

    def add_widget(self, widget: QWidget) -> None:
        """Append any widget at the right."""
        self._layout.addWidget(widget)
