"""Lasting addresses of the nodes that the level or a step of its history refers to.

Assets make nodes anew as other entities, and take them away. Whoever refers to a node by its handle
means what stands at its address by then.
"""

from __future__ import annotations

from collections.abc import Iterable

from engine.ecs import World
from engine.reflect import Entity
from engine.scene.components import InstanceNode, Realised
from engine.scene.instance_nodes import is_instance, node_place, roots_around
from engine.scene.node_paths import NodePaths, split_path

Address = tuple[Entity, str]


class NodeAddresses(dict[Entity, Address]):
    """The innermost instance that each node is in, and its path there, as it was when it was noted.

    Instances that hold that instance may come and go by unpacking and making them. The handles of
    nodes with an address stay out of use.
    """

    @classmethod
    def of(cls, world: World) -> NodeAddresses:
        """Return those of `world`."""
        return world.resource(cls, cls)

    def hold(self, world: World, nodes: Iterable[Entity]) -> None:
        """Note the addresses of living nodes that have none yet, and of the instances around."""
        for node in nodes:
            while node not in self and world.alive(node) and world.has(node, Realised):
                address = _inner_address(world, node)
                if address is None:
                    break
                self[node] = address
                node = address[0]

    def place(self, world: World, node: Entity) -> Address | None:
        """Return the instance of the level that a node would be in by now, and its path there.

        None where that is not known, or the instance is gone.
        """
        return self._outermost(world, self.get(node))

    def lasting(self, world: World, node: Entity) -> Address | None:
        """Return the place that the level knows a living node by, None for what is no node."""
        if world.has(node, InstanceNode):
            return node_place(world, node)
        return self.place(world, node) or NodePaths.of(world).place(node)

    def _outermost(self, world: World, address: Address | None) -> Address | None:
        while address is not None:
            root, path = address
            if not world.alive(root):
                above = self.get(root)
            elif not world.has(root, Realised):
                return address
            else:
                above = self.get(root) or node_place(world, root)
                if world.has(root, InstanceNode):
                    above = node_place(world, root)
            address = (above[0], f"{above[1]}/{path}") if above is not None else None
        return None


def _inner_address(world: World, node: Entity) -> Address | None:
    """Return the innermost instance around a living node, and its path there."""
    place = node_place(world, node)
    if place is None:
        return None
    paths, (at, path) = NodePaths.of(world), place
    around = roots_around(world, node)
    if around and not world.has(node, InstanceNode):
        inner = around[-1]
        segments: list[str] = []
        while node != inner:
            step = paths.step_to(node)
            assert step is not None
            node, segment = step
            segments.append(segment)
        return inner, "/".join(reversed(segments))
    segments = split_path(path)
    found = place
    for end, segment in enumerate(segments[:-1], 1):
        below = paths.step(at, segment)
        if below is None or not world.alive(below):
            break
        at = below
        if is_instance(world, at):
            found = at, "/".join(segments[end:])
    return found
