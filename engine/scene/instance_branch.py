"""`InstanceBranch`: what stands under the root of one placed prop.

A branch is made of the nodes of a blueprint, or of a box where there is none, and of parked
entities: those that a level changed and the asset does not have at present.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from engine.assets.library import AssetEntry
from engine.ecs import ComponentType, World
from engine.reflect import Entity, SceneComponent
from engine.scene.components import (
    CameraComponent,
    Enabled,
    GltfInstance,
    InstanceNode,
    JointPalette,
    KeptRecords,
    LightSource,
    LocalMatrix,
    LocalTransform,
    MeshRenderer,
    Name,
    Order,
    Parent,
    Placeholder,
    Realised,
    Shape,
)
from engine.scene.gltf_blueprint import ROOT, Blueprint
from engine.scene.instance_nodes import InstanceLinks, node_path
from engine.scene.node_paths import NodePaths, split_path
from engine.scene.node_references import referenced_nodes
from engine.scene.overrides import dress, overlaid, overridable

_FROM_ASSET: frozenset[ComponentType] = frozenset(
    {
        CameraComponent,
        Enabled,
        JointPalette,
        LightSource,
        LocalMatrix,
        LocalTransform,
        MeshRenderer,
        Name,
        Order,
        Parent,
        Placeholder,
        Realised,
    }
)
_PLACEHOLDER_STEP = "#placeholder"


class Dresser:
    """Gives entities what their asset says, with what the level changed on top.

    Attributes
    ----------
    issues : dict of Entity to str
        The changes that could not be applied.
    """

    def __init__(self, world: World, types: Iterable[ComponentType]) -> None:
        self.issues: dict[Entity, str] = {}
        self.world = world
        self._types = overridable(types)
        self._owned = _FROM_ASSET | set(self._types.values()) - {GltfInstance}

    def values(self, entity: Entity, base: Iterable[SceneComponent]) -> list[SceneComponent]:
        """Return copies of what an entity with this base should carry."""
        values, _ = overlaid(self.world, entity, base, self._types)
        return [value.copy() for value in values.values()]

    def dress(self, entity: Entity, base: Iterable[SceneComponent]) -> bool:
        """Give an entity its base with its overrides; whether anything changed."""
        values, problems = overlaid(self.world, entity, base, self._types)
        self.issues.pop(entity, None)
        if problems:
            self.issues[entity] = "; ".join(problems)
        # What a shape draws is derived by `ShapeMeshes`.
        owned = self._owned - {MeshRenderer} if Shape in values else self._owned
        return dress(self.world, entity, values, owned)


@dataclass(eq=False, slots=True)
class InstanceBranch:
    """One instance as it stands.

    Attributes
    ----------
    shown : (int, str)
        Version and state of the entry that is shown.
    base : dict of Entity to list of SceneComponent
        What the asset gives each node, without overrides.
    parked : dict of Entity to str
        Changed nodes that the asset does not have, with their paths.
    vanished : list of Entity
        Realised nodes of before that `grow` found no place for; for `clear_away`.
    notes : str
        What a person should know about the asset.
    """

    dresser: Dresser
    root: Entity
    settings: GltfInstance
    entry: AssetEntry
    shown: tuple[int, str] = (-1, "")
    base: dict[Entity, list[SceneComponent]] = field(default_factory=dict)
    parked: dict[Entity, str] = field(default_factory=dict)
    vanished: list[Entity] = field(default_factory=list)
    notes: str = ""

    def refresh(self, node: Entity, path: str) -> bool | None:
        """Lay a node's overrides over its base again.

        Returns
        -------
        bool or None
            Whether anything changed; None when the branch does not know the node.
        """
        if node in self.base:
            return self.dresser.dress(node, self.base[node])
        return self._dress_parked(node) if self.parked.get(node) == path else None

    def grow(self, blueprint: Blueprint | None, box: Callable[[], MeshRenderer]) -> None:
        """Make the nodes of a blueprint, or the box; note what is left of before."""
        world = self.dresser.world
        before = [e for e in NodePaths.of(world).below(self.root) if world.has(e, Realised)]
        if blueprint is None:
            self._place_box(box())
        else:
            self._place_nodes(blueprint)
        self.vanished = [e for e in before if e not in self.base]

    def park(self) -> None:
        """Hang changed nodes that the asset does not have right under the root."""
        links = InstanceLinks.of(self.dresser.world)
        for path, entity in (*links.under(self.root).items(), *links.spare(self.root)):
            if entity not in self.base:
                self.parked[entity] = path
                self._dress_parked(entity)

    def let_go(self, node: Entity) -> None:
        """Remove a parked entity without a record, unless the level still holds on to it."""
        world = self.dresser.world
        if referenced_nodes(world, [node]):
            _keep(world, node, InstanceNode(self.root, self.parked[node]))
            self._dress_parked(node)
            return
        del self.parked[node]
        self.dresser.issues.pop(node, None)
        world.despawn(node)

    def _place_nodes(self, blueprint: Blueprint) -> None:
        world, paths = self.dresser.world, NodePaths.of(self.dresser.world)
        linked = self._linked_parts(blueprint)
        entities: list[Entity] = []
        for at, part in enumerate(blueprint.parts):
            parent = self.root if part.parent == ROOT else entities[part.parent]
            base = [Parent(parent), *part.values, Order(part.rank), Realised()]
            entity = linked.get(at) or paths.step(parent, part.segment)
            if entity is None or not world.alive(entity) or entity in self.base:
                entity = world.spawn(*base)
            else:
                self.dresser.dress(entity, base)
            paths.bind(parent, part.segment, entity)
            _take_back(world, entity)
            self.base[entity] = base
            entities.append(entity)
        if blueprint.issues:
            self.notes = f"{self.settings.asset}: {'; '.join(blueprint.issues)}"

    def _linked_parts(self, blueprint: Blueprint) -> dict[int, Entity]:
        """Return the entities that `InstanceNode` records bind to parts, by path, then by name."""
        found: dict[int, Entity] = {}
        lost: list[tuple[str, Entity]] = []
        for path, entity in InstanceLinks.of(self.dresser.world).under(self.root).items():
            at = blueprint.find(path)
            if at is None:
                lost.append((path, entity))
            else:
                found[at] = entity
        for path, entity in lost:
            at = blueprint.find_named(split_path(path)[-1])
            if at is not None and at not in found:
                found[at] = entity
        return found

    def _place_box(self, drawn: MeshRenderer) -> None:
        """Stand a box, one metre high, where the asset cannot be shown."""
        base = [
            Parent(self.root),
            Name(PurePosixPath(self.settings.asset).name or "no asset"),
            LocalTransform((0.0, 0.5, 0.0)),
            drawn,
            Order(-1),
            Placeholder(),
            Realised(),
        ]
        world, paths = self.dresser.world, NodePaths.of(self.dresser.world)
        entity = paths.step(self.root, _PLACEHOLDER_STEP)
        if entity is None or not world.alive(entity):
            entity = world.spawn(*base)
        else:
            self.dresser.dress(entity, base)
        paths.bind(self.root, _PLACEHOLDER_STEP, entity)
        self.base[entity] = base

    def _dress_parked(self, entity: Entity) -> bool:
        path = self.parked[entity]
        changed = self.dresser.dress(entity, parked_base(self.root, path))
        links = InstanceLinks.of(self.dresser.world)
        if links.under(self.root).get(path) != entity:
            self.dresser.issues[entity] = f"another record for node {path!r} stands before this one"
        elif self.entry.state == "ready":
            self.dresser.issues[entity] = f"{self.settings.asset} has no node {path!r}"
        return changed


class _LinksMade(set[Entity]):
    """Nodes that got a record only because something held on to them while they were gone."""


def _keep(world: World, node: Entity, link: InstanceNode) -> None:
    """Give a node that is gone a record of its own."""
    world.add(node, link)
    world.resource(_LinksMade, _LinksMade).add(node)


def _take_back(world: World, node: Entity) -> None:
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
    name = split_path(path)[-1].replace("\\/", "/").replace("\\\\", "\\")
    hung: list[SceneComponent] = [Parent(parent)] if parent else []
    return [*hung, Name(name), LocalTransform(), Realised()]


def clear_away(world: World, nodes: list[Entity]) -> None:
    """Remove realised nodes, parents first in `nodes`, but not what the level holds on to.

    A node that carries records stays, and so does one that something of the level refers to or
    hangs under: it gets a record of its own.
    """
    paths = NodePaths.of(world)
    alive = [node for node in nodes if world.alive(node)]
    for node in referenced_nodes(world, alive):
        if not world.has(node, InstanceNode):
            _keep(world, node, InstanceNode(*node_path(world, node)))
    for node in reversed(alive):
        paths.unbind(node)
        if not world.has(node, InstanceNode):
            world.despawn(node)


def withdraw(dresser: Dresser, root: Entity) -> None:
    """Take away the nodes of a root that is gone or no instance any more."""
    world = dresser.world
    nodes = NodePaths.of(world).below(root)
    clear_away(world, [e for e in nodes if world.has(e, Realised)])
    parent = root if world.alive(root) else Entity.null()
    links = InstanceLinks.of(world)
    for path, entity in (*links.under(root).items(), *links.spare(root)):
        dresser.dress(entity, parked_base(parent, path))
