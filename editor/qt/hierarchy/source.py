"""What the tree model reads, as a protocol; the panel gives it the open level."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from engine.reflect import Entity

__all__ = ["HierarchySource", "RowLook"]


@dataclass(frozen=True)
class RowLook:
    """How one row looks, apart from its name.

    Attributes
    ----------
    glyph, role
        Icon and the token that colours it.
    hidden, locked, dimmed
        The artist's marks; a dimmed row is inside something hidden or disabled.
    overridden
        The entity is a node of an instance with changes of its own.
    changes
        How much the level changes on the instance that the entity is the root of.
    issue
        What is wrong with it, empty if nothing.
    """

    glyph: str
    role: str = "quiet"
    hidden: bool = False
    locked: bool = False
    dimmed: bool = False
    overridden: bool = False
    changes: int = 0
    issue: str = ""


class HierarchySource(Protocol):
    """Reads of a level; `Entity.null()` stands for the level itself."""

    def children(self, entity: Entity) -> Sequence[Entity]:
        """Return the ordered children, or the roots."""

    def parent(self, entity: Entity) -> Entity:
        """Return the parent, or the null entity of a root."""

    def label(self, entity: Entity) -> str:
        """Return the name shown."""

    def full_name(self, entity: Entity) -> str:
        """Return the whole name, to be edited."""

    def look(self, entity: Entity) -> RowLook:
        """Return icon and marks."""

    def can_rename(self, entity: Entity) -> bool:
        """Whether the name can be edited."""

    def search_facts(self) -> Iterable[tuple[Entity, str, frozenset[str], str]]:
        """Yield entity, name, component names and asset path of all entities."""
