"""Copies of the open level, kept beside its journal for the day when nothing else helps.

A copy is the whole level as a file that any editor opens. It is made when nobody is doing
anything, and the oldest goes when there are too many.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import pathlib
import time

from editor.document.merging import LevelMerging
from editor.model.folders import data_folder
from engine.scene.levels.atomic_file import write_file
from engine.scene.levels.scene_file import LEVEL_SUFFIXES

MOST_COPIES = 5


class LevelCopies(LevelMerging):
    """Rotating copies of what is not saved yet."""

    _copied_at = ("", -1)

    @property
    def copies_folder(self) -> pathlib.Path:
        """Where the copies of the open level lie."""
        named = os.path.realpath(self.path) if self.path is not None else str(self.root)
        digest = hashlib.sha256(named.encode("utf-8", "surrogatepass")).hexdigest()[:8]
        return data_folder() / "autosave" / f"{self.name}-{digest}"

    def keep_copy(self) -> pathlib.Path | None:
        """Write a copy of what is not saved; to be called when the editor is idle.

        Returns
        -------
        pathlib.Path or None
            The copy; None inside a drag, and where nothing is unsaved or new since the last one.

        Raises
        ------
        SceneError
            It can't be written.
        """
        now = (self.level_id, self.step_count)
        if self.is_in_gesture or not self.dirty or now == self._copied_at:
            return None
        self._journal.sync()
        binary = self.path is not None and self.path.suffix == ".cscn"
        data = self.app.level_file.draft_bytes(binary=binary)
        stamp = time.strftime("%Y-%m-%d %H.%M.%S")
        copy = self.copies_folder / f"{self.name} {stamp}{'.cscn' if binary else '.scene'}"
        with contextlib.suppress(OSError):
            copy.parent.mkdir(parents=True, exist_ok=True)
        write_file(copy, data)
        self._copied_at = now
        _rotate(copy.parent)
        return copy


def _rotate(folder: pathlib.Path) -> None:
    with contextlib.suppress(OSError):
        copies = sorted(p for p in folder.iterdir() if p.suffix in LEVEL_SUFFIXES)
        for old in copies[:-MOST_COPIES]:
            old.unlink()
