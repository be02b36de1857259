"""The tree view: whole-row selection, marks that toggle, drags that leave the selection alone."""

import contextlib
from collections.abc import Iterator
from typing import Final

from PySide6.QtCore import (
    QItemSelection,
    QItemSelectionModel,
    QItemSelectionRange,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QRectF,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import (
    QColor,
    QDrag,
    QDragLeaveEvent,
    QDragMoveEvent,
    QDropEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QPixmap,
)
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QStyleOptionViewItem, QTreeView

from editor.panels.hierarchy.row_delegate import RowDelegate
from editor.qt.hierarchy.model import HierarchyModel
from editor.qt.hierarchy.rows import EYE_COLUMN, NAME_COLUMN
from editor.qt.icons import draw_icon
from editor.qt.mime import accept_drop, entity_mime
from editor.qt.painting import paint_ground
from editor.qt.theme import Sizes, color
from engine.reflect import Entity

__all__ = ["HierarchyTree"]

Index = QModelIndex | QPersistentModelIndex
_MARK_WIDTH: Final = 22
_DROP_EDGE: Final = 7
_INDENT: Final = 14
_LEAST_INDENT: Final = 5
_INDENTED: Final = 150
_OPENS_AFTER_MS: Final = 600


class HierarchyTree(QTreeView):
    """Shows a `HierarchyModel`.

    Signals
    -------
    selected(list[Entity])
        The artist chose other rows, the current one last.
    mark_clicked(Entity, int)
        The eye or the lock of a row.
    activated_entity(Entity)
        A double click: frame it.
    """

    selected = Signal(object)
    mark_clicked = Signal(object, int)
    activated_entity = Signal(object)

    def __init__(self, model: HierarchyModel) -> None:
        super().__init__()
        self.setObjectName("hierarchy.tree")
        self.setAccessibleName("Hierarchy")
        self.rows = model
        self.setModel(model)
        self.setItemDelegate(RowDelegate(self))
        self._setup_view()
        self._setup_columns()
        self._press: QPersistentModelIndex | None = None
        self._press_at = QPoint()
        self._syncing = False
        self._drop_mark: tuple[QRect, bool] | None = None
        self._under_drag: QPersistentModelIndex | None = None
        self._opened: list[Entity] = []
        self._opening = QTimer(self)
        self._opening.setSingleShot(True)
        self._opening.setInterval(_OPENS_AFTER_MS)
        self._opening.timeout.connect(self._open_under_drag)
        self.selectionModel().selectionChanged.connect(self._on_selection_changed)
        self.doubleClicked.connect(self._on_double_clicked)
        self.expanded.connect(self._on_expanded)
        model.modelReset.connect(lambda: self.setIndentation(_INDENT))

    def _setup_view(self) -> None:
        self.setHeaderHidden(True)
        self.setIndentation(_INDENT)
        self.setUniformRowHeights(True)
        self.setAnimated(False)
        self.setMouseTracking(True)
        self.setExpandsOnDoubleClick(False)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed)
        self.setDragDropMode(QAbstractItemView.DragDropMode.DragDrop)
        self.setDefaultDropAction(Qt.DropAction.MoveAction)
        self.setDropIndicatorShown(False)

    def _setup_columns(self) -> None:
        header = self.header()
        header.setStretchLastSection(False)
        header.setMinimumSectionSize(_MARK_WIDTH)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        for column in (1, 2):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Fixed)
            header.resizeSection(column, _MARK_WIDTH)

    def chosen(self) -> list[Entity]:
        """Return the selected entities in the order of rows, the current one last."""
        model = self.selectionModel()
        # By ranges: asked one by one, a hundred thousand rows would take seconds.
        parts = model.selection()
        found: dict[Entity, None] = {}
        for part in map(parts.at, range(parts.count())):
            rows = self.rows.entities_of(part.parent(), part.top(), part.bottom())
            found.update(dict.fromkeys(rows))
        current = self.rows.entity_at(model.currentIndex())
        if current in found:
            del found[current]
            found[current] = None
        return list(found)

    def show_selection(self, entities: list[Entity]) -> None:
        """Select rows to match the document; the last one is scrolled to."""
        if set(self.chosen()) == set(entities):
            return
        model = self.selectionModel()
        flags = QItemSelectionModel.SelectionFlag
        with self.following():
            chosen = QItemSelection()
            for first, last in self.rows.runs_of(entities):
                chosen.append(QItemSelectionRange(first, last))
            model.select(chosen, flags.ClearAndSelect)
            index = self.rows.index_of(entities[-1]) if entities else QModelIndex()
            if index.isValid():
                model.setCurrentIndex(index, flags.NoUpdate)
                self.scrollTo(index)
        self.viewport().update()

    @contextlib.contextmanager
    def following(self) -> Iterator[None]:
        """Take selection changes within as the document's, not the artist's.

        When rows go, Qt moves the selection to their neighbours by itself.
        """
        before, self._syncing = self._syncing, True
        try:
            yield
        finally:
            self._syncing = before

    def _on_selection_changed(self, *_: object) -> None:
        if not self._syncing:
            self.selected.emit(self.chosen())

    def _on_expanded(self, index: QModelIndex) -> None:
        """Step in by less where there are many levels, so that the names stay in view."""
        levels = self.rows.level_of(index) + 2
        fitting = max(_LEAST_INDENT, min(_INDENT, _INDENTED // levels))
        self.setIndentation(min(self.indentation(), fitting))

    def _hover(self, index: QModelIndex) -> None:
        """Open a closed row when a drag stays over it for a while; Qt would close open ones too."""
        if self._under_drag == index:
            return
        self._under_drag = QPersistentModelIndex(index)
        if index.isValid() and not self.isExpanded(index) and self.rows.hasChildren(index):
            self._opening.start()
        else:
            self._opening.stop()

    def _open_under_drag(self) -> None:
        if self._under_drag is not None and self._under_drag.isValid():
            entity = self.rows.entity_at(self._under_drag)
            self._opened.append(entity)
            self.expand(self.rows.index_of(entity))

    def _close_opened(self, but: QModelIndex) -> None:
        """Close what opened by itself under a drag, but for the branch that was dropped into."""
        kept = set()
        while but.isValid():
            kept.add(self.rows.entity_at(but))
            but = but.parent()
        opened, self._opened = self._opened, []
        self._under_drag = None
        self._opening.stop()
        for entity in reversed(opened):
            if entity not in kept:
                self.collapse(self.rows.index_of(entity))

    def _on_double_clicked(self, index: QModelIndex) -> None:
        if index.column() == NAME_COLUMN:
            self.activated_entity.emit(self.rows.entity_at(index))

    def _row_rect(self, index: Index) -> QRect:
        rect = self.visualRect(index.sibling(index.row(), 0))
        return QRect(0, rect.top(), self.viewport().width(), rect.height())

    def drawRow(self, painter: QPainter, options: QStyleOptionViewItem, index: Index) -> None:
        ground = QRectF(self._row_rect(index)).adjusted(0, 0.5, 0, -0.5)
        row = index.sibling(index.row(), 0)
        under = self.viewport().mapFromGlobal(self.cursor().pos())
        hovered = self.viewport().underMouse() and ground.contains(under.toPointF())
        selected = self.selectionModel().isSelected(row)
        paint_ground(painter, ground, selected=selected, hovered=hovered)
        # Qt fills the ground of a selected row's branch, in a square of its own.
        plain = QStyleOptionViewItem(options)
        plain.palette.setBrush(QPalette.ColorRole.Highlight, QColor(0, 0, 0, 0))
        super().drawRow(painter, plain, index)

    def drawBranches(self, painter: QPainter, rect: QRect, index: Index) -> None:
        if not self.rows.hasChildren(index):
            return
        box = QRect(0, 0, 11, 11)
        box.moveCenter(QPoint(rect.right() - self.indentation() // 2, rect.center().y()))
        glyph = "caret-down-fill" if self.isExpanded(index) else "caret-right-fill"
        selected = self.selectionModel().isSelected(index)
        draw_icon(painter, box, glyph, color("selection_text" if selected else "quiet"))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        index = self.indexAt(event.position().toPoint())
        left = event.button() == Qt.MouseButton.LeftButton
        if left and index.isValid() and index.column() >= EYE_COLUMN:
            self.mark_clicked.emit(self.rows.entity_at(index), index.column())
            event.accept()
            return
        plain = event.modifiers() == Qt.KeyboardModifier.NoModifier
        on_row = index.isValid() and self.visualRect(index).contains(event.position().toPoint())
        if left and plain and on_row and not self.selectionModel().isSelected(index):
            self.setFocus(Qt.FocusReason.MouseFocusReason)
            self._press = QPersistentModelIndex(index)
            self._press_at = event.position().toPoint()
            event.accept()
            return
        super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._press is None:
            super().mouseMoveEvent(event)
            self.viewport().update()
            return
        moved = (event.position().toPoint() - self._press_at).manhattanLength()
        if moved >= 6 and event.buttons() & Qt.MouseButton.LeftButton:
            index, self._press = self._press, None
            self._drag([self.rows.entity_at(index)])

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        pressed, self._press = self._press, None
        if pressed is None:
            super().mouseReleaseEvent(event)
            return
        if pressed.isValid():
            flags = QItemSelectionModel.SelectionFlag
            index = self.rows.index_of(self.rows.entity_at(pressed))
            self.selectionModel().setCurrentIndex(index, flags.ClearAndSelect | flags.Rows)

    def startDrag(self, supportedActions: Qt.DropAction) -> None:
        self._drag(self.chosen())

    def _drag(self, entities: list[Entity]) -> None:
        if not entities:
            return
        drag = QDrag(self)
        drag.setMimeData(entity_mime(entities))
        drag.setPixmap(self._drag_picture(entities))
        drag.setHotSpot(QPoint(-12, -8))
        actions = Qt.DropAction.MoveAction | Qt.DropAction.LinkAction | Qt.DropAction.CopyAction
        drag.exec(actions, Qt.DropAction.MoveAction)
        self._drop_mark = None
        self.viewport().update()

    def _drag_picture(self, entities: list[Entity]) -> QPixmap:
        label = str(self.rows.index_of(entities[-1]).data() or "")
        text = label if len(entities) == 1 else f"{len(entities)} entities"
        width = self.fontMetrics().horizontalAdvance(text) + 18
        ratio = self.devicePixelRatioF()
        picture = QPixmap(int(width * ratio), int(Sizes.ROW * ratio))
        picture.setDevicePixelRatio(ratio)
        picture.fill(Qt.GlobalColor.transparent)
        painter = QPainter(picture)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color("selection"))
        painter.drawRoundedRect(QRectF(0, 0, width, Sizes.ROW), 5, 5)
        painter.setFont(self.font())
        painter.setPen(color("selection_text"))
        painter.drawText(QRectF(0, 0, width, Sizes.ROW), int(Qt.AlignmentFlag.AlignCenter), text)
        painter.end()
        return picture

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        super().dragMoveEvent(event)
        at = event.position().toPoint()
        if event.isAccepted():
            accept_drop(event)
        self._drop_mark = self._mark_at(at) if event.isAccepted() else None
        self._hover(self._drop_place(at)[0])
        self.viewport().update()

    def _drop_place(self, at: QPoint) -> tuple[QModelIndex, int]:
        """Return the row under the pointer and where a drop goes: -1 above, 0 inside, 1 below."""
        index = self.indexAt(at)
        index = index.sibling(index.row(), NAME_COLUMN)
        if not index.isValid():
            return QModelIndex(), 0
        rect = self.visualRect(index)
        if at.y() - rect.top() < _DROP_EDGE:
            return index, -1
        below = rect.bottom() - at.y() < _DROP_EDGE and not self.isExpanded(index)
        return index, 1 if below else 0

    def _mark_at(self, at: QPoint) -> tuple[QRect, bool] | None:
        index, where = self._drop_place(at)
        if not index.isValid():
            return None
        rect = self.visualRect(index)
        rect.setRight(self.viewport().width() - 4)
        if where == 0:
            return rect, True
        y = rect.top() if where < 0 else rect.bottom() + 1
        return QRect(rect.left(), y, rect.width(), 0), False

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        self._drop_mark = None
        super().dragLeaveEvent(event)
        self._close_opened(QModelIndex())
        self.viewport().update()

    def dropEvent(self, event: QDropEvent) -> None:
        self._drop_mark = None
        index, where = self._drop_place(event.position().toPoint())
        parent, row = (index.parent(), index.row() + (where > 0)) if where else (index, -1)
        self._close_opened(parent)
        action, data = event.proposedAction(), event.mimeData()
        if self.rows.canDropMimeData(data, action, row, 0, parent):
            accept_drop(event)
            self.rows.dropMimeData(data, action, row, 0, parent)
        self.stopAutoScroll()
        self.setState(QAbstractItemView.State.NoState)
        self.viewport().update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.text() and event.text().isprintable() and not event.modifiers():
            event.ignore()
            return
        super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._drop_mark is None:
            return
        rect, inside = self._drop_mark
        painter = QPainter(self.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        pen = painter.pen()
        pen.setColor(color("accent"))
        pen.setWidthF(1.5)
        painter.setPen(pen)
        if inside:
            painter.drawRoundedRect(QRectF(rect).adjusted(1, 1, -1, -1), 4, 4)
        else:
            painter.drawEllipse(QPoint(rect.left() + 3, rect.top()), 3, 3)
            painter.drawLine(rect.left() + 6, rect.top(), rect.right(), rect.top())
        painter.end()
