"""The viewport: the picture of the level, the tools over it, the camera of the artist.

It turns Qt's events into the tools' own and hands each to the camera or to the active tool, and it
repaints when the document, the selection, the tool or the camera changed.
"""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QEvent, QPoint, Qt, Signal
from PySide6.QtGui import (
    QCloseEvent,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDragMoveEvent,
    QDropEvent,
    QFocusEvent,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QWidget

from editor.document import LevelDocument
from editor.model.change_set import ChangeSet
from editor.model.settings import Settings
from editor.model.signal import Subscription
from editor.qt.mime import read_assets
from editor.tools.base import Tool
from editor.tools.drop import drop_to_floor
from editor.tools.navigation import Motion
from editor.tools.place import PlaceTool
from editor.tools.pointer import Button, KeyEvent, PointerEvent, PointerKind
from editor.tools.select import SelectTool
from editor.tools.shapes import Shape
from editor.tools.state import ToolState
from editor.tools.surface import SurfacePoint
from editor.tools.transform import MoveTool, RotateTool, ScaleTool
from editor.tools.view_camera import CameraPose, look_through
from editor.viewport.canvas import LevelCanvas
from editor.viewport.corner_chips import CornerChips
from editor.viewport.drops import AssetDrop
from editor.viewport.framing import frame_entities, frame_level, level_camera_pose
from editor.viewport.input import key_event, pointer_event, wheel_event
from editor.viewport.picture import Pixels, RememberingRenderer
from editor.viewport.summary import SelectionSummary, count_parts
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


class ViewportWidget(LevelCanvas):
    """The level in the middle of the window.

    Parameters
    ----------
    document : LevelDocument
    tool_state : ToolState
    settings : Settings or None
        Where the speed of flying is kept.
    parent : QWidget, optional
    renderer : RememberingRenderer, optional
        One to share between viewports; without it one is opened at the first frame.

    Attributes
    ----------
    confirm_copy : callable
        Asked before files from outside are copied into the project; agrees unless replaced.
    moves_smoothly : bool
        Whether the camera takes a moment to get somewhere; off for reduced motion.
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
        self.setObjectName("viewport")
        self.setAccessibleName("Viewport")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAcceptDrops(True)
        self.setMinimumSize(80, 60)
        self.confirm_copy: Callable[[Sequence[str]], bool] = lambda _paths: True
        self.moves_smoothly = True
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
        self._must_frame = True
        self._must_settle = False
        self.chips = CornerChips(self, tool_state, self._view_name, self.set_view)
        self._summary = SelectionSummary(self.view, self.picture)
        self._subscriptions: list[Subscription] = [
            document.changed.connect(self._on_changed),
            document.replaced.connect(self._on_replaced),
            document.selection_changed.connect(lambda _: self._on_selection()),
            document.tasks_changed.connect(lambda _: self.keep_ticking()),
            tool_state.changed.connect(self._on_tool_state),
        ]
        self._say_selection()

    # -- what others call --------------------------------------------------------------------

    @property
    def tool(self) -> Tool:
        """The active tool."""
        return self._tool

    @property
    def hint(self) -> str:
        """What the status bar says about the active tool."""
        return self._tool.hint

    def frame_selection(self) -> None:
        """Bring the selection, or without one the whole level, into view."""
        chosen = list(self.document.selection)
        self._go_to(frame_entities(self.view, chosen) if chosen else frame_level(self.view))

    def frame_all(self) -> None:
        """Bring the whole level into view."""
        self._go_to(frame_level(self.view))

    def set_view(self, name: str) -> None:
        """Look along an axis ("top", "front", ...), or switch the projection."""
        self._go_to(look_through(self.view.navigator.pose, name))

    def surface_point(self, x: float, y: float) -> SurfacePoint:
        """Return the surface under a logical pixel: a mesh, else the ground."""
        self._measure()
        return self.view.surface(x, y)

    def centre_surface(self) -> SurfacePoint:
        """Return the surface in the middle of the view, where menus put new things."""
        return self.surface_point(self.width() / 2, self.height() / 2)

    def cursor_surface(self) -> SurfacePoint:
        """Return the surface under the mouse, or in the middle when it is elsewhere."""
        at = self.mapFromGlobal(self.cursor().pos())
        if self.rect().contains(at):
            return self.surface_point(at.x(), at.y())
        return self.centre_surface()

    def place_asset_at(self, path: str, x: float, y: float) -> Entity | None:
        """Place an asset at the surface under a pixel, one undo step; None when it cannot be."""
        self._measure()
        placed = self._drop.place(path, x, y, snap=self.tool_state.snap)
        return placed[0] if placed else None

    def place_asset_at_centre(self, path: str) -> Entity | None:
        """Place an asset where the view looks at."""
        return self.place_asset_at(path, self.width() / 2, self.height() / 2)

    def drop_selection(self) -> bool:
        """Put the selection down onto what is below it; False when nothing moved."""
        return drop_to_floor(self.view)

    def pick_entity(self, on_picked: Callable[[Entity], None]) -> None:
        """Let the next click choose an entity without selecting it; Escape gives up."""
        self._on_picked = on_picked
        self.setCursor(Qt.CursorShape.CrossCursor)
        self.setFocus()
        self.hint_changed.emit("Click something in the viewport  ·  Esc gives up")

    def snapshot(self, width: int, height: int) -> Pixels:
        """Return the level from the present view, without grid, outline or gizmos.

        Raises
        ------
        EngineError
            There is no adapter to draw with.
        """
        pixels = self.draw_level(width, height)
        if pixels is None:
            raise EngineError(self.picture.error)
        return pixels

    def grab_image(self) -> QImage:
        """Return the viewport as it looks, with everything over the picture."""
        return self.grab().toImage()

    def camera_state(self) -> dict[str, Any]:
        """Return the camera as JSON values, for the user's state of a level."""
        return dataclasses.asdict(self.view.navigator.pose)

    def restore_camera(self, state: Mapping[str, Any]) -> bool:
        """Take what `camera_state` returned; False, and no change, when it is damaged."""
        try:
            x, y, z = (float(v) for v in state["pivot"])
            yaw, pitch, distance, fov_y = (
                float(state[name]) for name in ("yaw", "pitch", "distance", "fov_y")
            )
            pose = CameraPose((x, y, z), yaw, pitch, distance, fov_y, str(state["view"]))
            look_through(pose, pose.view)
        except (KeyError, TypeError, ValueError):
            return False
        self._must_frame = False
        self.view.navigator.go_to(pose, animated=False)
        self._after_camera()
        return True

    def dispose(self) -> None:
        """Stop listening and give the renderer back; called again it does nothing."""
        for subscription in self._subscriptions:
            subscription.close()
        self._subscriptions.clear()
        self._drop.cancel()
        super().dispose()

    # -- frames ------------------------------------------------------------------------------

    def overlay_shapes(self) -> list[Shape]:
        icons: list[Shape] = list(self.view.icons())
        return [*icons, *self._tool.shapes()]

    def before_frame(self) -> None:
        if self._must_settle:
            self._must_settle = False
            self._drop.settle()
            self.place_tool.settle()
            self.document.app.frame(0.0)
        if self._must_frame:
            self._show_level()

    def _show_level(self) -> None:
        """Look through the level's camera, or at all of it once its assets are there."""
        is_loading = bool(self.document.app.assets.loading())
        pose = level_camera_pose(self.view)
        if pose is None and not is_loading:
            pose = frame_level(self.view, CameraPose())
        if pose is not None:
            self.view.navigator.go_to(pose, animated=False)
            self.chips.refresh()
        self._must_frame = is_loading

    def _measure(self) -> None:
        self.view.size = (float(self.width()), float(self.height()))
        self.view.scale = self.devicePixelRatioF()

    def _go_to(self, pose: CameraPose) -> None:
        self._must_frame = False
        animated = self.moves_smoothly and self.isVisible()
        self.view.navigator.go_to(pose, animated)
        self._after_camera()

    def _after_camera(self) -> None:
        self.chips.refresh()
        self.request_frame()
        self.keep_ticking()

    def _view_name(self) -> str:
        return self.view.navigator.pose.view

    def _say_selection(self) -> None:
        self.chips.show_selection(*self._summary.parts())

    def _draw_frame(self, width: int, height: int) -> None:
        super()._draw_frame(width, height)
        self._say_selection()
        self.chips.show_counts(*count_parts(self.document, self.picture))

    # -- what changed ------------------------------------------------------------------------

    def _on_changed(self, changes: ChangeSet) -> None:
        self._tool.forget()
        self._must_settle = self._must_settle or bool(changes.realised)
        self.request_frame()
        self.keep_ticking()

    def _on_replaced(self, _: object) -> None:
        self._tool.cancel()
        self._tool.forget()
        self._must_frame = True
        self.request_frame()
        self.keep_ticking()

    def _on_selection(self) -> None:
        self._say_selection()
        self.request_frame()

    def _on_tool_state(self, name: str) -> None:
        if name == "tool":
            self._tool.cancel()
            self._tool = self._tools[self.tool_state.tool]
            self.hint_changed.emit(self.hint)
        self.chips.refresh()
        if name in ("grid", "gizmos", "mode"):
            self.request_frame()
        self.update()

    # -- events ------------------------------------------------------------------------------

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._measure()
        self.chips.layout()

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
            self._must_frame = False
            self._after_camera()

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
            self._must_frame = False
            self._after_camera()
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
            event.acceptProposedAction()

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        if self._drop.is_open:
            self._measure()
            self._drop.hover(*self._drop_place(event))
            event.acceptProposedAction()

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        self._drop.cancel()

    def dropEvent(self, event: QDropEvent) -> None:
        if not self._drop.is_open:
            return
        self._measure()
        self._drop.drop(*self._drop_place(event))
        event.acceptProposedAction()
        self.setFocus()

    def _drop_place(self, event: QDropEvent) -> tuple[float, float, bool, bool]:
        """Return x, y, whether it snaps (Ctrl), whether it turns to the surface (Alt)."""
        held = event.modifiers()
        ctrl = bool(held & Qt.KeyboardModifier.ControlModifier)
        align = bool(held & Qt.KeyboardModifier.AltModifier)
        at = event.position()
        return at.x(), at.y(), self.tool_state.snap != ctrl, align
