"""Props dragged into the viewport: previewed where they would stand, kept by the drop.

A prop of the project is shown live. A file from outside has to be copied into the project first,
so it is taken in at the drop, when the artist has agreed to it.
"""

import os
import pathlib
from collections.abc import Callable, Sequence

from editor.document import LevelDocument
from editor.tools.place import Placement
from editor.viewport.context import ViewContext
from engine.errors import EngineError
from engine.reflect import Entity


class AssetDrop:
    """One drag over the viewport, from entering to the drop or to leaving."""

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

    @property
    def is_open(self) -> bool:
        return bool(self._paths)

    def enter(self, paths: Sequence[str]) -> bool:
        """Begin with the dragged assets; False when there is none."""
        self.cancel()
        self._paths = list(paths)
        return self.is_open

    def hover(self, x: float, y: float, snap: bool, align: bool) -> None:
        """Show the first prop where it would stand."""
        if not self._paths or not self.is_inside(self._paths[0]):
            return
        if self._placement is None:
            self._placement = Placement(self._context, self._paths[0])
        try:
            self._placement.hover(x, y, snap, align)
        except EngineError:
            self._placement = None
            self._paths = []

    def drop(self, x: float, y: float, snap: bool, align: bool) -> list[Entity]:
        """Keep what was dragged, each prop one undo step; return what was placed."""
        paths, self._paths = self._paths, []
        placed: list[Entity] = []
        if self._placement is not None:
            placement, self._placement = self._placement, None
            placement.hover(x, y, snap, align)
            entity = placement.drop()
            placed += [entity] if entity is not None else []
            paths = paths[1:]
        outside = [p for p in paths if not self.is_inside(p)]
        if outside and not self._confirm_copy(outside):
            paths = [p for p in paths if p not in outside]
        for path in paths:
            placed += self.place(path, x, y, snap, align)
        return placed

    def place(
        self, path: str, x: float, y: float, snap: bool = False, align: bool = False
    ) -> list[Entity]:
        """Place one asset at a pixel as one undo step; empty when it cannot be placed."""
        placement = Placement(self._context, path)
        try:
            placement.hover(x, y, snap, align)
        except EngineError:
            return []
        self._document.settle()
        placement.settle()
        entity = placement.drop()
        return [entity] if entity is not None else []

    def settle(self) -> None:
        """Rest the preview anew, now that its bounds may be known."""
        if self._placement is not None:
            self._placement.settle()

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
