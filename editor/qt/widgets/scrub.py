"""Dragging sideways to change a value, shared by number fields and their labels.

A scrub counts pixels from its start; the receiver turns them into an edit of the values at the
start, so that rounding never adds up. Escape cancels.
"""

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QApplication, QWidget

__all__ = ["Scrub"]


class Scrub(QObject):
    """One drag of a widget.

    Signals
    -------
    started()
    moved(float, modifiers)
        Pixels since the start, to the right.
    finished(bool)
        False when it was cancelled.
    """

    started = Signal()
    moved = Signal(float, object)
    finished = Signal(bool)

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self._origin = 0.0
        self.active = False

    def begin(self, event: QMouseEvent) -> None:
        """Start at the pointer."""
        self._origin = event.globalPosition().x()
        self.active = True
        app = QApplication.instance()
        if app is not None:
            app.installEventFilter(self)
        self.started.emit()

    def move(self, event: QMouseEvent) -> None:
        """Follow the pointer."""
        self.moved.emit(event.globalPosition().x() - self._origin, event.modifiers())

    def end(self) -> None:
        """Keep the result."""
        self._stop(True)

    def cancel(self) -> None:
        """Restore the values at the start."""
        self._stop(False)

    def _stop(self, keep: bool) -> None:
        if not self.active:
            return
        self.active = False
        app = QApplication.instance()
        if app is not None:
            app.removeEventFilter(self)
        self.finished.emit(keep)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take Escape while dragging, wherever the focus is."""
        if self.active and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            event.accept()
            if event.type() == QEvent.Type.KeyPress:
                self.cancel()
            return True
        return super().eventFilter(watched, event)
