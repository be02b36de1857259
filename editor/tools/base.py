"""What a tool sees of the level and the picture, and what the viewport asks of a tool.

A tool is given a :class:`ToolContext` and never the window, the renderer or Qt. It changes the
level only through the document's methods, one gesture per drag, so every drag is one undo step
and a cancelled one leaves no trace.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import Any, Protocol

from editor.tools.pointer import KeyEvent, PointerEvent
from editor.tools.projection import ViewFrame
from editor.tools.raycast import RaycastScene
from editor.tools.shapes import Icon, Shape
from editor.tools.state import ToolState
from editor.tools.surface import SurfacePoint
from engine.reflect import Entity


class OpenGesture(Protocol):
    """A drag in progress: commands since its start become one step, or are taken back."""

    def commit(self) -> None: ...
    def cancel(self) -> None: ...
    def reopen(self) -> bool: ...


class EditedLevel(Protocol):
    """The part of ``LevelDocument`` that tools use."""

    @property
    def world(self) -> Any: ...
    @property
    def selection(self) -> Sequence[Entity]: ...
    def select(self, entities: Iterable[Entity], /) -> None: ...
    def begin_gesture(self, label: str, /) -> OpenGesture: ...
    def set_field_each(
        self, entities: Sequence[Entity], type_: Any, field: str, values: Sequence[Any], /
    ) -> None: ...
    def duplicate(self, *, wait: bool = True) -> list[Entity]: ...
    def root_of(self, entity: Entity, /) -> Entity: ...
    def roots_of(self, entity: Entity, /) -> list[Entity]: ...
    def locked(self, entity: Entity, /) -> bool: ...


class Picker(Protocol):
    """Which entities' pixels are where, in logical pixels; 0 and empty mean nothing."""

    def pick(self, x: float, y: float) -> int: ...
    def pick_all(self, x: float, y: float) -> list[int]: ...
    def pick_rect(self, x0: float, y0: float, x1: float, y1: float) -> set[int]: ...


class ToolContext(Protocol):
    """Everything that a tool may look at."""

    @property
    def document(self) -> EditedLevel: ...
    @property
    def state(self) -> ToolState: ...
    @property
    def picker(self) -> Picker: ...

    def frame(self) -> ViewFrame:
        """Return the projection of the picture on the screen."""

    def raycaster(self) -> RaycastScene:
        """Return what is drawn, for rays and bounds."""

    def surface(self, x: float, y: float, ignore: Collection[int] = ()) -> SurfacePoint:
        """Return the surface under a pixel."""

    def icons(self) -> list[Icon]:
        """Return the markers of lights and cameras that are on the screen."""

    def subtree(self, entities: Iterable[Entity]) -> set[int]:
        """Return the entities and everything below them."""


class Tool(Protocol):
    """A way of using the mouse in the viewport."""

    id: str

    @property
    def hint(self) -> str:
        """What the status bar says can be done now."""

    @property
    def busy(self) -> bool:
        """Whether a drag is in progress."""

    def grabs(self, x: float, y: float) -> bool:
        """Tell whether a press there takes hold of a handle, before any camera shortcut."""

    def pointer(self, event: PointerEvent) -> bool:
        """Handle an event; True when something to be painted changed."""

    def key(self, event: KeyEvent) -> bool:
        """Handle a key; True when the tool used it."""

    def cancel(self) -> None:
        """End a drag and restore what it changed."""

    def shapes(self) -> list[Shape]:
        """Return what to paint over the picture."""

    def forget(self) -> None:
        """Look at the level anew: it changed in a way that the world's tick does not tell."""
