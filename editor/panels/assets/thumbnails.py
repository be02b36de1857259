"""Pictures of assets: read by a thread, drawn by the viewport while it is idle.

They are kept in memory and, by what the file holds, in the user's data folder, so that a project
shows its pictures at once the next time, also under other names and in other folders.
"""

import hashlib
import os
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QImage, QPixmap

from editor.model.folders import data_folder
from editor.qt.panel import PanelServices
from editor.qt.pictures import small_picture
from engine.assets.gltf.container import GLTF_SUFFIXES
from engine.scene.levels.scene_file import LEVEL_SUFFIXES

__all__ = ["THUMBNAIL_PX", "Thumbnails"]

THUMBNAIL_PX: Final = 192
_KEPT: Final = 600
_NOTED: Final = 4000
_VERSION: Final = 3
_PICTURES: Final = (".png", ".jpg", ".jpeg", ".webp", ".hdr")
_DRAWN: Final = (*GLTF_SUFFIXES, *LEVEL_SUFFIXES)


class Thumbnails(QObject):
    """The pictures that the assets panel shows.

    Parameters
    ----------
    services
        Draws models and the open level.
    digest_of
        From a file to a hash of what it holds with its side files; empty where that is not known.

    Attributes
    ----------
    is_shown : callable
        Whether a file's tile is to be seen. What was asked for and is scrolled away when its turn
        comes is left until it is asked for again.

    Signals
    -------
    ready(Path)
        A picture that was asked for is there, or will not come.
    """

    ready = Signal(object)
    _read = Signal(str, object, object)

    def __init__(
        self,
        services: PanelServices,
        digest_of: Callable[[Path], str] = lambda path: "",
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._services = services
        self._digest_of = digest_of
        self._pixmaps: OrderedDict[str, QPixmap] = OrderedDict()
        self._reading = ""
        self._waiting: dict[str, Path] = {}
        self._absent = _Latest()
        self._broken = _Latest()
        self._drawn = _Latest()
        self.is_shown: Callable[[Path], bool] = lambda path: True
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="pictures")
        self._read.connect(self._on_read, Qt.ConnectionType.QueuedConnection)
        services.on_thumbnail_ready(self._on_ready)

    def pixmap(self, path: Path) -> QPixmap | None:
        """Return the picture of a file, None while it is being made or cannot be."""
        key = self._key(path)
        found = self._pixmaps.get(key)
        if found is not None:
            self._pixmaps.move_to_end(key)
            return found
        if not key or key == self._reading or key in self._broken:
            return None
        if key in self._absent:
            return self._draw(key, path)
        self._waiting[key] = path
        self._read_next()
        return None

    def _read_next(self) -> None:
        """Let the thread read the next picture that somebody still looks at."""
        while self._waiting and not self._reading:
            key = next(iter(self._waiting))
            path = self._waiting.pop(key)
            if self.is_shown(path):
                self._reading = key
                self._pool.submit(self._load, key, path)

    def is_broken(self, path: Path) -> bool:
        """Whether there can be no picture of a file, as it is now."""
        return self._key(path) in self._broken

    def forget(self, path: Path) -> None:
        """Have the picture of a file made anew."""
        key = self._key(path)
        self._pixmaps.pop(key, None)
        self._broken.pop(key, None)
        self._absent.pop(key, None)
        self._services.forget_thumbnail(path)
        if key:
            # Behind a write that may be under way.
            self._pool.submit(_cache_file(key).unlink, missing_ok=True)
        self.ready.emit(path)

    def _draw(self, key: str, path: Path) -> QPixmap | None:
        """Ask the viewport; it may have the picture now, later or never."""
        if path.suffix.lower() not in _DRAWN:
            return None
        if self._drawn.get(str(path), key) != key:
            # Whoever draws knows the file by its time, which a picture beside it does not change.
            self._services.forget_thumbnail(path)
        self._drawn.note(str(path), key)
        image = self._services.thumbnail(path, THUMBNAIL_PX, lambda: self.is_shown(path))
        if image is None or image.isNull():
            if self._services.thumbnail_failed(path, THUMBNAIL_PX):
                self._broken.note(key)
            return None
        self._pool.submit(_store, image, _cache_file(key))
        return self._keep(key, image)

    def _keep(self, key: str, image: QImage) -> QPixmap:
        self._absent.pop(key, None)
        self._pixmaps[key] = pixmap = QPixmap.fromImage(image)
        while len(self._pixmaps) > _KEPT:
            self._pixmaps.popitem(last=False)
        return pixmap

    def _load(self, key: str, path: Path) -> None:
        """Read a picture that is kept, or the file where it is one; in the thread."""
        cached = _cache_file(key)
        image = QImage(str(cached)) if os.path.isfile(cached) else QImage()
        if image.isNull() and path.suffix.lower() in _PICTURES:
            image = small_picture(path, THUMBNAIL_PX)
            if not image.isNull():
                _store(image, cached)
        self._read.emit(key, path, image)

    def _on_read(self, key: str, path: Path, image: QImage) -> None:
        self._reading = ""
        if not image.isNull():
            self._keep(key, image)
        elif path.suffix.lower() in _PICTURES:
            self._broken.note(key)
        else:
            self._absent.note(key)
        self.ready.emit(path)
        self._read_next()

    def _on_ready(self, path: str) -> None:
        self.ready.emit(Path(path))

    def _key(self, path: Path) -> str:
        text = self._digest_of(path)
        if not text:
            try:
                stat = path.stat()
            except OSError:
                return ""
            text = f"{path}\0{stat.st_size}\0{stat.st_mtime_ns}"
        name = f"{text}\0{THUMBNAIL_PX}\0{_VERSION}".encode("utf-8", "surrogatepass")
        return hashlib.sha256(name).hexdigest()[:32]

    def close(self) -> None:
        """Let the thread go."""
        self._waiting.clear()
        self._pool.shutdown(wait=True, cancel_futures=True)


class _Latest(OrderedDict[str, str]):
    """What was noted last; older notes make room, and are found out again when it matters."""

    def note(self, key: str, value: str = "") -> None:
        self[key] = value
        self.move_to_end(key)
        while len(self) > _NOTED:
            self.popitem(last=False)


def _cache_file(key: str) -> Path:
    return data_folder() / "thumbnails" / key[:2] / f"{key}.png"


def _store(image: QImage, path: Path) -> None:
    """Keep a picture on disk; a full or read-only disk is no reason to complain."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError:
        return
    image.save(str(path))
