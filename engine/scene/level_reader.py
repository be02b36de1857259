"""`LevelReader`: from the file of a placed level to its blueprint, on any thread."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path

from engine.collector import paused_collector
from engine.ecs import World
from engine.errors import EngineError
from engine.scene.blueprint_change import prepare_change
from engine.scene.components import SceneInstance
from engine.scene.document import SceneDoc, read_binary, read_text
from engine.scene.level_blueprint import LevelBlueprint, draw_level
from engine.scene.levels.atomic_file import Stamp, read_file, stamp_of
from engine.scene.levels.scene_file import is_binary, naming
from engine.scene.part_columns import columns_of
from engine.scene.registry import SceneRegistry
from engine.scene.registry.instantiate import instantiate_columns

ABSENT: Stamp = (-1, -1)
_PLACING = SceneInstance.scene_name()


@dataclass(frozen=True, slots=True)
class LevelOutcome:
    """What came of reading a level.

    Attributes
    ----------
    path : str
        As levels write it.
    stamp : Stamp
        Of the file, from before it was read.
    blueprint : LevelBlueprint or None
        None where it could not be read, or the file holds what it held.
    data : bytes
        What the blueprint was drawn from.
    error : str
        Why it could not be read; empty otherwise.
    """

    path: str
    stamp: Stamp = ABSENT
    blueprint: LevelBlueprint | None = None
    data: bytes = b""
    error: str = ""


class LevelReader:
    """Reads the levels of one project; it keeps nothing, so any thread may ask.

    Parameters
    ----------
    registry : SceneRegistry
        Its types and migrations.
    resolve : callable
        The file that a path of a level means; raises an EngineError where it means none.
    """

    def __init__(self, registry: SceneRegistry, resolve: Callable[[str], Path]) -> None:
        self._registry = registry
        self._resolve = resolve

    def read(
        self,
        level: str,
        held: bytes = b"",
        before: LevelBlueprint | None = None,
        known: Collection[str] = (),
    ) -> list[LevelOutcome]:
        """Read a level, and the levels below it that nobody has read.

        How much a level comes to shows only with all that it places, so they come together.

        Parameters
        ----------
        level : str
        held : bytes
            What its file held when it was last read; the same again is not read again.
        before : LevelBlueprint or None
            What was drawn of that; how it becomes the new one is worked out along with it.
        known : collection of str
            The levels that need not be read along.

        Returns
        -------
        list of LevelOutcome
            That of the level first.
        """
        with paused_collector():
            found = {level: self._read(level, held, before)}
            todo = _inside(found[level])
            while todo:
                inner = todo.pop()
                if inner not in found and inner not in known:
                    found[inner] = self._read(inner)
                    todo += _inside(found[inner])
        return list(found.values())

    def levels_in(self, level: str) -> list[str]:
        """Return the levels that a level's file names as placed, quickly; none if it is broken."""
        try:
            file = self._resolve(level)
            data = read_file(file)
            # Most place none; a file that does has the word, as text and as binary.
            return self._placed(file, data) if _PLACING.encode() in data else []
        except (EngineError, MemoryError):
            return []

    def stamp(self, level: str) -> Stamp:
        """Return how the file of a level looks now, `ABSENT` where there is none.

        Raises
        ------
        EngineError
            The path means no file.
        """
        return _stamp(self._resolve(level))

    def _read(
        self, level: str, held: bytes = b"", before: LevelBlueprint | None = None
    ) -> LevelOutcome:
        stamp, named = ABSENT, level
        try:
            file = self._resolve(level)
            named = str(file)
            stamp = _stamp(file)
            data = read_file(file)
            if before is not None and held == data:
                return LevelOutcome(level, stamp)
            blueprint = self._draw(file, data)
            if before is not None:
                prepare_change(before, blueprint)
            return LevelOutcome(level, stamp, blueprint, data)
        except EngineError as problem:
            text, place = str(problem), f"{named}: "
            if text.startswith(place):
                text = f"{level}: {text.removeprefix(place)}"
            return LevelOutcome(level, stamp, error=text)
        except MemoryError:
            return LevelOutcome(level, stamp, error=f"{level}: too large for the memory")

    def _draw(self, file: Path, data: bytes) -> LevelBlueprint:
        with naming(file):
            doc, world = self._document(file, data), World()
            types = {type_.scene_name(): type_ for type_ in self._registry.types}
            handles = instantiate_columns(
                world, doc.to_columns(), types, keep_unknown=True, skip_empty=True
            )
            blueprint = draw_level(world, handles)
            # Whoever shows it needs them at once.
            columns_of(blueprint)
            return blueprint

    def _document(self, file: Path, data: bytes) -> SceneDoc:
        doc = read_binary(data) if is_binary(file) else read_text(data)
        self._registry.migrate(doc)
        return doc

    def _placed(self, file: Path, data: bytes) -> list[str]:
        found: dict[str, None] = {}
        for table in self._document(file, data).to_columns().tables:
            if table.name == _PLACING:
                columns = (column for column in table.fields if column.name == "level")
                found.update((text, None) for column in columns for text in column.values.tolist())
        return [level for level in found if level and isinstance(level, str)]


def _inside(outcome: LevelOutcome) -> list[str]:
    return list(outcome.blueprint.levels) if outcome.blueprint is not None else []


def _stamp(file: Path) -> Stamp:
    try:
        return stamp_of(os.stat(file))
    except (OSError, ValueError):
        return ABSENT
