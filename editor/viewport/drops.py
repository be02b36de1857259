"""Props dragged into the viewport: previewed where they would stand, kept by the drop.

Props of the project are shown live. Files from outside have to be copied into the project first, so
they are taken in at the drop, when the artist has agreed to it.
"""

import os
import pathlib
from collections.abc import Callable, Sequence

from editor.document import LevelDocument
from editor.tools.placement import ArrivingPlacements, Placement
from editor.viewport.context import ViewContext
from engine.errors import EngineError
from engine.reflect import Entity


class AssetDrop:
    """One drag over the viewport, from entering to the drop or to leaving.

    What was dropped before its size was known is looked after until that is known.
    """

    def __init__(
        self,
        context: ViewContext,
        document: LevelDocument,
        confirm_copy: Callable[[Sequence[str]], bool],
    ) -> None:
        self._context = context
        self._document = document
        self._confirm_copy = confirm_copy
        self._paths: list[str] = []
        self._placement: Placement | None = None
        self._arriving = ArrivingPlacements()

    @property
    def is_open(self) -> bool:
        return bool(self._paths)

    def enter(self, paths: Sequence[str]) -> bool:
        """Begin with the dragged assets; False when there is none."""
        self.cancel()
        self._paths = list(paths)
        return self.is_open

    def hover(self, x: float, y: float, snap: bool, align: bool) -> None:
        """Show the props of the project where they would stand."""
        inside = [path for path in self._paths if self.is_inside(path)]
        if not inside:
            return
        if self._placement is None:
            self._placement = Placement(self._context, inside)
        try:
            self._placement.hover(x, y, snap, align)
        except EngineError:
            self._placement = None
            self._paths = []

    def drop(self, x: float, y: float, snap: bool, align: bool) -> list[Entity]:
        """Keep what was dragged as one undo step; return what was placed."""
        outside = [path for path in self._paths if not self.is_inside(path)]
        self._paths = []
        placed: list[Entity] = []
        if self._placement is not None:
            placement, self._placement = self._placement, None
            placement.hover(x, y, snap, align)
            placed += self._arriving.keep(placement)
        if outside and self._confirm_copy(outside):
            placed += self.place(outside, x, y, snap, align)
        return placed

    def place(
        self, paths: Sequence[str], x: float, y: float, snap: bool = False, align: bool = False
    ) -> list[Entity]:
        """Place assets at a pixel as one undo step; empty when none can be placed."""
        if not paths:
            return []
        placement = Placement(self._context, paths)
        try:
            placement.hover(x, y, snap, align)
        except EngineError:
            return []
        return self._arriving.keep(placement)

    def place_under(self, paths: Sequence[str], parent: Entity) -> list[Entity]:
        """Place assets below an entity as one undo step; empty when none can be placed."""
        placement = Placement(self._context, paths, parent)
        try:
            placement.stand_under_parent()
        except EngineError:
            return []
        return self._arriving.keep(placement)

    def settle(self) -> None:
        """Put props in their places anew, now that their bounds may be known."""
        if self._placement is not None:
            self._placement.settle()
        self._arriving.settle()

    def cancel(self) -> None:
        """Take the preview back."""
        placement, self._placement = self._placement, None
        self._paths = []
        if placement is not None:
            placement.cancel()

    def is_inside(self, path: str) -> bool:
        """Tell whether an asset is the project's own."""
        root = self._document.app.root
        found = root / pathlib.Path(path)
        return os.path.isfile(found) and found.resolve().is_relative_to(root)
