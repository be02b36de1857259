"""Pictures of assets: asked for when a tile is seen, made by the viewport while it is idle.

They are kept in memory and, by the file's path, size and time, in the user's data folder, so that a
project shows its pictures at once the next time.
"""

import hashlib
from collections import OrderedDict
from pathlib import Path
from typing import Final

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QImage, QPixmap

from editor.model.folders import data_folder
from editor.qt.panel import PanelServices

__all__ = ["THUMBNAIL_PX", "Thumbnails"]

THUMBNAIL_PX: Final = 192
_KEPT: Final = 600
_VERSION: Final = 2


class Thumbnails(QObject):
    """The pictures that the assets panel shows.

    Signals
    -------
    ready(Path)
        A picture that was asked for is there.
    """

    ready = Signal(object)

    def __init__(self, services: PanelServices, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self._pixmaps: OrderedDict[str, QPixmap] = OrderedDict()
        services.on_thumbnail_ready(self._on_ready)

    def pixmap(self, path: Path) -> QPixmap | None:
        """Return the picture of a file, None while it is being made or cannot be."""
        key = _key(path)
        found = self._pixmaps.get(key)
        if found is not None:
            self._pixmaps.move_to_end(key)
            return found
        if not key:
            return None
        cached = _cache_file(key)
        image = QImage(str(cached)) if cached.is_file() else None
        if image is None or image.isNull():
            image = self._services.thumbnail(path, THUMBNAIL_PX)
            if image is None or image.isNull():
                return None
            _store(image, cached)
        self._pixmaps[key] = QPixmap.fromImage(image)
        while len(self._pixmaps) > _KEPT:
            self._pixmaps.popitem(last=False)
        return self._pixmaps[key]

    def _on_ready(self, path: str) -> None:
        self.ready.emit(Path(path))


def _key(path: Path) -> str:
    try:
        stat = path.stat()
    except OSError:
        return ""
    text = f"{path}\0{stat.st_size}\0{stat.st_mtime_ns}\0{THUMBNAIL_PX}\0{_VERSION}"
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
