"""`InstanceNotes`: what is wrong with instances and changed nodes, for a person to read."""

from __future__ import annotations

from engine.ecs import World
from engine.reflect import Entity
from engine.scene.components import GltfInstance, SceneInstance
from engine.scene.instance_branch import InstanceBranch
from engine.scene.instance_forest import InstanceForest
from engine.scene.instance_nodes import InstanceLinks
from engine.scene.level_library import LevelEntry


class InstanceNotes:
    """Keeps the issues of instances up to date.

    Parameters
    ----------
    world : World
    forest : InstanceForest
    issues : dict of Entity to str
        Where they are noted, beside those of changes that could not be applied.
    """

    def __init__(self, world: World, forest: InstanceForest, issues: dict[Entity, str]) -> None:
        self._world = world
        self._forest = forest
        self._issues = issues
        self._noted: dict[Entity, str] = {}

    def forget(self, root: Entity) -> None:
        """Know that a root is no instance any more."""
        self._issues.pop(root, None)
        self._noted.pop(root, None)

    def note(self, instance: InstanceBranch) -> None:
        root = instance.root
        noted = self._noted.pop(root, None)
        text = instance.refusal or instance.entry.error or instance.notes or _lacks(instance)
        if self._world.has(root, SceneInstance) and self._world.has(root, GltfInstance):
            text = text or f"a prop and a level stand here; only {instance.entry.path} is shown"
        if text:
            self._issues[root] = self._noted[root] = text
        elif self._issues.get(root) == noted:
            self._issues.pop(root, None)

    def tidy(self) -> None:
        """Say what became of changed nodes, and forget the issues of what is gone."""
        for branch in self._forest.roots.values():
            if branch.parked:
                self._tell_parked(branch)
        for gone in [e for e in self._issues if not self._world.alive(e)]:
            del self._issues[gone]

    def _tell_parked(self, branch: InstanceBranch) -> None:
        """Note why entities are parked, where everything below the root is there."""
        under = InstanceLinks.of(self._world).under(branch.root)
        is_whole = self._forest.is_whole(branch)
        for entity, path in branch.parked.items():
            if under.get(path) != entity:
                self._issues[entity] = f"another record for node {path!r} stands before this one"
            elif is_whole:
                self._issues[entity] = f"{branch.entry.path} has no node {path!r}"


def _lacks(instance: InstanceBranch) -> str:
    """Return what an instance is set to that its file does not offer, empty for nothing."""
    entry, settings = instance.entry, instance.settings
    if isinstance(entry, LevelEntry) or entry.asset is None or isinstance(settings, SceneInstance):
        return ""
    if not settings.variant or settings.variant in entry.asset.variants:
        return ""
    return f"{entry.path} has no variant {settings.variant!r}; it is shown without"
