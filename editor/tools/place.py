"""Dropping a prop on what is seen: a live preview follows the surface under the cursor.

The preview is the prop itself, placed inside a gesture that a drop commits as one undo step and
that leaving the viewport takes back. It rests on its bounding box, turns to a wall only when asked
to, and snaps in the surface's tangent plane only.
"""

from typing import Any, Protocol

import numpy as np

from editor.commands.naming import asset_title
from editor.tools.base import EditedLevel, OpenGesture, ToolContext
from editor.tools.pointer import Button, KeyEvent, PointerEvent, PointerKind
from editor.tools.projection import Vector
from editor.tools.select import SelectTool
from editor.tools.shapes import Shape
from editor.tools.surface import SurfacePoint, align_to_normal, resting_position
from editor.tools.targets import moved, targets_of
from editor.tools.transform import write_edits
from engine.reflect import Entity


class PlacingLevel(EditedLevel, Protocol):
    """The part of ``LevelDocument`` that placing uses."""

    def place(
        self, asset_path: str, transform: Any = None, parent: Any = None, *, wait: bool = True
    ) -> Entity: ...


class PlacingContext(ToolContext, Protocol):
    """A context whose document can place assets."""

    @property
    def document(self) -> PlacingLevel: ...


class Placement:
    """One prop on its way into the level, from entering the viewport to the drop."""

    def __init__(self, context: PlacingContext, path: str) -> None:
        self._context = context
        self._document = context.document
        self._path = path
        self._gesture: OpenGesture | None = None
        self._entity: Entity | None = None
        self._cursor = (0.0, 0.0, False)

    @property
    def entity(self) -> Entity | None:
        """The previewed prop."""
        return self._entity

    def hover(self, x: float, y: float, snap: bool, align: bool = False) -> None:
        """Show the prop at the surface under a pixel.

        Raises
        ------
        EngineError
            The asset cannot be placed; the level is as it was.
        """
        self._cursor = (x, y, snap)
        if self._entity is None:
            self._start(x, y)
        self._rest(x, y, snap, align)

    def settle(self) -> None:
        """Rest the prop anew where the cursor was last, now that its bounds may be known."""
        if self._entity is not None:
            self._rest(*self._cursor)

    def drop(self) -> Entity | None:
        """Keep the prop where it is: one undo step, and the prop is selected."""
        entity, gesture = self._entity, self._gesture
        self._entity = self._gesture = None
        if entity is not None:
            self._document.select([entity])
        if gesture is not None:
            gesture.commit()
        return entity

    def cancel(self) -> None:
        """Take the prop back."""
        gesture, self._gesture, self._entity = self._gesture, None, None
        if gesture is not None:
            gesture.cancel()

    def _start(self, x: float, y: float) -> None:
        surface = self._context.surface(x, y)
        matrix = np.eye(4, dtype=np.float32)
        matrix[:3, 3] = surface.point
        gesture = self._document.begin_gesture(f"Place {asset_title(self._path)}")
        try:
            self._entity = self._document.place(self._path, matrix, wait=False)
        except BaseException:
            gesture.cancel()
            raise
        self._gesture = gesture

    def _rest(self, x: float, y: float, snap: bool, align: bool = False) -> None:
        if self._entity is None:
            return
        ignore = self._context.subtree([self._entity])
        surface = self._context.surface(x, y, ignore)
        targets = targets_of(self._document.world, [self._entity])
        if not targets:
            return
        step = self._context.state.move_step if snap else None
        linear = align_to_normal(surface.normal) if align else np.eye(3)
        goal = self._goal(surface, targets[0].origin, ignore, linear, step)
        write_edits(self._document, moved(targets, goal - targets[0].origin))

    def _goal(
        self,
        surface: SurfacePoint,
        origin: Vector,
        ignore: set[int],
        linear: Vector,
        step: float | None,
    ) -> Vector:
        bounds = self._context.raycaster().bounds(ignore)
        if bounds is None:
            return resting_position(surface, np.zeros(3), np.zeros(3), linear, step)
        return resting_position(surface, bounds[0] - origin, bounds[1] - origin, linear, step)


class PlaceTool:
    """Stamps the chosen prop: press to set it down, drag to slide it over surfaces, let go.

    Without a chosen prop it selects.
    """

    id = "place"
    hint = "Choose a prop in Assets, then click to place it  ·  Ctrl snaps  ·  Esc takes it back"

    def __init__(self, context: PlacingContext) -> None:
        self._context = context
        self._select = SelectTool(context)
        self._placement: Placement | None = None
        self.asset = ""

    @property
    def busy(self) -> bool:
        return self._placement is not None or self._select.busy

    def grabs(self, x: float, y: float) -> bool:
        return False

    def pointer(self, event: PointerEvent) -> bool:
        if self._placement is not None:
            return self._slide(self._placement, event)
        is_press = event.kind in (PointerKind.PRESS, PointerKind.DOUBLE)
        if self.asset and is_press and event.button is Button.LEFT and not self._select.busy:
            placement = Placement(self._context, self.asset)
            placement.hover(event.x, event.y, self._snaps(event))
            self._placement = placement
            return True
        return self._select.pointer(event)

    def key(self, event: KeyEvent) -> bool:
        if self._placement is None:
            return self._select.key(event)
        if event.key == "escape":
            self.cancel()
        return True

    def cancel(self) -> None:
        placement, self._placement = self._placement, None
        self._select.cancel()
        if placement is not None:
            placement.cancel()

    def settle(self) -> None:
        """Rest the prop anew, now that its bounds may be known."""
        if self._placement is not None:
            self._placement.settle()

    def shapes(self) -> list[Shape]:
        return self._select.shapes()

    def forget(self) -> None:
        self._select.forget()

    def _slide(self, placement: Placement, event: PointerEvent) -> bool:
        if event.kind is PointerKind.PRESS and event.button is Button.RIGHT:
            self.cancel()
        elif event.kind is PointerKind.MOVE:
            placement.hover(event.x, event.y, self._snaps(event))
        elif event.kind is PointerKind.RELEASE and event.button is Button.LEFT:
            self._placement = None
            placement.drop()
        else:
            return False
        return True

    def _snaps(self, event: PointerEvent) -> bool:
        return self._context.state.snap != event.ctrl
