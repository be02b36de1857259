"""What stands for a node that an asset made anew, while the entity that it was is away."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from editor.commands.context import EditContext
from engine.ecs import World
from engine.reflect import Entity, SceneComponent
from engine.scene import InstanceNode, KeptRecords
from engine.scene.hierarchy import repointed
from engine.scene.instance_nodes import InstanceLinks, is_parked
from engine.scene.node_addresses import NodeAddresses
from engine.scene.node_references import referrers
from engine.scene.parked_nodes import HeldNodes


def holder_of(world: World, values: Iterable[SceneComponent]) -> Entity:
    """Return what has the record by now that is among `values`; null for nothing."""
    for value in values:
        if isinstance(value, InstanceNode):
            found = InstanceLinks.of(world).under(value.root).get(value.path)
            return found if found is not None and world.alive(found) else Entity.null()
    return Entity.null()


def take_over(context: EditContext, stand_ins: Mapping[Entity, Entity]) -> None:
    """Let entities that are back be what stood for them: references lead to them, records go."""
    world = context.world
    living = {e: now for e, now in stand_ins.items() if world.alive(e)}
    if not living:
        return
    now: dict[int, Entity] = {int(e): entity for e, entity in living.items()}
    for entity, type_ in referrers(world, living):
        context.put(entity, repointed(world.get(entity, type_), now))
    for entity in living:
        if is_parked(world, entity):
            NodeAddresses.of(world).hold(world, (entity,))
            HeldNodes.of(world).add(entity)
            context.despawn(entity)
            continue
        for type_ in (KeptRecords, InstanceNode):
            if world.has(entity, type_):
                context.drop(entity, type_)
