"""Names for what is new: after its file, and such that no sibling has them yet.

"Crate", then "Crate 2", "Crate 3" and so on.
"""

from __future__ import annotations

import pathlib
import re
from collections.abc import Collection

from engine.ecs import QuerySpec, World
from engine.reflect import Entity
from engine.scene import Name, Parent, Realised

MOST_CALLED = 200
_NUMBERED = re.compile(r"(.*\S) (\d{1,18})", re.DOTALL)
_NAMED_CHILDREN = QuerySpec(Name, Parent, without=(Realised,))
_NAMED_ROOTS = QuerySpec(Name, without=(Parent, Realised))


def asset_title(path: str) -> str:
    """Return the name of a file without what says its kind: "barrel" for ``barrel.gltf.glb``."""
    stem = pathlib.PurePosixPath(path).stem
    return stem.removesuffix(".gltf") or stem


def sibling_names(world: World, parent: Entity) -> set[str]:
    """Return the names of the entities of the level directly under `parent` (null: the roots)."""
    names: set[str] = set()
    if not parent:
        for table in _NAMED_ROOTS.tables(world):
            names.update(table.view(Name, "text"))
    for table in _NAMED_CHILDREN.tables(world):
        rows = (table.view(Parent, "entity") == parent).nonzero()[0]
        texts = table.view(Name, "text")
        names.update(texts[row] for row in rows.tolist())
    return names


def unique_name(wanted: str, taken: Collection[str]) -> str:
    """Return `wanted`, or with the lowest number from 2 on that makes it none of `taken`."""
    return FreeNames(taken).take(wanted)


class FreeNames:
    """Gives one name after the other to new siblings; thousands of the same are no trouble."""

    def __init__(self, taken: Collection[str]) -> None:
        self._taken = set(taken)
        self._reached: dict[tuple[str, int], int] = {}

    def take(self, wanted: str) -> str:
        """Return `wanted`, or with the lowest number that makes it new, and take it."""
        name = wanted if wanted not in self._taken else self._numbered(wanted)
        self._taken.add(name)
        return name

    def _numbered(self, wanted: str) -> str:
        numbered = _NUMBERED.fullmatch(wanted)
        stem = numbered[1] if numbered else wanted
        first = int(numbered[2]) + 1 if numbered else 2
        # Names are never given back here, so what was taken once needs no second look.
        number = self._reached.get((stem, first), first)
        while f"{stem} {number}" in self._taken:
            number += 1
        self._reached[stem, first] = number
        return f"{stem} {number}"


def name_of(world: World, entity: Entity) -> str:
    """Return what to call `entity` in a sentence: its name, cut where it is endless."""
    text = full_name(world, entity)
    return text if len(text) <= MOST_CALLED else f"{text[: MOST_CALLED - 1]}…"


def full_name(world: World, entity: Entity) -> str:
    """Return the whole name of `entity`, or its number where it has none."""
    text = world.get(entity, Name).text if world.has(entity, Name) else ""
    return text or f"entity {entity.index}"


def names_of(world: World, entities: list[Entity]) -> str:
    """Return what to call `entities` in a label: the name, or how many there are."""
    if len(entities) == 1:
        return name_of(world, entities[0])
    return f"{len(entities)} entities"
