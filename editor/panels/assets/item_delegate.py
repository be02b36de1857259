"""What tiles and rows have in common: the star, the mark of a problem, and editing the name."""

from typing import Final

from PySide6.QtCore import (
    QAbstractItemModel,
    QEvent,
    QModelIndex,
    QPersistentModelIndex,
    QRect,
    Qt,
    Signal,
)
from PySide6.QtGui import QMouseEvent, QPainter
from PySide6.QtWidgets import (
    QLineEdit,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from editor.panels.assets.model import ITEM_ROLE, NOTE_ROLE, AssetModel, TileNote
from editor.panels.assets.project_listing import AssetItem
from editor.qt.icons import draw_icon
from editor.qt.theme import color

__all__ = ["ItemDelegate", "is_hovered", "is_selected"]

Index = QModelIndex | QPersistentModelIndex
_GLYPHS: Final = {
    "folder": ("folder", "folder"),
    "model": ("package", "faint"),
    "level": ("stack", "accent"),
    "image": ("image", "quiet"),
}


def is_selected(option: QStyleOptionViewItem) -> bool:
    """Whether what is painted is selected."""
    return bool(option.state & QStyle.StateFlag.State_Selected)


def is_hovered(option: QStyleOptionViewItem) -> bool:
    """Whether what is painted is under the pointer."""
    return bool(option.state & QStyle.StateFlag.State_MouseOver)


class ItemDelegate(QStyledItemDelegate):
    """Base of what paints files of the project.

    Signals
    -------
    star_clicked(AssetItem)

    Attributes
    ----------
    drop_row
        The folder that a drag is over, -1 for none.
    """

    star_clicked = Signal(object)
    drop_row = -1

    def star_rect(self, rect: QRect) -> QRect:
        """Return where the star of an item in a rectangle is."""
        raise NotImplementedError

    def editor_rect(self, rect: QRect) -> QRect:
        """Return where the name of an item in a rectangle is edited."""
        raise NotImplementedError

    def item_of(self, index: Index) -> tuple[AssetItem, AssetModel, TileNote] | None:
        """Return what an index of the model is of."""
        item, model, note = index.data(ITEM_ROLE), index.model(), index.data(NOTE_ROLE)
        if not isinstance(item, AssetItem) or not isinstance(model, AssetModel):
            return None
        return item, model, note if isinstance(note, TileNote) else TileNote()

    def paint_star(
        self, painter: QPainter, option: QStyleOptionViewItem, item: AssetItem, note: TileNote
    ) -> None:
        """Paint the star of a favourite, and its outline under the pointer."""
        if note.is_favourite:
            draw_icon(painter, self.star_rect(option.rect), "star-fill", color("warning"))
        elif is_hovered(option) and item.kind != "folder":
            draw_icon(painter, self.star_rect(option.rect), "star", color("quiet"))

    def paint_picture(
        self, painter: QPainter, rect: QRect, item: AssetItem, model: AssetModel, glyph_px: int
    ) -> None:
        """Paint the picture of a file, or what stands for it."""
        pixmap = None if item.kind == "folder" else model.thumbnails.pixmap(item.path)
        if pixmap is not None:
            size = pixmap.size().scaled(rect.size(), Qt.AspectRatioMode.KeepAspectRatio)
            box = QRect(rect.topLeft(), size)
            box.moveCenter(rect.center())
            painter.drawPixmap(box, pixmap)
            return
        is_broken = item.kind != "folder" and model.thumbnails.is_broken(item.path)
        glyph, role = ("file-x", "error") if is_broken else _GLYPHS[item.kind]
        box = QRect(0, 0, glyph_px, glyph_px)
        box.moveCenter(rect.center())
        draw_icon(painter, box, glyph, color(role))

    def editorEvent(
        self,
        event: QEvent,
        model: QAbstractItemModel,
        option: QStyleOptionViewItem,
        index: Index,
    ) -> bool:
        """Mark a file, or not, by a click on its star."""
        item = index.data(ITEM_ROLE)
        is_release = event.type() == QEvent.Type.MouseButtonRelease
        if isinstance(event, QMouseEvent) and isinstance(item, AssetItem) and is_release:
            star = self.star_rect(option.rect).adjusted(-3, -3, 3, 3)
            is_meant = event.button() == Qt.MouseButton.LeftButton and item.kind != "folder"
            if is_meant and star.contains(event.position().toPoint()):
                self.star_clicked.emit(item)
                return True
        return super().editorEvent(event, model, option, index)

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        editor = QLineEdit(parent)
        editor.setObjectName("assets.name")
        editor.setAccessibleName("Name")
        return editor

    def updateEditorGeometry(
        self, editor: QWidget, option: QStyleOptionViewItem, index: Index
    ) -> None:
        editor.setGeometry(self.editor_rect(option.rect))

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        """Show the name, once: a thumbnail that comes later must not undo what is typed."""
        if not (isinstance(editor, QLineEdit) and editor.isModified()):
            super().setEditorData(editor, index)

    def setModelData(self, editor: QWidget, model: object, index: Index) -> None:
        if isinstance(editor, QLineEdit) and isinstance(model, AssetModel):
            model.setData(index, editor.text())
