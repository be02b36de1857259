"""Comparing an open level with what its file holds by now, in steps.

The base is the file as it was last read or written, ours is the level in memory, theirs the file
as it is now. All three are compared as the level would write them, so that another spelling of the
same value is no difference.

Reading and merging take seconds for a large level. They touch nothing of the open one, so a window
lets a thread do them; only `DiskLook.draft`, which reads the level, and what is done with the
answer belong to the thread of the document.
"""

from __future__ import annotations

import pathlib
from collections.abc import Collection
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from editor.commands.adopt import Adoption, plan_adoption
from editor.document.merge_names import merge_names
from engine.ecs import World
from engine.reflect import ComponentRecord, Field
from engine.scene import EntityRecord, LevelFile, SceneDoc
from engine.scene.document.compare import changed_rows
from engine.scene.document.merge import MergeResult, merge
from engine.scene.document.merge_records import Conflict

Moment = tuple[str, int]
"""Which level it is, and a count that grows with whatever happens to it."""


@dataclass
class DiskMerge:
    """What the file holds now, merged with the level; nothing is changed yet.

    Attributes
    ----------
    conflicts : list of Conflict
        What both sides changed, each in its own way.
    changes : int
        How many entities of the level the merge changes, conflicts taken as ours.
    moment : Moment
        When the level was what is merged here.
    theirs : LevelFile
        The file as it is now, opened into a world of its own.
    """

    conflicts: list[Conflict]
    changes: int
    moment: Moment
    theirs: LevelFile = field(repr=False)
    _ours: SceneDoc = field(repr=False)
    _handles: NDArray[np.int64] = field(repr=False)
    _result: MergeResult = field(repr=False)
    _theirs_doc: SceneDoc = field(repr=False)
    _adoption: Adoption = field(repr=False)
    _is_as_on_disk: bool = field(repr=False)

    def adoption(self, theirs: Collection[int]) -> tuple[Adoption, bool]:
        """Return how the level becomes the merged one, and whether that is what the file holds.

        Parameters
        ----------
        theirs : collection of int
            Places in `conflicts` where their value is taken; ours stays elsewhere.
        """
        if not theirs:
            return self._adoption, self._is_as_on_disk
        wanted = _with_theirs(self._result.doc.copy(), self.conflicts, theirs)
        plan = plan_adoption(self._ours, wanted, self._handles, self.theirs.registry)
        return plan, not _count_changes(self._theirs_doc, wanted)

    def handles_of_theirs(self, handles: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the entity of each record of the file, by those of the merged records."""
        moved = self._result.moved
        count = len(self._theirs_doc)
        places = np.array([moved.get(i, i) for i in range(count)], np.int64)
        known = np.where(places < len(handles), places, 0)
        return np.where(places < len(handles), handles[known] if len(handles) else 0, 0)


class DiskLook:
    """One comparison of a level with its file.

    `read` comes first, then `draft` and `merge`, which are done again for a level that was changed
    meanwhile.

    Parameters
    ----------
    level : LevelFile
        The open level; it has a path.
    """

    def __init__(self, level: LevelFile) -> None:
        assert level.path is not None
        self._level = level
        self._path: pathlib.Path = level.path
        self._base_bytes = level.base_bytes

    @property
    def is_current(self) -> bool:
        """Whether the level still stands on the file that it stood on at the beginning."""
        return self._level.path == self._path and self._level.base_bytes is self._base_bytes

    def read(self) -> bool:
        """Read the file, in any thread; False where nobody else wrote to it.

        Raises
        ------
        SceneError
            It can't be read or understood as it is now.
        """
        if not self._level.changed_on_disk():
            return False
        registry = self._level.registry
        self._theirs = LevelFile.open(self._path, World(), registry)
        base = LevelFile.open(self._path, World(), registry, data=self._base_bytes)
        self._theirs_doc, self._base_doc = self._theirs.draft()[0], base.draft()[0]
        return True

    def draft(self, moment: Moment) -> None:
        """Take in what the level is now, in the thread of the document."""
        self._moment = moment
        self._ours, self._handles = self._level.draft(len(self._theirs_doc))

    def merge(self) -> DiskMerge:
        """Merge the three, in any thread."""
        ours = self._ours
        sides = (self._base_doc.copy(), ours.copy(), self._theirs_doc.copy())
        renamed = merge_names(*sides)
        result = merge(*sides)
        result.conflicts[:0] = renamed
        adoption = plan_adoption(ours, result.doc, self._handles, self._level.registry)
        return DiskMerge(
            result.conflicts,
            len(adoption.changed),
            self._moment,
            self._theirs,
            ours,
            self._handles,
            result,
            self._theirs_doc,
            adoption,
            not _count_changes(self._theirs_doc, result.doc),
        )


def _count_changes(a: SceneDoc, b: SceneDoc) -> int:
    return int(np.count_nonzero(changed_rows(a.to_columns(), b.to_columns())[1]))


def _with_theirs(doc: SceneDoc, conflicts: list[Conflict], theirs: Collection[int]) -> SceneDoc:
    """Give a merged document their values where they were chosen, and return it."""
    for place in theirs:
        conflict = conflicts[place]
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
