"""The bar under the menus: tools at the left, the level's name in the middle, the rest right."""

from collections.abc import Mapping
from typing import Final

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QAction, QActionGroup, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from editor.qt.fonts import body_font
from editor.qt.theme import color
from editor.qt.widgets.tool_button import action_button
from editor.tools.state import ToolState

__all__ = ["TopBar"]

_TOOLS: Final = ("tool_select", "tool_move", "tool_rotate", "tool_scale", "tool_place")
_EDITS: Final = ("add_menu", "undo", "redo", "save")
_RIGHT: Final = ("screenshot", "find", "preferences")


class TopBar(QWidget):
    """Buttons for actions, and a title that is centred in the window."""

    def __init__(self, actions: Mapping[str, QAction], state: ToolState) -> None:
        super().__init__()
        self.setObjectName("toolbar")
        self.setProperty("role", "bar")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(38)
        self._title = ""
        self._dirty = False
        self._state = state
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(8, 0, 8, 0)
        self._row.setSpacing(4)
        self._group = QActionGroup(self)
        self._tools: dict[str, QAction] = {}
        for name in _TOOLS:
            self._add(actions, name)
        self._row.addSpacing(12)
        for name in _EDITS:
            self._add(actions, name)
        self._row.addStretch(1)
        for name in _RIGHT:
            self._add(actions, name)
        for name in _TOOLS:
            action = actions.get(name)
            if action is not None and name.startswith("tool_"):
                self._group.addAction(action)
                self._tools[name.removeprefix("tool_")] = action
        self._subscription = state.changed.connect(self._on_state_changed)
        self._on_state_changed("tool")

    def _add(self, actions: Mapping[str, QAction], name: str) -> None:
        if name in actions:
            self._row.addWidget(action_button(actions[name], self))

    def _on_state_changed(self, name: str) -> None:
        if name == "tool":
            action = self._tools.get(self._state.tool)
            if action is not None:
                action.setChecked(True)

    def show_title(self, title: str, dirty: bool) -> None:
        """Show the level's name, with a dot while it is unsaved."""
        if (title, dirty) != (self._title, self._dirty):
            self._title, self._dirty = title, dirty
            self.setAccessibleName(f"{title}, unsaved changes" if dirty else title)
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(body_font(520))
        painter.setPen(color("text"))
        metrics = painter.fontMetrics()
        room = max(60, self.width() - 2 * 260)
        text = metrics.elidedText(self._title, Qt.TextElideMode.ElideMiddle, room)
        rect = QRectF(self.rect())
        painter.drawText(rect, int(Qt.AlignmentFlag.AlignCenter), text)
        if self._dirty:
            x = rect.center().x() + metrics.horizontalAdvance(text) / 2 + 9
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(color("text"))
            painter.drawEllipse(QRectF(x - 2.5, rect.center().y() - 2, 5, 5))
        painter.end()

    def dispose(self) -> None:
        """Stop listening."""
        self._subscription.close()
