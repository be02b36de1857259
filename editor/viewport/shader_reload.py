"""Developer mode: shader files that change are taken in while the editor runs.

A file that is broken leaves the picture as it was; what is wrong stands over the picture and on the
console until it is mended.
"""

import os
import pathlib
from typing import Final

from PySide6.QtCore import QObject, Qt, Signal

from editor.viewport.canvas import LevelCanvas
from engine.assets.watch import FileWatch
from engine.errors import EngineError

VARIABLE: Final = "CINDER_DEVELOPER"


def is_asked_for(by_settings: bool) -> bool:
    """Return whether the editor runs for somebody who changes it."""
    return by_settings or os.environ.get(VARIABLE, "0") not in ("", "0")


class ShaderReload(QObject):
    """Watches a folder of shaders for a canvas until it is closed.

    Attributes
    ----------
    error : str
        What is wrong with the files as they are; empty while they work.
    """

    _noticed = Signal()

    def __init__(self, canvas: LevelCanvas, folder: pathlib.Path) -> None:
        super().__init__(canvas)
        self.error = ""
        self._canvas = canvas
        # The watch tells it on a thread of its own.
        self._noticed.connect(self.take_in, Qt.ConnectionType.QueuedConnection)
        self._watch = FileWatch(folder, lambda _changes: self._noticed.emit())
        self._watch.start()

    def take_in(self) -> None:
        """Have the renderer read its shaders anew."""
        canvas = self._canvas
        if not canvas.picture.is_open or canvas.picture.renderer is None:
            return
        try:
            has_changed = canvas.picture.renderer.reload_shaders()
        except EngineError as problem:
            if str(problem) != self.error:
                self.error = str(problem)
                canvas.document.post("error", self.error)
        else:
            if not (has_changed or self.error):
                return
            self.error = ""
            canvas.document.post("info", "The changed shaders were taken in")
        canvas.request_frame()

    def close(self) -> None:
        """Stop watching."""
        self._watch.close()
