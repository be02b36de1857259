"""Nodes of instances that their asset does not have at present, and clearing nodes away.

A node that the level changed, or that something of the level holds on to, outlives its place in the
asset: it is *parked* until the node is back.
"""

from __future__ import annotations

from engine.ecs import QuerySpec, World
from engine.reflect import Entity, SceneComponent
from engine.scene.components import (
    InstanceNode,
    KeptRecords,
    LocalTransform,
    Name,
    Parent,
    Realised,
)
from engine.scene.node_addresses import NodeAddresses
from engine.scene.node_paths import NodePaths, shown_name
from engine.scene.node_references import referenced_nodes


class _LinksMade(set[Entity]):
    """Nodes that got a record only because something held on to them while they were gone."""


class HeldNodes(set[Entity]):
    """Nodes that may have to come back as the same entities: their handles stay out of use."""

    @classmethod
    def of(cls, world: World) -> HeldNodes:
        """Return those of `world`."""
        return world.resource(cls, cls)


class LetGo(dict[tuple[Entity, str], Entity]):
    """Parked entities that went with the last change of their node, by instance and path.

    Their handles stay out of use: when a change of that node comes back, so does its entity.
    """

    @classmethod
    def of(cls, world: World) -> LetGo:
        """Return those of `world`."""
        return world.resource(cls, cls)


def keep_node(world: World, node: Entity, link: InstanceNode) -> None:
    """Give a node that is gone a record of its own."""
    NodeAddresses.of(world).hold(world, (node,))
    world.add(node, link)
    world.resource(_LinksMade, _LinksMade).add(node)


def take_back(world: World, node: Entity) -> None:
    """Let a node that is back be as it was before, unless it was changed meanwhile."""
    made = world.resource(_LinksMade, _LinksMade)
    if node not in made:
        return
    if not world.has(node, InstanceNode) or not is_bare(world, node):
        made.discard(node)
        return
    link = world.get(node, InstanceNode)
    # Found by its name it keeps the path that the level knows it by.
    if NodePaths.of(world).place(node) == (link.root, link.path):
        made.discard(node)
        world.remove(node, InstanceNode)


def readdress(world: World) -> None:
    """Let bare links follow the instances that their nodes are in, where those changed places."""
    addresses, query = NodeAddresses.of(world), QuerySpec(InstanceNode)
    linked = [Entity(e) for table in query.tables(world) for e in table.entities.tolist()]
    for node in linked:
        place = addresses.place(world, node) if node in addresses else None
        if place is not None and is_bare(world, node):
            link = world.get(node, InstanceNode)
            if place != (link.root, link.path):
                world.set(node, InstanceNode(*place))


def is_bare(world: World, node: Entity) -> bool:
    """Whether the link of a node says nothing but which node it is."""
    link = world.get(node, InstanceNode)
    return not (link.removed or link.removed_components or world.has(node, KeptRecords))


def parked_base(parent: Entity, path: str) -> list[SceneComponent]:
    """Return what a changed node carries while the asset does not have it.

    Parameters
    ----------
    parent : Entity
        Where it hangs meanwhile; null for nowhere.
    """
    hung: list[SceneComponent] = [Parent(parent)] if parent else []
    return [*hung, Name(shown_name(path)), LocalTransform(), Realised()]


def clear_away(world: World, nodes: list[Entity]) -> list[Entity]:
    """Remove realised nodes, parents first in `nodes`, but not what the level holds on to.

    A node that carries records stays, and so does one that something of the level refers to or
    hangs under: it gets a record of its own.

    Returns
    -------
    list of Entity
        The nodes that got a record here.
    """
    paths, held, let_go = NodePaths.of(world), HeldNodes.of(world), LetGo.of(world)
    addresses = NodeAddresses.of(world)
    alive = [node for node in nodes if world.alive(node)]
    kept = []
    for node in sorted(referenced_nodes(world, alive)):
        place = None if world.has(node, InstanceNode) else addresses.lasting(world, node)
        if place is not None:
            keep_node(world, node, InstanceNode(*place))
            kept.append(node)
    let_go.update((place, e) for e in alive if e in held and (place := paths.place(e)) is not None)
    addresses.hold(world, (node for node in alive if node in held))
    for node in reversed(alive):
        paths.unbind(node)
        if not world.has(node, InstanceNode):
            world.despawn(node, reserve=node in held)
    return kept
