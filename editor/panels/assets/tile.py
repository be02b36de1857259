"""How a tile is painted, and the line that edits its name."""

from typing import Final

from PySide6.QtCore import (
    QAbstractItemModel,
    QEvent,
    QModelIndex,
    QPersistentModelIndex,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QMouseEvent, QPainter, QPen
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

__all__ = ["TileDelegate"]

Index = QModelIndex | QPersistentModelIndex
_TILE: Final = QSize(100, 116)
_GAP: Final = 8
_GLYPHS: Final = {
    "folder": ("folder", "folder"),
    "model": ("package", "faint"),
    "level": ("stack", "accent"),
    "image": ("image", "quiet"),
}


def _star(tile: QRect) -> QRect:
    return QRect(tile.right() - 20, tile.top() + 5, 14, 14)


class TileDelegate(QStyledItemDelegate):
    """Paints tiles.

    Signals
    -------
    star_clicked(AssetItem)

    Attributes
    ----------
    drop_row
        The tile of the folder that a drag is over, -1 for none.
    """

    star_clicked = Signal(object)
    drop_row = -1

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(_TILE.width() + _GAP, _TILE.height() + _GAP)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        item = index.data(ITEM_ROLE)
        model = index.model()
        if not isinstance(item, AssetItem) or not isinstance(model, AssetModel):
            return
        rect = QRect(option.rect.topLeft(), _TILE)
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        self._paint_ground(painter, rect, option, index)
        picture = QRect(rect.left() + 8, rect.top() + 6, rect.width() - 16, 84)
        note = index.data(NOTE_ROLE)
        note = note if isinstance(note, TileNote) else TileNote()
        self._paint_picture(painter, picture, item, model, note)
        hovered = bool(option.state & QStyle.StateFlag.State_MouseOver)
        if note.is_favourite:
            draw_icon(painter, _star(rect), "star-fill", color("warning"))
        elif hovered and item.kind != "folder":
            draw_icon(painter, _star(rect), "star", color("quiet"))
        painter.setPen(color("selection_text" if selected else "text"))
        line = QRect(rect.left() + 5, rect.bottom() - 23, rect.width() - 10, 20)
        text = painter.fontMetrics().elidedText(
            item.title, Qt.TextElideMode.ElideMiddle, line.width()
        )
        painter.drawText(line, int(Qt.AlignmentFlag.AlignCenter), text)
        painter.restore()

    def _paint_ground(
        self, painter: QPainter, rect: QRect, option: QStyleOptionViewItem, index: Index
    ) -> None:
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        hovered = bool(option.state & QStyle.StateFlag.State_MouseOver)
        is_target = index.row() == self.drop_row
        border = "accent" if selected or is_target else "line_strong"
        has_border = hovered or selected or is_target
        width = 2 if is_target else 1
        painter.setPen(QPen(color(border), width) if has_border else Qt.PenStyle.NoPen)
        painter.setBrush(color("selection" if selected else "sunken"))
        painter.drawRoundedRect(QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5), 5, 5)

    def _paint_picture(
        self, painter: QPainter, rect: QRect, item: AssetItem, model: AssetModel, note: TileNote
    ) -> None:
        pixmap = None if item.kind == "folder" else model.thumbnails.pixmap(item.path)
        if pixmap is not None:
            size = pixmap.size().scaled(rect.size(), Qt.AspectRatioMode.KeepAspectRatio)
            box = QRect(rect.topLeft(), size)
            box.moveCenter(rect.center())
            painter.drawPixmap(box, pixmap)
        else:
            is_broken = item.kind != "folder" and model.thumbnails.is_broken(item.path)
            glyph, role = ("file-x", "error") if is_broken else _GLYPHS[item.kind]
            box = QRect(0, 0, 34, 34)
            box.moveCenter(rect.center())
            draw_icon(painter, box, glyph, color(role))
        if note.problem:
            badge = QRect(rect.left() - 2, rect.top() - 1, 14, 14)
            draw_icon(painter, badge, "warning", color("warning"))

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
            star = _star(QRect(option.rect.topLeft(), _TILE)).adjusted(-3, -3, 3, 3)
            is_meant = event.button() == Qt.MouseButton.LeftButton and item.kind != "folder"
            if is_meant and star.contains(event.position().toPoint()):
                self.star_clicked.emit(item)
                return True
        return super().editorEvent(event, model, option, index)

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        editor = QLineEdit(parent)
        editor.setObjectName("assets.name")
        editor.setAccessibleName("Name")
        editor.setAlignment(Qt.AlignmentFlag.AlignCenter)
        return editor

    def updateEditorGeometry(
        self, editor: QWidget, option: QStyleOptionViewItem, index: Index
    ) -> None:
        rect = QRect(option.rect.topLeft(), _TILE)
        editor.setGeometry(rect.left() + 3, rect.bottom() - 25, rect.width() - 6, 23)

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        """Show the name, once: a thumbnail that comes later must not undo what is typed."""
        if not (isinstance(editor, QLineEdit) and editor.isModified()):
            super().setEditorData(editor, index)

    def setModelData(self, editor: QWidget, model: object, index: Index) -> None:
        if isinstance(editor, QLineEdit) and isinstance(model, AssetModel):
            model.setData(index, editor.text())
