"""A field for the path of an asset: thumbnail, name, drop, browse and follow."""

import fnmatch

from PySide6.QtCore import Signal
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDropEvent, QPixmap
from PySide6.QtWidgets import QWidget

from editor.qt.mime import accept_drop, read_asset_files
from editor.qt.widgets.reference_field import ReferenceField

__all__ = ["AssetField"]


class AssetField(ReferenceField):
    """The path of a file of the project, or None for a mixed selection.

    Signals
    -------
    edited(str)
        Another file was dropped, or the field was cleared.
    browse_requested(), reveal_requested()
    """

    edited = Signal(str)
    browse_requested = Signal()
    reveal_requested = Signal()

    def __init__(
        self, pattern: str = "*", parent: QWidget | None = None, *, empty: str = ""
    ) -> None:
        super().__init__(parent)
        self._empty = empty or "none"
        self._pattern = pattern or "*"
        self._path = ""
        self._reveal = self.add_button("crosshair-simple", "Show in the assets panel")
        self._reveal.clicked.connect(self.reveal_requested)
        browse = self.add_button("folder-open", "Choose a file")
        browse.clicked.connect(self.browse_requested)
        kinds = (("gl", "package"), ("scene", "stack"))
        self._glyph = next((g for part, g in kinds if part in self._pattern), "image")
        self.picture.glyph = (self._glyph, "quiet")

    def set_path(self, path: str | None, *, failed: str = "") -> None:
        """Show a path, None for mixed; ``failed`` says what is wrong with the file."""
        self._path = path or ""
        role = "accent" if self._path and self._glyph != "image" else "quiet"
        if path is None:
            self.show_name("mixed", role="quiet")
        elif not path:
            self.show_name(self._empty, role="quiet")
        else:
            self.show_name(path, failed=bool(failed))
        self.setToolTip(failed or path or "Drop an asset here")
        self.picture.glyph = ("warning", "error") if failed else (self._glyph, role)
        self._reveal.setVisible(bool(self._path))

    def set_picture(self, picture: QPixmap | None) -> None:
        """Show a thumbnail in place of the icon."""
        self.picture.pixmap = picture
        self.picture.update()

    def _fitting(self, event: QDragEnterEvent | QDropEvent) -> str:
        patterns = ["*" + p.lstrip("*") for p in self._pattern.lower().split()]
        for path in read_asset_files(event.mimeData()):
            if any(fnmatch.fnmatch(path.lower(), pattern) for pattern in patterns):
                return path
        return ""

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if self._fitting(event):
            accept_drop(event)
            self.set_dropping(True)

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        self.set_dropping(False)

    def dropEvent(self, event: QDropEvent) -> None:
        path = self._fitting(event)
        self.set_dropping(False)
        if path:
            accept_drop(event)
            self.edited.emit(path)
