"""`ChangeSet`: what one step did to the level, named once for everyone who shows it.

Panels patch the rows that it names and nothing else, so the cost of an edit doesn't depend on the
size of the level. It says which components changed, never from what to what: that is read from
the world.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from engine.reflect import Entity, SceneComponent

ComponentType = type[SceneComponent]
_NO_COMPONENTS: Mapping[Entity, frozenset[ComponentType]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class ChangeSet:
    """What changed since the last one.

    Attributes
    ----------
    components : mapping of Entity to set of component types
        Values that were set, added or removed, on entities that are alive before and after.
    spawned, despawned : tuple of Entity
        Entities that appeared and that went, each without the other's.
    reparented : tuple of Entity
        Entities whose parent or place among their siblings changed.
    realised : tuple of Entity
        Instance roots whose nodes were made, replaced or removed.
    marks : tuple of Entity
        Entities that were hidden, shown, locked or unlocked.
    """

    components: Mapping[Entity, frozenset[ComponentType]] = field(
        default_factory=lambda: _NO_COMPONENTS
    )
    spawned: tuple[Entity, ...] = ()
    despawned: tuple[Entity, ...] = ()
    reparented: tuple[Entity, ...] = ()
    realised: tuple[Entity, ...] = ()
    marks: tuple[Entity, ...] = ()

    def __bool__(self) -> bool:
        return bool(
            self.components
            or self.spawned
            or self.despawned
            or self.reparented
            or self.realised
            or self.marks
        )


class ChangeRecorder:
    """Collects what happens between two `take`s; entities stay in the order they were noted."""

    def __init__(self) -> None:
        self._clear()

    def _clear(self) -> None:
        self._components: dict[Entity, set[ComponentType]] = {}
        self._spawned: dict[Entity, None] = {}
        self._despawned: dict[Entity, None] = {}
        self._reparented: dict[Entity, None] = {}
        self._realised: dict[Entity, None] = {}
        self._marks: dict[Entity, None] = {}

    def touch(self, entity: Entity, type_: ComponentType) -> None:
        """Note that a value was set, added or removed."""
        self._components.setdefault(entity, set()).add(type_)

    def spawn(self, entities: Iterable[Entity]) -> None:
        for entity in entities:
            if entity in self._despawned:
                del self._despawned[entity]
            else:
                self._spawned[entity] = None

    def despawn(self, entities: Iterable[Entity]) -> None:
        for entity in entities:
            self._components.pop(entity, None)
            if entity in self._spawned:
                del self._spawned[entity]
            else:
                self._despawned[entity] = None

    def reparent(self, entity: Entity) -> None:
        self._reparented[entity] = None

    def realise(self, roots: Iterable[Entity]) -> None:
        self._realised.update(dict.fromkeys(roots))

    def mark(self, entities: Iterable[Entity]) -> None:
        self._marks.update(dict.fromkeys(entities))

    def take(self) -> ChangeSet:
        """Return what was noted and start anew."""
        changes = ChangeSet(
            components=MappingProxyType(
                {
                    entity: frozenset(types)
                    for entity, types in self._components.items()
                    if entity not in self._spawned
                }
            ),
            spawned=tuple(self._spawned),
            despawned=tuple(self._despawned),
            reparented=tuple(self._reparented),
            realised=tuple(self._realised),
            marks=tuple(self._marks),
        )
        self._clear()
        return changes
