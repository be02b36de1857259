"""The tool that stamps a prop, as often as it is clicked."""

from editor.tools.placement import ArrivingPlacements, Placement, PlacingContext
from editor.tools.pointer import Button, KeyEvent, PointerEvent, PointerKind
from editor.tools.select import SelectTool
from editor.tools.shapes import Shape


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
        self._arriving = ArrivingPlacements()
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
            self._arriving.keep(placement)
        else:
            return False
        return True

    def _snaps(self, event: PointerEvent) -> bool:
        return self._context.state.snap != event.ctrl
