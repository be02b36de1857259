"""What a panel shows when it has nothing to show: an icon, what is going on, what to do first."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from editor.qt.widgets.glyph import Glyph

__all__ = ["EmptyState"]


class EmptyState(QWidget):
    """A quiet, centred notice."""

    def __init__(
        self, glyph: str, title: str, hint: str = "", parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 16, 16, 16)
        layout.setSpacing(4)
        self._glyph = Glyph(glyph, self, role="faint", size=28)
        self._title = QLabel(title, self)
        self._hint = QLabel(hint, self)
        self._hint.setProperty("role", "quiet")
        for label in (self._title, self._hint):
            label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
            label.setWordWrap(True)
        layout.addStretch(2)
        layout.addWidget(self._glyph, 0, Qt.AlignmentFlag.AlignHCenter)
        layout.addSpacing(4)
        layout.addWidget(self._title)
        layout.addWidget(self._hint)
        layout.addStretch(3)

    def set_texts(self, title: str, hint: str) -> None:
        """Say something else."""
        self._title.setText(title)
        self._hint.setText(hint)
