"""While a text or number field has the focus, keys edit text only.

Qt asks the focused widget whether it wants a key before a shortcut takes it. Fields say yes to
plain letters but not to Ctrl+D or F2; this filter says yes for them, except for the few shortcuts
that mean the file rather than the selection.
"""

from typing import Final

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QLineEdit, QPlainTextEdit, QTextEdit

__all__ = ["TextFocusFilter"]

_CTRL: Final = Qt.KeyboardModifier.ControlModifier
_SHIFT: Final = Qt.KeyboardModifier.ShiftModifier
_NONE: Final = Qt.KeyboardModifier.NoModifier
_FILE_KEYS: Final = frozenset(
    {
        (Qt.Key.Key_S, _CTRL),
        (Qt.Key.Key_S, _CTRL | _SHIFT),
        (Qt.Key.Key_N, _CTRL),
        (Qt.Key.Key_O, _CTRL),
        (Qt.Key.Key_Q, _CTRL),
        (Qt.Key.Key_F, _CTRL),
        (Qt.Key.Key_F1, _NONE),
        (Qt.Key.Key_F11, _NONE),
    }
)


class TextFocusFilter(QObject):
    """Installed on the application; keeps shortcuts from a field that is being edited."""

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() != QEvent.Type.ShortcutOverride or not isinstance(event, QKeyEvent):
            return False
        focus = QApplication.focusWidget()
        if watched is not focus or not _takes_text(focus):
            return False
        if (Qt.Key(event.key()), event.modifiers()) in _FILE_KEYS:
            _finish(focus)
            event.ignore()
            return True
        event.accept()
        return True


def _takes_text(widget: QObject | None) -> bool:
    if isinstance(widget, QLineEdit):
        return widget.isEnabled() and not widget.isReadOnly()
    return isinstance(widget, (QPlainTextEdit, QTextEdit)) and not widget.isReadOnly()


def _finish(widget: QObject | None) -> None:
    """Let a field hand over what was typed, so that a save holds it."""
    if isinstance(widget, QLineEdit):
        widget.clearFocus()
