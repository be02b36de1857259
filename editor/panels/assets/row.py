"""How a row of the list is painted, below the columns of the header."""

from typing import Final

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QStyleOptionViewItem

from editor.panels.assets.item_delegate import ItemDelegate, is_hovered, is_selected
from editor.panels.assets.list_header import PAD, ListHeader
from editor.panels.assets.project_listing import AssetItem
from editor.qt.fonts import tabular_font
from editor.qt.icons import draw_icon
from editor.qt.painting import paint_ground
from editor.qt.theme import Sizes, color

__all__ = ["RowDelegate"]

Index = QModelIndex | QPersistentModelIndex
_PICTURE_PX: Final = 20
_GLYPH_PX: Final = 15
_MARK_PX: Final = 14


class RowDelegate(ItemDelegate):
    """Paints rows: a small picture, the name, and what the other columns tell."""

    def __init__(self, header: ListHeader, parent: QObject) -> None:
        super().__init__(parent)
        self._header = header

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(_PICTURE_PX, Sizes.ROW)

    def _cell(self, rect: QRect, column: str) -> QRect:
        """Return the part of a row that is below a column, empty where that is hidden."""
        left, width = self._header.place_of(column)
        return QRect(rect.left() + left, rect.top(), width, rect.height())

    def star_rect(self, rect: QRect) -> QRect:
        cell = self._cell(rect, "name")
        star = QRect(0, 0, _MARK_PX, _MARK_PX)
        star.moveCenter(cell.center())
        star.moveRight(cell.right() - PAD)
        return star

    def editor_rect(self, rect: QRect) -> QRect:
        name = self._name_rect(rect)
        return QRect(name.left() - 6, rect.top() + 1, name.width() + 6, rect.height() - 2)

    def _name_rect(self, rect: QRect) -> QRect:
        cell = self._cell(rect, "name")
        cell.setLeft(cell.left() + PAD + _PICTURE_PX + 6)
        cell.setRight(self.star_rect(rect).left() - 4)
        return cell

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        found = self.item_of(index)
        if found is None:
            return
        item, model, note = found
        rect = option.rect
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        self._paint_ground(painter, option, index)
        picture = QRect(0, 0, _PICTURE_PX, _PICTURE_PX)
        picture.moveCenter(rect.center())
        picture.moveLeft(self._cell(rect, "name").left() + PAD)
        self.paint_picture(painter, picture, item, model, _GLYPH_PX)
        name = self._name_rect(rect)
        if not (note.is_favourite or is_hovered(option)):
            name.setRight(self._cell(rect, "name").right() - PAD)
        if note.problem:
            badge = QRect(name.left(), rect.top(), _MARK_PX, rect.height())
            draw_icon(painter, badge, "warning", color("warning"))
            name.setLeft(name.left() + _MARK_PX + 5)
        self.paint_star(painter, option, item, note)
        painter.setPen(color("selection_text" if is_selected(option) else "text"))
        _write(painter, name, item.title, Qt.AlignmentFlag.AlignLeft)
        painter.setPen(color("selection_text" if is_selected(option) else "quiet"))
        if model.tells_folders:
            self._paint_folder(painter, name, item)
        self._paint_facts(painter, option.rect, item)
        painter.restore()

    def _paint_folder(self, painter: QPainter, name: QRect, item: AssetItem) -> None:
        """Tell behind the name where a file is, as far as there is room."""
        rest = QRect(name)
        rest.setLeft(name.left() + painter.fontMetrics().horizontalAdvance(item.title) + 10)
        _write(painter, rest, item.asset.rpartition("/")[0], Qt.AlignmentFlag.AlignLeft)

    def _paint_facts(self, painter: QPainter, rect: QRect, item: AssetItem) -> None:
        painter.setFont(tabular_font())
        for column, text in item.facts.items():
            cell = self._cell(rect, column).adjusted(PAD, 0, -PAD, 0)
            _write(painter, cell, text, self._header.side_of(column))

    def _paint_ground(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        ground = QRectF(option.rect).adjusted(0, 0.5, -1, -0.5)
        paint_ground(painter, ground, selected=is_selected(option), hovered=is_hovered(option))
        if index.row() == self.drop_row:
            painter.setPen(QPen(color("accent"), 1))
            painter.drawRoundedRect(ground.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)


def _write(painter: QPainter, cell: QRect, text: str, side: Qt.AlignmentFlag) -> None:
    if cell.width() > 0 and text:
        shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideMiddle, cell.width())
        painter.drawText(cell, int(side | Qt.AlignmentFlag.AlignVCenter), shown)
