"""Brings warnings of the log to the console.

Rooms below the window, and their worker threads, know no document to tell of what they met: they
log it. What the console itself wrote to the log does not come back.
"""

import logging
from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, Signal

from editor.model.messages import Level, Message
from editor.panels.console import LOGGER

__all__ = ["LogLines"]

_OURS = ("cinder.", "editor.", "engine.")


class _Handler(logging.Handler):
    def __init__(self, passed: Callable[[logging.LogRecord], None]) -> None:
        super().__init__(logging.WARNING)
        self._passed = passed

    def emit(self, record: logging.LogRecord) -> None:
        if record.name.startswith(_OURS) and record.name != LOGGER:
            self._passed(record)


class LogLines(QObject):
    """Passes on what this program logs from now on, warnings and worse.

    Parameters
    ----------
    tell
        Adds a line to the console; called in the thread of the window.
    """

    _logged = Signal(object)

    def __init__(self, tell: Callable[[Message], None], parent: QObject) -> None:
        super().__init__(parent)
        self._tell = tell
        self._logged.connect(self._on_logged, Qt.ConnectionType.QueuedConnection)
        handler = self._handler = _Handler(self._logged.emit)
        self.destroyed.connect(lambda: logging.getLogger().removeHandler(handler))
        logging.getLogger().addHandler(handler)

    def _on_logged(self, record: logging.LogRecord) -> None:
        level: Level = "error" if record.levelno >= logging.ERROR else "warning"
        self._tell(Message(level, record.getMessage(), time=record.created))

    def dispose(self) -> None:
        """Stop listening."""
        logging.getLogger().removeHandler(self._handler)
