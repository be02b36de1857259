"""The tiles of one folder or search, as Qt's views ask for them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from PySide6.QtCore import (
    QAbstractListModel,
    QMimeData,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    QUrl,
    Signal,
)

from editor.panels.assets.project_listing import AssetItem
from editor.panels.assets.thumbnails import Thumbnails
from editor.qt.mime import FILES_MIME, asset_mime

__all__ = ["ITEM_ROLE", "NOTE_ROLE", "AssetModel", "TileNote"]

ITEM_ROLE: Final = int(Qt.ItemDataRole.UserRole)
NOTE_ROLE: Final = ITEM_ROLE + 1
Index = QModelIndex | QPersistentModelIndex
_NO_INDEX: Final = QModelIndex()


class TileNote:
    """What a tile says beside its picture: marked by the user, what is wrong with it."""

    def __init__(self, is_favourite: bool = False, problem: str = "") -> None:
        self.is_favourite = is_favourite
        self.problem = problem

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TileNote) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]


class AssetModel(QAbstractListModel):
    """The tiles of one folder or search.

    Attributes
    ----------
    tells_folders : bool
        Whether the files are of many folders, so that a row says of which.

    Signals
    -------
    rename_requested(AssetItem, str)
        Another name was typed, without the suffix.
    """

    rename_requested = Signal(object, str)

    def __init__(self, thumbnails: Thumbnails, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.tells_folders = False
        self._items: list[AssetItem] = []
        self._rows: dict[str, int] = {}
        self._rows_by_path: dict[Path, int] = {}
        self._notes: dict[str, TileNote] = {}
        self.thumbnails = thumbnails
        thumbnails.ready.connect(self._on_ready)

    def show_items(self, items: list[AssetItem], notes: dict[str, TileNote] | None = None) -> None:
        """Show these files; those that are shown already stay where they are, and chosen."""
        is_news = items != self._items or (notes is not None and notes != self._notes)
        self._notes = self._notes if notes is None else notes
        if [item.path for item in items] == [item.path for item in self._items]:
            self._items = items
            if is_news and items:
                self.dataChanged.emit(self.index(0, 0), self.index(len(items) - 1, 0))
            return
        self.beginResetModel()
        self._items = items
        self._rows = {item.asset: row for row, item in enumerate(items)}
        self._rows_by_path = {item.path: row for row, item in enumerate(items)}
        self.endResetModel()

    def items(self) -> list[AssetItem]:
        """Return the tiles."""
        return list(self._items)

    def row_of(self, asset: str) -> int:
        """Return the row of a file by its path relative to the project, -1 if it has none."""
        return self._rows.get(asset, -1)

    def row_of_path(self, path: Path) -> int:
        """Return the row of a file by its absolute path, -1 if it has none."""
        return self._rows_by_path.get(path, -1)

    def _on_ready(self, path: Path) -> None:
        row = self.row_of_path(path)
        if row >= 0:
            self.dataChanged.emit(self.index(row, 0), self.index(row, 0))

    def rowCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self._items)

    def data(self, index: Index, role: int = int(Qt.ItemDataRole.DisplayRole)) -> Any:
        if not index.isValid() or index.row() >= len(self._items):
            return None
        item = self._items[index.row()]
        if role in (int(Qt.ItemDataRole.DisplayRole), int(Qt.ItemDataRole.EditRole)):
            return item.title
        note = self._notes.get(item.asset, TileNote())
        if role == int(Qt.ItemDataRole.ToolTipRole):
            return f"{item.asset}\n{note.problem}" if note.problem else item.asset
        if role == int(Qt.ItemDataRole.AccessibleTextRole):
            folder = item.asset.rpartition("/")[0] if self.tells_folders else ""
            return ", ".join(text for text in (item.title, folder, *item.facts.values()) if text)
        if role == NOTE_ROLE:
            return note
        return item if role == ITEM_ROLE else None

    def setData(self, index: Index, value: Any, role: int = int(Qt.ItemDataRole.EditRole)) -> bool:
        if not index.isValid() or role != int(Qt.ItemDataRole.EditRole):
            return False
        item, name = self._items[index.row()], str(value).strip()
        if not name or name == item.title:
            return False
        self.rename_requested.emit(item, name)
        return True

    def flags(self, index: Index) -> Qt.ItemFlag:
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        own = Qt.ItemFlag.ItemIsDragEnabled | Qt.ItemFlag.ItemIsEditable
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | own

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        """Return what is dragged: all files, and the first of them as what a field may take."""
        items = [i for index in indexes if isinstance(i := index.data(ITEM_ROLE), AssetItem)]
        data = asset_mime(items[0].asset) if items and items[0].kind != "folder" else QMimeData()
        data.setData(FILES_MIME, "\n".join(item.asset for item in items).encode())
        data.setUrls([QUrl.fromLocalFile(str(item.path)) for item in items])
        return data
