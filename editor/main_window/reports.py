"""When something unexpected is raised: the editor lives on, with a report and a log file."""

import logging
import logging.handlers
import platform
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from weakref import WeakMethod

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from editor.model.folders import data_folder
from editor.qt.fonts import monospace_font
from editor.qt.widgets.glyph import Glyph
from editor.qt.widgets.labels import heading

__all__ = ["ExceptionReports", "ReportDialog", "log_folder", "start_log_file", "system_facts"]

_LOG = logging.getLogger("cinder")
_BYTES = 1_000_000
_FILES = 4
_SAME_AT_MOST = 3
Hook = Callable[[type[BaseException], BaseException, TracebackType | None], object]


def log_folder() -> Path:
    """Return where the log files lie."""
    return data_folder() / "logs"


class _LogFile(logging.handlers.RotatingFileHandler):
    """A log that is left out where the disk is full: of that no line has to tell."""

    def handleError(self, record: logging.LogRecord) -> None:
        """Pass over what can't be written."""


def start_log_file() -> logging.Handler | None:
    """Log to a rotating file; None where that is impossible, which is no reason not to start."""
    try:
        log_folder().mkdir(parents=True, exist_ok=True)
        handler = _LogFile(
            log_folder() / "editor.log",
            maxBytes=_BYTES,
            backupCount=_FILES,
            encoding="utf-8",
            delay=True,
            # Names of files may hold what UTF-8 has no bytes for.
            errors="backslashreplace",
        )
    except OSError:
        return None
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    handler.setLevel(logging.INFO)
    root = logging.getLogger()
    root.addHandler(handler)
    if root.level > logging.INFO or root.level == logging.NOTSET:
        root.setLevel(logging.INFO)
    return handler


def system_facts() -> str:
    """Return versions that help to understand a report."""
    from importlib import metadata

    lines = [f"Python {platform.python_version()} on {platform.platform()}"]
    for name in ("PySide6-Essentials", "wgpu", "numpy"):
        try:
            lines.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            lines.append(f"{name} unknown")
    return "\n".join(lines)


class ReportDialog(QDialog):
    """Says that something went wrong, and offers the details to copy. It blocks nothing."""

    def __init__(self, summary: str, details: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("dialog.report")
        self.setWindowTitle("Something went wrong")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setModal(False)
        self.resize(640, 400)
        self.details = details
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 18, 20, 16)
        column.setSpacing(10)
        head = QHBoxLayout()
        head.setSpacing(10)
        head.addWidget(Glyph("warning-circle", self, role="error", size=22))
        head.addWidget(heading("Something unexpected happened. The editor goes on.", self), 1)
        column.addLayout(head)
        text = QLabel(f"{summary}\nYour level is still open. Save it under a new name to be sure.")
        text.setWordWrap(True)
        text.setProperty("role", "quiet")
        column.addWidget(text)
        view = QPlainTextEdit(details, self)
        view.setReadOnly(True)
        view.setFont(monospace_font())
        view.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        column.addWidget(view, 1)
        column.addLayout(self._buttons())

    def _buttons(self) -> QHBoxLayout:
        buttons = QHBoxLayout()
        buttons.addWidget(QLabel(str(log_folder() / "editor.log")), 1)
        copy = QPushButton("Copy report", self)
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self.details))
        close = QPushButton("Go on", self)
        close.setDefault(True)
        close.setFocus()
        close.clicked.connect(self.close)
        buttons.addWidget(copy)
        buttons.addWidget(close)
        return buttons


class ExceptionReports(QObject):
    """Replaces `sys.excepthook` while a window is open; the former hook is still called."""

    def __init__(self, window: QWidget, told: Callable[[str], None]) -> None:
        super().__init__(window)
        self._window = window
        self._told = told
        self._former: Hook | None = None
        self._seen: dict[str, int] = {}
        self.dialogs: list[ReportDialog] = []

    def install(self) -> None:
        """Begin to report."""
        if self._former is None:
            self._former = sys.excepthook
            sys.excepthook = _weak_hook(self._on_exception, self._former)

    def remove(self) -> None:
        """Give the former hook back."""
        if self._former is not None:
            sys.excepthook = self._former
            self._former = None

    def _on_exception(
        self,
        kind: type[BaseException],
        error: BaseException,
        trace: TracebackType | None,
    ) -> None:
        former = self._former
        if former is not None:
            former(kind, error, trace)
        if issubclass(kind, (KeyboardInterrupt, SystemExit)):
            return
        details = "".join(traceback.format_exception(kind, error, trace))
        _LOG.error("unexpected exception\n%s", details)
        self._seen[details] = self._seen.get(details, 0) + 1
        if self._seen[details] > _SAME_AT_MOST:
            return
        summary = f"{kind.__name__}: {error}"
        QTimer.singleShot(0, self, lambda: self._report(summary, details))

    def _report(self, summary: str, details: str) -> None:
        self._told(summary)
        if self.dialogs or not self._window.isVisible():
            return
        dialog = ReportDialog(summary, f"{details}\n{system_facts()}\n", self._window)
        dialog.destroyed.connect(self.dialogs.clear)
        self.dialogs.append(dialog)
        dialog.show()


def _weak_hook(method: Hook, former: Hook) -> Hook:
    """Return a hook that keeps nothing alive: every thread remembers the one of its beginning.

    A renderer has a thread; a hook that held the window would hold the renderer by it for ever.
    """
    weak = WeakMethod(method)

    def hook(
        kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> object:
        return (weak() or former)(kind, error, trace)

    return hook
