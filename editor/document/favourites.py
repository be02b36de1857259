"""The files of a project that the user marked: the user's own state, not the project's."""

from __future__ import annotations

import pathlib
from collections.abc import Mapping

from editor.model.user_state import load_state, store_state


class Favourites:
    """What is marked in the project that is open, in the order in which it was."""

    def __init__(self) -> None:
        self._root: pathlib.Path | None = None
        self._marked: dict[str, None] = {}

    def of(self, root: pathlib.Path) -> frozenset[str]:
        """Return what is marked in a project, relative to it."""
        return frozenset(self._load(root))

    def mark(self, root: pathlib.Path, path: str, on: bool, *, keep: bool) -> None:
        """Mark a file, or not; with `keep` also for the next session."""
        marked = self._load(root)
        if on:
            marked[path] = None
        else:
            marked.pop(path, None)
        self._store(keep)

    def follow(self, root: pathlib.Path, moved: Mapping[str, str], *, keep: bool) -> None:
        """Mark moved files by what they are called now."""
        marked = self._load(root)
        if not marked.keys().isdisjoint(moved):
            self._marked = {moved.get(path, path): None for path in marked}
            self._store(keep)

    def _load(self, root: pathlib.Path) -> dict[str, None]:
        if root != self._root:
            stored = load_state(root)[0].get("favourites")
            listed = stored if isinstance(stored, list) else []
            self._root = root
            self._marked = dict.fromkeys(path for path in listed if isinstance(path, str))
        return self._marked

    def _store(self, keep: bool) -> None:
        if keep and self._root is not None:
            store_state(self._root, {"favourites": list(self._marked)})
