"""The user's own state of each level: what is hidden and locked, and how it is looked at."""

from __future__ import annotations

import pathlib
from typing import Any

from editor.document.node_marks import MARKS, NodeMarks, addresses_in
from editor.document.reloading import LevelReloading
from editor.model.user_state import indices_in, load_state, store_state
from engine.app import App
from engine.reflect import Entity
from engine.scene import Realised


class LevelViewState(LevelReloading):
    """Keeps that state beside the level, which it is no part of.

    Attributes
    ----------
    path : pathlib.Path or None
        The level's file; without one nothing is kept.
    view_state : dict
        What the user did to the view of this level (camera, expanded rows), kept outside it.
        Anything that JSON holds may be put here.
    """

    path: pathlib.Path | None

    def __init__(self, app: App | None = None) -> None:
        self.view_state: dict[str, Any] = {}
        super().__init__(app)

    def _begin_level(self) -> None:
        super()._begin_level()
        self._node_marks = NodeMarks(self.world, self.context.marks)

    def _load_view_state(self) -> str:
        """Take what was kept of the level that is open; return what is wrong with it."""
        self.view_state, problem = load_state(self.path) if self.path is not None else ({}, "")
        return problem

    def _keep_view_state(self) -> None:
        """Store the view state of the level that is open, if it has a file."""
        if self.path is None:
            return
        index_of = self.app.level_file.index_of
        for name in MARKS:
            marked = getattr(self.context.marks, name)
            own = [e for e in marked if self.world.alive(e) and not self.world.has(e, Realised)]
            self.view_state[name] = sorted(i for i in map(index_of, own) if i >= 0)
            self.view_state[f"{name}_nodes"] = self._node_marks.stored(name, index_of)
        store_state(self.path, self.view_state)

    def _recall_marks(self) -> None:
        entity_at = self.app.level_file.entity_at
        for name in MARKS:
            found = map(entity_at, indices_in(self.view_state, name))
            getattr(self.context.marks, name).update(e for e in found if e)
            self._node_marks.recall(name, addresses_in(self.view_state, name, entity_at))
        self._show_marks()

    def _show_marks(self) -> None:
        self._node_marks.note()
        super()._show_marks()

    def _on_realised(self, roots: tuple[Entity, ...]) -> None:
        before = self._marked_now()
        self._node_marks.follow()
        if self._marked_now() != before:
            self._show_marks()
        super()._on_realised(roots)

    def _marked_now(self) -> tuple[int, int]:
        marks = self.context.marks
        return len(marks.hidden), len(marks.locked)
