"""The console panel."""

import logging
import time
from typing import Final

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence, QPainter
from PySide6.QtWidgets import (
    QHBoxLayout,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QToolButton,
    QWidget,
)

from editor.model.messages import Message
from editor.panels.console.model import MESSAGE_ROLE, ConsoleFilter, ConsoleModel, message_line
from editor.qt.fonts import tabular_font
from editor.qt.icons import draw_icon, icon
from editor.qt.painting import paint_ground
from editor.qt.panel import Panel, PanelContext
from editor.qt.report import guarded
from editor.qt.theme import Sizes, color
from editor.qt.widgets.empty_state import EmptyState
from editor.qt.widgets.search_field import SearchField
from editor.qt.widgets.tool_button import icon_button

__all__ = ["LOGGER", "ConsolePanel"]

LOGGER: Final = "cinder.console"

Index = QModelIndex | QPersistentModelIndex
_LEVELS: Final = (
    ("info", "info", "quiet"),
    ("warning", "warning", "warning"),
    ("error", "warning-circle", "error"),
)
_GLYPHS: Final = {level: (glyph, role) for level, glyph, role in _LEVELS}


class _MessageDelegate(QStyledItemDelegate):
    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(100, Sizes.ROW)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        message = index.data(MESSAGE_ROLE)
        if not isinstance(message, Message):
            return
        rect: QRect = option.rect
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        hovered = bool(option.state & QStyle.StateFlag.State_MouseOver)
        ground = QRectF(rect).adjusted(0, 0.5, 0, -0.5)
        paint_ground(painter, ground, selected=selected, hovered=hovered)
        glyph, role = _GLYPHS[message.level]
        draw_icon(
            painter, QRect(rect.left() + 8, rect.center().y() - 6, 13, 13), glyph, color(role)
        )
        centre = int(Qt.AlignmentFlag.AlignVCenter)
        painter.setFont(tabular_font())
        painter.setPen(color("selection_text" if selected else "quiet"))
        clock = time.strftime("%H:%M:%S", time.localtime(message.time))
        painter.drawText(rect.adjusted(30, 0, 0, 0), centre, clock)
        right = rect.right() - 10
        link = message.path.name if message.path is not None else ""
        if message.entity is not None or link:
            box = QRect(right - 13, rect.center().y() - 6, 13, 13)
            draw_icon(painter, box, "arrow-square-out", color("accent"))
            right = box.left() - 6
        text_rect = QRect(rect.left() + 92, rect.top(), right - rect.left() - 92, rect.height())
        painter.setPen(color("selection_text" if selected else "text"))
        text = painter.fontMetrics().elidedText(
            message.text.replace("\n", "  "), Qt.TextElideMode.ElideRight, text_rect.width()
        )
        painter.drawText(text_rect, centre, text)


class _MessageList(QListView):
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            rows = sorted(self.selectedIndexes(), key=lambda index: index.row())
            lines = [message_line(index.data(MESSAGE_ROLE)) for index in rows]
            QGuiApplication.clipboard().setText("\n".join(lines))
            event.accept()
            return
        super().keyPressEvent(event)


class ConsolePanel(Panel):
    """All messages, filtered by level and text; a double click goes to the entity or file."""

    def __init__(self, context: PanelContext) -> None:
        super().__init__("console", context)
        self.model = ConsoleModel(self)
        self._filter = ConsoleFilter(self)
        self._filter.setSourceModel(self.model)
        self.list = _MessageList(self)
        self.list.setObjectName("console.list")
        self.list.setAccessibleName("Console")
        self.list.setModel(self._filter)
        self.list.setItemDelegate(_MessageDelegate(self.list))
        self.list.setMouseTracking(True)
        self.list.setUniformItemSizes(True)
        self.list.setSelectionMode(QListView.SelectionMode.ExtendedSelection)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.activated.connect(self._on_activated)
        self.list.clicked.connect(self._on_clicked)
        self._empty = EmptyState("terminal-window", "Nothing to report", "", self)
        self.column.addWidget(self.list, 1)
        self.column.addWidget(self._empty, 1)
        self._corner = self._make_corner()
        self.observe(self.document.message_posted.connect(self.add_message))
        self._update_empty()

    def _make_corner(self) -> QWidget:
        corner = QWidget()
        row = QHBoxLayout(corner)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        row.addStretch(1)
        for level, glyph, role in _LEVELS:
            row.addWidget(self._level_button(level, glyph, role, corner))
        search = SearchField("Filter messages", corner)
        search.setMinimumWidth(100)
        search.setMaximumWidth(190)
        search.textChanged.connect(self._on_filter_text)
        row.addWidget(search)
        copy = icon_button("copy", "Copy all messages", corner)
        copy.clicked.connect(self._on_copy)
        clear = icon_button("trash", "Clear the console", corner)
        clear.clicked.connect(self._on_clear)
        row.addWidget(copy)
        row.addWidget(clear)
        return corner

    def _level_button(self, level: str, glyph: str, role: str, parent: QWidget) -> QToolButton:
        button = icon_button(glyph, f"Show {level} messages", parent, role="faint")
        button.setIcon(icon(glyph, "faint", role))
        button.setCheckable(True)
        button.setChecked(True)
        button.toggled.connect(lambda on: self._filter.show_level(level, on))
        return button

    def corner_widget(self) -> QWidget | None:
        return self._corner

    def add_message(self, message: Message) -> None:
        """Append a message, log it and keep the newest in view."""
        where = f" ({message.path})" if message.path is not None else ""
        level = logging.getLevelNamesMapping()[message.level.upper()]
        logging.getLogger(LOGGER).log(level, "%s%s", message.text, where)
        self.show_message(message)

    def show_message(self, message: Message) -> None:
        """Append a message that is in the log already."""
        self.model.add(message)
        self._update_empty()
        self.list.scrollToBottom()

    def _update_empty(self) -> None:
        empty = self.model.rowCount() == 0
        self.list.setVisible(not empty)
        self._empty.setVisible(empty)

    def _on_filter_text(self, text: str) -> None:
        self._filter.show_text(text)

    def _on_copy(self) -> None:
        lines = [message_line(message) for message in self.model.messages()]
        QGuiApplication.clipboard().setText("\n".join(lines))

    def _on_clear(self) -> None:
        self.model.clear()
        self._update_empty()

    def _on_clicked(self, index: QModelIndex) -> None:
        right = self.list.visualRect(index).right() - 34
        if self.list.viewport().mapFromGlobal(self.list.cursor().pos()).x() >= right:
            self._on_activated(index)

    @guarded
    def _on_activated(self, index: QModelIndex) -> None:
        message = index.data(MESSAGE_ROLE)
        if not isinstance(message, Message):
            return
        if message.entity is not None and self.document.world.alive(message.entity):
            self.document.select([message.entity])
            self.context.services.frame_selection()
        elif message.path is not None:
            self.context.services.open_file(message.path)
