"""The canvas under the artist's hands: Qt's events go to the camera or to the active tool.

Which of the two gets a press is decided once, when a button goes down: a handle under the cursor
goes before the camera's shortcuts, those go before the tool's own clicks. What the level refuses
during a drag ends the drag and is told, never raised into Qt.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPoint, Qt, Signal
from PySide6.QtGui import (
    QCloseEvent,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDragMoveEvent,
    QDropEvent,
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QWidget

from editor.document import LevelDocument
from editor.model.settings import Settings
from editor.qt.mime import accept_drop, read_assets
from editor.tools.base import Tool
from editor.tools.navigation import Motion
from editor.tools.place import PlaceTool
from editor.tools.pointer import Button, KeyEvent, PointerEvent, PointerKind
from editor.tools.select import SelectTool
from editor.tools.shapes import Shape
from editor.tools.state import ToolState
from editor.tools.transform import MoveTool, RotateTool, ScaleTool
from editor.viewport.canvas import LevelCanvas
from editor.viewport.drops import AssetDrop
from editor.viewport.input import key_event, pointer_event, wheel_event
from editor.viewport.picture import RememberingRenderer
from engine.errors import EngineError
from engine.reflect import Entity

_TYPED = frozenset("0123456789.,-")


@dataclass(frozen=True)
class ContextRequest:
    """Where the artist asked for the context menu: on the screen, on the widget, and on what."""

    global_position: QPoint
    x: float
    y: float
    entity: Entity | None


class InteractiveCanvas(LevelCanvas):
    """Camera, tools, context menu and drops over the level's picture.

    Attributes
    ----------
    confirm_copy : callable
        Asked before files from outside are copied into the project; agrees unless replaced.
    """

    context_menu_requested = Signal(object)
    """A :class:`ContextRequest`."""
    hint_changed = Signal(str)
    """What the status bar says about the active tool."""

    def __init__(
        self,
        document: LevelDocument,
        tool_state: ToolState,
        settings: Settings | None = None,
        parent: QWidget | None = None,
        renderer: RememberingRenderer | None = None,
    ) -> None:
        super().__init__(document, tool_state, parent, renderer)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAcceptDrops(True)
        self.confirm_copy: Callable[[Sequence[str]], bool] = lambda _paths: True
        self._settings = settings
        if settings is not None:
            self.view.navigator.speed = settings.fly_speed
        self.place_tool = PlaceTool(self.view)
        self._tools: dict[str, Tool] = {
            tool.id: tool
            for tool in (
                SelectTool(self.view),
                MoveTool(self.view),
                RotateTool(self.view),
                ScaleTool(self.view),
                self.place_tool,
            )
        }
        self._tool = self._tools[tool_state.tool]
        self._drop = AssetDrop(self.view, document, lambda paths: self.confirm_copy(paths))
        self._on_picked: Callable[[Entity], None] | None = None
        self._told_hint = self.hint

    @property
    def tool(self) -> Tool:
        """The active tool."""
        return self._tool

    @property
    def hint(self) -> str:
        """What the status bar says about the active tool."""
        return self._tool.hint

    def pick_entity(self, on_picked: Callable[[Entity], None]) -> None:
        """Let the next click choose an entity without selecting it; Escape gives up."""
        self._on_picked = on_picked
        self.setCursor(Qt.CursorShape.CrossCursor)
        self.setFocus()
        self.hint_changed.emit("Click something in the viewport  ·  Esc gives up")

    def overlay_shapes(self) -> list[Shape]:
        icons: list[Shape] = list(self.view.icons())
        return [*icons, *self._tool.shapes()]

    def is_dragging(self) -> bool:
        is_moving = self.view.navigator.motion is not Motion.NONE
        return is_moving or self._tool.busy or self._drop.is_open or super().is_dragging()

    def _use_tool(self, tool_id: str) -> None:
        self._tool.cancel()
        self._tool = self._tools[tool_id]
        self._tell_hint()

    def _tell_hint(self) -> None:
        if self.hint != self._told_hint:
            self._told_hint = self.hint
            self.hint_changed.emit(self.hint)

    def _measure(self) -> None:
        self.view.size = (float(self.width()), float(self.height()))

    # -- events ------------------------------------------------------------------------------

    def closeEvent(self, event: QCloseEvent) -> None:
        self._tool.cancel()
        super().closeEvent(event)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            if self._takes_key(key_event(event)):
                event.accept()
                return True
        elif event.type() == QEvent.Type.DevicePixelRatioChange:
            self.request_frame()
        elif event.type() == QEvent.Type.PaletteChange:
            self.update()
        return super().event(event)

    def _takes_key(self, key: KeyEvent) -> bool:
        """Keys that mean something here go before the window's shortcuts."""
        if self._on_picked is not None:
            return key.key == "escape"
        if self.view.navigator.flying:
            return True
        typed = key.key in _TYPED or key.key in ("escape", "return", "backspace")
        return self._tool.busy and typed

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = key_event(event)
        if self._on_picked is not None and key.key == "escape":
            self._end_picking()
        elif self.view.navigator.press_key(key.key):
            self.keep_ticking()
        elif self._tool.busy and self._guarded(lambda: self._tool.key(key)):
            self.request_frame()
            self._tell_hint()
        else:
            super().keyPressEvent(event)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        if not event.isAutoRepeat():
            self.view.navigator.release_key(key_event(event).key)
        super().keyReleaseEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self.view.navigator.stop()
        super().focusOutEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._press(pointer_event(event, PointerKind.PRESS))

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self._press(pointer_event(event, PointerKind.DOUBLE))

    def _press(self, event: PointerEvent) -> None:
        self._measure()
        if self._on_picked is not None and event.button is Button.LEFT:
            self._pick(event)
            return
        navigator = self.view.navigator
        is_copy = event.button is Button.LEFT and self._tool.grabs(event.x, event.y)
        if navigator.claims(event) and not self._tool.busy and not is_copy:
            navigator.pointer(event, *self.view.size)
            self._show_cursor()
        else:
            self._to_tool(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        moved = pointer_event(event, PointerKind.MOVE)
        if self.view.navigator.motion is Motion.NONE:
            self._to_tool(moved)
        elif self.view.navigator.pointer(moved, *self.view.size):
            self.camera_moved()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        released = pointer_event(event, PointerKind.RELEASE)
        if self.view.navigator.motion is Motion.NONE:
            self._to_tool(released)
        elif self.view.navigator.release(released):
            self._ask_for_menu(released, event.globalPosition().toPoint())
        self._show_cursor()
        self.keep_ticking()

    def wheelEvent(self, event: QWheelEvent) -> None:
        self._measure()
        wheel = wheel_event(event)
        if wheel.ctrl and not self.view.navigator.flying:
            self._to_tool(wheel)
        elif self.view.navigator.pointer(wheel, *self.view.size):
            self.camera_moved()
        elif self._settings is not None and self.view.navigator.flying:
            self._settings.set("fly_speed", self.view.navigator.speed)
        event.accept()

    def leaveEvent(self, event: QEvent) -> None:
        if not self._tool.busy:
            self._to_tool(PointerEvent(-1.0, -1.0, kind=PointerKind.LEAVE))
        super().leaveEvent(event)

    def _to_tool(self, event: PointerEvent) -> None:
        if self._guarded(lambda: self._tool.pointer(event)):
            self.update()
        self._tell_hint()

    def _guarded(self, act: Callable[[], bool]) -> bool:
        """Run a tool; what the level refuses ends the drag and is told, never raised."""
        try:
            return act()
        except EngineError as problem:
            self._tool.cancel()
            self.document.post("error", str(problem))
            return True

    def _pick(self, event: PointerEvent) -> None:
        on_picked = self._on_picked
        candidates = SelectTool(self.view).candidates(event.x, event.y)
        self._end_picking()
        if candidates and on_picked is not None:
            on_picked(candidates[0])

    def _end_picking(self) -> None:
        self._on_picked = None
        self._show_cursor()
        self.hint_changed.emit(self.hint)

    def _ask_for_menu(self, event: PointerEvent, global_position: QPoint) -> None:
        candidates = SelectTool(self.view).candidates(event.x, event.y)
        entity = candidates[0] if candidates else None
        if entity is not None and entity not in self.document.selection:
            self.document.select([entity])
        request = ContextRequest(global_position, event.x, event.y, entity)
        self.context_menu_requested.emit(request)

    def _show_cursor(self) -> None:
        match self.view.navigator.motion:
            case Motion.NONE:
                self.unsetCursor()
            case Motion.FLY:
                self.setCursor(Qt.CursorShape.CrossCursor)
            case _:
                self.setCursor(Qt.CursorShape.ClosedHandCursor)

    # -- drops -------------------------------------------------------------------------------

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if self._drop.enter(read_assets(event.mimeData())):
            accept_drop(event)

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        if self._drop.is_open:
            self._measure()
            self._drop.hover(*self._drop_place(event))
            accept_drop(event)

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        self._drop.cancel()

    def dropEvent(self, event: QDropEvent) -> None:
        if not self._drop.is_open:
            return
        self._measure()
        self._drop.drop(*self._drop_place(event))
        accept_drop(event)
        self.setFocus()

    def _drop_place(self, event: QDropEvent) -> tuple[float, float, bool, bool]:
        """Return x, y, whether it snaps (Ctrl), whether it turns to the surface (Alt)."""
        held = event.modifiers()
        ctrl = bool(held & Qt.KeyboardModifier.ControlModifier)
        align = bool(held & Qt.KeyboardModifier.AltModifier)
        at = event.position()
        return at.x(), at.y(), self.tool_state.snap != ctrl, align
