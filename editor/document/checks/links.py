"""Links between entities that lead nowhere."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from editor.commands import ClearReferences
from editor.commands.references import reference_fields, references_of
from editor.document.checks.base import EntityCheck, LevelCheck
from editor.model.change_set import ChangeSet
from editor.model.messages import Issue
from engine.ecs import QuerySpec, World
from engine.reflect import Entity
from engine.reflect.entity import INDEX_MASK
from engine.scene import KeptRecords, Name, Parent, Realised
from engine.scene.hierarchy_index import ROOT, HierarchyIndex

if TYPE_CHECKING:
    from editor.document.issues import LevelIssues

_LINKED = QuerySpec(Parent)


class ParentCheck(LevelCheck):
    """Parents that are gone, themselves or a cycle."""

    id = "parent"
    _stamp = (-1, -1)
    _found: tuple[Issue, ...] = ()

    def start_over(self) -> None:
        self._stamp = (-1, -1)

    def note(self, changes: ChangeSet) -> None:
        if any(Name in changes.components.get(issue.entity, ()) for issue in self._found):
            self._stamp = (-1, -1)

    def issues(self) -> Iterable[Issue]:
        world = self.level.world
        stamp = HierarchyIndex.of(world).version, world.version(Parent)
        if stamp != self._stamp:
            self._stamp, self._found = stamp, tuple(self._look())
        return self._found

    def _look(self) -> Iterable[Issue]:
        for entity, parent in broken_links(self.level.world):
            is_gone = not self.level.world.alive(parent)
            why = "is not in the level" if is_gone else "is part of a cycle"
            text = f"the parent of {self.level.label(entity)} {why}; it is shown at the top"
            yield Issue(entity, text, "Clear the parent", self.id)

    def fix(self, issue: Issue) -> None:
        self.level.remove_component([issue.entity], Parent)


class ReferenceCheck(EntityCheck):
    """Fields that refer to an entity that is not in the level, in unknown components too."""

    id = "reference"

    def __init__(self, level: LevelIssues) -> None:
        super().__init__(level)
        self._sources: dict[Entity, set[Entity]] = {}

    def start_over(self) -> None:
        super().start_over()
        self._sources.clear()

    def note(self, changes: ChangeSet) -> None:
        self.look_again(changes.components)
        for target in (*changes.spawned, *changes.despawned):
            self.look_again([target])
            self.look_again(self._sources.get(target, ()))

    def candidates(self) -> Iterable[Entity]:
        for table in self.level.world.tables:
            if KeptRecords in table or any(reference_fields(type_) for type_ in table.types):
                yield from map(Entity, table.entities.tolist())

    def find(self, entity: Entity) -> Issue | None:
        world = self.level.world
        if world.has(entity, Realised):
            return None
        found = list(references_of(world, entity))
        for reference in found:
            self._sources.setdefault(reference.target, set()).add(entity)
        broken = next((r for r in found if not world.alive(r.target)), None)
        if broken is None:
            return None
        where = f"{broken.component}.{broken.field} of {self.level.label(entity)}"
        text = f"{where} refers to an entity that is not in the level"
        return Issue(entity, text, "Clear the reference", self.id)

    def fix(self, issue: Issue) -> None:
        self.level.push(ClearReferences(issue.entity))


def broken_links(world: World) -> list[tuple[Entity, Entity]]:
    """Return the entities whose Parent is gone, themselves or a cycle, each with that parent.

    A link to an index that the file doesn't hold is read as null; nothing in the editor keeps a
    null link, so one is taken for what it was.
    """
    index = HierarchyIndex.of(world)
    found = []
    for table in _LINKED.tables(world):
        parents = table.view(Parent, "entity")
        effective = index.parent[table.entities & INDEX_MASK]
        for row in np.flatnonzero(effective == ROOT).tolist():
            found.append((Entity(table.entities[row]), Entity(parents[row])))
    return found
