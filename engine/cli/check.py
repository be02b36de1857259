"""Open levels as the editor would, and print what is wrong with them.

Status 0: nothing. 1: a level opens but has problems. 2: a level does not open. Components that
this program does not know are kept, and are no problem.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import sys
from collections.abc import Iterator

import numpy as np

from engine.cli.documents import read_source
from engine.cli.words import name_of
from engine.ecs import World
from engine.errors import EngineError
from engine.project import project_root
from engine.reflect import Kind
from engine.scene.document import SceneDoc
from engine.scene.document.columns import Columns
from engine.scene.document.identity import label_of
from engine.scene.level_library import LevelLibrary, file_below, placed_levels
from engine.scene.levels import level_registry
from engine.scene.levels.scene_file import Scene, naming

HELP = "open levels and print what is wrong with them"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say which arguments the command takes."""
    parser.add_argument("files", metavar="FILE", nargs="+")


def run(arguments: argparse.Namespace) -> int:
    """Check the files one after the other; return the worst status."""
    worst = 0
    for path in arguments.files:
        try:
            problems = list(check_level(path))
        except EngineError as error:
            print(error, file=sys.stderr)
            worst = 2
            continue
        for problem in problems:
            print(f"{path}: {problem}")
        if not problems:
            print(f"{path}: ok")
        worst = max(worst, 1 if problems else 0)
    return worst


def check_level(path: str) -> Iterator[str]:
    """Yield the problems of one level.

    Raises
    ------
    SceneError
        It does not open.
    """
    doc = read_source(path).doc
    registry, world = level_registry(), World()
    with naming(path):
        registry.migrate(doc)
        registry.instantiate(world, doc)
    columns = doc.to_columns()
    yield from _unresolved(columns)
    yield from _cycles(doc, columns)
    root = project_root(path)
    assets = Scene("", doc).assets
    for asset in (*assets.meshes, *assets.textures, *assets.materials):
        if not _is_there(root / asset):
            yield f"asset {asset} is missing"
    yield from _placed_levels(path, root, world)


def _placed_levels(path: str, root: pathlib.Path, world: World) -> Iterator[str]:
    """Yield what is wrong with the levels that a level places, and with those inside them."""
    levels = LevelLibrary(level_registry(), lambda level: file_below(root, level))
    todo, seen = placed_levels(world), set[str]()
    loop = levels.find_loop(todo, home=pathlib.Path(path).resolve())
    if loop:
        yield loop
    yield from filter(None, map(levels.find_excess, todo))
    while todo:
        level = todo.pop(0)
        if level not in seen:
            seen.add(level)
            entry = levels.get(level)
            if entry.blueprint is None:
                yield f"level {level}: {entry.error}"
            else:
                todo.extend(entry.blueprint.levels)


def _is_there(path: pathlib.Path) -> bool:
    try:
        return os.path.isfile(path)
    except (OSError, ValueError):
        # No file can be called that.
        return False


def _unresolved(columns: Columns) -> Iterator[str]:
    is_used = np.bincount(columns.owners(), minlength=columns.entity_count) > 0
    for table in columns.tables:
        for field in table.fields:
            if field.kind is not Kind.ENTITY:
                continue
            for row in np.flatnonzero(field.values >= 0).tolist():
                target = int(field.values[row])
                if target >= columns.entity_count or not is_used[target]:
                    who = _who(columns, int(table.owner[row]))
                    yield f"{who}: {table.name}.{field.name} refers to #{target}, which is empty"


def _cycles(doc: SceneDoc, columns: Columns) -> Iterator[str]:
    parent_of = {pair.child: pair.parent for pair in Scene("", doc).hierarchy}
    is_settled: set[int] = set()
    for start in parent_of:
        path: dict[int, None] = {}
        at: int | None = start
        while at is not None and at not in is_settled and at not in path:
            path[at] = None
            at = parent_of.get(at)
        if at is not None and at in path:
            yield f"{_who(columns, at)}: is its own ancestor"
        is_settled.update(path)


def _who(columns: Columns, index: int) -> str:
    return name_of(index, label_of(columns.records_of(index)))
