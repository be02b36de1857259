"""References of steps to nodes of instances that a changed asset takes away or makes anew.

What stands in the level keeps every node that it refers to. What only a step remembers does not: so
the handles of such nodes stay out of use, and a reference that comes back leads to what the node is
by then, or has it parked, as if the reference had been in the level all the time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from editor.commands.context import EditContext
from engine.ecs import World
from engine.reflect import (
    Entity,
    Field,
    Kind,
    SceneComponent,
    component_fields,
    has_derived_codec,
    to_record,
)
from engine.scene import InstanceNode, KeptRecords, Realised
from engine.scene.hierarchy import repointed
from engine.scene.instance_nodes import is_parked, node_path
from engine.scene.node_addresses import NodeAddresses
from engine.scene.parked_nodes import HeldNodes


def of_level(values: Sequence[SceneComponent]) -> Sequence[SceneComponent]:
    """Return what the level says of an entity: of a node only what it keeps, the rest follows."""
    if any(isinstance(value, Realised) for value in values):
        return [value for value in values if isinstance(value, KeptRecords)]
    return values


def hold(world: World, values: Iterable[SceneComponent]) -> None:
    """Keep the handles of the nodes that components refer to out of use, should they go."""
    _hold(world, (target for value in values for target in _targets(value)))


def hold_fields(world: World, fields: Iterable[Field]) -> None:
    """Keep the handles of the nodes that fields refer to out of use, should they go."""
    _hold(world, _in_fields(fields))


def _hold(world: World, targets: Iterable[Entity]) -> None:
    nodes = [e for e in targets if world.alive(e) and world.has(e, Realised)]
    HeldNodes.of(world).update(nodes)
    NodeAddresses.of(world).hold(world, nodes)


def reconnected(context: EditContext, value: SceneComponent) -> SceneComponent:
    """Return `value`, an own copy, with references to nodes that went turned to what they are."""
    known, world = NodeAddresses.of(context.world), context.world
    gone = [e for e in _targets(value) if e in known and not world.alive(e)] if known else ()
    now: dict[int, Entity] = {}
    for node in gone:
        found = context.stand_in(node)
        if found:
            now[int(node)] = found
            context.changes.spawn((found,))
            if is_parked(world, found):
                context.parked[node_path(world, found)] = None
    return repointed(value, now) if now else value


def reconnect(context: EditContext, entity: Entity, values: Iterable[SceneComponent]) -> None:
    """Do the same for an entity that carries `values` again."""
    if not NodeAddresses.of(context.world):
        return
    for value in values:
        type_ = type(value)
        found = reconnected(context, value.copy())
        if found != value and context.world.has(entity, type_):
            context.put(entity, found)


def _targets(value: SceneComponent) -> Iterator[Entity]:
    if isinstance(value, InstanceNode):
        return
    if isinstance(value, KeptRecords):
        for _, record in value.records:
            yield from _in_fields(record.fields)
    elif has_derived_codec(type(value)):
        for spec in component_fields(type(value)):
            if spec.record_kind is Kind.ENTITY and (target := getattr(value, spec.name)):
                yield Entity(target)
    else:
        yield from _in_fields(to_record(value).fields)


def _in_fields(fields: Iterable[Field]) -> Iterator[Entity]:
    return (Entity(f.integer) for f in fields if f.kind is Kind.ENTITY and f.integer > 0)
