"""Messages as rows, the oldest dropped beyond a bound."""

import time
from typing import Any, Final

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QSortFilterProxyModel,
    Qt,
)

from editor.model.messages import Message

__all__ = ["MESSAGE_ROLE", "ConsoleFilter", "ConsoleModel", "message_line"]

MESSAGE_ROLE: Final = int(Qt.ItemDataRole.UserRole)
Index = QModelIndex | QPersistentModelIndex
_NO_INDEX: Final = QModelIndex()
_MOST: Final = 5000


def message_line(message: Message) -> str:
    """Return a message as one line of text, for copying."""
    clock = time.strftime("%H:%M:%S", time.localtime(message.time))
    where = f" ({message.path})" if message.path is not None else ""
    return f"{clock} {message.level}: {message.text}{where}"


class ConsoleModel(QAbstractListModel):
    """The messages of this session."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._messages: list[Message] = []

    def add(self, message: Message) -> None:
        """Append a message."""
        if len(self._messages) >= _MOST:
            self.beginRemoveRows(QModelIndex(), 0, _MOST // 10 - 1)
            del self._messages[: _MOST // 10]
            self.endRemoveRows()
        row = len(self._messages)
        self.beginInsertRows(QModelIndex(), row, row)
        self._messages.append(message)
        self.endInsertRows()

    def clear(self) -> None:
        """Drop all messages."""
        self.beginResetModel()
        self._messages.clear()
        self.endResetModel()

    def messages(self) -> list[Message]:
        """Return all messages, oldest first."""
        return list(self._messages)

    def rowCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self._messages)

    def data(self, index: Index, role: int = int(Qt.ItemDataRole.DisplayRole)) -> Any:
        if not index.isValid() or index.row() >= len(self._messages):
            return None
        message = self._messages[index.row()]
        if role == int(Qt.ItemDataRole.DisplayRole):
            return message.text
        if role == int(Qt.ItemDataRole.ToolTipRole):
            return message_line(message)
        return message if role == MESSAGE_ROLE else None


class ConsoleFilter(QSortFilterProxyModel):
    """Lets through some levels, and texts that hold a word."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._levels = {"info", "warning", "error"}
        self._text = ""

    def show_level(self, level: str, on: bool) -> None:
        """Show or hide messages of a level."""
        (self._levels.add if on else self._levels.discard)(level)
        self.invalidate()

    def show_text(self, text: str) -> None:
        """Show only messages that hold this text."""
        self._text = text.lower()
        self.invalidate()

    def filterAcceptsRow(self, source_row: int, source_parent: Index) -> bool:
        message = self.sourceModel().index(source_row, 0).data(MESSAGE_ROLE)
        if not isinstance(message, Message):
            return False
        return message.level in self._levels and self._text in message_line(message).lower()
