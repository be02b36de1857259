"""The folders of the project as a tree, read when they are opened."""

from pathlib import Path
from typing import Final

from PySide6.QtCore import (
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QDragEnterEvent,
    QDragLeaveEvent,
    QDragMoveEvent,
    QDropEvent,
    QPainter,
    QPalette,
)
from PySide6.QtWidgets import QStyleOptionViewItem, QTreeWidget, QTreeWidgetItem, QWidget

from editor.panels.assets.folder_drop import FolderDrop, take_drag
from editor.panels.assets.folder_listings import FolderListings
from editor.panels.assets.project_listing import child_folders, has_folders
from editor.qt.icons import draw_icon, icon
from editor.qt.painting import paint_ground
from editor.qt.theme import color

__all__ = ["FolderTree"]

_PATH: Final = int(Qt.ItemDataRole.UserRole)
_READ: Final = _PATH + 1


class FolderTree(QTreeWidget):
    """Folders below the project's root.

    Signals
    -------
    folder_chosen(Path)
    dropped(FolderDrop)
        Files were dropped on a folder.
    """

    folder_chosen = Signal(object)
    dropped = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("assets.folders")
        self.setAccessibleName("Folders")
        self.setHeaderHidden(True)
        self.setIndentation(12)
        self.setIconSize(QSize(14, 14))
        self.setUniformRowHeights(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.itemExpanded.connect(self._fill)
        self.currentItemChanged.connect(self._on_current_changed)
        self.setAcceptDrops(True)
        self._root = Path()
        self._target: QTreeWidgetItem | None = None
        self._listings = FolderListings()

    def show_root(self, root: Path) -> None:
        """Show another project, or the same one anew."""
        self._root = root
        open_paths = self._open_paths()
        self.blockSignals(True)
        self._target = None
        self.clear()
        top = self._make(root, "Project")
        self.addTopLevelItem(top)
        self._fill(top)
        top.setExpanded(True)
        self.blockSignals(False)
        for path in sorted(open_paths):
            self._open(path)

    def look_again(self) -> None:
        """Show folders that came or went meanwhile, where any did."""
        stack = [self.topLevelItem(0)]
        while stack:
            item = stack.pop()
            if item is None or not item.data(0, _READ):
                continue
            below = [child for i in range(item.childCount()) if (child := item.child(i))]
            names = [child.text(0) for child in below]
            if self._listings.has_changed(Path(str(item.data(0, _PATH))), names):
                self.show_root(self._root)
                return
            stack.extend(below)

    def show_folder(self, folder: Path) -> None:
        """Mark a folder as the one shown."""
        item = self._open(folder)
        if item is not None and item is not self.currentItem():
            self.blockSignals(True)
            self.setCurrentItem(item)
            self.blockSignals(False)

    def _open_paths(self) -> set[Path]:
        found: set[Path] = set()
        stack = [self.topLevelItem(i) for i in range(self.topLevelItemCount())]
        while stack:
            item = stack.pop()
            if item is not None and item.isExpanded():
                found.add(Path(str(item.data(0, _PATH))))
                stack.extend(item.child(i) for i in range(item.childCount()))
        return found

    def _make(self, path: Path, title: str) -> QTreeWidgetItem:
        item = QTreeWidgetItem([title])
        item.setData(0, _PATH, str(path))
        item.setData(0, _READ, False)
        item.setIcon(0, icon("folder", "folder"))
        item.setToolTip(0, str(path))
        item.setSizeHint(0, QSize(40, 22))
        if has_folders(path):
            item.setChildIndicatorPolicy(QTreeWidgetItem.ChildIndicatorPolicy.ShowIndicator)
        return item

    def _fill(self, item: QTreeWidgetItem) -> None:
        if item.data(0, _READ):
            return
        item.setData(0, _READ, True)
        for folder in child_folders(Path(str(item.data(0, _PATH)))):
            item.addChild(self._make(folder, folder.name))

    def _open(self, folder: Path) -> QTreeWidgetItem | None:
        item = self.topLevelItem(0)
        if item is None or not folder.is_relative_to(self._root):
            return None
        for part in folder.relative_to(self._root).parts:
            self._fill(item)
            item.setExpanded(True)
            below = [child for i in range(item.childCount()) if (child := item.child(i))]
            item = next((child for child in below if child.text(0) == part), item)
        return item

    def _on_current_changed(self, item: QTreeWidgetItem | None, previous: object) -> None:
        if item is not None:
            self.folder_chosen.emit(Path(str(item.data(0, _PATH))))

    # -- dropping ----------------------------------------------------------------------------

    def _take(self, event: QDropEvent) -> FolderDrop | None:
        item = self.itemAt(event.position().toPoint())
        folder = Path(str(item.data(0, _PATH))) if item is not None else None
        drop = take_drag(event, self._root, folder)
        self._show_target(item if drop is not None else None)
        return drop

    def _show_target(self, item: QTreeWidgetItem | None) -> None:
        if item is not self._target:
            self._target = item
            self.viewport().update()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        self._take(event)
        event.accept()

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        self._take(event)

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        self._show_target(None)

    def dropEvent(self, event: QDropEvent) -> None:
        drop = self._take(event)
        self._show_target(None)
        if drop is not None:
            self.dropped.emit(drop)

    def drawRow(
        self,
        painter: QPainter,
        options: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        rect = QRectF(self.visualRect(index))
        rect.setLeft(0)
        rect.setRight(self.viewport().width() - 2)
        selected = self.selectionModel().isSelected(index)
        under = self.viewport().mapFromGlobal(self.cursor().pos()).toPointF()
        hovered = self.viewport().underMouse() and rect.contains(under)
        hovered |= self._target is not None and self.itemFromIndex(index) is self._target
        paint_ground(painter, rect, selected=selected, hovered=hovered)
        options.palette.setBrush(QPalette.ColorRole.Highlight, Qt.GlobalColor.transparent)
        super().drawRow(painter, options, index)

    def drawBranches(
        self, painter: QPainter, rect: QRect, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        item = self.itemFromIndex(index)
        shows = QTreeWidgetItem.ChildIndicatorPolicy.ShowIndicator
        if item is None or not (item.childCount() or item.childIndicatorPolicy() == shows):
            return
        box = QRect(0, 0, 10, 10)
        box.moveCenter(QPoint(rect.right() - self.indentation() // 2, rect.center().y()))
        glyph = "caret-down-fill" if item.isExpanded() else "caret-right-fill"
        draw_icon(painter, box, glyph, color("quiet"))
