"""`InstanceParking`: entities that keep what a level says of nodes which their asset lacks."""

from __future__ import annotations

from engine.ecs import World
from engine.errors import EntityError
from engine.reflect import Entity
from engine.scene.components import InstanceNode
from engine.scene.instance_branch import InstanceBranch
from engine.scene.instance_forest import InstanceForest
from engine.scene.instance_nodes import find_node
from engine.scene.node_addresses import NodeAddresses
from engine.scene.node_paths import NodePaths
from engine.scene.node_references import referenced_nodes
from engine.scene.override_watch import OverrideWatch
from engine.scene.parked_nodes import HeldNodes, LetGo, keep_node, parked_base

_NONE = Entity.null()


class InstanceParking:
    """Makes parked entities when a step asks for them, and clears those away that lost their link.

    Parameters
    ----------
    world : World
    forest : InstanceForest
    overrides : OverrideWatch
    queued : dict of Entity
        The roots to look at next; those of what is parked are added.
    """

    def __init__(
        self,
        world: World,
        forest: InstanceForest,
        overrides: OverrideWatch,
        queued: dict[Entity, None],
    ) -> None:
        self._world = world
        self._forest = forest
        self._overrides = overrides
        self._queued = queued

    def stand_in(self, node: Entity) -> Entity:
        """Return what a node is by now that went while only steps referred to it.

        Where its asset lacks it the node is parked, as it had been with the reference in place.

        Returns
        -------
        Entity
            Null where nothing is known of the node, or its instance is gone.
        """
        world = self._world
        addresses = NodeAddresses.of(world)
        place = addresses.place(world, node)
        if place is None:
            return Entity.null()
        found = find_node(world, *place) or self._meant(*place)
        if not found:
            found = self.park(*place, node)
            keep_node(world, found, world.get(found, InstanceNode))
        elif not world.has(found, InstanceNode) and not referenced_nodes(world, [found]):
            # Nothing else knows it by another path.
            addresses[found] = addresses[node]
        return found

    def _meant(self, root: Entity, path: str) -> Entity:
        """Return the node that a path means as its asset is now, null where there is none."""
        while path:
            branch = self._forest.roots.get(root)
            root, path = branch.meant(path) if branch is not None else (Entity.null(), "")
        return root if self._world.alive(root) else Entity.null()

    def park(self, root: Entity, path: str, node: Entity = _NONE) -> Entity:
        """Make the entity that keeps the records of a node which the asset lacks at present.

        Parameters
        ----------
        root : Entity
            The instance.
        path : str
            Of the node. A `sync` removes the entity when its `InstanceNode` is gone again.
        node : Entity, optional
            What it was before; by default what last went from there.
        """
        world = self._world
        values = [*parked_base(root, path), InstanceNode(root, path)]
        entity = node or LetGo.of(world).pop((root, path), Entity.null())
        try:
            world.restore(entity, *values)
        except EntityError:
            entity = world.spawn(*values)
        self._overrides.note(entity)
        if root in self._forest.roots:
            self._forest.roots[root].parked[entity] = path
            # The next look finds out whether a node of that name is there.
            self._forest.roots[root].shown = (-1, "")
            self._queued[root] = None
        return entity

    def let_go(self, since: int) -> list[Entity]:
        """Clear away parked entities whose last change was taken back; return their roots.

        Parameters
        ----------
        since : int
            The tick of the last look.
        """
        world, roots = self._world, []
        if world.version(InstanceNode) <= since:
            return []
        paths = NodePaths.of(world)
        for node in self._overrides.unlinked() | HeldNodes.of(world):
            if not world.alive(node) or world.has(node, InstanceNode) or paths.step_to(node):
                continue
            branch = next((b for b in self._forest.roots.values() if node in b.parked), None)
            if branch is not None:
                self._drop(branch, node)
                roots.append(branch.root)
            elif self._forest.is_free(node):
                # Steps brought it back and took its record away again, with no look in between.
                world.despawn(node, reserve=True)
        return roots

    def _drop(self, branch: InstanceBranch, node: Entity) -> None:
        """Remove a parked entity without a record, unless the level still holds on to it."""
        world, addresses = self._world, NodeAddresses.of(self._world)
        place = (branch.root, branch.parked[node])
        addresses.setdefault(node, place)
        if referenced_nodes(world, [node]):
            # The instance may be part of another one by now.
            keep_node(world, node, InstanceNode(*(addresses.place(world, node) or place)))
            branch.dress_parked(node)
            return
        del branch.parked[node]
        LetGo.of(world)[place] = node
        branch.dresser.issues.pop(node, None)
        world.despawn(node, reserve=True)
