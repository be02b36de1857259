"""Views of a level that are kept for its user: the last one, and those stored under numbers."""

import dataclasses
import math
from collections.abc import Mapping
from typing import Any

from editor.document import LevelDocument
from editor.tools.view_camera import MAX_DISTANCE, MIN_DISTANCE, CameraPose, look_through
from engine.errors import EntityError


class KeptViews:
    """The views in the user's own state of the open level.

    Parameters
    ----------
    document : LevelDocument
    """

    def __init__(self, document: LevelDocument) -> None:
        self._document = document

    def keep_last(self, pose: CameraPose) -> None:
        """Remember how the level is looked at now."""
        self._document.view_state["camera"] = state_of(pose)

    def last(self) -> CameraPose | None:
        """Return how the level was last looked at; None for one that was not seen yet."""
        return _pose(self._document.view_state.get("camera"))

    def store(self, number: int, pose: CameraPose) -> None:
        """Remember a view under a number."""
        self._document.view_state["bookmarks"] = {**self._bookmarks(), str(number): state_of(pose)}

    def stored(self, number: int) -> CameraPose:
        """Return the view that was given a number.

        Raises
        ------
        EntityError
            Nothing is remembered under it.
        """
        pose = _pose(self._bookmarks().get(str(number)))
        if pose is None:
            raise EntityError(
                f"no view is stored under {number}; Ctrl+{number} stores the present one"
            )
        return pose

    def _bookmarks(self) -> Mapping[str, Any]:
        marks = self._document.view_state.get("bookmarks")
        return marks if isinstance(marks, Mapping) else {}


def state_of(pose: CameraPose) -> dict[str, Any]:
    """Return a view as JSON values."""
    return dataclasses.asdict(pose)


def pose_of(state: Mapping[str, Any]) -> CameraPose | None:
    """Return the pose that JSON values describe, None where they are damaged."""
    try:
        x, y, z = (float(v) for v in state["pivot"])
        yaw, pitch, distance, fov_y = (
            float(state[name]) for name in ("yaw", "pitch", "distance", "fov_y")
        )
        pose = CameraPose((x, y, z), yaw, pitch, distance, fov_y, str(state["view"]))
        look_through(pose, pose.view)
        is_sound = all(map(math.isfinite, (x, y, z, yaw, pitch))) and 0 < fov_y < math.pi
    except (KeyError, TypeError, ValueError):
        return None
    return pose if is_sound and MIN_DISTANCE <= distance <= MAX_DISTANCE else None


def _pose(state: object) -> CameraPose | None:
    return pose_of(state) if isinstance(state, Mapping) else None
