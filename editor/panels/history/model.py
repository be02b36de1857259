"""The steps of the history as rows; row 0 is the level as it was opened."""

from typing import Any, Final

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

__all__ = ["APPLIED_ROLE", "CURRENT_ROLE", "HistoryModel"]

APPLIED_ROLE: Final = int(Qt.ItemDataRole.UserRole)
CURRENT_ROLE: Final = APPLIED_ROLE + 1
Index = QModelIndex | QPersistentModelIndex
_NO_INDEX: Final = QModelIndex()


class HistoryModel(QAbstractListModel):
    """Labels of steps and how many of them are applied."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._labels: list[str] = []
        self._index = 0

    def show_steps(self, labels: list[str], index: int) -> None:
        """Patch the rows to these steps."""
        old = self._labels
        same = 0
        for a, b in zip(old, labels, strict=False):
            if a != b:
                break
            same += 1
        if len(old) > same:
            self.beginRemoveRows(QModelIndex(), same + 1, len(old))
            del old[same:]
            self.endRemoveRows()
        if len(labels) > same:
            self.beginInsertRows(QModelIndex(), same + 1, len(labels))
            old.extend(labels[same:])
            self.endInsertRows()
        self._index = index
        self.dataChanged.emit(self.index(0, 0), self.index(len(old), 0))

    def rowCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self._labels) + 1

    def data(self, index: Index, role: int = int(Qt.ItemDataRole.DisplayRole)) -> Any:
        row = index.row()
        if not index.isValid() or row > len(self._labels):
            return None
        if role == int(Qt.ItemDataRole.DisplayRole):
            return self._labels[row - 1] if row else "Level opened"
        if role == APPLIED_ROLE:
            return row <= self._index
        if role == CURRENT_ROLE:
            return row == self._index
        return None
