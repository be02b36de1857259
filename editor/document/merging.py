"""Taking in what somebody else wrote to the open level's file: a merge, one undoable step.

Selection and history stay.
"""

from __future__ import annotations

import pathlib
from collections.abc import Collection, Sequence

from editor.commands.adopt import AdoptDocument
from editor.document.disk_merge import DiskLook, DiskMerge
from editor.document.recovery import LevelRecovery
from engine.errors import SceneError
from engine.scene.document.merge_records import Conflict

__all__ = ["Conflict", "DiskMerge", "LevelMerging", "MergeConflicts"]


class MergeConflicts(SceneError):
    """A save found changes by somebody else that contradict those in memory.

    Attributes
    ----------
    conflicts : sequence of Conflict
    """

    def __init__(self, path: pathlib.Path, conflicts: Sequence[Conflict]) -> None:
        first = conflicts[0]
        where = ".".join(part for part in (first.component, first.field) if part)
        named = f"{first.label or f'entity {first.entity}'}{f' ({where})' if where else ''}"
        others = f" and {len(conflicts) - 1} more" if len(conflicts) > 1 else ""
        super().__init__(
            f"{path}: changed on disk since it was read, and both sides changed {named}{others}"
        )
        self.conflicts = tuple(conflicts)


class LevelMerging(LevelRecovery):
    """Follows the level's file when somebody else writes it."""

    def begin_look(self) -> DiskLook | None:
        """Return a comparison of the level with its file, to be made; None where nothing is due.

        Only whether the file was touched is looked at here. Inside a gesture nothing is due.
        """
        level = self.app.level_file
        if self.path is None or self.is_in_gesture or not level.is_touched_on_disk():
            return None
        return DiskLook(level)

    def look_at_disk(self) -> DiskMerge | None:
        """Compare the level with its file; None where nobody else wrote to that.

        Raises
        ------
        SceneError
            The file can't be read or understood as it is now.
        """
        if self.path is None:
            return None
        look = DiskLook(self.app.level_file)
        if not look.read():
            return None
        look.draft(self.moment)
        return look.merge()

    def take_in(self, found: DiskMerge, theirs: Collection[int] = (), *, wait: bool = True) -> None:
        """Merge what the file holds into the level, as one step.

        Parameters
        ----------
        found : DiskMerge
            What `look_at_disk` returned, with no change since.
        theirs : collection of int
            Places in `found.conflicts` where their value is taken; ours stays elsewhere.
        wait : bool
            Return when new assets are there.

        Raises
        ------
        SceneError
            The level was changed since it was compared; nothing happened.
        """
        with self._reporting(self.path):
            if found.moment != self.moment:
                raise SceneError(f"{self.name}: was changed since it was compared with its file")
            self.finish_gestures()
            name = self.path.name if self.path is not None else self.name
            adoption, is_as_on_disk = found.adoption(theirs)
            command = AdoptDocument(f"Merge {name}", adoption)
            with self._journal.held():
                self.push(command, wait=wait)
                handles = found.handles_of_theirs(command.handles)
                self.app.level_file.rebase(found.theirs, handles)
                self._end_on_new_base(is_as_on_disk)
        if wait:
            self.settle()

    def _end_on_new_base(self, is_as_on_disk: bool) -> None:
        if is_as_on_disk:
            self._keep_view_state()
            self._journal.end()
            self.history.mark_saved()
        else:
            self._journal.begin_on_new_base()
            self.history.forget_saved()

    def merge_disk(self) -> DiskMerge | None:
        """Take in what somebody else wrote where nothing contradicts; return what was found.

        Where there are conflicts nothing is changed: choose, and call `take_in`. Inside a gesture
        nothing is looked at.
        """
        if self.is_in_gesture:
            return None
        found = self.look_at_disk()
        if found is not None and not found.conflicts:
            self.take_in(found)
        return found

    def _merge_before_save(self) -> None:
        found = self.look_at_disk()
        if found is None:
            return
        if found.conflicts and self.path is not None:
            raise MergeConflicts(self.path, found.conflicts)
        self.take_in(found)
        if found.changes and self.path is not None:
            text = f"{self.path.name} was changed by somebody else; their changes were merged"
            self.post("info", text, path=self.path)
