"""The tool that stamps a prop, as often as it is clicked."""

from typing import Final

import numpy as np

from editor.tools.placement import ArrivingPlacements, Placement, PlacingContext
from editor.tools.pointer import Button, KeyEvent, PointerEvent, PointerKind
from editor.tools.select import SelectTool
from editor.tools.shapes import HOT, Shape, Stroke
from editor.tools.surface import resting_position
from engine.render.framing import box_corners

_EDGES: Final = (
    *((0, 1), (1, 3), (3, 2), (2, 0)),
    *((4, 5), (5, 7), (7, 6), (6, 4)),
    *((0, 4), (1, 5), (2, 6), (3, 7)),
)
"""Pairs of the corners of a box, as `box_corners` orders them."""
_UNKNOWN_SIZE: Final = (np.full(3, -0.1), np.full(3, 0.1))
"""What is shown of a prop that was not read yet, metres."""


class PlaceTool:
    """Stamps the chosen prop: press to set it down, drag to slide it over surfaces, let go.

    A box shows where it would go. Without a chosen prop it selects.
    """

    id = "place"
    hint = "Choose a prop in Assets, then click to place it  ·  Ctrl snaps  ·  Esc takes it back"

    def __init__(self, context: PlacingContext) -> None:
        self._context = context
        self._select = SelectTool(context)
        self._placement: Placement | None = None
        self._arriving = ArrivingPlacements()
        self._aimed: PointerEvent | None = None
        self.asset = ""

    @property
    def busy(self) -> bool:
        return self._placement is not None or self._select.busy

    def grabs(self, x: float, y: float) -> bool:
        return False

    def pointer(self, event: PointerEvent) -> bool:
        was_aimed = self._aimed is not None
        self._aimed = event if self.asset and event.kind is not PointerKind.LEAVE else None
        return self._act(event) or was_aimed or self._aimed is not None

    def _act(self, event: PointerEvent) -> bool:
        if self._placement is not None:
            return self._slide(self._placement, event)
        is_press = event.kind in (PointerKind.PRESS, PointerKind.DOUBLE)
        if self.asset and is_press and event.button is Button.LEFT and not self._select.busy:
            placement = Placement(self._context, [self.asset])
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
        """Rest props anew, now that their bounds may be known."""
        if self._placement is not None:
            self._placement.settle()
        self._arriving.settle()

    def shapes(self) -> list[Shape]:
        is_idle = self._placement is None and not self._select.busy
        ghost = self._ghost(self._aimed) if is_idle and self._aimed is not None else []
        return [*ghost, *self._select.shapes()]

    def _ghost(self, aimed: PointerEvent) -> list[Shape]:
        """Return the edges of the box of the prop where a press would set it down."""
        lo, hi = self._context.extent(self.asset) or _UNKNOWN_SIZE
        step = self._context.state.move_step if self._snaps(aimed) else None
        surface = self._context.surface(aimed.x, aimed.y)
        corners = box_corners(lo, hi) + resting_position(surface, lo, hi, np.eye(3), step)
        frame = self._context.frame()
        lines = (line for edge in _EDGES for line in frame.project_polyline(corners[list(edge)]))
        return [Stroke(line, HOT, dashed=True) for line in lines]

    def forget(self) -> None:
        self._aimed = None
        self._select.forget()

    def _slide(self, placement: Placement, event: PointerEvent) -> bool:
        if event.kind is PointerKind.PRESS and event.button is Button.RIGHT:
            self.cancel()
        elif event.kind is PointerKind.MOVE:
            placement.hover(event.x, event.y, self._snaps(event))
        elif event.kind is PointerKind.RELEASE and event.button is Button.LEFT:
            self._placement = None
            self._arriving.keep(placement)
        else:
            return False
        return True

    def _snaps(self, event: PointerEvent) -> bool:
        return self._context.state.snap != event.ctrl
