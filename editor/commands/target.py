"""`Target`: how a change remembers what it was made to.

An entity of the level is remembered by its handle, which lives as long as the history does. A
node of an instance is remembered as (instance, path), since a changed asset makes the node anew
or takes it away. A change whose node is gone is parked: its record is kept, or taken back, as the
level keeps every override whose node is gone, and it shows when the node is back.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from editor.commands.context import EditContext
from engine.ecs import World
from engine.reflect import Entity
from engine.scene import InstanceNode, Realised
from engine.scene.instance_nodes import find_node, is_parked, node_path
from engine.scene.parked_nodes import LetGo

_NONE = Entity.null()


@dataclass(frozen=True, slots=True)
class Target:
    """An entity of the level (`path` is None), or a node below the instance `entity`.

    Attributes
    ----------
    node : Entity
        What the node was when it was addressed: of two records for one path it tells which.
    """

    entity: Entity
    path: str | None = None
    node: Entity = field(default=_NONE, compare=False)

    @classmethod
    def of(cls, context: EditContext, entity: Entity) -> Target:
        """Return the lasting address of a living entity."""
        if context.world.has(entity, Realised):
            return cls(*node_path(context.world, entity), entity)
        return cls(entity)

    @property
    def is_node(self) -> bool:
        return self.path is not None

    def resolve(self, context: EditContext) -> Entity:
        """Return the entity, or null; a node that is gone at present is noted for the artist."""
        if self.path is None:
            return self.entity
        found = self._find(context.world, self.path)
        if not found or is_parked(context.world, found):
            context.parked[self.entity, self.path] = None
        return found

    def _find(self, world: World, path: str) -> Entity:
        found = find_node(world, self.entity, path)
        if not self.node or found == self.node or not found:
            return found
        if not world.alive(self.node) and LetGo.of(world).get((self.entity, path)) == self.node:
            # It went with its last change, and comes back with it.
            return Entity.null()
        if not world.has(found, InstanceNode):
            return found
        if world.alive(self.node):
            has_link = world.has(self.node, InstanceNode)
            link = world.get(self.node, InstanceNode) if has_link else None
            is_meant = link is not None and (link.root, link.path) == (self.entity, path)
            return self.node if is_meant else found
        return found

    def resolve_or_park(self, context: EditContext) -> Entity:
        """Return the entity; what keeps the records of a node that is gone is made anew.

        Null where the instance is gone, too.
        """
        found = self.resolve(context)
        if found or self.path is None or not context.world.alive(self.entity):
            return found
        made = context.park(self.entity, self.path)
        if made:
            context.changes.spawn((made,))
        return made


Nodes = Mapping[Entity, Target]
"""The lasting addresses of those of some entities that are nodes of an instance."""


def node_addresses(context: EditContext, entities: Iterable[Entity]) -> Nodes:
    """Return the addresses of the living nodes among `entities`."""
    world = context.world
    return {e: Target.of(context, e) for e in entities if world.has(e, Realised)}


def present(context: EditContext, entities: Iterable[Entity], nodes: Nodes) -> list[Entity]:
    """Return `entities`, a node that was made anew as the entity that it is by now."""
    return [_as_it_is(context, entity, nodes.get(entity)) for entity in entities]


def _as_it_is(context: EditContext, entity: Entity, address: Target | None) -> Entity:
    world = context.world
    if address is None or address.path is None or world.alive(entity):
        return entity
    if not world.alive(address.entity):
        return entity
    return find_node(world, address.entity, address.path) or entity
