"""A collapsible card: chevron, icon, title and a menu button over its rows."""

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QMouseEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from editor.qt.fonts import TITLE
from editor.qt.theme import Sizes
from editor.qt.widgets.glyph import Glyph
from editor.qt.widgets.labels import ElidedLabel
from editor.qt.widgets.tool_button import icon_button

__all__ = ["SectionCard"]


class SectionCard(QWidget):
    """One component's card in the inspector.

    Signals
    -------
    menu_requested(QPoint)
        Global position for the card's menu.
    folded(bool)
        The artist closed (True) or opened the card.
    """

    menu_requested = Signal(object)
    folded = Signal(bool)

    def __init__(
        self, glyph: str, title: str, parent: QWidget | None = None, *, role: str = "quiet"
    ) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(10, 5, 10, 7)
        outer.setSpacing(3)
        self._header = QWidget(self)
        self._header.setFixedHeight(Sizes.FIELD)
        row = QHBoxLayout(self._header)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(7)
        self._chevron = Glyph("caret-down", self._header, size=12)
        self.glyph = Glyph(glyph, self._header, role=role)
        self.title = ElidedLabel(title, self._header, weight=TITLE)
        self.menu_button = icon_button("dots-three", f"{title} actions", self._header)
        self.menu_button.clicked.connect(self._on_menu_clicked)
        for widget in (self._chevron, self.glyph):
            row.addWidget(widget)
        row.addWidget(self.title, 1)
        row.addWidget(self.menu_button)
        self.body = QWidget(self)
        self.rows = QVBoxLayout(self.body)
        self.rows.setContentsMargins(0, 0, 0, 0)
        self.rows.setSpacing(4)
        outer.addWidget(self._header)
        outer.addWidget(self.body)
        self._open = True

    @property
    def is_open(self) -> bool:
        """Whether the rows are shown."""
        return self._open

    def set_open(self, on: bool) -> None:
        """Show or fold the rows."""
        self._open = on
        self.body.setVisible(on and self.rows.count() > 0)
        self._chevron.set_icon("caret-down" if on else "caret-right", "quiet")

    def add_row(self, row: QWidget) -> None:
        """Append a row."""
        self.rows.addWidget(row)

    def _on_menu_clicked(self) -> None:
        corner = self.menu_button.rect().bottomLeft()
        self.menu_requested.emit(self.menu_button.mapToGlobal(corner))

    def sizeHint(self) -> QSize:
        return QSize(200, super().sizeHint().height())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        left = event.button() == Qt.MouseButton.LeftButton
        if left and event.position().y() <= self._header.geometry().bottom():
            self.set_open(not self._open)
            self.folded.emit(not self._open)
            event.accept()
            return
        super().mousePressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.menu_requested.emit(event.globalPos())
        event.accept()
