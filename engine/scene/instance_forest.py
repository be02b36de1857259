"""`InstanceForest`: the branches that stand in one world, and how they hang in each other."""

from __future__ import annotations

from collections.abc import Iterator

from engine.ecs import World
from engine.reflect import ComponentRecord, Entity
from engine.scene.components import Realised, SceneInstance
from engine.scene.instance_branch import InstanceBranch, Links
from engine.scene.instance_nodes import InstanceLinks
from engine.scene.level_blueprint import LevelBlueprint, LevelPart, resolved_record


class InstanceForest:
    """The instances of one world by their roots and by their nodes.

    Attributes
    ----------
    roots : dict of Entity to InstanceBranch
    nodes : dict of int to InstanceBranch
        The branch that each node stands in: that of the innermost root above it.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self.roots: dict[Entity, InstanceBranch] = {}
        # By plain numbers: the garbage collector would look at every `Entity` again and again.
        self.nodes: dict[int, InstanceBranch] = {}

    def plant(self, branch: InstanceBranch) -> None:
        """Take in a branch that has grown."""
        self.roots[branch.root] = branch
        self.nodes.update(dict.fromkeys(branch.base.numbers(), branch))

    def clear(self, branch: InstanceBranch) -> None:
        """Forget the nodes of a branch."""
        for node in branch.base.numbers():
            if self.nodes.get(node) is branch:
                del self.nodes[node]

    def around(self, root: Entity) -> Iterator[InstanceBranch]:
        """Yield the branches that a root is inside of, the innermost first."""
        branch = self.nodes.get(root)
        while branch is not None:
            yield branch
            branch = self.nodes.get(branch.root)

    def levels_around(self, node: Entity) -> list[str]:
        """Return the levels that an entity is a node of, the outermost first."""
        found = []
        branch = self.nodes.get(node)
        while branch is not None:
            if isinstance(branch.settings, SceneInstance):
                found.append(branch.settings.level)
            branch = self.nodes.get(branch.root)
        return found[::-1]

    def unknown_of(self, node: Entity) -> dict[str, ComponentRecord]:
        """Return what a placed level keeps on a node that no class stands for, by name."""
        branch = self.nodes.get(node)
        if branch is None or not isinstance(branch.blueprint, LevelBlueprint):
            return {}
        part = branch.blueprint.parts[branch.base.position(node)]
        kept = part.kept if isinstance(part, LevelPart) else []
        return {record.name: resolved_record(record, branch.references) for _, record in kept}

    def is_free(self, node: Entity) -> bool:
        """Whether a node is realised, and part of no branch at present."""
        world = self._world
        return node not in self.nodes and world.alive(node) and world.has(node, Realised)

    def is_whole(self, branch: InstanceBranch) -> bool:
        """Whether everything below a root is there, instances inside it too."""
        todo = [branch]
        while todo:
            at = todo.pop()
            if at.entry.state != "ready":
                return False
            todo.extend(b for root in at.inner if (b := self.roots.get(root)) is not None)
        return True

    def links(self, root: Entity) -> Links:
        """Return the entities that the open level has for nodes below a root, by path."""
        under = InstanceLinks.of(self._world).under
        if root not in self.nodes:
            return under(root)
        way = [root, *(branch.root for branch in self.around(root))]
        links: Links = under(way.pop())
        while way:
            inside = way.pop()
            outer = self.nodes[inside]
            handed = outer.links_below(inside, links) if inside in outer.inner else {}
            links = {**under(inside), **handed}
        return links

    def links_under(self, root: Entity) -> list[tuple[str, Entity]]:
        """Return what is linked to nodes right below a root, also for a path that is taken."""
        links = InstanceLinks.of(self._world)
        return [*links.under(root).items(), *links.spare(root)]

    def park(self, branch: InstanceBranch) -> list[Entity]:
        """Hang changed nodes that no asset below a root has right under it.

        Returns
        -------
        list of Entity
            Those that were not parked before.
        """
        before, links = branch.parked, self.links_under(branch.root)
        branch.parked = {entity: path for path, entity in links if entity not in self.nodes}
        if not branch.parked:
            return []
        parked = branch.parked.items()
        new = [e for e, path in parked if before.get(e) != path or e in branch.vanished]
        for entity in branch.dresser.hang_parked(branch.root, {e: branch.parked[e] for e in new}):
            branch.dress_parked(entity)
        return new
