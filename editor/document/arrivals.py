"""What was placed without waiting for its file: what becomes of it later."""

from __future__ import annotations

import pathlib
from collections.abc import Collection, Iterator

from editor.document.base import DocumentBase
from editor.document.project_files import Copied
from engine.ecs import QuerySpec
from engine.reflect import Entity
from engine.scene import GltfInstance, SceneComponent, SceneInstance

_SHOWING: tuple[tuple[type[SceneComponent], str], ...] = (
    (GltfInstance, "asset"),
    (SceneInstance, "level"),
)


class LevelArrivals(DocumentBase):
    """Tells when a file turns out to be broken, and tidies up after a placement given up."""

    _arriving: dict[Entity, tuple[pathlib.Path, Copied]]

    def _begin_level(self) -> None:
        self._arriving = {}
        super()._begin_level()

    def _note_arrival(self, entity: Entity, path: pathlib.Path, copied: Copied) -> None:
        self._arriving[entity] = path, copied

    def _on_realised(self, roots: tuple[Entity, ...]) -> None:
        super()._on_realised(roots)
        for root in [r for r in roots if r in self._arriving]:
            if self.is_arriving(root):
                continue
            path, _ = self._arriving[root]
            if not self.history.open_gestures:
                del self._arriving[root]
            problem = self._problem(root)
            if problem:
                self.post("error", f"{problem}; a box stands in its place", root, path)

    def is_arriving(self, entity: Entity) -> bool:
        """Whether a box stands for a placed file that is being read."""
        return self.app.realiser.is_pending(entity)

    def _problem(self, root: Entity) -> str:
        """Return why what an instance shows can't be shown; empty where it can."""
        branch = self.app.realiser.branch(root)
        if branch is None:
            return ""
        failure = branch.entry.error if branch.entry.state == "failed" else ""
        return branch.refusal or failure

    def _on_forgotten(self, entity: Entity) -> None:
        """Remove the files that were copied for what was placed and then cancelled."""
        _, copied = self._arriving.pop(entity, (None, None))
        if copied is None or not self.history.open_gestures:
            return
        if not any(copied.asset in shown for shown in self._shown()):
            copied.undo()

    def _shown(self) -> Iterator[Collection[str]]:
        for component, field in _SHOWING:
            for table in QuerySpec(component).tables(self.world):
                yield table.view(component, field)
