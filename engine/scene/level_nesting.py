"""Levels inside each other: which hold themselves, and what they come to, since they multiply."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from engine.errors import EngineError, SceneError
from engine.scene.level_blueprint import LevelBlueprint

DEEPEST = 500
MOST_LEVELS = 10_000
MOST_NODES = 250_000


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


class LevelNesting(ABC):
    """What the levels of one project place, and whether that may be.

    Parameters
    ----------
    resolve : callable
        The file that a path of a level means; raises AssetError where it means none.
    home : callable
        The file of the level that is open, which none of the others may place; None for none.
    """

    def __init__(self, resolve: Callable[[str], Path], home: Callable[[], Path | None]) -> None:
        self.home = home
        self._resolve = resolve
        self._files: dict[str, Path] = {}
        self._extents: dict[str, LevelExtent] = {}

    @abstractmethod
    def blueprint(self, level: str) -> LevelBlueprint | None:
        """Return what a level becomes where it is placed, None where that is not known (yet)."""

    @abstractmethod
    def placed_by(self, level: str) -> Iterable[str]:
        """Return the levels that a level's file places now, also before all of it is read."""

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
        """Return why a level is too much to be placed: levels in levels multiply; empty if not.

        Of one that is not read yet nothing is known.
        """
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
            blueprint = None if is_over else self.blueprint(at)
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
            todo.extend((inner, True) for inner in self.placed_by(at))
        return []

    def _shown(self, file: Path) -> str:
        """Return a file as levels write it."""
        try:
            return file.relative_to(self._resolve(".")).as_posix()
        except (ValueError, EngineError):
            return file.name


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
