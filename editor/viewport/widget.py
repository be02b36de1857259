"""The viewport: the picture of the level with its chips, and what the window asks of it.

It repaints when the document, the selection, the tool or the camera changed, and keeps the chips
saying what is so.
"""

import pathlib
from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

from editor.document import LevelDocument
from editor.model.change_set import ChangeSet
from editor.model.settings import Settings
from editor.model.signal import Subscription
from editor.qt.report import guarded
from editor.tools.drop import drop_to_floor
from editor.tools.state import ToolState
from editor.tools.surface import SurfacePoint
from editor.tools.view_camera import CameraPose, look_through, orbit
from editor.viewport.camera_view import CameraView
from editor.viewport.corner_chips import CornerChips
from editor.viewport.framing import (
    active_cameras,
    camera_pose,
    frame_entities,
    frame_level,
    level_camera_pose,
)
from editor.viewport.interaction import ContextRequest, InteractiveCanvas
from editor.viewport.kept_views import KeptViews, pose_of, state_of
from editor.viewport.picture import Pixels, RememberingRenderer
from editor.viewport.shader_reload import ShaderReload, is_asked_for
from editor.viewport.summary import SelectionSummary, count_parts
from editor.viewport.view_cube import ViewCube
from engine.app import AssetNews
from engine.errors import EngineError, EntityError
from engine.reflect import Entity
from engine.render.shader_source import ShaderSources
from engine.scene.components import CameraComponent

__all__ = ["ContextRequest", "ViewportWidget"]


class ViewportWidget(InteractiveCanvas):
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
    moves_smoothly : bool
        Whether the camera takes a moment to get somewhere; off for reduced motion.
    """

    def __init__(
        self,
        document: LevelDocument,
        tool_state: ToolState,
        settings: Settings | None = None,
        parent: QWidget | None = None,
        renderer: RememberingRenderer | None = None,
    ) -> None:
        super().__init__(document, tool_state, settings, parent, renderer)
        self.setObjectName("viewport")
        self.setAccessibleName("Viewport")
        self.setMinimumSize(80, 60)
        self.picture.adapter = settings.adapter if settings is not None else ""
        self._take_budget()
        self.moves_smoothly = True
        self._kept = KeptViews(document)
        self._must_frame = True
        self._must_settle = False
        cube = ViewCube(self, lambda: self.view.navigator.pose, self.set_view, self._turn)
        self.chips = CornerChips(self, tool_state, self._view_name, self.set_view, cube)
        self.cameras = CameraView(self)
        self.cameras.inset.chosen.connect(self._look_through_chosen)
        self.cameras.inset.piloted.connect(self._pilot_chosen)
        self._shaders: ShaderReload | None = None
        if is_asked_for(settings is not None and settings.developer):
            self.watch_shaders()
        self._summary = SelectionSummary(self.view, self.picture)
        self._subscriptions = self._observe(document, tool_state, settings)
        self._say_selection()
        self._must_frame = not self._look_as(self._kept.last())

    def _observe(
        self, document: LevelDocument, tool_state: ToolState, settings: Settings | None
    ) -> list[Subscription]:
        subscriptions = [
            document.changed.connect(self._on_changed),
            document.replaced.connect(self._on_replaced),
            document.selection_changed.connect(lambda _: self._on_selection()),
            document.tasks_changed.connect(lambda _: self.keep_ticking()),
            document.assets_changed.connect(self._on_assets),
            tool_state.changed.connect(self._on_tool_state),
        ]
        if settings is not None:
            subscriptions.append(settings.changed.connect(self._on_setting))
        return subscriptions

    # -- what others call --------------------------------------------------------------------

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

    def look_through_camera(self) -> None:
        """See what the selected camera sees, or the level's when none is selected.

        Raises
        ------
        EntityError
            There is no camera.
        """
        pose = camera_pose(self.view, reversed(self.document.selection))
        pose = pose or level_camera_pose(self.view)
        if pose is None:
            raise EntityError("the level has no camera that is on; Shift+A adds one")
        self._go_to(pose)

    def surface_point(self, x: float, y: float) -> SurfacePoint:
        """Return the surface under a logical pixel: a mesh, else the ground."""
        self._measure()
        return self.view.surface(x, y)

    def place_assets_at(self, paths: Sequence[str], x: float, y: float) -> list[Entity]:
        """Place assets side by side at the surface under a pixel, as one undo step.

        Returns
        -------
        list of Entity
            Those that could be placed, which are selected then.
        """
        self._measure()
        placed = self._drop.place(paths, x, y, snap=self.tool_state.snap)
        self.keep_ticking()
        return placed

    def place_assets_at_centre(self, paths: Sequence[str]) -> list[Entity]:
        """Place assets where the view looks at."""
        return self.place_assets_at(paths, self.width() / 2, self.height() / 2)

    def place_assets_under(self, paths: Sequence[str], parent: Entity) -> list[Entity]:
        """Place assets below an entity, side by side from its origin on, as one undo step."""
        placed = self._drop.place_under(paths, parent)
        self.keep_ticking()
        return placed

    def store_bookmark(self, number: int) -> None:
        """Remember the present view of this level under a number, in the user's own state."""
        self._kept.store(number, self.view.navigator.pose)

    def recall_bookmark(self, number: int) -> None:
        """Look again as when the number was given.

        Raises
        ------
        EntityError
            Nothing is remembered under it.
        """
        self._go_to(self._kept.stored(number))

    def drop_selection(self) -> bool:
        """Put the selection down onto what is below it; False when nothing moved."""
        return drop_to_floor(self.view)

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

    def camera_state(self) -> dict[str, Any]:
        """Return the camera as JSON values, for the user's state of a level."""
        return state_of(self.view.navigator.pose)

    def restore_camera(self, state: Mapping[str, Any]) -> bool:
        """Take what `camera_state` returned; False, and no change, when it is damaged."""
        return self._look_as(pose_of(state))

    def watch_shaders(self, folder: pathlib.Path | None = None) -> None:
        """Take changed shaders in from now on: those of the renderer, or of another folder."""
        folder = ShaderSources().folder if folder is None else folder
        if self._shaders is None and folder is not None:
            self._shaders = ShaderReload(self, folder)

    def banner(self) -> tuple[str, str]:
        if self._shaders is not None and self._shaders.error:
            return "warning", self._shaders.error
        return "video-camera", self.cameras.banner()

    def pilot_camera(self) -> None:
        """Take the selected camera, or the level's, along with the view; or leave it.

        Raises
        ------
        EntityError
            There is no camera, or it cannot be moved.
        """
        if self.cameras.pilot.camera:
            self.cameras.end()
        else:
            world = self.document.world
            chosen = (e for e in reversed(self.document.selection) if world.alive(e))
            cameras = [e for e in chosen if world.has(e, CameraComponent)]
            cameras = cameras or active_cameras(self.view)
            if not cameras:
                raise EntityError("the level has no camera that is on; Shift+A adds one")
            self.cameras.begin(cameras[0])
            self.chips.refresh()
        self.request_frame()

    def dispose(self) -> None:
        """Stop listening and give the renderer back; called again it does nothing."""
        for subscription in self._subscriptions:
            subscription.close()
        self._subscriptions.clear()
        if self._shaders is not None:
            self._shaders.close()
            self._shaders = None
        self._drop.cancel()
        self.cameras.dispose()
        super().dispose()

    # -- frames ------------------------------------------------------------------------------

    def prepare_part(self) -> bool:
        return self._settle() or super().prepare_part()

    def before_frame(self) -> None:
        if self._settle():
            self.picture.advance(0.0)
        if self._must_frame:
            self._show_level()

    def _settle(self) -> bool:
        """Put what was placed before its size was known in its place, if any may have come in."""
        is_due, self._must_settle = self._must_settle, False
        if is_due:
            self._drop.settle()
            self.place_tool.settle()
        return is_due

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

    def camera_moved(self) -> None:
        self._must_frame = False
        self.cameras.follow()
        self.chips.refresh()
        super().camera_moved()

    def _go_to(self, pose: CameraPose) -> None:
        animated = self.moves_smoothly and self.isVisible()
        self.view.navigator.go_to(pose, animated)
        self.camera_moved()

    @guarded
    def _look_through_chosen(self) -> None:
        self.look_through_camera()

    @guarded
    def _pilot_chosen(self) -> None:
        self.pilot_camera()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        is_free = not self._tool.busy and self._on_picked is None
        if event.key() == Qt.Key.Key_Escape and self.cameras.pilot.camera and is_free:
            self.cameras.end()
            self.request_frame()
        else:
            super().keyPressEvent(event)

    def _turn(self, dx: float, dy: float) -> None:
        navigator = self.view.navigator
        navigator.go_to(orbit(navigator.pose, dx, dy), animated=False)
        self.camera_moved()

    def _view_name(self) -> str:
        return self.view.navigator.pose.view

    def _on_setting(self, name: str) -> None:
        self._take_budget()
        if name != "adapter" or self._settings is None:
            return
        try:
            self.picture.use_adapter(self._settings.adapter)
        except EngineError as problem:
            self.document.post("error", str(problem))
        self.request_frame()

    def _take_budget(self) -> None:
        """Draw within the memory that the user gives textures."""
        if self._settings is None:
            return
        budget = max(self._settings.texture_megabytes, 1) << 20
        if budget != self.picture.texture_budget:
            self.picture.texture_budget = budget
            self.request_frame()

    def _say_selection(self) -> None:
        self.chips.show_selection(*self._summary.parts())

    def _draw_frame(self, width: int, height: int) -> None:
        super()._draw_frame(width, height)
        self.cameras.place()
        self._say_selection()
        self.chips.cube.update()
        self.chips.show_counts(*count_parts(self.document, self.picture))
        if not self._must_frame:
            self._kept.keep_last(self.view.navigator.pose)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._measure()
        self.chips.layout()
        self.cameras.place()

    # -- what changed ------------------------------------------------------------------------

    def _on_changed(self, changes: ChangeSet) -> None:
        self.cameras.look_again()
        self._tool.forget()
        self._must_settle = self._must_settle or bool(changes.realised)
        self.prepare_frame()
        self.keep_ticking()

    def _on_assets(self, news: AssetNews) -> None:
        if news.reloaded:
            self.hurry_frame()
        elif news.is_seen:
            self.request_frame()
        self.keep_ticking()

    def _on_replaced(self, _: object) -> None:
        self._tool.cancel()
        self._tool.forget()
        self.cameras.end()
        self._must_frame = not self._look_as(self._kept.last())
        self.prepare_frame()
        self.keep_ticking()

    def _look_as(self, pose: CameraPose | None) -> bool:
        """Look at the level from a view at once; False where there is none."""
        if pose is not None:
            self.view.navigator.go_to(pose, animated=False)
            self.camera_moved()
        return pose is not None

    def _on_selection(self) -> None:
        self._say_selection()
        self.prepare_frame()

    def _on_tool_state(self, name: str) -> None:
        if name == "tool":
            self._use_tool(self.tool_state.tool)
        self.chips.refresh()
        if name in ("grid", "gizmos", "mode", "stats"):
            self.prepare_frame()
        self.update()
