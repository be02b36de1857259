"""The composition root of the editor: settings, document, window, and what is opened first."""

import gc
import logging
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from editor.document import LevelDocument
from editor.main_window import MainWindow
from editor.main_window.file_actions import sample_project
from editor.main_window.reports import start_log_file
from editor.model.settings import Settings
from editor.qt.theme import apply_theme
from engine.errors import EngineError
from engine.project import PROJECT_FILE, first_level

__all__ = ["create", "run", "sample_project"]

_LOG = logging.getLogger(__name__)
_QUIT_VARIABLE = "CINDER_QUIT_AFTER_FIRST_FRAME"


def application() -> QApplication:
    """Return the running application, making one when there is none."""
    app = QApplication.instance()
    if isinstance(app, QApplication):
        return app
    made = QApplication(["cinder"])
    made.setApplicationName("Cinder")
    made.setApplicationDisplayName("Cinder")
    made.setDesktopFileName("cinder-editor")
    return made


def create(argv: Sequence[str]) -> MainWindow:
    """Build the window with what the arguments name.

    It shows nothing, notes no recent files and makes no offers until `show`.

    Parameters
    ----------
    argv
        The arguments without the program's name: a level, a project folder or project.json.
        Without one the sample project opens.
    """
    app = application()
    settings = Settings.load()
    apply_theme(app, settings.theme)
    document = LevelDocument()
    document.history.limit = settings.history_bytes
    settings.unkept.connect(lambda text: document.post("warning", text))
    window = MainWindow(document, settings)
    window.windows.set_theme(settings.theme)
    _open_first(window, argv)
    if settings.problem:
        document.post("warning", settings.problem)
    return window


def _open_first(window: MainWindow, argv: Sequence[str]) -> None:
    """Open what was asked for; an error is shown once the window is."""
    named = _named(argv)
    try:
        if not named:
            window.document.open_copy(first_level(sample_project()), wait=False)
            return
        path = Path(named[0])
        is_project = os.path.isdir(path) or path.name == PROJECT_FILE
        level = window.document.first_level(path) if is_project else path
        window.document.open(level, wait=False)
    except EngineError as error:
        window.show_error_later(error)


def _named(argv: Sequence[str]) -> list[str]:
    return [argument for argument in argv if not argument.startswith("-")]


def must_hand_over() -> bool:
    """Whether something that was copied would be gone with the process unless Qt passes it on."""
    return bool(QApplication.clipboard().ownsClipboard())


def run(argv: Sequence[str]) -> int:
    """Show the editor and return its exit status when it was closed."""
    start_log_file()
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    window = create(argv)
    if os.environ.get(_QUIT_VARIABLE) == "1":
        window.viewport.stats_changed.connect(
            lambda report: QTimer.singleShot(0, window, QApplication.quit)
        )
    window.viewport.hurry_frame()
    window.show()
    # What was made so far stays, but for a few hundred objects that are not worth looking for: the
    # collector need not go through it ever.
    gc.freeze()
    gc.enable()
    if window.settings.welcome and not _named(argv):
        window.windows.welcome()
    status = application().exec()
    window.close()
    return int(status)


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
