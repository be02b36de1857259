"""Piloting: a camera of the level goes where the artist's own view goes.

The view is put where the camera stands; from then on every motion of the view is written to the
camera, one step for each motion. The camera's roll is lost with the first one, as the view has
none.
"""

import numpy as np

from editor.tools.base import EditedLevel, OpenGesture
from editor.tools.select import is_locked
from editor.tools.targets import aimed, has_place, read_target
from editor.tools.transform import write_edits
from editor.tools.view_camera import CameraPose
from engine.errors import EntityError
from engine.reflect import Entity
from engine.scene.components import CameraComponent


class CameraPilot:
    """Which camera is piloted, and the step that is under way.

    Attributes
    ----------
    camera : Entity
        Null while none is.
    is_writing : bool
        Whether a change of the level is its own.
    """

    def __init__(self, document: EditedLevel) -> None:
        self.camera = Entity.null()
        self.is_writing = False
        self._document = document
        self._gesture: OpenGesture | None = None
        self._written: CameraPose | None = None

    def begin(self, camera: Entity, pose: CameraPose) -> None:
        """Take a camera over, which the view looks through by `pose`.

        Raises
        ------
        EntityError
            It is no camera, has no place, or is locked.
        """
        world = self._document.world
        if not (world.alive(camera) and world.has(camera, CameraComponent)):
            raise EntityError("only a camera can be piloted: select one first")
        if not has_place(world, camera):
            raise EntityError("this camera has no transform that could be changed")
        if is_locked(self._document, camera):
            raise EntityError("this camera is locked")
        self.end()
        self.camera, self._written = camera, pose

    def follow(self, pose: CameraPose) -> None:
        """Put the camera where the view is now."""
        if not self.is_alive or pose.orthographic:
            self.end()
        if not self.camera or pose == self._written:
            return
        self._written = pose
        if self._gesture is None:
            self._gesture = self._document.begin_gesture("Pilot the camera")
        axes = np.stack([pose.right, pose.up, -pose.forward], axis=1)
        self.is_writing = True
        try:
            target = read_target(self._document.world, self.camera)
            write_edits(self._document, [aimed(target, axes, pose.eye)])
        finally:
            self.is_writing = False

    def take(self, pose: CameraPose) -> None:
        """Note where the camera went by another hand, as by undo."""
        self._written = pose

    @property
    def is_alive(self) -> bool:
        """Whether the piloted camera is still one."""
        world = self._document.world
        return bool(
            self.camera
            and world.alive(self.camera)
            and world.has(self.camera, CameraComponent)
            and has_place(world, self.camera)
        )

    def rest(self) -> None:
        """End the step of a motion."""
        if self._gesture is not None:
            gesture, self._gesture = self._gesture, None
            gesture.commit()

    def end(self) -> None:
        """Leave the camera where it is."""
        self.rest()
        self.camera, self._written = Entity.null(), None
