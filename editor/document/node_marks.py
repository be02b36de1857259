"""Hide and lock marks of nodes of instances: kept by address, since their entities come and go.

An entity of the level is known by its index in the file. A node has none: the instance and the path
in it say which one is meant, also after its file was read anew and in the next session.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

from editor.commands.context import Marks
from engine.ecs import World
from engine.errors import SceneError
from engine.reflect import Entity
from engine.scene import Placeholder, Realised
from engine.scene.instance_nodes import find_node, node_path

Address = tuple[Entity, str]
"""An instance and the path of a node in it."""

MARKS: Final = ("hidden", "locked")


class NodeMarks:
    """Follows the marked nodes of one open level.

    Parameters
    ----------
    world : World
    marks : Marks
        What is marked now; nodes that are back are added.
    """

    def __init__(self, world: World, marks: Marks) -> None:
        self._world = world
        self._marks = marks
        self._addresses: dict[Entity, Address] = {}
        self._awaited: dict[str, set[Address]] = {name: set() for name in MARKS}

    def note(self) -> None:
        """Take in where the marked nodes are."""
        for entity in self._marks.hidden | self._marks.locked:
            address = self._address(entity)
            if address is not None:
                self._addresses[entity] = address

    def follow(self) -> None:
        """Mark nodes that are back, and remember those that are gone."""
        for name in MARKS:
            marked, awaited = self._marked(name), self._awaited[name]
            gone = [e for e in marked if not self._world.alive(e) and e in self._addresses]
            awaited.update(self._addresses[entity] for entity in gone)
            back = {address: self._node(address) for address in awaited}
            marked.update(node for node in back.values() if node)
            awaited.difference_update([address for address, node in back.items() if node])
        self.note()

    def stored(self, name: str, index_of: Callable[[Entity], int]) -> list[list[Any]]:
        """Return the addresses of marked nodes, as file index and path, also of awaited ones."""
        self.note()
        nodes = [e for e in self._marked(name) if self._address(e) is not None]
        found = {*(self._addresses[node] for node in nodes), *self._awaited[name]}
        alive = (a for a in found if self._world.alive(a[0]))
        return sorted([index_of(root), path] for root, path in alive if index_of(root) >= 0)

    def recall(self, name: str, addresses: Iterable[Address]) -> None:
        """Mark nodes as soon as they are there."""
        self._awaited[name].update(addresses)

    def _marked(self, name: str) -> set[Entity]:
        marked: set[Entity] = getattr(self._marks, name)
        return marked

    def _address(self, entity: Entity) -> Address | None:
        if not self._world.alive(entity) or not self._world.has(entity, Realised):
            return None
        try:
            return node_path(self._world, entity)
        except SceneError:
            return None

    def _node(self, address: Address) -> Entity:
        root, path = address
        node = find_node(self._world, root, path) if self._world.alive(root) else Entity.null()
        return Entity.null() if node and self._world.has(node, Placeholder) else node


def addresses_in(
    state: dict[str, Any], name: str, entity_at: Callable[[int], Entity]
) -> list[Address]:
    """Return the addresses that `NodeMarks.stored` gave, leaving out what is none."""
    listed = state.get(f"{name}_nodes")
    pairs = [
        pair
        for pair in (listed if isinstance(listed, list) else [])
        if isinstance(pair, list) and len(pair) == 2
        if type(pair[0]) is int and pair[0] >= 0 and isinstance(pair[1], str)
    ]
    found = ((entity_at(index), path) for index, path in pairs)
    return [(root, path) for root, path in found if root]
