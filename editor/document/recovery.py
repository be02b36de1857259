"""Bringing back what a session did that ended without saving or closing its level."""

from __future__ import annotations

import contextlib
import os
import pathlib
import shutil
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from editor.commands import Edit, EditContext
from editor.commands.replay import Replay
from editor.commands.state_codec import AdoptState
from editor.document.save_mark import is_saved
from editor.document.saving import LevelSaving
from editor.document.scratch import ScratchProject
from editor.document.session_journal import SUFFIX, journal_folder
from editor.model.history import Command
from editor.model.journal import (
    Entry,
    EntryKind,
    JournalHeader,
    StoredJournal,
    is_in_use,
    read_journal,
    replay,
)
from editor.model.selection import Selection
from engine.errors import SceneError
from engine.plain_file import read_plain

_SETTLED_S = 60.0


@dataclass(frozen=True)
class RecoveryEntry:
    """Work that is in no file yet.

    Attributes
    ----------
    path : pathlib.Path
        The journal.
    name : str
        What the level was called.
    level : pathlib.Path or None
        Its file; None where it was never saved.
    changes : int
        How many steps changed the level.
    time : float
        When the last of them was made, in seconds since the epoch.
    """

    path: pathlib.Path
    name: str
    level: pathlib.Path | None
    changes: int
    time: float

    @property
    def text(self) -> str:
        """One line that says what there is."""
        verb = "was" if self.changes == 1 else "were"
        return f"{self._count} to {self.name} from {self._when} {verb} not saved"

    @property
    def summary(self) -> str:
        """How much was done and when, for a list that says elsewhere to what."""
        return f"{self._count}  ·  {self._when}"

    @property
    def _count(self) -> str:
        return "1 change" if self.changes == 1 else f"{self.changes:,} changes"

    @property
    def _when(self) -> str:
        return time.strftime("%d %B, %H:%M", time.localtime(self.time)).lstrip("0")


class LevelRecovery(LevelSaving):
    """What other sessions left behind."""

    def recoverable(self) -> list[RecoveryEntry]:
        """Return what sessions left that are no more, the latest first. Nothing is opened."""
        found = self._left_behind()
        needed = _without_done(found)
        for path in found.keys() - needed.keys():
            with contextlib.suppress(OSError):
                _remove(found[path], needed.values())
        replaced = {journal.header.replaces for journal in needed.values()}
        left = [_described(j) for path, j in needed.items() if path.name not in replaced]
        return sorted(left, key=lambda entry: entry.time, reverse=True)

    def _left_behind(self) -> dict[pathlib.Path, StoredJournal]:
        found = {}
        for path in self._journals():
            if is_in_use(path):
                continue
            try:
                found[path] = read_journal(path)
            except SceneError as error:
                self._put_aside(path, error)
        return found

    def _journals(self) -> list[pathlib.Path]:
        folder = journal_folder()
        try:
            return list(folder.glob(f"*{SUFFIX}")) if os.path.isdir(folder) else []
        except OSError as error:
            reason = error.strerror or error
            self.post("warning", f"{folder}: whether unsaved work was left can't be seen: {reason}")
            return []

    def _put_aside(self, path: pathlib.Path, error: SceneError) -> None:
        """Keep what is no journal, and say so once; one that is just being begun is left alone."""
        with contextlib.suppress(OSError):
            status = os.stat(path)
            if status.st_size and time.time() - status.st_mtime > _SETTLED_S:
                kept = path.with_suffix(".damaged")
                os.replace(path, kept)
                self.post("warning", f"{error}; it can't be recovered and is kept at {kept}")

    def recover(self, entry: RecoveryEntry, *, wait: bool = True) -> int:
        """Open the level that an entry belongs to and carry out again what was done to it.

        The steps are in the history, and the level is dirty. A step that can't be carried out
        ends it there, with a message. With `wait` the assets are there when it returns.

        Returns
        -------
        int
            How many steps came back.

        Raises
        ------
        SceneError
            The journal is in use, is damaged at its beginning, or does not fit the level's file
            any more; everything stays as it was, on disk too.
        """
        with self._reporting(entry.path):
            if is_in_use(entry.path):
                raise SceneError(f"{entry.name}: another editor has this level open")
            journal = read_journal(entry.path)
            self._finish_moves(pathlib.Path(journal.header.root))
            scratch = self._open_base(journal)
        level = pathlib.Path(journal.header.level) if journal.header.level else None
        self._replace(level, scratch, lambda: self._replay(journal))
        self._follow_finished(entry.path.name)
        if wait:
            self.settle()
        return self.history.index

    def discard(self, entry: RecoveryEntry) -> None:
        """Give up what an entry holds."""
        if is_in_use(entry.path):
            return
        with self._reporting(entry.path):
            with contextlib.suppress(SceneError):
                journal = read_journal(entry.path)
                _remove_replaced(journal)
                _remove(journal)
            entry.path.unlink(missing_ok=True)

    def _open_base(self, journal: StoredJournal) -> ScratchProject | None:
        """Open the level as it was when the journal began."""
        header = journal.header
        root = pathlib.Path(header.root)
        # The folder of a scratch project goes with it; a damaged journal may name any other.
        is_scratch = header.is_scratch and ScratchProject.owns(root)
        if is_scratch and not os.path.isdir(root):
            root.mkdir(parents=True, exist_ok=True)
        self._keep_view_state()
        if header.base:
            self.app.load(header.base, data=_base_bytes(journal))
        else:
            self.app.new(root)
        return ScratchProject(root) if is_scratch else None

    def _replay(self, journal: StoredJournal) -> None:
        history, keys = self.history, self._journal.keys
        self._select_as_it_was(journal.header)
        limit, history.limit = history.limit, 1 << 62
        try:
            count, error = replay(journal.entries, history, self._maker(), self._journal.take_save)
        finally:
            history.limit = limit
        if error is not None:
            kept = journal.path.with_suffix(".damaged")
            with contextlib.suppress(OSError):
                shutil.copyfile(journal.path, kept)
            total = len(journal.entries)
            self.post("warning", f"{count} of {total} steps came back, then: {error}", path=kept)
        else:
            _remove_replaced(journal)
        try:
            if not self._journal.go_on(journal, count):
                self.post("warning", "another editor has taken over the journal of this level")
                self._journal.go_on_elsewhere()
        except OSError as failure:
            self.post("warning", f"the journal can't be written: {failure}")
            self._journal.go_on_elsewhere()
        self._after_replay()
        assert keys is self._journal.keys

    def _select_as_it_was(self, header: JournalHeader) -> None:
        indices = [int(word) for word in header.selection.split() if word.isdecimal()]
        found = map(self.app.level_file.entity_at, indices)
        self.context.selection = Selection(entity for entity in found if entity)

    def _maker(self) -> Callable[[Entry], Command[EditContext]]:
        keys, app, registry = self._journal.keys, self.app, self.registry

        def make(entry: Entry) -> Edit:
            if entry.kind is EntryKind.STATE:
                return AdoptState(entry.payload, app.level_file, keys, registry)
            return Replay(entry.payload, keys, app.settle)

        return make


def _described(journal: StoredJournal) -> RecoveryEntry:
    header = journal.header
    try:
        changed = os.stat(journal.path).st_mtime
    except OSError:
        changed = header.started
    changes = sum(entry.affects_level for entry in journal.entries)
    level = pathlib.Path(header.level) if header.level else None
    return RecoveryEntry(journal.path, header.name or "Untitled", level, changes, changed)


def _base_bytes(journal: StoredJournal) -> bytes:
    """Return the file that a journal continues, as it was."""
    header = journal.header
    for path in (journal.path.parent / header.copy, pathlib.Path(header.base)):
        try:
            status = os.stat(path)
            is_copy = path.parent == journal.path.parent
            if status.st_size == header.size and (is_copy or status.st_mtime_ns == header.modified):
                return read_plain(path)
        except OSError:
            continue
    raise SceneError(
        f"{header.base}: was changed since, and there is no copy of what it was; "
        f"the journal stays at {journal.path}"
    )


def _without_done(found: dict[pathlib.Path, StoredJournal]) -> dict[pathlib.Path, StoredJournal]:
    """Return the journals without those that change nothing or whose work is in a file."""
    changing = {p: j for p, j in found.items() if any(e.affects_level for e in j.entries)}
    saved = {path for path, journal in changing.items() if is_saved(journal)}
    replaced = {changing[path].header.replaces for path in saved}
    return {p: j for p, j in changing.items() if p not in saved and p.name not in replaced}


def _remove_replaced(journal: StoredJournal) -> None:
    """Remove the journal of which this one holds everything, where a kill left both."""
    name = journal.header.replaces
    path = journal.path.parent / name
    if _is_file_name(name) and not is_in_use(path):
        with contextlib.suppress(SceneError, OSError):
            _remove(read_journal(path), [journal])


def _remove(journal: StoredJournal, needed: Iterable[StoredJournal] = ()) -> None:
    """Remove a journal and what goes with it, but nothing of the journals that are needed."""
    header, others = journal.header, [other.header for other in needed]
    if _is_file_name(header.copy) and header.copy not in {other.copy for other in others}:
        (journal.path.parent / header.copy).unlink(missing_ok=True)
    journal.path.unlink(missing_ok=True)
    root = pathlib.Path(header.root)
    is_free = header.root not in {other.root for other in others}
    if header.is_scratch and is_free and ScratchProject.owns(root):
        ScratchProject(root).remove()


def _is_file_name(name: str) -> bool:
    return bool(name) and pathlib.PurePath(name).name == name
