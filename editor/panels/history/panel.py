"""The history panel."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from editor.panels.history.model import APPLIED_ROLE, CURRENT_ROLE, HistoryModel
from editor.qt.icons import draw_icon
from editor.qt.painting import paint_ground
from editor.qt.panel import Panel, PanelContext
from editor.qt.report import guarded
from editor.qt.theme import Sizes, color
from editor.qt.widgets.gutter_scroll_bar import GutterScrollBar

__all__ = ["HistoryPanel"]

Index = QModelIndex | QPersistentModelIndex


class _StepDelegate(QStyledItemDelegate):
    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(100, Sizes.ROW)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        rect: QRect = option.rect
        current, applied = bool(index.data(CURRENT_ROLE)), bool(index.data(APPLIED_ROLE))
        hovered = bool(option.state & QStyle.StateFlag.State_MouseOver)
        ground = QRectF(rect).adjusted(0, 0.5, 0, -0.5)
        paint_ground(painter, ground, selected=current, hovered=hovered)
        ink = color("selection_text" if current else "text" if applied else "faint")
        glyph = "flag" if index.row() == 0 else "circle" if applied else "circle-dashed"
        box = QRect(rect.left() + 8, rect.center().y() - 6, 13, 13)
        draw_icon(painter, box, glyph, ink if current else color("quiet" if applied else "faint"))
        font = painter.font()
        font.setItalic(not applied)
        painter.setFont(font)
        painter.setPen(ink)
        text_rect = rect.adjusted(30, 0, -8, 0)
        text = painter.fontMetrics().elidedText(
            str(index.data()), Qt.TextElideMode.ElideRight, text_rect.width()
        )
        painter.drawText(text_rect, int(Qt.AlignmentFlag.AlignVCenter), text)
        font.setItalic(False)
        painter.setFont(font)


class HistoryPanel(Panel):
    """Every step; those that were undone are dimmed. A click undoes or redoes up to there."""

    def __init__(self, context: PanelContext) -> None:
        super().__init__("history", context)
        self.model = HistoryModel(self)
        self.list = QListView(self)
        self.list.setObjectName("history.list")
        self.list.setAccessibleName("History")
        self.list.setModel(self.model)
        self.list.setItemDelegate(_StepDelegate(self.list))
        self.list.setMouseTracking(True)
        self.list.setUniformItemSizes(True)
        self.list.setSelectionMode(QListView.SelectionMode.NoSelection)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.list.clicked.connect(self._on_clicked)
        self.column.addWidget(self.list)
        self._bar = GutterScrollBar(self.list, self)
        self.observe(self.document.history_changed.connect(lambda nothing: self._refresh()))
        self.observe(self.document.replaced.connect(lambda nothing: self._refresh()))
        self._refresh()

    def _refresh(self) -> None:
        history = self.document.history
        self.model.show_steps(history.labels, history.index)
        self.list.scrollTo(self.model.index(history.index, 0))

    @guarded
    def _on_clicked(self, index: QModelIndex) -> None:
        self.document.history.jump(index.row())
