"""`OverrideWatch`: which nodes' changes were changed since somebody last looked."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.ecs import ComponentType, QuerySpec, World
from engine.reflect import Entity
from engine.scene.components import InstanceNode, KeptRecords, Realised

RECORDS: tuple[ComponentType, ...] = (InstanceNode, KeptRecords)
_NOBODY: NDArray[np.int64] = np.zeros(0, np.int64)
QUERIES = (QuerySpec(InstanceNode), QuerySpec(KeptRecords, Realised))

Handles = NDArray[np.int64]


class OverrideWatch:
    """Follows the links and kept records of the nodes in one world."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._carriers: dict[ComponentType, Handles] = dict.fromkeys(RECORDS, _NOBODY)
        self._noted: list[int] = []
        self._places: dict[Entity, tuple[Entity, str]] = {}

    def unlinked(self) -> set[Entity]:
        """Return what carried a link or records when somebody last looked, and has no link now.

        Dead entities are among them.
        """
        known = np.unique(np.concatenate([*self._carriers.values(), self._noted_nodes()]))
        tables = QUERIES[0].tables(self._world)
        linked = np.concatenate([_NOBODY, *(table.entities for table in tables)])
        return set(map(Entity, np.setdiff1d(known, linked, assume_unique=True).tolist()))

    def note(self, node: Entity) -> None:
        """Know a node that was linked just now."""
        self._noted.append(int(node))

    def _noted_nodes(self) -> Handles:
        return np.array(self._noted, np.int64)

    def touched(self, since: int) -> list[Entity]:
        """Return the nodes whose link or records came, went or changed after tick `since`."""
        found: list[Handles] = [_NOBODY]
        if self._noted:
            known = self._carriers[InstanceNode]
            self._carriers[InstanceNode] = np.union1d(known, self._noted_nodes())
            self._noted.clear()
        for query, type_ in zip(QUERIES, RECORDS, strict=True):
            tables = query.tables(self._world)
            found += [table.entities[table.row_ticks(type_) > since] for table in tables]
            carriers = np.concatenate([_NOBODY, *(table.entities for table in tables)])
            if not np.array_equal(carriers, self._carriers[type_]):
                found.append(np.setxor1d(carriers, self._carriers[type_]))
            self._carriers[type_] = carriers
        return list(map(Entity, np.unique(np.concatenate(found)).tolist()))

    def is_elsewhere(self, node: Entity) -> bool:
        """Whether a node's link says since the last look that it is another node."""
        world = self._world
        link = world.get(node, InstanceNode) if world.has(node, InstanceNode) else None
        known = self._places.pop(node, None)
        if link is None:
            return False
        place = self._places[node] = (link.root, link.path)
        return known is not None and known != place
