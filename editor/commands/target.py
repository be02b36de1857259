"""`Target`: how a change remembers what it was made to.

An entity of the level is remembered by its handle, which lives as long as the history does. A
node of an instance is remembered as (instance, path), since a changed asset makes the node anew
or takes it away; a change whose node is gone is parked: it does nothing and says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from editor.commands.context import EditContext
from editor.model.messages import Message
from engine.reflect import Entity
from engine.scene import Realised
from engine.scene.instance_nodes import find_node, node_path


@dataclass(frozen=True, slots=True)
class Target:
    """An entity of the level (`path` is None), or a node below the instance `entity`."""

    entity: Entity
    path: str | None = None

    @classmethod
    def of(cls, context: EditContext, entity: Entity) -> Target:
        """Return the lasting address of a living entity."""
        if context.world.has(entity, Realised):
            return cls(*node_path(context.world, entity))
        return cls(entity)

    @property
    def is_node(self) -> bool:
        return self.path is not None

    def resolve(self, context: EditContext) -> Entity:
        """Return the entity, or null (with a message) when the node is gone at present."""
        if self.path is None:
            return self.entity
        found = find_node(context.world, self.entity, self.path)
        if not found:
            text = f"the asset has no node {self.path!r} at present; the step is parked"
            context.post(Message("warning", text, entity=self.entity))
        return found


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
