"""`Archetypes`: the one table of each set of component types."""

from __future__ import annotations

from collections.abc import Iterable

from engine.ecs.clock import Clock
from engine.ecs.table import ComponentType, Table
from engine.errors import ComponentError
from engine.reflect import SceneComponent


class Archetypes:
    """Tables by the types that their rows carry; they are made at first use and stay.

    Attributes
    ----------
    tables : list of Table
        In the order in which they appeared; a table's id is its place.
    """

    def __init__(self, clock: Clock) -> None:
        self.tables: list[Table] = []
        self._clock = clock
        self._by_types: dict[frozenset[ComponentType], Table] = {}
        self._by_order: dict[tuple[ComponentType, ...], Table] = {}

    def table_for(self, types: tuple[ComponentType, ...]) -> Table:
        """Return the table of an archetype, whatever the order of its types.

        Raises
        ------
        ComponentError
            A type given twice, or something that is no component type.
        """
        table = self._by_order.get(types)
        if table is None:
            table = self._by_order[types] = self._find_or_make(types)
        return table

    def _find_or_make(self, types: tuple[ComponentType, ...]) -> Table:
        key = frozenset(types)
        if len(key) != len(types):
            twice = next(t for t in types if types.count(t) > 1)
            raise ComponentError(f"component {twice.scene_name()} given twice")
        for type_ in types:
            if not (isinstance(type_, type) and issubclass(type_, SceneComponent)):
                raise ComponentError(f"{type_!r} is not a component")
        table = self._by_types.get(key)
        if table is None:
            table = self._by_types[key] = Table(len(self.tables), types, self._clock)
            self.tables.append(table)
        return table


def types_of(components: Iterable[SceneComponent]) -> tuple[ComponentType, ...]:
    """Return the types of values, in their order."""
    return tuple(map(type, components))
