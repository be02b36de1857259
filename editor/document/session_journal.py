"""`SessionJournal`: writes every step of the open level to its journal as soon as it is made.

A journal begins with the first step that changes the level and ends when the level is saved or
closed, so that one that is left behind always means work that is in no file. It continues the
level as it was last read or written; a copy of that file is put beside it, since the file itself
may be changed by others before anybody comes back to the journal.
"""

from __future__ import annotations

import contextlib
import os
import pathlib
import socket
import threading
import time
import uuid
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import replace

from editor.commands import EditContext
from editor.commands.entity_keys import EntityKeys
from editor.commands.state_codec import encode_state
from editor.commands.step_codec import encode_step, is_storable
from editor.document.save_mark import SaveMark
from editor.model.folders import data_folder
from editor.model.history import Command, StepEvent
from editor.model.journal import (
    DEFAULT_LIMIT,
    Entry,
    EntryKind,
    JournalHeader,
    JournalWriter,
    StoredJournal,
)
from editor.model.journal_steps import JournalSteps
from engine.errors import EngineError, SceneError
from engine.reflect import Entity
from engine.scene import LevelFile

SUFFIX = ".journal"
RETRY_S = 10.0
MOST_LOOKS = 100
MOST_SELECTED = 1000


def journal_folder() -> pathlib.Path:
    """Return the folder of all journals."""
    return data_folder() / "journals"


class SessionJournal:
    """The journal of one open level.

    Parameters
    ----------
    context : EditContext
    level : LevelFile
    describe : callable
        Returns name, level, root and is_scratch of the header.
    tell : callable
        Called with what keeps the journal from being written, once.
    limit : int
        Bytes that a journal may take before it is begun anew from the level as it is.
    """

    def __init__(
        self,
        context: EditContext,
        level: LevelFile,
        describe: Callable[[], JournalHeader],
        tell: Callable[[str], None],
        limit: int = DEFAULT_LIMIT,
    ) -> None:
        self._context = context
        self._level = level
        self._describe = describe
        self._tell = tell
        self._limit = limit
        self._writer: JournalWriter | None = None
        self._copying: threading.Thread | None = None
        self._header = JournalHeader()
        self._based_on = b""
        self._synced = 0
        self._broken_since: float | None = None
        self._is_held = False
        # Selections made while there is nothing yet that could be lost.
        self._looks: deque[tuple[StepEvent, Command[EditContext]]] = deque(maxlen=MOST_LOOKS)
        self._start_anew()

    def _start_anew(self) -> None:
        self._count = self._level.index_count
        self._selected = self._context.selection
        self.keys = EntityKeys(self._index_of, self._level.entity_at, self._level.give_index)
        self.steps: JournalSteps[EditContext] = JournalSteps()

    def _index_of(self, handle: int) -> int:
        index = self._level.index_of(handle)
        return index if index < self._count else -1

    @property
    def path(self) -> pathlib.Path | None:
        """The file, where there is one."""
        return self._writer.path if self._writer is not None else None

    # -- what the history does ---------------------------------------------------------------

    def note(self, event: StepEvent, step: Command[EditContext]) -> None:
        """Write what happened to a step; it never raises."""
        if self._is_held:
            return
        if self._writer is None and self._broken_since is None:
            if not step.affects_level:
                self._looks.append((event, step))
                return
            self._attempt(self._begin)
        if self._broken_since is not None:
            if time.monotonic() - self._broken_since >= RETRY_S:
                self._attempt(self._restart)
            return
        self._attempt(lambda: self._append(event, step))

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """Write nothing of the steps inside: the journal ends, or stands on another file, then.

        Until that has happened the level comes back as it was before them, and without them.
        """
        self._is_held = True
        try:
            yield
        finally:
            self._is_held = False

    def note_save(self, target: pathlib.Path, data: bytes) -> None:
        """Write that the level's file is about to hold `data`; it never raises.

        On the disk before the file is: who finds both knows that the journal is done with.
        """
        if self._writer is not None and self._broken_since is None:
            self._attempt(lambda: self._append_save(target, data))

    def _append_save(self, target: pathlib.Path, data: bytes) -> None:
        assert self._writer is not None
        # What the file holds now is needed where it holds neither this nor that by then.
        self._join_copying()
        new = self._level.entities_behind(self._count)
        keys = tuple(self.keys.key_of(entity) if entity else 0 for entity in new)
        payload = SaveMark.of(target, data, keys).to_bytes()
        self._writer.append(Entry(EntryKind.SAVE, False, payload))
        self.sync()

    def take_save(self, payload: bytes) -> None:
        """Give entities the file indices that they got from a save of the session that is replayed.

        Raises
        ------
        SceneError
            The payload is not that of a save.
        """
        keys = SaveMark.from_bytes(payload).keys
        entities = [self.keys.entity_of(key) if key else Entity.null() for key in keys]
        self._level.number(self._count, entities)

    @property
    def file_name(self) -> str:
        """What the journal is called in its folder; empty where there is none."""
        return self._writer.path.name if self._writer is not None else ""

    def begin(self) -> None:
        """Keep the level's file as it is now, before a step changes it on disk; never raises."""
        if self._writer is None and self._broken_since is None:
            self._attempt(self._begin)

    def _attempt(self, action: Callable[[], None]) -> None:
        try:
            action()
        except (OSError, EngineError) as error:
            is_news = self._broken_since is None
            self._broken_since = time.monotonic()
            if is_news:
                self._tell(f"Changes can't be kept safe from a crash at present: {error}")
        else:
            self._broken_since = None

    def _append(self, event: StepEvent, step: Command[EditContext]) -> None:
        assert self._writer is not None
        kind = self.steps.note(event, step)
        payload = b""
        if not is_storable(step):
            self._restart()
            return
        if kind is EntryKind.STEP:
            payload = encode_step(self._context, self.keys, step, undone=event == "undone")
        self._writer.append(Entry(kind, step.affects_level, payload))
        if self._writer.size > self._limit:
            self._restart()

    # -- beginning and ending ----------------------------------------------------------------

    def _begin(self) -> None:
        selected = self._selected
        self._start_anew()
        self._selected = selected
        name = uuid.uuid4().hex
        self._header = self._full_header(name)
        self._writer = JournalWriter.create(journal_folder() / f"{name}{SUFFIX}", self._header)
        for event, step in self._looks:
            self._append(event, step)
        self._looks.clear()
        self._copy_base()

    def _copy_base(self) -> None:
        if self._header.copy:
            target, data = journal_folder() / self._header.copy, self._level.base_bytes
            self._copying = threading.Thread(target=_copy, args=(target, data), daemon=True)
            self._copying.start()

    def begin_on_new_base(self) -> None:
        """Go on from another file, whose entities have other indices; it never raises."""
        old_writer, old_copy = self._writer, self._header.copy
        self._join_copying()
        replaces = old_writer.path.name if old_writer is not None else ""
        self._writer, self._header = None, JournalHeader()
        self._start_anew()
        self._attempt(lambda: self._begin_from_state(replaces))
        self._copy_base()
        is_safe = self._broken_since is None
        if old_writer is not None:
            old_writer.close(keep=not is_safe)
        if is_safe:
            _remove_copy(old_copy)

    def _full_header(self, name: str) -> JournalHeader:
        base = self._level.path
        self._based_on = self._level.base_bytes
        modified = 0
        if base is not None and not self._level.changed_on_disk():
            with contextlib.suppress(OSError):
                modified = os.stat(base).st_mtime_ns
        return replace(
            self._describe(),
            base=str(base) if base is not None else "",
            copy=f"{name}{base.suffix}" if base is not None else "",
            size=len(self._level.base_bytes),
            modified=modified,
            pid=os.getpid(),
            host=socket.gethostname(),
            started=time.time(),
            selection=self._selection_at_start(),
        )

    def _selection_at_start(self) -> str:
        indices = map(self._index_of, self._selected[:MOST_SELECTED])
        return " ".join(str(index) for index in indices if index >= 0)

    def _restart(self) -> None:
        """Begin with the level as it is, on its file as it is by now: moved files change that."""
        if not self._header.started or self._level.base_bytes == self._based_on:
            self._begin_from_state()
            return
        self.begin_on_new_base()
        if self._broken_since is not None:
            raise SceneError("the journal can't be begun anew")

    def _begin_from_state(self, replaces: str = "") -> None:
        """Put one journal that begins with the level as it is in the place of the present one."""
        old = self._writer
        if old is None and not self._header.started:
            self._header = self._full_header(uuid.uuid4().hex)
        header = replace(self._header, replaces=old.path.name if old is not None else replaces)
        state = Entry(EntryKind.STATE, True, encode_state(self._level, self.keys, self._count))
        path = journal_folder() / f"{uuid.uuid4().hex}{SUFFIX}"
        self._writer = JournalWriter.create(path, header, [state])
        self._limit = max(self._limit, 4 * self._writer.size)
        self.steps.begin_with_state()
        if old is not None:
            old.close()

    def go_on(self, journal: StoredJournal, count: int) -> bool:
        """Write on behind the first `count` entries of a journal that were carried out here.

        False while another editor uses it; OSError where it can't be written.
        """
        writer = JournalWriter.resume(journal, count)
        if writer is None:
            # What goes with that journal is the other editor's, too.
            return False
        self._writer, self._header = writer, journal.header
        self._based_on = self._level.base_bytes
        return True

    def go_on_elsewhere(self) -> None:
        """Write on in a journal of its own that begins with the level as it is; never raises."""
        self._attempt(self._begin_from_state)
        self._copy_base()

    def sync(self) -> None:
        """Have what was written outlive a power failure, too."""
        if self._writer is not None and self._writer.size != self._synced:
            self._writer.sync()
            self._synced = self._writer.size

    def end(self) -> None:
        """The level is in its file, or was given up on purpose: the journal goes."""
        self._join_copying()
        if self._writer is not None:
            self._writer.close()
            self._writer = None
        _remove_copy(self._header.copy)
        self._header = JournalHeader()
        self._broken_since = None
        self._looks.clear()
        self._selected = self._context.selection

    def _join_copying(self) -> None:
        if self._copying is not None:
            self._copying.join()
            self._copying = None


def _remove_copy(name: str) -> None:
    if name:
        with contextlib.suppress(OSError):
            (journal_folder() / name).unlink()


def _copy(target: pathlib.Path, data: bytes) -> None:
    """Write a file whole or not at all; where that fails the level's own file has to do."""
    temporary = target.with_suffix(f"{target.suffix}.new")
    try:
        temporary.write_bytes(data)
        os.replace(temporary, target)
    except OSError:
        with contextlib.suppress(OSError):
            temporary.unlink()
