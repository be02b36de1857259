"""The files of a folder or search, as tiles or as rows: keys, drag and drop."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from PySide6.QtCore import (
    QEvent,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRect,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QDrag,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDragMoveEvent,
    QDropEvent,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPixmap,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractItemView, QListView, QWidget

from editor.panels.assets.folder_drop import FolderDrop, take_drag
from editor.panels.assets.item_delegate import ItemDelegate
from editor.panels.assets.list_header import ListHeader
from editor.panels.assets.model import ITEM_ROLE, AssetModel
from editor.panels.assets.project_listing import AssetItem
from editor.panels.assets.row import RowDelegate
from editor.panels.assets.tile import TileDelegate
from editor.qt.icons import draw_icon
from editor.qt.theme import color

__all__ = ["AssetGrid"]

Index = QModelIndex | QPersistentModelIndex
_PICTURE_PX: Final = 64
_BESIDE_POINTER: Final = QPoint(-14, -12)
"""The picture must not hide where the prop comes to stand."""
_OWN_KEYS: Final = (
    Qt.Key.Key_F2,
    Qt.Key.Key_F5,
    Qt.Key.Key_Delete,
    Qt.Key.Key_Backspace,
    Qt.Key.Key_Return,
    Qt.Key.Key_Enter,
)
_PLAIN: Final = (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)


class AssetGrid(QListView):
    """Tiles that wrap, or rows below a header; with a picture while they are dragged.

    Attributes
    ----------
    header : ListHeader
        For whoever lays the panel out; to be seen above rows only.

    Signals
    -------
    opened(list of AssetItem)
        By a double click or Enter: what is selected, the current one first.
    delete_requested(), up_requested(), refresh_requested()
        By their keys.
    dropped(FolderDrop)
    star_clicked(AssetItem)
    """

    opened = Signal(object)
    delete_requested = Signal()
    up_requested = Signal()
    refresh_requested = Signal()
    dropped = Signal(object)
    star_clicked = Signal(object)
    _must_stay = False

    def __init__(self, model: AssetModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("assets.grid")
        self.setAccessibleName("Assets")
        self.setModel(model)
        self.folder = Path()
        self.root = Path()
        self.header = ListHeader()
        self.header.sectionResized.connect(lambda *_: self.viewport().update())
        self._tiles = TileDelegate(self)
        self._rows = RowDelegate(self.header, self)
        for delegate in (self._tiles, self._rows):
            delegate.star_clicked.connect(self.star_clicked)
        self.setUniformItemSizes(True)
        self.setMouseTracking(True)
        self.setDragEnabled(True)
        self.setAcceptDrops(True)
        self.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed)
        self.setSelectionMode(QListView.SelectionMode.ExtendedSelection)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.show_rows(False)
        self._pressed_with: list[AssetItem] = []
        self.doubleClicked.connect(self._on_double_clicked)

    def show_rows(self, on: bool) -> None:
        """Show rows below the header, or tiles."""
        self._must_stay = self.shows_index(self.currentIndex())
        modes = QListView.ViewMode
        self._delegate: ItemDelegate = self._rows if on else self._tiles
        self.setItemDelegate(self._delegate)
        self.setViewMode(modes.ListMode if on else modes.IconMode)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setMovement(QListView.Movement.Static)
        self.setDragEnabled(True)
        self.viewport().setAcceptDrops(True)  # a list whose tiles don't move turns that off
        self.verticalScrollBar().setSingleStep(24 if on else 30)
        self.scheduleDelayedItemsLayout()

    @property
    def has_rows(self) -> bool:
        """Whether files are shown as rows."""
        return self._delegate is self._rows

    def reveal(self, asset: str) -> None:
        """Make a file the current one and bring it into view, also in a panel that is not yet."""
        model = self.model()
        row = model.row_of(asset) if isinstance(model, AssetModel) else -1
        if row >= 0:
            index = model.index(row, 0)
            self.setCurrentIndex(index)
            self.scrollTo(index)
            self._must_stay = not self.isVisible()

    def choose(self, assets: Sequence[str], current: str) -> None:
        """Select files again after they were read anew."""
        model = self.model()
        if not isinstance(model, AssetModel):
            return
        selection, flags = self.selectionModel(), QItemSelectionModel.SelectionFlag
        if [item.asset for item in self.selected_items()] != list(assets):
            for row in (model.row_of(asset) for asset in assets):
                if row >= 0:
                    selection.select(model.index(row, 0), flags.Select)
        row = model.row_of(current) if current else -1
        if row >= 0 and self.currentIndex().row() != row:
            selection.setCurrentIndex(model.index(row, 0), flags.NoUpdate)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._must_stay |= self.shows_index(self.currentIndex())
        super().resizeEvent(event)

    def doItemsLayout(self) -> None:
        """Keep the current file in view while tiles wrap to another width."""
        super().doItemsLayout()
        if self._must_stay and self.isVisible():
            self._must_stay = False
            self.scrollTo(self.currentIndex())

    def shows(self, path: Path) -> bool:
        """Whether a file's tile or row is to be seen."""
        model = self.model()
        row = model.row_of_path(path) if isinstance(model, AssetModel) else -1
        return row >= 0 and self.shows_index(model.index(row, 0))

    def shows_index(self, index: Index) -> bool:
        """Whether an index of the model is to be seen."""
        is_there = index.isValid() and self.isVisible()
        return is_there and self.visualRect(index).intersects(self.viewport().rect())

    def item_at(self, at: QPoint) -> AssetItem | None:
        """Return the tile under a point of the grid."""
        item = self.indexAt(at).data(ITEM_ROLE)
        return item if isinstance(item, AssetItem) else None

    def current_item(self) -> AssetItem | None:
        """Return the tile that keys go to."""
        item = self.currentIndex().data(ITEM_ROLE)
        return item if isinstance(item, AssetItem) else None

    def selected_items(self) -> list[AssetItem]:
        """Return the selected tiles, in their order."""
        rows = sorted(self.selectionModel().selectedIndexes(), key=lambda index: index.row())
        found = (index.data(ITEM_ROLE) for index in rows)
        return [item for item in found if isinstance(item, AssetItem)]

    def mousePressEvent(self, event: QMouseEvent) -> None:
        # The first click of a double click leaves one tile of several selected.
        self._pressed_with = self.selected_items()
        super().mousePressEvent(event)

    def _on_double_clicked(self, index: Index) -> None:
        item = index.data(ITEM_ROLE)
        if not isinstance(item, AssetItem):
            return
        pressed_with = self._pressed_with
        if item in pressed_with:
            self.select_items(pressed_with)
        self._open(item, pressed_with)

    def select_items(self, items: Sequence[AssetItem]) -> None:
        """Select tiles, the current one staying what it is."""
        model, flags = self.model(), QItemSelectionModel.SelectionFlag
        if isinstance(model, AssetModel):
            for row in (model.row_of(item.asset) for item in items):
                if row >= 0:
                    self.selectionModel().select(model.index(row, 0), flags.Select)

    def _open(self, item: AssetItem, selected: list[AssetItem]) -> None:
        others = [other for other in selected if other != item] if item in selected else []
        self.opened.emit([item, *others])

    # -- keys --------------------------------------------------------------------------------

    def event(self, event: QEvent) -> bool:
        """Keep keys that mean something here from the window's actions."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            is_plain = event.modifiers() in _PLAIN and event.key() in _OWN_KEYS
            if is_plain or event.matches(QKeySequence.StandardKey.SelectAll):
                event.accept()
                return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self.state() == QAbstractItemView.State.EditingState:
            super().keyPressEvent(event)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            current = self.current_item()
            if current is not None:
                self._open(current, self.selected_items())
        elif event.key() == Qt.Key.Key_Delete:
            self.delete_requested.emit()
        elif event.key() == Qt.Key.Key_Backspace:
            self.up_requested.emit()
        elif event.key() == Qt.Key.Key_F5:
            self.refresh_requested.emit()
        else:
            super().keyPressEvent(event)

    # -- dragging ----------------------------------------------------------------------------

    def startDrag(self, supportedActions: Qt.DropAction) -> None:
        indexes = self.selectedIndexes()
        model = self.model()
        item = self.current_item()
        if not indexes or item is None or not isinstance(model, AssetModel):
            return
        drag = QDrag(self)
        first = [i for i in indexes if i.data(ITEM_ROLE) == item]
        drag.setMimeData(model.mimeData([*first, *(i for i in indexes if i not in first)]))
        drag.setPixmap(self._drag_picture(item, model, len(indexes)))
        drag.setHotSpot(_BESIDE_POINTER)
        actions = Qt.DropAction.CopyAction | Qt.DropAction.LinkAction | Qt.DropAction.MoveAction
        drag.exec(actions, Qt.DropAction.CopyAction)

    def _drag_picture(self, item: AssetItem, model: AssetModel, count: int) -> QPixmap:
        ratio = self.devicePixelRatioF()
        side = int(_PICTURE_PX * ratio)
        picture = QPixmap(side, side)
        picture.setDevicePixelRatio(ratio)
        picture.fill(Qt.GlobalColor.transparent)
        painter = QPainter(picture)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        pixmap = None if item.kind == "folder" else model.thumbnails.pixmap(item.path)
        if pixmap is not None:
            painter.setOpacity(0.9)
            painter.drawPixmap(QRect(0, 0, _PICTURE_PX, _PICTURE_PX), pixmap)
        else:
            glyph = "folder" if item.kind == "folder" else "package"
            draw_icon(painter, QRect(16, 16, 32, 32), glyph, color("accent"))
        if count > 1:
            painter.setPen(color("text"))
            box = QRect(0, 0, _PICTURE_PX, _PICTURE_PX)
            corner = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignBottom
            painter.drawText(box, int(corner), f"× {count}")
        painter.end()
        return picture

    # -- dropping ----------------------------------------------------------------------------

    def _take(self, event: QDropEvent) -> FolderDrop | None:
        """Return what is dropped where: on a folder's tile, or in the folder that is shown."""
        at = event.position().toPoint()
        item = self.item_at(at)
        is_folder = item is not None and item.kind == "folder"
        drop = take_drag(event, self.root, item.path if item and is_folder else self.folder)
        row = self.indexAt(at).row() if is_folder and drop is not None else -1
        if row != self._delegate.drop_row:
            self._delegate.drop_row = row
            self.viewport().update()
        return drop

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        self._take(event)
        # Over a place where nothing may be dropped the drag still goes on to others.
        event.accept()

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        self._take(event)

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        self._delegate.drop_row = -1
        self.viewport().update()

    def dropEvent(self, event: QDropEvent) -> None:
        drop = self._take(event)
        self._delegate.drop_row = -1
        self.viewport().update()
        if drop is not None:
            self.dropped.emit(drop)
