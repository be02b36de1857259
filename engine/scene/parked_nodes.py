"""Nodes of instances that their asset does not have at present, and clearing nodes away.

A node that the level changed, or that something of the level holds on to, outlives its place in the
asset: it is *parked* until the node is back.
"""

from __future__ import annotations

from engine.ecs import World
from engine.reflect import Entity, SceneComponent
from engine.scene.components import (
    InstanceNode,
    KeptRecords,
    LocalTransform,
    Name,
    Parent,
    Realised,
)
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


class LostNodes(dict[Entity, list[tuple[Entity, str]]]):
    """Where held nodes stood when they went: all that was above them, and the path from each.

    Whoever brings a reference to one back asks here what stands there by now.
    """

    @classmethod
    def of(cls, world: World) -> LostNodes:
        """Return those of `world`."""
        return world.resource(cls, cls)

    def note(self, world: World, node: Entity) -> None:
        """Remember where a node stands that is about to go."""
        if node in HeldNodes.of(world) and (ways := NodePaths.of(world).ways(node)):
            self[node] = ways

    def place(self, world: World, node: Entity) -> tuple[Entity, str] | None:
        """Return the instance of the level that a node would be in by now, and its path there."""
        for above, path in self.get(node, ()):
            if world.alive(above) and not world.has(above, Realised):
                return above, path
        return None


def keep_node(world: World, node: Entity, link: InstanceNode) -> None:
    """Give a node that is gone a record of its own."""
    world.add(node, link)
    world.resource(_LinksMade, _LinksMade).add(node)


def take_back(world: World, node: Entity) -> None:
    """Let a node that is back be as it was before, unless it was changed meanwhile."""
    made = world.resource(_LinksMade, _LinksMade)
    if node not in made:
        return
    made.discard(node)
    link = world.get(node, InstanceNode) if world.has(node, InstanceNode) else None
    is_bare = link is not None and not (link.removed or link.removed_components)
    if is_bare and not world.has(node, KeptRecords):
        world.remove(node, InstanceNode)


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
    alive = [node for node in nodes if world.alive(node)]
    kept = []
    for node in sorted(referenced_nodes(world, alive)):
        place = None if world.has(node, InstanceNode) else paths.place(node)
        if place is not None:
            keep_node(world, node, InstanceNode(*place))
            kept.append(node)
    let_go.update((place, e) for e in alive if e in held and (place := paths.place(e)) is not None)
    lost = LostNodes.of(world)
    for node in alive:
        lost.note(world, node)
    for node in reversed(alive):
        paths.unbind(node)
        if not world.has(node, InstanceNode):
            world.despawn(node, reserve=node in held)
    return kept
