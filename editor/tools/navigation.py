"""Moving the viewport's camera with the mouse and, while flying, the keyboard.

Alt + left or the middle button orbits, with Shift or Alt the middle button pans, the wheel zooms
to the cursor, the right button flies: look around by dragging, W A S D Q E to move, the wheel for
speed. A right click that neither moved nor flew asks for the context menu.
"""

from collections.abc import Callable
from enum import Enum
from typing import Final

import numpy as np

from editor.tools.pointer import Button, PointerEvent, PointerKind
from editor.tools.projection import Vector
from editor.tools.view_camera import (
    CameraPose,
    blend,
    dolly,
    fly,
    look,
    orbit,
    pan,
    zoom,
    zoom_anchor,
)

FLY_KEYS: Final = {
    "w": (0.0, 0.0, 1.0),
    "s": (0.0, 0.0, -1.0),
    "a": (-1.0, 0.0, 0.0),
    "d": (1.0, 0.0, 0.0),
    "e": (0.0, 1.0, 0.0),
    "q": (0.0, -1.0, 0.0),
}
MOVE_SECONDS: Final = 0.2
CLICK_SLACK: Final = 4.0
MIN_SPEED: Final = 0.05
MAX_SPEED: Final = 200.0
FAST: Final = 3.0


class Motion(Enum):
    """What the mouse does to the camera at present."""

    NONE = "none"
    ORBIT = "orbit"
    PAN = "pan"
    DOLLY = "dolly"
    FLY = "fly"


class Navigator:
    """The camera pose and everything that moves it.

    Parameters
    ----------
    surface_point : callable
        (x, y) -> the world point of the mesh under a pixel, None where there is none. Zooming
        goes toward it.

    Attributes
    ----------
    pose : CameraPose
    speed : float
        Metres per second of flying.
    """

    def __init__(self, surface_point: Callable[[float, float], Vector | None]) -> None:
        self.pose = CameraPose()
        self.speed = 4.0
        self._surface_point = surface_point
        self._motion = Motion.NONE
        self._button = Button.NONE
        self._last = (0.0, 0.0)
        self._start = (0.0, 0.0)
        self._strayed = False
        self._keys: set[str] = set()
        self._move: tuple[CameraPose, CameraPose, float] | None = None

    @property
    def motion(self) -> Motion:
        return self._motion

    @property
    def flying(self) -> bool:
        return self._motion is Motion.FLY

    @property
    def animating(self) -> bool:
        """Whether `tick` has something to do."""
        return self._move is not None or bool(self.flying and self._keys)

    def claims(self, event: PointerEvent) -> bool:
        """Tell whether a press belongs to the camera and not to the tool."""
        return event.kind in (PointerKind.PRESS, PointerKind.DOUBLE) and (
            event.button in (Button.MIDDLE, Button.RIGHT)
            or (event.button is Button.LEFT and event.alt)
        )

    def pointer(self, event: PointerEvent, width: float, height: float) -> bool:
        """Handle an event that is the camera's; True when the pose changed."""
        if self.claims(event):
            self._begin(event)
            return False
        if event.kind is PointerKind.MOVE and self._motion is not Motion.NONE:
            return self._drag(event, height)
        if event.kind is PointerKind.WHEEL:
            return self._wheel(event, width, height)
        return False

    def release(self, event: PointerEvent) -> bool:
        """End a motion; True when it was a plain right click, which asks for the menu."""
        if event.button is not self._button:
            return False
        clicked = self._motion is Motion.FLY and not self._strayed
        self.stop()
        return clicked

    def stop(self) -> None:
        """Let go of the camera, as when the window loses the focus."""
        self._motion = Motion.NONE
        self._button = Button.NONE
        self._keys.clear()

    def press_key(self, key: str) -> bool:
        """Start moving while flying; True when the key is one of :data:`FLY_KEYS`."""
        if not self.flying or key not in (*FLY_KEYS, "shift"):
            return False
        self._keys.add(key)
        self._strayed = self._strayed or key in FLY_KEYS
        return True

    def release_key(self, key: str) -> None:
        self._keys.discard(key)

    def go_to(self, pose: CameraPose, animated: bool) -> None:
        """Move to a pose, over :data:`MOVE_SECONDS` or at once."""
        if animated and pose != self.pose:
            self._move = (self.pose, pose, 0.0)
        else:
            self._move = None
            self.pose = pose

    def tick(self, seconds: float) -> bool:
        """Advance what moves by itself; True when the pose changed."""
        changed = False
        if self._move is not None:
            start, end, spent = self._move
            spent += seconds / MOVE_SECONDS
            self.pose = blend(start, end, spent) if spent < 1 else end
            self._move = (start, end, spent) if spent < 1 else None
            changed = True
        if self.flying and self._keys:
            changed = self._fly(seconds) or changed
        return changed

    def _begin(self, event: PointerEvent) -> None:
        self._move = None
        self._button = event.button
        self._last = self._start = (event.x, event.y)
        self._strayed = False
        if event.button is Button.RIGHT:
            self._motion = Motion.DOLLY if event.alt else Motion.FLY
        elif event.shift or (event.button is Button.MIDDLE and event.alt):
            self._motion = Motion.PAN
        else:
            self._motion = Motion.ORBIT

    def _drag(self, event: PointerEvent, height: float) -> bool:
        dx, dy = event.x - self._last[0], event.y - self._last[1]
        far = max(abs(event.x - self._start[0]), abs(event.y - self._start[1])) > CLICK_SLACK
        if self.flying and not self._strayed and not far:
            return False
        self._strayed = self._strayed or far
        self._last = (event.x, event.y)
        if self._motion is Motion.ORBIT:
            self.pose = orbit(self.pose, dx, dy)
        elif self._motion is Motion.PAN:
            self.pose = pan(self.pose, dx, dy, height)
        elif self._motion is Motion.DOLLY:
            self.pose = dolly(self.pose, dx - dy)
        else:
            self.pose = look(self.pose, dx, dy)
        return bool(dx or dy)

    def _wheel(self, event: PointerEvent, width: float, height: float) -> bool:
        if self.flying:
            self.speed = min(max(self.speed * 1.25**event.wheel, MIN_SPEED), MAX_SPEED)
            self._strayed = True
            return False
        self._move = None
        anchor = self._surface_point(event.x, event.y)
        if anchor is None:
            ray = self.pose.frame(width, height).ray(event.x, event.y)
            anchor = zoom_anchor(self.pose, ray)
        self.pose = zoom(self.pose, event.wheel, anchor)
        return True

    def _fly(self, seconds: float) -> bool:
        direction = np.sum([FLY_KEYS[k] for k in self._keys if k in FLY_KEYS], axis=0)
        if not np.any(direction):
            return False
        direction = direction / np.linalg.norm(direction)
        reach = self.speed * seconds * (FAST if "shift" in self._keys else 1.0)
        self.pose = fly(self.pose, *(float(v) * reach for v in direction))
        return True
