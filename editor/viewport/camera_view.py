"""What the viewport does for the level's cameras: a preview of the selected one, and piloting."""

from typing import Any, Final

from PySide6.QtCore import QTimer

from editor.tools.pilot import CameraPilot
from editor.viewport.camera_inset import PICTURE, CameraInset
from editor.viewport.canvas import LevelCanvas, image_of
from editor.viewport.framing import camera_pose
from engine.errors import EngineError, EntityError
from engine.reflect import Entity
from engine.render.scene import Camera
from engine.scene.components import CameraComponent
from engine.scene.render_look import camera_of

WAIT_MS: Final = 90
REST_MS: Final = 350
ROOM: Final = (520, 400)
"""A smaller viewport shows no preview."""
MARGIN: Final = 9
ABOVE: Final = 39
"""Of the lower edge, where the figures stand."""


class CameraView:
    """The cameras of one viewport.

    The preview follows when the hand rests, as it costs a picture of its own.
    """

    def __init__(self, canvas: LevelCanvas) -> None:
        self._canvas = canvas
        self.pilot = CameraPilot(canvas.document)
        self.inset = CameraInset(canvas)
        self._previewed: Any = None
        self._waiting = _single_shot(canvas, WAIT_MS, self._draw_preview)
        self._resting = _single_shot(canvas, REST_MS, self._rest)

    # -- piloting ----------------------------------------------------------------------------

    def begin(self, camera: Entity) -> None:
        """Look through a camera and take it along from now on.

        Raises
        ------
        EntityError
            It cannot be piloted.
        """
        pose = camera_pose(self._canvas.view, [camera])
        if pose is None:
            raise EntityError("only a camera with a place can be piloted: select one first")
        self.pilot.begin(camera, pose)
        self._canvas.view.navigator.go_to(pose, animated=False)
        self.place()

    def end(self) -> None:
        """Leave the piloted camera where it is."""
        self.pilot.end()
        self._resting.stop()

    def follow(self) -> None:
        """Take the piloted camera where the view is now."""
        if not self.pilot.camera:
            return
        try:
            self.pilot.follow(self._canvas.view.navigator.pose)
        except EngineError as problem:
            self.end()
            self._canvas.document.post("error", str(problem))
        self._resting.start()

    def look_again(self) -> None:
        """After a change of the level by another hand: stay with the piloted camera."""
        if not self.pilot.camera or self.pilot.is_writing:
            return
        pose = camera_pose(self._canvas.view, [self.pilot.camera]) if self.pilot.is_alive else None
        if pose is None:
            self.end()
            return
        self.pilot.take(pose)
        self._canvas.view.navigator.go_to(pose, animated=False)

    def banner(self) -> str:
        """Return what to say while a camera is piloted, empty else."""
        if not self.pilot.camera:
            return ""
        return f"Piloting {self._canvas.document.label(self.pilot.camera)}  ·  Esc leaves it there"

    def _rest(self) -> None:
        if self._canvas.is_dragging():
            self._resting.start()
        else:
            self.pilot.rest()

    # -- the preview -------------------------------------------------------------------------

    def place(self) -> None:
        """Show or hide the preview, and put it into its corner."""
        canvas, camera = self._canvas, self._chosen()
        self.inset.setVisible(camera is not None)
        x = canvas.width() - MARGIN - self.inset.width()
        self.inset.move(x, canvas.height() - ABOVE - self.inset.height())
        if camera is None:
            self._previewed = None
            self.inset.show_image(None)
            return
        self.inset.show_name(canvas.document.label(camera))
        if self._stamp(camera) != self._previewed:
            self._waiting.start()

    def dispose(self) -> None:
        """Stop the timers and end the step that is under way."""
        self._waiting.stop()
        self.end()

    def _chosen(self) -> Entity | None:
        canvas = self._canvas
        if not canvas.tool_state.gizmos or not canvas.document.selection:
            return None
        if canvas.width() < ROOM[0] or canvas.height() < ROOM[1]:
            return None
        world, last = canvas.document.world, canvas.document.selection[-1]
        is_camera = world.alive(last) and world.has(last, CameraComponent)
        return last if is_camera and last != self.pilot.camera else None

    def _stamp(self, camera: Entity) -> Any:
        """Changes when the preview would be another picture."""
        canvas = self._canvas
        scene, seen = canvas.picture.scene, camera_of(canvas.document.world, camera)
        return (
            seen["world_from_view"].tobytes(),
            seen["fov_y"],
            seen["near"],
            scene.instances.serial,
            scene.lights.version,
            scene.joints.version,
            scene.morph_weights.version,
            scene.exposure,
            scene.sky,
            scene.tonemap,
            id(scene.environment),
            canvas.devicePixelRatioF(),
        )

    def _draw_preview(self) -> None:
        canvas, camera = self._canvas, self._chosen()
        if camera is None or not canvas.isVisible() or canvas.failure:
            return
        if canvas.is_dragging() or canvas.picture.is_unfinished:
            self._waiting.start()
            return
        ratio = canvas.devicePixelRatioF()
        width, height = (round(side * ratio) for side in PICTURE)
        stamp = self._stamp(camera)
        eye = Camera(**camera_of(canvas.document.world, camera))
        try:
            pixels = canvas.picture.glimpse(eye, width, height)
        except EngineError:
            # The next frame tells what is wrong.
            return
        self._previewed = stamp
        self.inset.show_image(image_of(pixels) if pixels is not None else None)


def _single_shot(parent: LevelCanvas, interval: int, act: Any) -> QTimer:
    timer = QTimer(parent)
    timer.setSingleShot(True)
    timer.setInterval(interval)
    timer.timeout.connect(act)
    return timer
