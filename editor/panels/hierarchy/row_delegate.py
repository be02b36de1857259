"""Paints the rows of the tree: icon, name, and the eye and lock marks."""

from typing import Final

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QPainter
from PySide6.QtWidgets import (
    QLineEdit,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from editor.qt.fonts import TITLE, with_weight
from editor.qt.hierarchy.model import LOOK_ROLE
from editor.qt.hierarchy.rows import EYE_COLUMN, LOCK_COLUMN, NAME_COLUMN
from editor.qt.hierarchy.source import RowLook
from editor.qt.icons import draw_icon
from editor.qt.theme import Sizes, color

__all__ = ["RowDelegate"]

Index = QModelIndex | QPersistentModelIndex
_ICON: Final = Sizes.ICON_ROW


class RowDelegate(QStyledItemDelegate):
    """Draws one cell; the ground of the row is drawn by the view."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(60, Sizes.ROW)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        look = index.data(LOOK_ROLE)
        if not isinstance(look, RowLook):
            return
        painter.save()
        self._paint_cell(painter, option, index, look)
        painter.restore()

    def _paint_cell(
        self, painter: QPainter, option: QStyleOptionViewItem, index: Index, look: RowLook
    ) -> None:
        state = option.state
        selected = bool(state & QStyle.StateFlag.State_Selected)
        hovered = bool(state & QStyle.StateFlag.State_MouseOver)
        rect: QRect = option.rect
        if index.column() == NAME_COLUMN:
            self._paint_name(painter, rect, look, str(index.data() or ""), selected)
        elif index.column() == EYE_COLUMN:
            name = "eye-slash" if look.hidden else "eye"
            role = "folder" if look.hidden else "text" if hovered else "faint"
            self._paint_mark(painter, rect, name, role, selected)
        elif index.column() == LOCK_COLUMN and (look.locked or hovered):
            name = "lock-simple" if look.locked else "lock-simple-open"
            self._paint_mark(painter, rect, name, "warning" if look.locked else "faint", selected)

    def _paint_mark(
        self, painter: QPainter, rect: QRect, name: str, role: str, selected: bool
    ) -> None:
        box = QRect(0, 0, _ICON, _ICON)
        box.moveCenter(rect.center())
        tint = color("selection_text") if selected and role == "faint" else color(role)
        if selected and role == "faint":
            tint.setAlphaF(0.6)
        draw_icon(painter, box, name, tint)

    def _paint_name(
        self, painter: QPainter, rect: QRect, look: RowLook, text: str, selected: bool
    ) -> None:
        box = QRect(rect.left() + 2, 0, _ICON, _ICON)
        box.moveTop(rect.center().y() - _ICON // 2 + 1)
        tint = color(look.role)
        if selected and look.role in {"accent", "quiet"}:
            tint = color("selection_text")
        if look.dimmed:
            tint.setAlphaF(0.45)
        draw_icon(painter, box, look.glyph, tint)
        right = rect.right() - 4
        if look.issue:
            mark = QRect(right - 14, box.top(), 13, 13)
            draw_icon(painter, mark, "warning", color("warning"))
            right = mark.left() - 4
        font = QFont(painter.font())
        if look.changes:
            right = self._paint_count(painter, rect, right, look.changes, selected)
        role = "selection_text" if selected else "text"
        if look.overridden:
            font = with_weight(font, TITLE)
            role = "selection_text" if selected else "override"
        ink = QColor(color(role))
        if look.dimmed:
            ink.setAlphaF(0.5)
        painter.setFont(font)
        painter.setPen(ink)
        space = QRect(box.right() + 7, rect.top(), right - box.right() - 7, rect.height())
        shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, space.width())
        painter.drawText(space, int(Qt.AlignmentFlag.AlignVCenter), shown)

    def _paint_count(
        self, painter: QPainter, rect: QRect, right: int, count: int, selected: bool
    ) -> int:
        """Draw how many changes an instance carries; return where the room for the name ends."""
        text = str(count) if count < 100 else "99+"
        painter.setFont(with_weight(QFont(painter.font()), TITLE))
        width = painter.fontMetrics().horizontalAdvance(text)
        painter.setPen(color("selection_text" if selected else "override"))
        area = QRect(right - width, rect.top(), width, rect.height())
        painter.drawText(area, int(Qt.AlignmentFlag.AlignVCenter), text)
        painter.setFont(QFont())
        return area.left() - 6

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        editor = QLineEdit(parent)
        editor.setObjectName("hierarchy.rename")
        editor.setAccessibleName("Name")
        return editor

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        """Show the name, once: what changes in the row later must not undo what is typed."""
        if isinstance(editor, QLineEdit) and not editor.isModified():
            editor.setText(str(index.data(int(Qt.ItemDataRole.EditRole)) or ""))
            editor.selectAll()

    def updateEditorGeometry(
        self, editor: QWidget, option: QStyleOptionViewItem, index: Index
    ) -> None:
        rect: QRect = option.rect
        left = rect.left() + _ICON + 2
        editor.setGeometry(left, rect.top() + 1, rect.right() - left, rect.height() - 2)
