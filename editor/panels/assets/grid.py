"""The grid of tiles: model, painting and drag."""

from collections.abc import Sequence
from typing import Any, Final

from PySide6.QtCore import (
    QAbstractListModel,
    QMimeData,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QRectF,
    QSize,
    Qt,
    QUrl,
)
from PySide6.QtGui import QDrag, QPainter, QPen, QPixmap
from PySide6.QtWidgets import (
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from editor.panels.assets.project_listing import AssetItem
from editor.panels.assets.thumbnails import Thumbnails
from editor.qt.icons import draw_icon
from editor.qt.mime import asset_mime
from editor.qt.theme import color

__all__ = ["ITEM_ROLE", "AssetGrid", "AssetModel"]

ITEM_ROLE: Final = int(Qt.ItemDataRole.UserRole)
Index = QModelIndex | QPersistentModelIndex
_NO_INDEX: Final = QModelIndex()
_TILE: Final = QSize(100, 116)
_GAP: Final = 8
_GLYPHS: Final = {
    "folder": ("folder", "folder"),
    "model": ("package", "faint"),
    "level": ("stack", "accent"),
    "image": ("image", "quiet"),
}


class AssetModel(QAbstractListModel):
    """The tiles of one folder or search."""

    def __init__(self, thumbnails: Thumbnails, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._items: list[AssetItem] = []
        self.thumbnails = thumbnails
        thumbnails.ready.connect(self._on_ready)

    def show_items(self, items: list[AssetItem]) -> None:
        """Show these tiles; nothing happens when they are shown already."""
        if items == self._items:
            return
        self.beginResetModel()
        self._items = items
        self.endResetModel()

    def items(self) -> list[AssetItem]:
        """Return the tiles."""
        return list(self._items)

    def _on_ready(self, path: object) -> None:
        for row, item in enumerate(self._items):
            if item.path == path:
                self.dataChanged.emit(self.index(row, 0), self.index(row, 0))

    def rowCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self._items)

    def data(self, index: Index, role: int = int(Qt.ItemDataRole.DisplayRole)) -> Any:
        if not index.isValid() or index.row() >= len(self._items):
            return None
        item = self._items[index.row()]
        if role == int(Qt.ItemDataRole.DisplayRole):
            return item.title
        if role == int(Qt.ItemDataRole.ToolTipRole):
            return item.asset
        return item if role == ITEM_ROLE else None

    def flags(self, index: Index) -> Qt.ItemFlag:
        result = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        item = index.data(ITEM_ROLE)
        if isinstance(item, AssetItem) and item.kind in {"model", "image"}:
            result |= Qt.ItemFlag.ItemIsDragEnabled
        return result if index.isValid() else Qt.ItemFlag.NoItemFlags

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        items = [i for index in indexes if isinstance(i := index.data(ITEM_ROLE), AssetItem)]
        data = asset_mime(items[0].asset if items else "")
        data.setUrls([QUrl.fromLocalFile(str(item.path)) for item in items])
        return data


class _TileDelegate(QStyledItemDelegate):
    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(_TILE.width() + _GAP, _TILE.height() + _GAP)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        item = index.data(ITEM_ROLE)
        model = index.model()
        if not isinstance(item, AssetItem) or not isinstance(model, AssetModel):
            return
        rect = QRect(option.rect.topLeft(), _TILE)
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        hovered = bool(option.state & QStyle.StateFlag.State_MouseOver)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        border = "accent" if selected else "line_strong" if hovered else "line"
        painter.setPen(QPen(color(border), 1) if hovered or selected else Qt.PenStyle.NoPen)
        painter.setBrush(color("selection" if selected else "sunken"))
        painter.drawRoundedRect(QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5), 5, 5)
        picture = QRect(rect.left() + 8, rect.top() + 6, rect.width() - 16, 84)
        self._paint_picture(painter, picture, item, model)
        painter.setPen(color("selection_text" if selected else "text"))
        line = QRect(rect.left() + 5, rect.bottom() - 23, rect.width() - 10, 20)
        text = painter.fontMetrics().elidedText(
            item.title, Qt.TextElideMode.ElideRight, line.width()
        )
        painter.drawText(line, int(Qt.AlignmentFlag.AlignCenter), text)
        painter.restore()

    def _paint_picture(
        self, painter: QPainter, rect: QRect, item: AssetItem, model: AssetModel
    ) -> None:
        pixmap = model.thumbnails.pixmap(item.path) if item.kind == "model" else None
        if pixmap is not None:
            side = min(rect.width(), rect.height())
            box = QRect(0, 0, side, side)
            box.moveCenter(rect.center())
            painter.drawPixmap(box, pixmap)
            return
        glyph, role = _GLYPHS[item.kind]
        box = QRect(0, 0, 34, 34)
        box.moveCenter(rect.center())
        draw_icon(painter, box, glyph, color(role))


class AssetGrid(QListView):
    """Tiles that wrap, with a picture while they are dragged."""

    def __init__(self, model: AssetModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("assets.grid")
        self.setAccessibleName("Assets")
        self.setModel(model)
        self.setItemDelegate(_TileDelegate(self))
        self.setViewMode(QListView.ViewMode.IconMode)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setMovement(QListView.Movement.Static)
        self.setUniformItemSizes(True)
        self.setMouseTracking(True)
        self.setDragEnabled(True)
        self.setSelectionMode(QListView.SelectionMode.SingleSelection)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.verticalScrollBar().setSingleStep(30)

    def startDrag(self, supportedActions: Qt.DropAction) -> None:
        index = self.currentIndex()
        item = index.data(ITEM_ROLE)
        model = self.model()
        if not isinstance(item, AssetItem) or not isinstance(model, AssetModel):
            return
        if not index.flags() & Qt.ItemFlag.ItemIsDragEnabled:
            return
        drag = QDrag(self)
        drag.setMimeData(model.mimeData([index]))
        drag.setPixmap(self._drag_picture(item, model))
        drag.setHotSpot(QPoint(32, 32))
        drag.exec(Qt.DropAction.CopyAction | Qt.DropAction.LinkAction, Qt.DropAction.CopyAction)

    def _drag_picture(self, item: AssetItem, model: AssetModel) -> QPixmap:
        ratio = self.devicePixelRatioF()
        picture = QPixmap(int(64 * ratio), int(64 * ratio))
        picture.setDevicePixelRatio(ratio)
        picture.fill(Qt.GlobalColor.transparent)
        painter = QPainter(picture)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        pixmap = model.thumbnails.pixmap(item.path)
        if pixmap is not None:
            painter.setOpacity(0.9)
            painter.drawPixmap(QRect(0, 0, 64, 64), pixmap)
        else:
            draw_icon(painter, QRect(16, 16, 32, 32), "package", color("accent"))
        painter.end()
        return picture
