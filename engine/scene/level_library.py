"""`LevelLibrary`: the levels of a project that other levels place.

An entry stands for one file by the path that levels write. A level is read when it is first asked
for, and again when it changes on disk; what was read before stays in use until its successor is
whole. Where there are workers they read, and `poll` takes in what they finished; whoever can't go
on without a level asks for it with `read`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from concurrent.futures import wait as wait_for
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Literal, Protocol

from engine.assets.watch.changes import FileChanges
from engine.ecs import QuerySpec, World
from engine.errors import EngineError, SceneError
from engine.reflect import Kind
from engine.scene.components import KeptRecords, Realised, SceneInstance
from engine.scene.level_blueprint import LevelBlueprint
from engine.scene.level_nesting import DEEPEST, LevelLoop, LevelNesting
from engine.scene.level_reader import ABSENT, LevelOutcome, LevelReader
from engine.scene.levels.atomic_file import Stamp
from engine.scene.registry import SceneRegistry

__all__ = [
    "DEEPEST",
    "LevelEntry",
    "LevelLibrary",
    "LevelLoop",
    "file_below",
    "placed_levels",
]

_PLACED = QuerySpec(SceneInstance, without=(Realised,))
_KEPT = QuerySpec(KeptRecords)

Outcomes = list[LevelOutcome]


class Submit(Protocol):
    """Has workers do what belongs to a file."""

    def __call__(self, path: str, work: Callable[[], Outcomes], /) -> Future[Outcomes]: ...


@dataclass(eq=False, slots=True)
class LevelEntry:
    """One level of the project that another one places.

    Attributes
    ----------
    path : str
        As levels write it, relative to the project, with "/".
    state : {"loading", "ready", "failed"}
        A ready entry that is being read again, or whose newer file is broken or gone, stays ready.
    blueprint : LevelBlueprint or None
        Set while ready.
    data : bytes
        What the file held when the blueprint was drawn.
    error : str
        Why it failed, or why the newest file could not be taken; empty otherwise.
    version : int
        Grows whenever `blueprint` becomes another object.
    """

    path: str
    state: Literal["loading", "ready", "failed"] = "loading"
    blueprint: LevelBlueprint | None = None
    data: bytes = b""
    error: str = ""
    version: int = 0
    _job: Future[Outcomes] | None = field(default=None, repr=False)
    _again: bool = field(default=False, repr=False)
    _stamp: Stamp = field(default=ABSENT, repr=False)
    _missed: bool = field(default=False, repr=False)

    @property
    def is_being_read(self) -> bool:
        """Whether it is read, for the first time or again, or was and is not taken in yet."""
        return self._job is not None


class LevelLibrary(LevelNesting):
    """The levels below one project's folder.

    Parameters
    ----------
    registry : SceneRegistry
        Its types and migrations.
    resolve : callable
        The file that a path of a level means; raises AssetError where it means none.
    home : callable, optional
        The file of the level that is open, which none of the others may place; None for none.
    submit : callable, optional
        Has workers read; by default a level is read at once by whoever asks for it.

    Attributes
    ----------
    holds_reloads : bool
        Newer versions of what is shown wait while it is set.
    """

    def __init__(
        self,
        registry: SceneRegistry,
        resolve: Callable[[str], Path],
        home: Callable[[], Path | None] = lambda: None,
        submit: Submit | None = None,
    ) -> None:
        super().__init__(resolve, home)
        self.holds_reloads = False
        self._submit = submit
        self._reader = LevelReader(registry, resolve)
        self._entries: dict[str, LevelEntry] = {}
        self._reading: dict[LevelEntry, None] = {}
        self._changed: dict[str, LevelEntry] = {}
        self._told: dict[str, int] = {}
        self._news: dict[str, bool] = {}
        self._version = 0

    def get(self, level: str) -> LevelEntry:
        """Return the entry of a level; the first request starts reading it."""
        entry = self._entries.get(level)
        if entry is None:
            entry = self._entries[level] = LevelEntry(level)
            self._start(entry)
        return entry

    def read(self, level: str) -> LevelEntry:
        """Return the entry of a level once it, and its newest file, is read."""
        entry = self.get(level)
        while entry._job is not None:
            wait_for([entry._job])
            self._take_in(entry, entry._job)
        return entry

    def entries(self) -> list[LevelEntry]:
        """Return every entry that was asked for."""
        return list(self._entries.values())

    @property
    def is_reading(self) -> bool:
        """Whether a later `poll` has something to take in, newer versions that wait aside."""
        return any(not self._is_held(entry) for entry in self._reading)

    def poll(self) -> list[LevelEntry]:
        """Take in what was read; return what changed state, blueprint or error since the last call.

        Main thread only.
        """
        for entry in list(self._reading):
            if entry._job is not None and entry._job.done() and not self._is_held(entry):
                self._take_in(entry, entry._job)
        changed = list(self._changed.values())
        for entry in changed:
            self._news[entry.path] = self._told.get(entry.path, 0) not in (0, entry.version)
            self._told[entry.path] = entry.version
        self._changed.clear()
        return changed

    def check_for_changes(self, force: bool = False) -> list[LevelEntry]:
        """Read again what changed on disk since it was read, all of it with `force`.

        Returns
        -------
        list of LevelEntry
            What is read again. A file that is gone is told of only when a second check finds it
            gone still: saving programs delete and write again.
        """
        self._files.clear()
        self._forget_home()
        stale = [e for e in self._entries.values() if force or self._is_stale(e)]
        for entry in stale:
            self._start(entry)
        return stale

    def read_again(self, level: str) -> None:
        """Take in what a level's file holds now, without a look at when it was written."""
        self._files.pop(level, None)
        if level in self._entries:
            self._start(self._entries[level])
            self.read(level)

    def files_changed(self, changes: FileChanges) -> list[LevelEntry]:
        """Read again the levels whose files are other ones now, or are gone; return them."""
        self._files.clear()
        self._forget_home()
        touched = [
            entry
            for entry in self._entries.values()
            if changes.touches(filter(None, [self._named(entry.path)]))
        ]
        for entry in touched:
            self._start(entry)
        return touched

    def _forget_home(self) -> None:
        """Let go of the open level, which none of the others may place; its saves are no news."""
        home = self.home()
        for level in [level for level in self._entries if self.file_of(level) == home]:
            self._reading.pop(self._entries.pop(level), None)
            self._changed.pop(level, None)
            self._told.pop(level, None)
            self._extents.clear()

    def take_news(self) -> dict[str, bool]:
        """Return the levels that `poll` returned since the last call.

        The values tell which of them show other contents than before.
        """
        news, self._news = self._news, {}
        return news

    def sources(self) -> set[str]:
        """Return the files of the levels."""
        return {file for entry in self._entries.values() if (file := self._named(entry.path))}

    def follow(self, moved: Mapping[str, str]) -> None:
        """Know levels by what they are called now, and read again what was rewritten meanwhile.

        Parameters
        ----------
        moved : mapping of str to str
            From the old path of every file that was moved to its new one.
        """
        for old, new in moved.items():
            if old in self._entries and new not in self._entries:
                entry = self._entries[new] = self._entries.pop(old)
                entry.path = new
                # A worker may look for it where it was.
                entry._again = entry.is_being_read
                self._extents.clear()
        self.check_for_changes()

    def blueprint(self, level: str) -> LevelBlueprint | None:
        return self.get(level).blueprint

    def placed_by(self, level: str) -> Iterable[str]:
        entry = self._entries.get(level)
        if entry is None or entry.is_being_read:
            return self._reader.levels_in(level)
        return entry.blueprint.levels if entry.blueprint is not None else ()

    def _named(self, level: str) -> str:
        """Return the file of a level, "" where its path means none."""
        try:
            return str(self._resolve(level))
        except EngineError:
            return ""

    # -- reading -----------------------------------------------------------------------------

    def _is_held(self, entry: LevelEntry) -> bool:
        return self.holds_reloads and entry.blueprint is not None

    def _start(self, entry: LevelEntry) -> None:
        """Have a level read; where that is under way it is read once more, for the newest."""
        if entry._job is not None:
            entry._again = True
            return
        known = frozenset(self._entries)
        work = partial(self._reader.read, entry.path, entry.data, entry.blueprint, known)
        if self._submit is None:
            self._take(entry, work())
        else:
            entry._job = self._submit(entry.path, work)
            self._reading[entry] = None

    def _take_in(self, entry: LevelEntry, job: Future[Outcomes]) -> None:
        """Take in what a worker read; where the file changed meanwhile, have it read again."""
        entry._job = None
        self._reading.pop(entry, None)
        again, entry._again = entry._again, False
        if not job.cancelled():
            outcomes = job.result()
            if not (again and outcomes[0].error):
                self._take(entry, outcomes)
        if again:
            self._start(entry)

    def _take(self, entry: LevelEntry, outcomes: Outcomes) -> None:
        own, *others = outcomes
        home = self.home()
        for outcome in (outcome for outcome in others if self.file_of(outcome.path) != home):
            other = self._entries.setdefault(outcome.path, LevelEntry(outcome.path))
            # One that was asked for meanwhile may be there, newer.
            if other.state == "loading":
                self._accept(other, outcome)
                if self._stamp_of(other) != outcome.stamp:
                    # While it was read nobody knew of it, and nobody told of its changes.
                    self._start(other)
        self._accept(entry, own)

    def _accept(self, entry: LevelEntry, outcome: LevelOutcome) -> None:
        before = (entry.state, entry.error, entry.version)
        entry._stamp, entry.error = outcome.stamp, outcome.error
        if outcome.blueprint is not None:
            entry.blueprint, entry.data = outcome.blueprint, outcome.data
            self._version += 1
            entry.version = self._version
            self._extents.clear()
        entry.state = "ready" if entry.blueprint is not None else "failed"
        if (entry.state, entry.error, entry.version) != before:
            self._changed[entry.path] = entry

    def _stamp_of(self, entry: LevelEntry) -> Stamp:
        try:
            return self._reader.stamp(entry.path)
        except EngineError:
            return ABSENT

    def _is_stale(self, entry: LevelEntry) -> bool:
        now = self._stamp_of(entry)
        if now != ABSENT:
            entry._missed = False
            return now != entry._stamp or bool(entry.error)
        if entry.blueprint is None:
            return False
        is_gone, entry._missed = entry._missed and not entry.error, True
        return is_gone


def placed_levels(world: World) -> list[str]:
    """Return the levels that a level places by its own entities and changes, each once."""
    found: dict[str, None] = {}
    for table in _PLACED.tables(world):
        found.update(dict.fromkeys(table.view(SceneInstance, "level")))
    for table in _KEPT.tables(world):
        for kept in table.objects(KeptRecords):
            record = kept.find(SceneInstance.scene_name())
            level = record.get("level") if record is not None else None
            if level is not None and level.kind is Kind.STRING:
                found[level.text] = None
    return [level for level in found if level]


def file_below(root: Path, path: str) -> Path:
    """Return the file that a path of a level means below a project's folder.

    Raises
    ------
    SceneError
        The path is empty, malformed or leaves the folder.
    """
    if not path:
        raise SceneError("level: the path is empty")
    root = root.resolve()
    try:
        found = (root / path).resolve()
    except (OSError, ValueError, RuntimeError) as error:
        raise SceneError(f"{path!r}: not a usable path ({error})") from error
    if not found.is_relative_to(root):
        raise SceneError(f"{path}: leaves the project folder {root}")
    return found
