"""The line below an asset's field: how many share the file (a click selects them), one's own."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from editor.qt.widgets.wrapping_line import WrappingLine

__all__ = ["AssetUsesLine"]


class AssetUsesLine(QWidget):
    """Says "used by 12"; hidden where nobody else uses the file.

    Signals
    -------
    select_requested(), unique_requested()
    """

    select_requested = Signal()
    unique_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        lead = QWidget(self)
        row = QHBoxLayout(lead)
        row.setContentsMargins(2, 0, 0, 0)
        self.select = self._button("", "")
        self.select.clicked.connect(self.select_requested)
        self.unique = self._button("Make unique", "Give this one a copy of the file of its own")
        self.unique.clicked.connect(self.unique_requested)
        row.addWidget(self.select)
        row.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(WrappingLine(lead, self.unique, self))
        self.hide()

    def _button(self, text: str, tip: str) -> QPushButton:
        button = QPushButton(text, self)
        button.setProperty("role", "link")
        button.setCursor(Qt.CursorShape.PointingHandCursor)
        button.setToolTip(tip)
        return button

    def show_count(self, count: int, *, can_be_own: bool) -> None:
        """Show how many entities of the level use the file."""
        self.select.setText(f"used by {count:,}")
        self.select.setToolTip(f"Select the {count:,} entities of this level that use the file")
        self.unique.setVisible(can_be_own)
        self.setVisible(count > 1)
