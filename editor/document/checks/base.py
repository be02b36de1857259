"""What a check of the open level is: it looks at what steps changed, never at all of it again."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar

from editor.model.change_set import ChangeSet, ComponentType
from editor.model.messages import Issue
from engine.reflect import Entity
from engine.scene import Name

if TYPE_CHECKING:
    from editor.document.issues import LevelIssues

_BETWEEN_CLOCKS = 32


class LevelCheck(ABC):
    """One kind of issue.

    Parameters
    ----------
    level : LevelIssues
        The document that is looked at.
    """

    id: ClassVar[str]

    def __init__(self, level: LevelIssues) -> None:
        self.level = level

    def note(self, changes: ChangeSet) -> None:  # noqa: B027  most need not be told
        """Take in what changed; it is looked at later."""

    def start_over(self) -> None:  # noqa: B027
        """Another level is open."""

    def look(self, until: float) -> bool:
        """Look at what changed.

        Parameters
        ----------
        until : float
            The `time.perf_counter` at which to stop.

        Returns
        -------
        bool
            Whether all of it was looked at.
        """
        return True

    @abstractmethod
    def issues(self) -> Iterable[Issue]:
        """Return what is amiss, as far as it was looked at."""

    def fix(self, issue: Issue) -> None:  # noqa: B027  not every issue offers something
        """Carry out what an issue offers, as one step."""


class EntityCheck(LevelCheck):
    """A check that looks at one entity at a time.

    Attributes
    ----------
    types : tuple of component types
        Those that decide: entities with none of them have no such issue.
    """

    types: ClassVar[tuple[ComponentType, ...]] = ()

    def __init__(self, level: LevelIssues) -> None:
        super().__init__(level)
        self._found: dict[Entity, Issue] = {}
        self._stale: dict[Entity, None] | None = None

    def start_over(self) -> None:
        self._found.clear()
        self._stale = None

    def note(self, changes: ChangeSet) -> None:
        if self._stale is None:
            return
        for entity in (*changes.spawned, *changes.despawned):
            self._stale[entity] = None
        for entity, types in changes.components.items():
            is_called_otherwise = Name in types and entity in self._found
            if is_called_otherwise or not types.isdisjoint(self.types):
                self._stale[entity] = None

    def look_again(self, entities: Iterable[Entity]) -> None:
        """Have entities looked at once more."""
        if self._stale is not None:
            self._stale.update(dict.fromkeys(entities))

    def candidates(self) -> Iterable[Entity]:
        """Return the entities that carry one of `types`."""
        for table in self.level.world.tables:
            if any(type_ in table for type_ in self.types):
                yield from map(Entity, table.entities.tolist())

    def look(self, until: float) -> bool:
        if self._stale is None:
            self._stale = dict.fromkeys(self.candidates())
        count = 0
        while self._stale:
            count += 1
            if count % _BETWEEN_CLOCKS == 0 and time.perf_counter() > until:
                return False
            entity, _ = self._stale.popitem()
            issue = self.find(entity) if self.level.world.alive(entity) else None
            if issue is None:
                self._found.pop(entity, None)
            else:
                self._found[entity] = issue
        return True

    @abstractmethod
    def find(self, entity: Entity) -> Issue | None:
        """Return what is amiss with a living entity."""

    def issues(self) -> Iterable[Issue]:
        return list(self._found.values())
