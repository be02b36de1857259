"""How a tile is painted."""

from typing import Final

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QLineEdit, QStyleOptionViewItem, QWidget

from editor.panels.assets.item_delegate import ItemDelegate, is_hovered, is_selected
from editor.qt.icons import draw_icon
from editor.qt.theme import color

__all__ = ["TileDelegate"]

Index = QModelIndex | QPersistentModelIndex
_TILE: Final = QSize(100, 116)
_GAP: Final = 8
_GLYPH_PX: Final = 34


class TileDelegate(ItemDelegate):
    """Paints tiles: the picture above the name."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(_TILE.width() + _GAP, _TILE.height() + _GAP)

    def star_rect(self, rect: QRect) -> QRect:
        tile = QRect(rect.topLeft(), _TILE)
        return QRect(tile.right() - 20, tile.top() + 5, 14, 14)

    def editor_rect(self, rect: QRect) -> QRect:
        tile = QRect(rect.topLeft(), _TILE)
        return QRect(tile.left() + 3, tile.bottom() - 25, tile.width() - 6, 23)

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        editor = super().createEditor(parent, option, index)
        if isinstance(editor, QLineEdit):
            editor.setAlignment(Qt.AlignmentFlag.AlignCenter)
        return editor

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        found = self.item_of(index)
        if found is None:
            return
        item, model, note = found
        rect = QRect(option.rect.topLeft(), _TILE)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        self._paint_ground(painter, rect, option, index)
        picture = QRect(rect.left() + 8, rect.top() + 6, rect.width() - 16, 84)
        self.paint_picture(painter, picture, item, model, _GLYPH_PX)
        if note.problem:
            badge = QRect(picture.left() - 2, picture.top() - 1, 14, 14)
            draw_icon(painter, badge, "warning", color("warning"))
        self.paint_star(painter, option, item, note)
        painter.setPen(color("selection_text" if is_selected(option) else "text"))
        line = QRect(rect.left() + 5, rect.bottom() - 23, rect.width() - 10, 20)
        text = painter.fontMetrics().elidedText(
            item.title, Qt.TextElideMode.ElideMiddle, line.width()
        )
        painter.drawText(line, int(Qt.AlignmentFlag.AlignCenter), text)
        painter.restore()

    def _paint_ground(
        self, painter: QPainter, rect: QRect, option: QStyleOptionViewItem, index: Index
    ) -> None:
        selected, is_target = is_selected(option), index.row() == self.drop_row
        border = "accent" if selected or is_target else "line_strong"
        has_border = is_hovered(option) or selected or is_target
        width = 2 if is_target else 1
        painter.setPen(QPen(color(border), width) if has_border else Qt.PenStyle.NoPen)
        painter.setBrush(color("selection" if selected else "sunken"))
        painter.drawRoundedRect(QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5), 5, 5)
