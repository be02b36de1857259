"""`Dresser`: gives nodes of instances what their assets say, with what levels changed on top."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from engine.ecs import ComponentType, QuerySpec, World
from engine.reflect import Entity, SceneComponent
from engine.scene.components import (
    CameraComponent,
    Enabled,
    GltfMesh,
    InstanceNode,
    JointPalette,
    KeptRecords,
    LightSource,
    LocalMatrix,
    LocalTransform,
    MeshRenderer,
    Name,
    Order,
    Parent,
    Placeholder,
    Realised,
    Shape,
)
from engine.scene.level_blueprint import NodeChange, is_referring, resolved_record
from engine.scene.node_paths import shown_name
from engine.scene.overrides import (
    Values,
    dress,
    lay_over,
    overlaid,
    overridable,
    stored_records,
)

_FROM_ASSET: frozenset[ComponentType] = frozenset(
    {
        CameraComponent,
        Enabled,
        JointPalette,
        LightSource,
        LocalMatrix,
        LocalTransform,
        MeshRenderer,
        Name,
        Order,
        Parent,
        Placeholder,
        Realised,
    }
)
_LINKED = QuerySpec(InstanceNode)
_BARE: frozenset[ComponentType] = frozenset({InstanceNode, KeptRecords})


class Dresser:
    """Gives entities what their asset says, with what the level changed on top.

    Attributes
    ----------
    issues : dict of Entity to str
        The changes that could not be applied.
    """

    def __init__(self, world: World, types: Iterable[ComponentType]) -> None:
        self.issues: dict[Entity, str] = {}
        self.world = world
        self._types = overridable(types)
        self._owned = _FROM_ASSET | set(self._types.values())

    def values(self, entity: Entity, base: Iterable[SceneComponent]) -> list[SceneComponent]:
        """Return copies of what an entity with this base should carry."""
        values, _ = overlaid(self.world, entity, base, self._types)
        return [value.copy() for value in values.values()]

    def dress(self, entity: Entity, base: Iterable[SceneComponent]) -> bool:
        """Give an entity its base with its overrides; whether anything changed."""
        values, problems = overlaid(self.world, entity, base, self._types)
        self.issues.pop(entity, None)
        if problems:
            self.issues[entity] = "; ".join(problems)
        owned = self._owned
        if Shape in values or GltfMesh in values:
            # What these draw is derived from them.
            owned = owned - {MeshRenderer, JointPalette}
        return dress(self.world, entity, values, owned)

    def hang_parked(self, root: Entity, paths: Mapping[Entity, str]) -> list[Entity]:
        """Give changed nodes that nobody dressed yet what they carry while their asset lacks them.

        Parameters
        ----------
        root : Entity
            The instance.
        paths : mapping of Entity to str
            The nodes, and the path of each.

        Returns
        -------
        list of Entity
            Those that were dressed before, or have something left out: they need `dress`.
        """
        if not paths:
            return []
        world = self.world
        whole = self._undressed(paths)
        nodes = np.fromiter(whole, np.int64, len(whole))
        world.add_many(nodes, Parent, {"entity": np.full(len(nodes), root, np.int64)})
        world.add_many(nodes, Name, {"text": [shown_name(paths[node]) for node in whole]})
        world.add_many(nodes, LocalTransform)
        world.add_many(nodes, Realised)
        for node in whole:
            self._lay_records(node)
        return [node for node in paths if node not in whole]

    def _undressed(self, nodes: Mapping[Entity, str]) -> dict[Entity, None]:
        """Return the nodes that carry nothing but changes, none of which leaves anything out."""
        found: dict[Entity, None] = {}
        for table in _LINKED.tables(self.world):
            if _BARE.issuperset(table.types):
                dropped = table.view(InstanceNode, "removed_components")
                is_left_out = table.view(InstanceNode, "removed").tolist()
                rows = zip(table.entities.tolist(), is_left_out, dropped, strict=True)
                whole = (Entity(e) for e, is_removed, names in rows if not (is_removed or names))
                found.update(dict.fromkeys(node for node in whole if node in nodes))
        return found

    def _lay_records(self, node: Entity) -> None:
        """Lay the records of a node over default values."""
        values: Values = {}
        problems = lay_over(values, stored_records(self.world, node), "", False, self._types)
        self.issues.pop(node, None)
        if problems:
            self.issues[node] = "; ".join(problems)
        if values:
            self.world.add(node, *values.values())

    def lay(self, values: Values, change: NodeChange, entity_of: Mapping[int, Entity]) -> None:
        """Lay what a placed level changes on a node over its values; what fails changes nothing."""
        records = [
            resolved_record(record, entity_of) if is_referring(record) else record
            for record in change.records
        ]
        lay_over(values, records, change.removed_components, change.removed, self._types)
