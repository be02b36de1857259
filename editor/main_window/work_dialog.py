"""What is shown over the window while something takes long."""

from collections.abc import Callable
from typing import Final

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QDialog, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from editor.qt.widgets.labels import ElidedLabel, heading

__all__ = ["WorkDialog"]

_REFRESH_MS: Final = 100
_WIDTH: Final = 420


class WorkDialog(QDialog):
    """Says what is being done, and offers to give it up.

    Parameters
    ----------
    title : str
    progress : callable
        What is being done at present; empty where `show_text` says it.
    parent : QWidget
    """

    given_up = Signal()

    def __init__(self, title: str, progress: Callable[[], str], parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("dialog.work")
        self.setWindowTitle(title)
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.setFixedWidth(_WIDTH)
        self._progress = progress
        self._is_finished = False
        column = QVBoxLayout(self)
        column.setContentsMargins(22, 20, 22, 16)
        column.setSpacing(12)
        column.addWidget(heading(title, self))
        self._text = ElidedLabel("", self, role="quiet")
        self._text.setObjectName("dialog.work.text")
        column.addWidget(self._text)
        row = QHBoxLayout()
        row.addStretch(1)
        self._cancel = QPushButton("Cancel", self)
        self._cancel.setObjectName("dialog.work.cancel")
        # Enter, pressed a moment too late for the dialog before, must not cancel.
        self._cancel.setAutoDefault(False)
        self._cancel.setToolTip("Leave everything as it was (Esc)")
        self._cancel.clicked.connect(self.reject)
        row.addWidget(self._cancel)
        column.addLayout(row)
        self._refresh = QTimer(self)
        self._refresh.setInterval(_REFRESH_MS)
        self._refresh.timeout.connect(self._show_progress)
        self._refresh.start()
        self._show_progress()

    def show_text(self, text: str) -> None:
        """Say what is being done."""
        if text != self._text.text():
            self._text.set_text(text)

    def reject(self) -> None:
        """Give the work up; the dialog stays until it has ended."""
        if self._is_finished:
            super().reject()
        elif self._cancel.isEnabled():
            self._cancel.setEnabled(False)
            self.given_up.emit()

    def finish(self) -> None:
        """Close, since the work has ended."""
        self._is_finished = True
        self._refresh.stop()
        self.done(0)
        self.deleteLater()

    def _show_progress(self) -> None:
        text = self._progress()
        if text:
            self.show_text(text)
