"""`OverrideWatch`: which nodes' changes were changed since somebody last looked."""

from __future__ import annotations

from engine.ecs import ComponentType, QuerySpec, World
from engine.reflect import Entity
from engine.scene.components import InstanceNode, KeptRecords, Realised

RECORDS: tuple[ComponentType, ...] = (InstanceNode, KeptRecords)
_QUERIES = (QuerySpec(InstanceNode), QuerySpec(KeptRecords, Realised))


class OverrideWatch:
    """Follows the links and kept records of the nodes in one world."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._carriers: dict[ComponentType, set[Entity]] = {type_: set() for type_ in RECORDS}
        self._places: dict[Entity, tuple[Entity, str]] = {}

    def linked(self) -> set[Entity]:
        """Return what carried a link or records when somebody last looked, dead ones included."""
        return set().union(*self._carriers.values())

    def note(self, node: Entity) -> None:
        """Know a node that was linked just now."""
        self._carriers[InstanceNode].add(node)

    def touched(self, since: int) -> set[Entity]:
        """Return the nodes whose link or records came, went or changed after tick `since`."""
        found: set[Entity] = set()
        for query, type_ in zip(_QUERIES, RECORDS, strict=True):
            carriers: set[Entity] = set()
            for table in query.tables(self._world):
                entities = [Entity(e) for e in table.entities.tolist()]
                carriers.update(entities)
                ticks = table.row_ticks(type_).tolist()
                found.update(e for e, t in zip(entities, ticks, strict=True) if t > since)
            found |= self._carriers[type_] ^ carriers
            self._carriers[type_] = carriers
        return found

    def is_elsewhere(self, node: Entity) -> bool:
        """Whether a node's link says since the last look that it is another node."""
        world = self._world
        link = world.get(node, InstanceNode) if world.has(node, InstanceNode) else None
        known = self._places.pop(node, None)
        if link is None:
            return False
        place = self._places[node] = (link.root, link.path)
        return known is not None and known != place
