"""Taking in what somebody else wrote to the open level's file: a merge, one undoable step.

The base is the file as it was last read or written, ours is the level in memory, theirs the file
as it is now. All three are compared as the level would write them, so that another spelling of the
same value is no difference. Selection and history stay.
"""

from __future__ import annotations

import pathlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from editor.commands.adopt import AdoptDocument
from editor.document.merge_names import merge_names
from editor.document.recovery import LevelRecovery
from engine.ecs import World
from engine.errors import SceneError
from engine.reflect import ComponentRecord, Field
from engine.scene import EntityRecord, LevelFile, SceneDoc
from engine.scene.document.compare import changed_rows
from engine.scene.document.merge import MergeResult, merge
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


@dataclass
class DiskMerge:
    """What the file holds now, merged with the level; nothing is changed yet.

    Attributes
    ----------
    conflicts : list of Conflict
        What both sides changed, each in its own way.
    changes : int
        How many entities of the level the merge changes, conflicts taken as ours.
    """

    conflicts: list[Conflict]
    changes: int
    _ours: SceneDoc = field(repr=False)
    _handles: NDArray[np.int64] = field(repr=False)
    _result: MergeResult = field(repr=False)
    _theirs: LevelFile = field(repr=False)
    _theirs_doc: SceneDoc = field(repr=False)


class LevelMerging(LevelRecovery):
    """Follows the level's file when somebody else writes it."""

    def look_at_disk(self) -> DiskMerge | None:
        """Compare the level with its file; None where nobody else wrote to that.

        Raises
        ------
        SceneError
            The file can't be read or understood as it is now.
        """
        if self.path is None or not self.changed_on_disk:
            return None
        level = self.app.level_file
        theirs = LevelFile.open(self.path, World(), self.registry)
        base = LevelFile.open(self.path, World(), self.registry, data=level.base_bytes)
        theirs_doc, _ = theirs.draft()
        ours, handles = level.draft(len(theirs_doc))
        sides = (base.draft()[0], ours.copy(), theirs_doc.copy())
        renamed = merge_names(*sides)
        result = merge(*sides)
        result.conflicts[:0] = renamed
        changes = _count_changes(ours, result.doc)
        return DiskMerge(result.conflicts, changes, ours, handles, result, theirs, theirs_doc)

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
        """
        with self._reporting(self.path):
            self._commit_gestures()
            wanted = _with_theirs(found, theirs)
            name = self.path.name if self.path is not None else self.name
            command = AdoptDocument(f"Merge {name}", found._ours, found._handles, wanted)
            self.push(command)
        handles = command.handles
        moved = found._result.moved
        count = len(found._theirs_doc)
        places = np.array([moved.get(i, i) for i in range(count)], np.int64)
        known = np.where(places < len(handles), places, 0)
        stood = np.where(places < len(handles), handles[known] if len(handles) else 0, 0)
        self.app.level_file.rebase(found._theirs, stood)
        if _count_changes(found._theirs_doc, wanted):
            self.history.forget_saved()
            self._journal.begin_on_new_base()
        else:
            self._journal.end()
            self.history.mark_saved()
        if wait:
            self.settle()

    def merge_disk(self, *, wait: bool = True) -> DiskMerge | None:
        """Take in what somebody else wrote where nothing contradicts; return what was found.

        Where there are conflicts nothing is changed: choose, and call `take_in`. Inside a gesture
        nothing is looked at.
        """
        if self.history.open_gestures:
            return None
        found = self.look_at_disk()
        if found is not None and not found.conflicts:
            self.take_in(found, wait=wait)
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

    def _commit_gestures(self) -> None:
        if self.history.open_gestures:
            self.history.open_gestures[0].commit()


def _count_changes(a: SceneDoc, b: SceneDoc) -> int:
    return int(np.count_nonzero(changed_rows(a.to_columns(), b.to_columns())[1]))


def _with_theirs(found: DiskMerge, theirs: Collection[int]) -> SceneDoc:
    """Return the merged document with their values where they were chosen."""
    doc = found._result.doc
    for place in theirs:
        conflict = found.conflicts[place]
        missing = conflict.entity + 1 - len(doc)
        doc.entities.extend(EntityRecord() for _ in range(max(0, missing)))
        _settle(doc.entities[conflict.entity], conflict)
    return doc


def _settle(record: EntityRecord, conflict: Conflict) -> None:
    """Let a record hold what theirs has."""
    value = conflict.theirs
    if not conflict.component:
        whole = value if isinstance(value, tuple) else ()
        record.components = [component.copy() for component in whole]
        return
    place = record.find(conflict.component)
    if not conflict.field:
        kept = [c for c in record.components if c.name != conflict.component]
        if isinstance(value, ComponentRecord):
            kept.insert(place if place >= 0 else len(kept), value.copy())
        record.components = kept
        return
    if place < 0:
        return
    component = record.components[place]
    at = component.find(conflict.field)
    if at >= 0:
        del component.fields[at]
    if isinstance(value, Field):
        component.fields.insert(at if at >= 0 else len(component.fields), value.copy())
