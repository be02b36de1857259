"""Short notices over the window that go by themselves; errors stay until they are clicked.

Errors also go when another level opens; the console keeps them.
"""

from collections.abc import Callable
from typing import Final

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from editor.qt.theme import color
from editor.qt.widgets.glyph import Glyph

__all__ = ["LEVEL_ICONS", "Toasts"]

LEVEL_ICONS: Final = {
    "info": ("info", "accent"),
    "good": ("check-circle", "good"),
    "warning": ("warning", "warning"),
    "error": ("warning-circle", "error"),
}
_SHOWN_MS: Final = {"info": 3500, "good": 3000, "warning": 6000}
_AT_MOST: Final = 4
Offer = tuple[str, Callable[[], object]]


class _Toast(QWidget):
    closed = Signal()

    def __init__(self, level: str, text: str, parent: QWidget, offer: Offer | None = None) -> None:
        super().__init__(parent)
        self.stays = level not in _SHOWN_MS
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 9, 14, 9)
        row.setSpacing(9)
        name, role = LEVEL_ICONS[level]
        row.addWidget(Glyph(name, self, role=role, size=16), 0, Qt.AlignmentFlag.AlignTop)
        label = QLabel(text, self)
        label.setWordWrap(len(text) > 60)
        label.setMaximumWidth(420)
        if label.wordWrap():
            label.setMinimumWidth(360)
        label.setTextFormat(Qt.TextFormat.PlainText)
        row.addWidget(label, 1)
        if offer is not None:
            row.addWidget(self._button(*offer), 0, Qt.AlignmentFlag.AlignTop)
        self.setAccessibleName(text)
        self.setToolTip("Click to dismiss")
        row.addWidget(Glyph("x", self, size=12), 0, Qt.AlignmentFlag.AlignTop)
        if not self.stays:
            shown = _SHOWN_MS[level] * (2 if offer is not None else 1)
            QTimer.singleShot(shown, self, self.closed.emit)

    def _button(self, text: str, act: Callable[[], object]) -> QPushButton:
        button = QPushButton(text, self)
        button.setProperty("role", "offer")
        button.setCursor(Qt.CursorShape.PointingHandCursor)
        button.clicked.connect(lambda checked=False: self._take(act))
        return button

    def _take(self, act: Callable[[], object]) -> None:
        self.closed.emit()
        act()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.closed.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(color("raised"))
        painter.setPen(QPen(color("line_strong"), 1))
        painter.drawRoundedRect(self.rect().toRectF().adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)
        painter.end()


class Toasts(QWidget):
    """The stack of notices, at the bottom of a part of the window."""

    def __init__(self, window: QWidget, anchor: QWidget | None = None) -> None:
        super().__init__(window)
        self._anchor = anchor
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(6)
        self._toasts: list[_Toast] = []
        self._texts: list[str] = []
        window.installEventFilter(self)
        self.hide()

    def texts(self) -> list[str]:
        """Return the notices on screen, oldest first."""
        return list(self._texts)

    def show_message(self, level: str, text: str, offer: Offer | None = None) -> None:
        """Show a notice.

        Parameters
        ----------
        level
            "info", "good", "warning" or "error".
        offer
            What a button on it says and does.
        """
        if text in self._texts:
            return
        while len(self._toasts) >= _AT_MOST:
            self._drop(self._toasts[0])
        toast = _Toast(level, text, self, offer)
        toast.closed.connect(lambda: self._drop(toast))
        self._toasts.append(toast)
        self._texts.append(text)
        self._layout.addWidget(toast, 0, Qt.AlignmentFlag.AlignHCenter)
        self.show()
        toast.show()
        self.raise_()
        self._place()

    def withdraw(self, text: str) -> None:
        """Take a notice away whose cause is gone."""
        if text in self._texts:
            self._drop(self._toasts[self._texts.index(text)])

    def start_over(self) -> None:
        """Take away what would stay until it is clicked: it was about another level."""
        for toast in [toast for toast in self._toasts if toast.stays]:
            self._drop(toast)

    def _drop(self, toast: _Toast) -> None:
        if toast not in self._toasts:
            return
        index = self._toasts.index(toast)
        del self._toasts[index], self._texts[index]
        self._layout.removeWidget(toast)
        toast.hide()
        toast.deleteLater()
        self.setVisible(bool(self._toasts))
        self._place()

    def _place(self) -> None:
        parent = self.parentWidget()
        if parent is None:
            return
        self._layout.activate()
        self.resize(self._layout.sizeHint())
        area = self._anchor if self._anchor is not None else parent
        corner = area.mapTo(parent, QPoint(0, 0)) if area is not parent else QPoint(0, 0)
        x = corner.x() + (area.width() - self.width()) // 2
        self.move(QPoint(x, corner.y() + area.height() - self.height() - 46))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and self._toasts:
            self._place()
        return super().eventFilter(watched, event)
