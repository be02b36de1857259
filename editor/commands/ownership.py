"""`OwnershipChange`: entities of the level become nodes of an instance, or the other way round.

They stay the same entities: handles, references, marks and selection hold. Unpacking an instance
and making one from a selection are this, seen from either side.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from editor.commands.context import EditContext
from editor.commands.lost_references import hold, of_level, reconnect
from editor.commands.records import value_cost
from editor.commands.stand_ins import holder_of, take_over
from editor.model.change_set import ComponentType
from engine.ecs import World
from engine.reflect import Entity, SceneComponent
from engine.scene import Realised, WorldTransform
from engine.scene.instance_nodes import find_node
from engine.scene.node_addresses import Address, NodeAddresses
from engine.scene.node_paths import NodePaths
from engine.scene.parked_nodes import HeldNodes, readdress

Values = list[SceneComponent]


@dataclass(eq=False)
class Ownership:
    """One entity as it is on either side.

    Attributes
    ----------
    entity : Entity
    as_own, as_node : list of SceneComponent
        All that it carries as an entity of the level, and as a node.
    step : (Entity, str) or None
        Its parent on the way from the instance's root, and the step from there; None where it has
        none, or keeps the one that it has.
    address : (Entity, str) or None
        The lasting address that it had as a node, while it is an entity of the level.
    """

    entity: Entity
    as_own: Values
    as_node: Values
    step: tuple[Entity, str] | None = None
    address: Address | None = None


@dataclass(eq=False)
class OwnershipChange:
    """Entities change sides; `entries` are parents first.

    Attributes
    ----------
    to_level : bool
        Whether nodes become the level's own, or its own entities nodes.
    """

    entries: Sequence[Ownership]
    to_level: bool
    affects_level: bool = True

    @property
    def is_empty(self) -> bool:
        return not self.entries

    @property
    def key(self) -> None:
        return None

    @property
    def cost(self) -> int:
        values = (v for entry in self.entries for v in (*entry.as_own, *entry.as_node))
        return 200 * (1 + len(self.entries)) + sum(map(value_cost, values))

    def apply(self, context: EditContext) -> None:
        self._turn(context, self.to_level)

    def revert(self, context: EditContext) -> None:
        self._turn(context, not self.to_level)

    def joined(self, later: OwnershipChange) -> OwnershipChange:
        raise AssertionError("changes without a key are never joined")

    def _turn(self, context: EditContext, to_level: bool) -> None:
        paths, addresses = NodePaths.of(context.world), NodeAddresses.of(context.world)
        HeldNodes.of(context.world).update(entry.entity for entry in self.entries)
        for entry in self.entries:
            hold(context.world, (*of_level(entry.as_own), *of_level(entry.as_node)))
        stand_ins = self._stand_ins(context.world, to_level)
        for entry in self.entries:
            if not context.world.alive(entry.entity):
                self._bring_back(context, paths, entry)
        for entry in self.entries:
            entity = entry.entity
            if to_level and not _is_node(entry.as_own):
                # Also one that had no place in its asset, and got one meanwhile.
                paths.unbind(entity)
                entry.address = addresses.pop(entity, None)
            elif not to_level and entry.step is not None:
                paths.bind(*entry.step, entity)
            if not to_level and entry.address is not None:
                addresses[entity] = entry.address
            put_all(context, entity, entry.as_own if to_level else entry.as_node)
            context.changes.reparent(entity)
        for entry in self.entries:
            values = entry.as_own if to_level else entry.as_node
            reconnect(context, entry.entity, of_level(values))
        take_over(context, stand_ins)
        readdress(context.world)

    def _stand_ins(self, world: World, to_level: bool) -> dict[Entity, Entity]:
        """Return what stands by now for entities that were made anew, and which it stands for."""
        addresses = NodeAddresses.of(world)
        known = {entry.entity for entry in self.entries}
        found: dict[Entity, Entity] = {}
        for entry in self.entries:
            entity = entry.entity
            other = holder_of(world, entry.as_node if to_level else entry.as_own)
            if not other and not world.alive(entity):
                place = addresses.place(world, entity)
                other = find_node(world, *place) if place is not None else other
            if other and other not in known:
                found[other] = entity
        return found

    def _bring_back(self, context: EditContext, paths: NodePaths, entry: Ownership) -> None:
        """Revive a node that its asset lost meanwhile, in the place of what it has there now."""
        other = paths.step(*entry.step) if entry.step is not None else None
        if other is not None and context.world.alive(other):
            NodeAddresses.of(context.world).hold(context.world, (other,))
            paths.unbind(other)
            context.despawn(other)
        context.restore(entry.entity, ())


def _is_node(values: Values) -> bool:
    return any(isinstance(value, Realised) for value in values)


def put_all(context: EditContext, entity: Entity, values: Iterable[SceneComponent]) -> None:
    """Let an entity carry exactly `values`, but for what follows from where it stands."""
    wanted: dict[ComponentType, SceneComponent] = {type(value): value for value in values}
    for type_ in context.world.types(entity):
        if type_ not in wanted and type_ is not WorldTransform:
            context.drop(entity, type_)
    for value in wanted.values():
        context.put(entity, value.copy())
