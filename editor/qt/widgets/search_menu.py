"""A popup list with a search field, such as the one that adds components."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import (
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QGuiApplication, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QLabel,
    QListWidget,
    QListWidgetItem,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from editor.qt.icons import icon
from editor.qt.theme import Sizes, color
from editor.qt.widgets.popup import paint_popup
from editor.qt.widgets.search_field import SearchField

__all__ = ["SearchEntry", "SearchMenu"]

_KEYS = Qt.ItemDataRole.UserRole + 1


@dataclass(frozen=True)
class SearchEntry:
    """One entry: what it is called, its icon, a hint and what choosing it means.

    Attributes
    ----------
    keys
        A shortcut, shown at the end of the line.
    """

    title: str
    glyph: str
    hint: str
    value: object
    keys: str = ""


def _fits(words: Sequence[str], text: str) -> bool:
    return all(word in text.lower() for word in words)


class _KeysDelegate(QStyledItemDelegate):
    """Draws the shortcut of an entry at the end of its line."""

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        super().paint(painter, option, index)
        keys = index.data(_KEYS)
        if keys:
            rect: QRect = option.rect
            painter.save()
            painter.setPen(color("quiet"))
            side = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
            painter.drawText(rect.adjusted(0, 0, -8, 0), side, str(keys))
            painter.restore()


class SearchMenu(QWidget):
    """A popup that narrows as one types; Enter takes the first match.

    Signals
    -------
    chosen(object)
        The value of the entry.
    """

    chosen = Signal(object)

    def __init__(
        self, entries: Sequence[SearchEntry], placeholder: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent, Qt.WindowType.Popup | Qt.WindowType.FramelessWindowHint)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)
        self._entries = list(entries)
        self.search = SearchField(placeholder, self)
        self.search.textChanged.connect(self._fill)
        self.list = QListWidget(self)
        self.list.setUniformItemSizes(True)
        self.list.setItemDelegate(_KeysDelegate(self.list))
        self.list.setIconSize(QSize(14, 14))
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.itemClicked.connect(self._choose)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setMouseTracking(True)
        self.list.itemEntered.connect(self.list.setCurrentItem)
        self._empty = QLabel("Nothing fits", self)
        self._empty.setProperty("role", "quiet")
        self._empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 8, 8, 8)
        column.setSpacing(6)
        column.addWidget(self.search)
        column.addWidget(self.list)
        column.addWidget(self._empty)
        self._fill("")

    def _fill(self, text: str) -> None:
        words = text.lower().split()
        self.list.clear()
        named = [e for e in self._entries if _fits(words, e.title)]
        told = [e for e in self._entries if _fits(words, f"{e.title} {e.hint}")]
        for entry in dict.fromkeys([*named, *told]):
            item = QListWidgetItem(icon(entry.glyph, "quiet"), entry.title)
            item.setData(Qt.ItemDataRole.UserRole, self._entries.index(entry))
            item.setData(_KEYS, entry.keys)
            item.setToolTip(entry.hint)
            item.setSizeHint(QSize(100, Sizes.ROW))
            self.list.addItem(item)
        self.list.setCurrentRow(0)
        self.list.setVisible(self.list.count() > 0)
        self._empty.setVisible(self.list.count() == 0)
        if self.isVisible():
            self.resize(self.width(), self._height())

    def _height(self) -> int:
        return min(14, max(3, self.list.count())) * Sizes.ROW + 52

    def open_at(self, position: QPoint, width: int) -> None:
        """Show the popup with its left top corner there, moved where it would leave the screen."""
        width, height = max(200, width), self._height()
        screen = QGuiApplication.screenAt(position) or QGuiApplication.primaryScreen()
        area = screen.availableGeometry()
        y = position.y()
        if y + height > area.bottom():
            y = max(area.top(), area.bottom() - height)
        x = max(area.left(), min(position.x(), area.right() - width))
        self.setGeometry(x, y, width, height)
        self.show()
        self.search.setFocus()

    def _choose(self, item: QListWidgetItem | None) -> None:
        if item is None:
            return
        value = self._entries[int(item.data(Qt.ItemDataRole.UserRole))].value
        self.hide()
        self.chosen.emit(value)
        self.close()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        if key in {Qt.Key.Key_Up, Qt.Key.Key_Down} and self.list.count():
            step = 1 if key == Qt.Key.Key_Down else -1
            self.list.setCurrentRow((self.list.currentRow() + step) % self.list.count())
        elif key in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self._choose(self.list.currentItem())
        elif key == Qt.Key.Key_Escape:
            self.close()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        paint_popup(self)
