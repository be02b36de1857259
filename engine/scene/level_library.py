"""`LevelLibrary`: the levels of a project that other levels place.

An entry stands for one file by the path that levels write. A level is read when it is first asked
for, since whether it may be placed depends on what is in it. One that changes on disk is read
again, and what was read before stays in use until its successor is whole.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from engine.assets.watch.changes import FileChanges
from engine.ecs import QuerySpec, World
from engine.errors import EngineError, SceneError
from engine.reflect import Kind
from engine.scene.components import KeptRecords, Realised, SceneInstance
from engine.scene.document import read_binary, read_text
from engine.scene.level_blueprint import LevelBlueprint, draw_level
from engine.scene.levels.atomic_file import Stamp, read_file, stamp_of
from engine.scene.levels.scene_file import is_binary, naming
from engine.scene.registry import SceneRegistry
from engine.scene.registry.instantiate import instantiate_columns

_PLACED = QuerySpec(SceneInstance, without=(Realised,))
_KEPT = QuerySpec(KeptRecords)
DEEPEST = 500
MOST_LEVELS = 10_000
MOST_NODES = 250_000

_ABSENT: Stamp = (-1, -1)


@dataclass(eq=False, slots=True)
class LevelEntry:
    """One level of the project that another one places.

    Attributes
    ----------
    path : str
        As levels write it, relative to the project, with "/".
    state : {"ready", "failed"}
        A ready entry whose newer file is broken or gone stays ready.
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
    state: Literal["ready", "failed"] = "failed"
    blueprint: LevelBlueprint | None = None
    data: bytes = b""
    error: str = ""
    version: int = 0
    _stamp: Stamp = field(default=_ABSENT, repr=False)
    _missed: bool = field(default=False, repr=False)


@dataclass(frozen=True, slots=True)
class LevelExtent:
    """What a placed level comes to, with all levels inside it: they multiply.

    Attributes
    ----------
    depth : int
        1 for a level that places none.
    levels : int
        How many are placed, itself too.
    nodes : int
        Of levels; those of props are not counted.
    """

    depth: int = 0
    levels: int = 0
    nodes: int = 0


class LevelLoop(SceneError):
    """A level holds itself, through the levels that it places."""


class LevelLibrary:
    """The levels below one project's folder.

    Parameters
    ----------
    registry : SceneRegistry
        Its types and migrations.
    resolve : callable
        The file that a path of a level means; raises AssetError where it means none.
    home : callable, optional
        The file of the level that is open, which none of the others may place; None for none.
    """

    def __init__(
        self,
        registry: SceneRegistry,
        resolve: Callable[[str], Path],
        home: Callable[[], Path | None] = lambda: None,
    ) -> None:
        self.home = home
        self._registry = registry
        self._resolve = resolve
        self._entries: dict[str, LevelEntry] = {}
        self._changed: dict[str, LevelEntry] = {}
        self._files: dict[str, Path] = {}
        self._told: dict[str, int] = {}
        self._extents: dict[str, LevelExtent] = {}
        self._news: dict[str, bool] = {}

    def get(self, level: str) -> LevelEntry:
        """Return the entry of a level; the first request reads it."""
        entry = self._entries.get(level)
        if entry is None:
            entry = self._entries[level] = LevelEntry(level)
            self._read(entry)
        return entry

    def entries(self) -> list[LevelEntry]:
        """Return every entry that was asked for."""
        return list(self._entries.values())

    def poll(self) -> list[LevelEntry]:
        """Return the entries whose state, blueprint or error changed since the last call."""
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
            What was read again. A file that is gone is told of only when a second check finds it
            gone still: saving programs delete and write again.
        """
        self._files.clear()
        self._forget_home()
        stale = [e for e in self._entries.values() if force or self._is_stale(e)]
        for entry in stale:
            self._read(entry)
        return stale

    def read_again(self, level: str) -> None:
        """Take in what a level's file holds now, without a look at when it was written."""
        self._files.pop(level, None)
        if level in self._entries:
            self._read(self._entries[level])

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
            self._read(entry)
        return touched

    def _forget_home(self) -> None:
        """Let go of the open level, which none of the others may place; its saves are no news."""
        home = self.home()
        for level in [level for level in self._entries if self.file_of(level) == home]:
            del self._entries[level]
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

    def _named(self, level: str) -> str:
        """Return the file of a level, "" where its path means none."""
        try:
            return str(self._resolve(level))
        except EngineError:
            return ""

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
                self._extents.clear()
        self.check_for_changes()

    def find_loop(
        self, levels: Iterable[str], around: Iterable[str] = (), home: Path | None = None
    ) -> str:
        """Return why levels can't be placed somewhere: one would hold itself; empty if none would.

        Parameters
        ----------
        levels : iterable of str
            What is placed.
        around : iterable of str
            The levels that the place is in, outermost first, without the open one.
        home : Path, optional
            The file of the open level, where it is not `home`.
        """
        start = home or self.home()
        trail = [*([start] if start is not None else []), *map(self.file_of, around)]
        settled: set[Path] = set()
        for level in levels:
            found = self._loop_below(level, trail, settled)
            if found:
                return self.say_loop(found)
        return ""

    def find_excess(self, level: str) -> str:
        """Return why a level is too much to be placed: levels in levels multiply; empty if not."""
        extent = self.extent(level)
        if extent.depth > DEEPEST:
            return f"{level}: levels in it are {extent.depth} deep; at most {DEEPEST} can be shown"
        if extent.levels > MOST_LEVELS:
            found = f"{level}: comes to {_shown_count(extent.levels)} levels inside each other"
            return f"{found}; at most {MOST_LEVELS:,} can be shown"
        if extent.nodes > MOST_NODES:
            found = f"{level}: comes to {_shown_count(extent.nodes)} entities with levels inside"
            return f"{found}; at most {MOST_NODES:,} can be shown"
        return ""

    def extent(self, level: str) -> LevelExtent:
        """Return what a level comes to; one inside itself counts for nothing there."""
        known, todo, home = self._extents, [level], self.home()
        entered: set[str] = set()
        while todo:
            at = todo[-1]
            is_over = at in known or self.file_of(at) == home
            blueprint = None if is_over else self.get(at).blueprint
            if blueprint is not None and at not in entered:
                entered.add(at)
                todo.extend(inner for inner in blueprint.levels if inner not in entered)
                continue
            todo.pop()
            if at not in known:
                known[at] = _extent_of(blueprint, known)
        return known[level]

    def file_of(self, level: str) -> Path:
        """Return the file of a level, links followed; a path that means none stays as it is."""
        known = self._files.get(level)
        if known is None:
            try:
                known = self._resolve(level)
            except EngineError:
                known = Path(level)
            self._files[level] = known
        return known

    def say_loop(self, files: Iterable[Path]) -> str:
        """Return the sentence that refuses a level inside itself, from the way around."""
        way = " -> ".join(self._shown(file) for file in files)
        return f"a level can't hold itself: {way}"

    def _loop_below(self, level: str, around: list[Path], settled: set[Path]) -> list[Path]:
        trail = list(around)
        todo: list[tuple[str, bool]] = [(level, True)]
        while todo:
            at, is_entering = todo.pop()
            if not is_entering:
                settled.add(trail.pop())
                continue
            file = self.file_of(at)
            if file in trail:
                return [*trail[trail.index(file) :], file]
            if file in settled:
                continue
            trail.append(file)
            todo.append((at, False))
            blueprint = self.get(at).blueprint
            if blueprint is not None:
                todo.extend((inner, True) for inner in blueprint.levels)
        return []

    def _shown(self, file: Path) -> str:
        """Return a file as levels write it."""
        try:
            return file.relative_to(self._resolve(".")).as_posix()
        except (ValueError, EngineError):
            return file.name

    def _read(self, entry: LevelEntry) -> None:
        error, named = "", entry.path
        try:
            file = self._resolve(entry.path)
            named = str(file)
            entry._stamp = _stamp(file)
            data = read_file(file)
            if entry.blueprint is None or data != entry.data:
                entry.blueprint = self._draw(file, data)
                entry.data, entry.state = data, "ready"
                entry.version += 1
                self._extents.clear()
                self._changed[entry.path] = entry
        except EngineError as problem:
            error = str(problem).replace(named, entry.path)
        if error != entry.error:
            entry.error = error
            self._changed[entry.path] = entry

    def _draw(self, file: Path, data: bytes) -> LevelBlueprint:
        with naming(file):
            doc = read_binary(data) if is_binary(file) else read_text(data)
            self._registry.migrate(doc)
            world = World()
            types = {type_.scene_name(): type_ for type_ in self._registry.types}
            handles = instantiate_columns(
                world, doc.to_columns(), types, keep_unknown=True, skip_empty=True
            )
            return draw_level(world, handles)

    def _is_stale(self, entry: LevelEntry) -> bool:
        try:
            now = _stamp(self._resolve(entry.path))
        except EngineError:
            return False
        if now != _ABSENT:
            entry._missed = False
            return now != entry._stamp or bool(entry.error)
        if entry.blueprint is None:
            return False
        is_gone, entry._missed = entry._missed and not entry.error, True
        return is_gone


def _extent_of(blueprint: LevelBlueprint | None, known: Mapping[str, LevelExtent]) -> LevelExtent:
    if blueprint is None:
        return LevelExtent(1, 1, 1)
    inside = [(known.get(level, LevelExtent()), n) for level, n in blueprint.levels.items()]
    return LevelExtent(
        1 + max((extent.depth for extent, _ in inside), default=0),
        1 + sum(extent.levels * n for extent, n in inside),
        len(blueprint.parts) + sum(extent.nodes * n for extent, n in inside),
    )


def _shown_count(count: int) -> str:
    return f"{count:,}" if count < 10**12 else f"over {10**12:,}"


def _stamp(file: Path) -> Stamp:
    try:
        return stamp_of(os.stat(file))
    except (OSError, ValueError):
        return _ABSENT


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
