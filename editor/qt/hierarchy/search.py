"""Searching the tree: words of the name, ``t:LightSource`` for components, ``a:crate`` for assets.

All terms must match; case is ignored. ``t:`` matches the start of a component's name, so that
``t:light`` is enough.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from editor.qt.hierarchy.source import HierarchySource
from engine.reflect import Entity

__all__ = ["SearchQuery", "find_matches", "with_ancestors"]


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


def with_ancestors(source: HierarchySource, entities: Iterable[Entity]) -> set[Entity]:
    """Return the entities and everything above them, so that matches can be shown in place."""
    shown: set[Entity] = set()
    for entity in entities:
        walk = entity
        while walk and walk not in shown:
            shown.add(walk)
            walk = source.parent(walk)
    return shown
