"""Addresses of instance nodes: from an entity to (root, path) and back.

A node that is in the asset is found through `NodePaths`. One that a level changed but the asset
does not have at present is *parked*: its entity and records stay, under the path in its
`InstanceNode`, until the node is back.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.ecs import QuerySpec, World
from engine.errors import SceneError
from engine.reflect import Entity
from engine.scene.components import GltfInstance, InstanceNode, SceneInstance
from engine.scene.node_paths import OWN_CHILD, NodePaths

Links = dict[Entity, dict[str, Entity]]


class InstanceLinks:
    """The `InstanceNode` entities of one world, by root and path, read when they changed."""

    def __init__(self) -> None:
        self._query = QuerySpec(InstanceNode)
        self._version = -1
        self._links: Links = {}
        self._spare: dict[Entity, list[tuple[str, Entity]]] = {}

    @classmethod
    def of(cls, world: World) -> InstanceLinks:
        """Return the links of `world`, up to date."""
        links = world.resource(cls, cls)
        links._sync(world)
        return links

    def under(self, root: Entity) -> dict[str, Entity]:
        """Return the linked entities of one instance by path; of two for one path, the first."""
        return self._links.get(root, {})

    def spare(self, root: Entity) -> list[tuple[str, Entity]]:
        """Return the linked entities whose path another one has already."""
        return self._spare.get(root, [])

    def _sync(self, world: World) -> None:
        version = world.version(InstanceNode)
        if version == self._version:
            return
        self._version = version
        self._links, self._spare = {}, {}
        handles: list[NDArray[np.int64]] = [np.zeros(0, np.int64)]
        roots, paths = [handles[0]], []
        for table in self._query.tables(world):
            handles.append(table.entities)
            roots.append(table.view(InstanceNode, "root"))
            paths += table.view(InstanceNode, "path")
        entities, root_of = np.concatenate(handles), np.concatenate(roots).tolist()
        order = np.argsort(world.serials(entities), kind="stable").tolist()
        handle = entities.tolist()
        for row in order:
            entity, root, path = Entity(handle[row]), Entity(root_of[row]), paths[row]
            if self._links.setdefault(root, {}).setdefault(path, entity) != entity:
                self._spare.setdefault(root, []).append((path, entity))


class NodeAliases(dict[tuple[Entity, str], Entity]):
    """Nodes that a change found by their name, by the path that the change has for them.

    Without the change a node has only its own path; whoever puts it back still finds the node.
    """

    @classmethod
    def of(cls, world: World) -> NodeAliases:
        """Return those of `world`."""
        return world.resource(cls, cls)


def asset_of(world: World, entity: Entity) -> str:
    """Return the file that an instance shows, as levels write it; empty for what is none."""
    if world.has(entity, GltfInstance):
        return world.get(entity, GltfInstance).asset
    return world.get(entity, SceneInstance).level if world.has(entity, SceneInstance) else ""


def is_instance(world: World, entity: Entity) -> bool:
    """Whether an entity is the root of an instance."""
    return world.alive(entity) and (
        world.has(entity, GltfInstance) or world.has(entity, SceneInstance)
    )


def roots_around(world: World, entity: Entity) -> list[Entity]:
    """Return the instances that an entity is a node of, the outermost first."""
    paths, found = NodePaths.of(world), []
    at = paths.step_to(entity)
    while at is not None:
        parent, segment = at
        if not segment.startswith(OWN_CHILD) and is_instance(world, parent):
            found.append(parent)
        at = paths.step_to(parent)
    return found[::-1]


def node_path(world: World, entity: Entity) -> tuple[Entity, str]:
    """Return the instance that a realised node belongs to, and its path there.

    Raises
    ------
    SceneError
        The entity is no node of an instance.
    """
    place = node_place(world, entity)
    if place is None:
        raise SceneError(f"entity {entity} is not a node of an instance")
    return place


def node_place(world: World, entity: Entity) -> tuple[Entity, str] | None:
    """Return the instance that an entity is a node of, and its path there; None for others."""
    if world.has(entity, InstanceNode):
        link = world.get(entity, InstanceNode)
        return link.root, link.path
    return NodePaths.of(world).place(entity)


def find_node(world: World, root: Entity, path: str) -> Entity:
    """Return the entity of a node, parked ones included; null when there is none."""
    linked = InstanceLinks.of(world).under(root).get(path)
    if linked is not None and world.alive(linked):
        return linked
    found = NodePaths.of(world).find(root, path)
    if found is None or not world.alive(found):
        found = NodeAliases.of(world).get((root, path))
    return found if found is not None and world.alive(found) else Entity.null()


def is_parked(world: World, node: Entity) -> bool:
    """Whether an entity only keeps the records of a node that the asset lacks at present."""
    return world.has(node, InstanceNode) and NodePaths.of(world).step_to(node) is None
