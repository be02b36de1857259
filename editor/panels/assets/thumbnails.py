"""Pictures of assets: asked for when a tile is seen, made one at a time while nothing else happens.

They are cached in memory and, by the file's path, size and time, in the user's data folder, so that
a project shows its pictures at once the next time.
"""

import hashlib
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Final

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QImage, QPixmap

from editor.model.folders import data_folder

__all__ = ["THUMBNAIL_PX", "Thumbnails"]

THUMBNAIL_PX: Final = 192
_IDLE_MS: Final = 40
_KEPT: Final = 600
Render = Callable[[Path, int], QImage | None]


class Thumbnails(QObject):
    """The pictures of one window.

    Signals
    -------
    ready(Path)
        A picture that was asked for is there.
    """

    ready = Signal(object)

    def __init__(self, render: Render, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._render = render
        self._pixmaps: OrderedDict[str, QPixmap] = OrderedDict()
        self._failed: set[str] = set()
        self._wanted: OrderedDict[str, Path] = OrderedDict()
        self._timer = QTimer(self)
        self._timer.setInterval(_IDLE_MS)
        self._timer.timeout.connect(self._make_one)

    def pixmap(self, path: Path) -> QPixmap | None:
        """Return the picture of a file, None while it is being made or cannot be."""
        key = _key(path)
        found = self._pixmaps.get(key)
        if found is not None:
            self._pixmaps.move_to_end(key)
            return found
        if key and key not in self._failed:
            self._wanted[key] = path
            self._wanted.move_to_end(key, last=True)
            if not self._timer.isActive():
                self._timer.start()
        return None

    def failed(self, path: Path) -> bool:
        """Whether no picture can be made of the file as it is."""
        return _key(path) in self._failed

    def forget_requests(self) -> None:
        """Drop what was asked for but is no longer seen."""
        self._wanted.clear()

    def stop(self) -> None:
        """Make no more pictures."""
        self._timer.stop()
        self._wanted.clear()

    def _make_one(self) -> None:
        if not self._wanted:
            self._timer.stop()
            return
        key, path = self._wanted.popitem(last=False)
        cached = _cache_file(key)
        image = QImage(str(cached)) if cached.is_file() else QImage()
        if image.isNull():
            made = self._render(path, THUMBNAIL_PX)
            if made is None or made.isNull():
                self._failed.add(key)
                self.ready.emit(path)
                return
            image = made
            _store(image, cached)
        self._pixmaps[key] = QPixmap.fromImage(image)
        while len(self._pixmaps) > _KEPT:
            self._pixmaps.popitem(last=False)
        self.ready.emit(path)


def _key(path: Path) -> str:
    try:
        stat = path.stat()
    except OSError:
        return ""
    text = f"{path}\0{stat.st_size}\0{stat.st_mtime_ns}\0{THUMBNAIL_PX}"
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _cache_file(key: str) -> Path:
    return data_folder() / "thumbnails" / key[:2] / f"{key}.png"


def _store(image: QImage, path: Path) -> None:
    """Keep a picture on disk; a full or read-only disk is no reason to complain."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError:
        return
    image.save(str(path))
