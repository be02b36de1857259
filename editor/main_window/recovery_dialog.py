"""What unexpected ends left behind, listed: the latest first, each to be restored or discarded.

What is discarded stays where it is until the list is closed, so that it can be kept after all; a
crash meanwhile loses nothing either.
"""

from collections.abc import Callable, Sequence
from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from editor.document.recovery import RecoveryEntry
from editor.qt.fonts import TITLE
from editor.qt.widgets.glyph import Glyph
from editor.qt.widgets.labels import ElidedLabel, heading
from editor.qt.widgets.scrolling import plain_scroll_area

__all__ = ["RecoveryDialog", "SessionRow"]

_WIDTH: Final = 560
_ROW_PX: Final = 60
_MOST_ROWS_PX: Final = 6 * _ROW_PX
_FRAME_PX: Final = 164


class RecoveryDialog(QDialog):
    """Lists sessions; blocks nothing.

    Parameters
    ----------
    entries : sequence of RecoveryEntry
    restore : callable
        Called with the one to bring back, once the list is closed.
    discard : callable
        Called with each that was given up, once the list is closed.
    parent : QWidget

    Attributes
    ----------
    chosen : RecoveryEntry or None
        The one that is to be restored.
    """

    def __init__(
        self,
        entries: Sequence[RecoveryEntry],
        restore: Callable[[RecoveryEntry], object],
        discard: Callable[[RecoveryEntry], object],
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("dialog.recovery")
        self.setWindowTitle("Unsaved work")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setModal(False)
        self._restore, self._discard = restore, discard
        self.chosen: RecoveryEntry | None = None
        column = QVBoxLayout(self)
        column.setContentsMargins(22, 20, 22, 16)
        column.setSpacing(12)
        column.addWidget(heading(f"{len(entries)} sessions can be recovered", self))
        column.addWidget(self._explanation())
        self.rows = [SessionRow(entry) for entry in entries]
        column.addWidget(self._list(), 1)
        column.addLayout(self._buttons())
        for row in self.rows:
            row.marked.connect(self._on_marked)
            row.chosen.connect(self._take)
        self.finished.connect(self._carry_out)
        self.resize(_WIDTH, min(_MOST_ROWS_PX, _ROW_PX * len(entries)) + _FRAME_PX)
        if self.rows:
            self.rows[0].restore.setFocus()

    def _explanation(self) -> QLabel:
        text = QLabel(
            "The editor was closed unexpectedly while these levels had unsaved changes. Recovering "
            "opens the level with all of them, to be looked at, undone or saved.",
            self,
        )
        text.setProperty("role", "quiet")
        text.setWordWrap(True)
        return text

    def _list(self) -> QScrollArea:
        body = QWidget()
        body.setProperty("role", "plain")
        rows = QVBoxLayout(body)
        rows.setContentsMargins(0, 0, 8, 0)
        rows.setSpacing(6)
        for row in self.rows:
            rows.addWidget(row)
        rows.addStretch(1)
        area = plain_scroll_area(body, self)
        area.setAccessibleName("Sessions")
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        return area

    def _buttons(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(8)
        self._all = QPushButton("", self)
        self._all.setObjectName("recovery.all")
        self._all.setAutoDefault(False)
        self._all.clicked.connect(self._on_all_clicked)
        row.addWidget(self._all)
        row.addStretch(1)
        close = QPushButton("Close", self)
        close.setObjectName("recovery.close")
        close.setAutoDefault(False)
        close.clicked.connect(self.accept)
        row.addWidget(close)
        self._on_marked()
        return row

    def _on_all_clicked(self) -> None:
        is_discarded = any(not row.is_discarded for row in self.rows)
        for row in self.rows:
            row.set_discarded(is_discarded)

    def _on_marked(self) -> None:
        is_all = all(row.is_discarded for row in self.rows)
        self._all.setText("Keep all" if is_all else "Discard all")
        self._all.setToolTip("" if is_all else "Each can be kept until this list is closed")

    def _take(self, entry: RecoveryEntry) -> None:
        self.chosen = entry
        self.accept()

    def _carry_out(self) -> None:
        for row in self.rows:
            if row.is_discarded:
                self._discard(row.entry)
        if self.chosen is not None:
            self._restore(self.chosen)


class SessionRow(QWidget):
    """One session: its level, when and how much was done, and what can become of it.

    Signals
    -------
    chosen(RecoveryEntry)
    marked()
        It is to be discarded, or is kept after all.
    """

    chosen = Signal(object)
    marked = Signal()

    def __init__(self, entry: RecoveryEntry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.entry = entry
        self.is_discarded = False
        self.setProperty("role", "card")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAccessibleName(f"{entry.name}: {entry.summary}")
        where = str(entry.level) if entry.level is not None else "It was never saved"
        self.setToolTip(where)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 9, 10, 9)
        row.setSpacing(8)
        self._glyph = Glyph("stack", self, role="accent", size=18)
        row.addWidget(self._glyph)
        row.addSpacing(2)
        row.addLayout(self._texts(), 1)
        self.restore = self._button("restore", "Recover", f"Open {entry.name} with its changes")
        self.restore.clicked.connect(lambda: self.chosen.emit(self.entry))
        self.discard = self._button("discard", "Discard", f"Discard the changes to {entry.name}")
        self.discard.clicked.connect(lambda: self.set_discarded(not self.is_discarded))
        row.addWidget(self.restore)
        row.addWidget(self.discard)

    def _texts(self) -> QVBoxLayout:
        texts = QVBoxLayout()
        texts.setSpacing(1)
        self._name = ElidedLabel(self.entry.name, self, weight=TITLE)
        self._summary = ElidedLabel(self.entry.summary, self, role="quiet")
        texts.addWidget(self._name)
        texts.addWidget(self._summary)
        return texts

    def _button(self, name: str, text: str, what: str) -> QPushButton:
        button = QPushButton(text, self)
        button.setObjectName(f"recovery.{name}")
        button.setAutoDefault(False)
        button.setAccessibleName(what)
        button.setToolTip(what)
        return button

    def set_discarded(self, on: bool) -> None:
        """Give the session up, or keep it after all."""
        self.is_discarded = on
        name = self.entry.name
        self._name.set_style("faint" if on else "text", TITLE)
        self._glyph.set_icon("trash" if on else "stack", "faint" if on else "accent")
        self._summary.set_text("Discarded when this list is closed" if on else self.entry.summary)
        self.restore.setVisible(not on)
        self.discard.setText("Keep" if on else "Discard")
        what = f"Keep the changes to {name}" if on else f"Discard the changes to {name}"
        self.discard.setAccessibleName(what)
        self.discard.setToolTip(what)
        self.marked.emit()
