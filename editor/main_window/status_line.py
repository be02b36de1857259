"""The last line of the window: hint for the tool, background tasks, saved or not, frame time."""

from typing import Final

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QStatusBar, QWidget

from editor.document import LevelDocument
from editor.qt.fonts import tabular_font
from editor.qt.theme import color
from editor.qt.widgets.glyph import Glyph
from editor.qt.widgets.labels import ElidedLabel

__all__ = ["StatusLine"]

_NOTE_MS: Final = 6_000


class _Dots(QWidget):
    """A quiet sign that something goes on."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setFixedSize(22, 12)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        for i in range(3):
            tint = color("accent")
            tint.setAlphaF(1.0 - 0.3 * i)
            painter.setBrush(tint)
            painter.drawEllipse(1 + 7 * i, 4, 4, 4)
        painter.end()


class StatusLine(QStatusBar):
    """Hints left, state right."""

    def __init__(self, document: LevelDocument) -> None:
        super().__init__()
        self._document = document
        self.setSizeGripEnabled(False)
        self.setContentsMargins(8, 0, 8, 0)
        self.addPermanentWidget(self._build_row(), 1)
        self._subscriptions = [
            document.history_changed.connect(lambda nothing: self.refresh()),
            document.replaced.connect(lambda nothing: self.refresh()),
            document.tasks_changed.connect(lambda nothing: self._show_tasks()),
        ]
        self._note_timer = QTimer(self)
        self._note_timer.setSingleShot(True)
        self._note_timer.setInterval(_NOTE_MS)
        self._note_timer.timeout.connect(lambda: self.show_note(""))
        self.refresh()
        self.show_note("")
        self._show_tasks()

    def _build_row(self) -> QWidget:
        holder = QWidget(self)
        holder.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        row = QHBoxLayout(holder)
        row.setContentsMargins(4, 0, 4, 0)
        row.setSpacing(7)
        self._mouse = Glyph("mouse-simple", holder, role="quiet_on_gap", size=13)
        self._hint = ElidedLabel("", holder, role="quiet_on_gap")
        self._note_mark = Glyph("arrows-clockwise", holder, role="accent", size=13)
        self._note = ElidedLabel("", holder, role="quiet_on_gap")
        self._note.setObjectName("status.note")
        self._dots = _Dots(holder)
        self._tasks = ElidedLabel("", holder, role="quiet_on_gap")
        self._mark = Glyph("check-circle", holder, size=13)
        self._saved = ElidedLabel("", holder, role="quiet_on_gap")
        self._time = ElidedLabel("", holder, role="quiet_on_gap")
        self._time.setFont(tabular_font())
        self._time.alignment = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        self._time.setMinimumWidth(52)
        row.addWidget(self._mouse)
        row.addWidget(self._hint, 1)
        shown = (self._note_mark, self._note, self._dots, self._tasks)
        for widget in (*shown, self._mark, self._saved, self._time):
            row.addWidget(widget)
        return holder

    @property
    def note(self) -> str:
        """What happened by itself just now."""
        return self._note.text()

    def show_note(self, text: str) -> None:
        """Tell quietly of something that just happened by itself."""
        self._note.set_text(text)
        self._note.setVisible(bool(text))
        self._note_mark.setVisible(bool(text))
        if text:
            self._note_timer.start()
        else:
            self._note_timer.stop()

    def show_hint(self, text: str) -> None:
        """Show what the active tool can do."""
        self._hint.set_text(text)

    def show_milliseconds(self, milliseconds: float) -> None:
        """Show how long the last picture took."""
        self._time.set_text(f"{milliseconds:.1f} ms" if milliseconds > 0 else "")

    def refresh(self) -> None:
        """Say whether everything is saved."""
        dirty = self._document.dirty
        if self._document.path is None and not dirty:
            text, glyph, role = "Not saved yet", "circle-dashed", "quiet_on_gap"
        elif dirty:
            text, glyph, role = "Unsaved changes", "circle-dashed", "warning"
        else:
            text, glyph, role = "All changes saved", "check-circle", "quiet_on_gap"
        self._saved.set_text(text)
        self._mark.set_icon(glyph, role)

    def _show_tasks(self) -> None:
        tasks = self._document.tasks
        more = f"  and {len(tasks) - 1} more" if len(tasks) > 1 else ""
        self._tasks.set_text(f"{tasks[0]}{more}" if tasks else "")
        self._tasks.setVisible(bool(tasks))
        self._dots.setVisible(bool(tasks))

    def dispose(self) -> None:
        """Stop listening."""
        self._note_timer.stop()
        for subscription in self._subscriptions:
            subscription.close()
