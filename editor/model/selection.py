"""`Selection`: the chosen entities, in the order in which they were chosen; the last is active."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import overload

from engine.reflect import Entity


class Selection(Sequence[Entity]):
    """An immutable, ordered set of entities.

    Compares equal to another selection, a tuple or a list of the same entities in that order.
    """

    __slots__ = ("_entities", "_members")

    def __init__(self, entities: Iterable[Entity] = ()) -> None:
        self._entities = tuple(dict.fromkeys(Entity(entity) for entity in entities))
        self._members = frozenset(self._entities)

    @property
    def active(self) -> Entity | None:
        """The entity chosen last: the inspector's main one, and the pivot "active"."""
        return self._entities[-1] if self._entities else None

    def without(self, entities: Iterable[Entity]) -> Selection:
        """Return the selection with `entities` left out."""
        dropped = set(entities)
        return Selection(e for e in self._entities if e not in dropped)

    def __contains__(self, entity: object) -> bool:
        return entity in self._members

    @overload
    def __getitem__(self, index: int) -> Entity: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Entity, ...]: ...
    def __getitem__(self, index: int | slice) -> Entity | tuple[Entity, ...]:
        return self._entities[index]

    def __iter__(self) -> Iterator[Entity]:
        return iter(self._entities)

    def __len__(self) -> int:
        return len(self._entities)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, (Selection, tuple, list)):
            return self._entities == tuple(other)
        return NotImplemented

    def __hash__(self) -> int:
        return hash(self._entities)

    def __repr__(self) -> str:
        return f"Selection({list(self._entities)!r})"
