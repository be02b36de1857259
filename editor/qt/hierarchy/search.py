"""Searching the tree: words of the name, ``t:LightSource`` for components, ``a:crate`` for assets.

All terms must match; case is ignored. ``t:`` matches the start of a component's name, so that
``t:light`` is enough.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Final

from editor.qt.hierarchy.source import HierarchySource
from engine.reflect import Entity

__all__ = ["DEEPEST", "SearchQuery", "find_matches", "with_ancestors"]

DEEPEST: Final = 32
"""How many levels of rows a tree shows below each other."""


@dataclass(frozen=True)
class SearchQuery:
    """A parsed search."""

    words: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    assets: tuple[str, ...] = ()

    @staticmethod
    def parse(text: str) -> "SearchQuery":
        """Read the text of the search field; a prefix without a term matches everything."""
        groups: dict[str, list[str]] = {"": [], "t:": [], "a:": []}
        for term in text.lower().split():
            prefix = term[:2] if term[:2] in {"t:", "a:"} else ""
            if term[len(prefix) :]:
                groups[prefix].append(term[len(prefix) :])
        return SearchQuery(tuple(groups[""]), tuple(groups["t:"]), tuple(groups["a:"]))

    def __bool__(self) -> bool:
        return bool(self.words or self.types or self.assets)

    def matches(self, label: str, types: Collection[str], asset: str) -> bool:
        """Whether an entity fits."""
        name, path = label.lower(), asset.lower()
        return (
            all(word in name for word in self.words)
            and all(any(t.lower().startswith(want) for t in types) for want in self.types)
            and all(word in path for word in self.assets)
        )


def find_matches(source: HierarchySource, query: SearchQuery) -> list[Entity]:
    """Return the entities that fit, in no particular order."""
    return [
        entity
        for entity, label, types, asset in source.search_facts()
        if query.matches(label, types, asset)
    ]


def with_ancestors(
    source: HierarchySource, entities: Iterable[Entity]
) -> tuple[set[Entity], list[Entity]]:
    """Return what shows matches in place: themselves and what is above them, as far as it is shown.

    Returns
    -------
    shown : set of Entity
    tops : list of Entity
        Those of `shown` that are not topmost in the level but have nothing above them here.
    """
    shown: set[Entity] = set()
    ends: list[tuple[Entity, Entity]] = []
    for entity in entities:
        walk = entity
        for _ in range(DEEPEST):
            if not walk or walk in shown:
                break
            shown.add(walk)
            last, walk = walk, source.parent(walk)
        else:
            ends.append((last, walk))
    return shown, [last for last, above in ends if above and above not in shown]
