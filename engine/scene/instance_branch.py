"""`InstanceBranch`: what stands under the root of one placed prop or level.

A branch is made of the nodes of a blueprint, or of a box where there is none, and of parked
entities: those that a level changed and the asset does not have at present. A node may be the root
of an instance itself, with a branch of its own; what a placed level changes on the nodes of such an
instance is handed on to that branch as a layer, below what the open level changes there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from engine.assets.library import AssetEntry
from engine.ecs import World
from engine.reflect import Entity, SceneComponent
from engine.scene.components import (
    GltfInstance,
    InstanceNode,
    LocalTransform,
    MeshRenderer,
    Name,
    Order,
    Parent,
    Placeholder,
    Realised,
    SceneInstance,
)
from engine.scene.dresser import Dresser
from engine.scene.gltf_blueprint import ROOT, Blueprint, BlueprintPart
from engine.scene.instance_links import bind_paths
from engine.scene.instance_nodes import InstanceLinks, is_instance
from engine.scene.level_blueprint import (
    LevelBlueprint,
    LevelPart,
    NodeChange,
    is_referring,
    resolved_value,
)
from engine.scene.level_library import LevelEntry
from engine.scene.node_paths import NodePaths
from engine.scene.node_references import referenced_nodes
from engine.scene.parked_nodes import LetGo, keep_node, parked_base, take_back

Settings = GltfInstance | SceneInstance
Links = Mapping[str, Entity]
_PLACEHOLDER_STEP = "#placeholder"


def settings_of(world: World, entity: Entity) -> Settings | None:
    """Return what an entity places, None where it places nothing; a prop goes before a level."""
    if world.has(entity, GltfInstance):
        return world.get(entity, GltfInstance)
    return world.get(entity, SceneInstance) if world.has(entity, SceneInstance) else None


@dataclass(eq=False, slots=True)
class Layer:
    """What a placed level changes below one root inside it.

    Attributes
    ----------
    owner : InstanceBranch
        The branch of the level.
    changes : dict of str to NodeChange
        By path below the root.
    """

    owner: InstanceBranch
    changes: dict[str, NodeChange]

    @property
    def refers(self) -> bool:
        """Whether any of its changes names another entity."""
        return any(is_referring(r) for change in self.changes.values() for r in change.records)


@dataclass(eq=False, slots=True)
class InnerRoot:
    """A node that is the root of an instance itself.

    Attributes
    ----------
    at : int
        Its position in the blueprint.
    layers : list of Layer
        What levels change below it, the innermost first.
    count : int
        How many parts of the level hang under it.
    """

    at: int
    layers: list[Layer] = field(default_factory=list)
    count: int = 0


@dataclass(eq=False, slots=True)
class InstanceBranch:
    """One instance as it stands.

    Attributes
    ----------
    shown : (int, str)
        Version and state of the entry that is shown.
    inside : InnerRoot or None
        What the root is in the branch that it is a node of.
    refusal : str
        Why the asset may not be shown here.
    blueprint : Blueprint or None
        What is shown; None while a box stands here.
    nodes : list of Entity
        The entity of each part of the blueprint.
    base : dict of Entity to list of SceneComponent
        What the asset gives each node, without the overrides of the open level.
    inner : dict of Entity to InnerRoot
        The nodes that are instances themselves.
    parked : dict of Entity to str
        Changed nodes that the asset does not have, with their paths.
    vanished : list of Entity
        Realised nodes of before that `grow` found no place for; for `clear_away`.
    references : dict of int to Entity
        What handles of the placed level's own world mean in this instance.
    is_loose : bool
        A node that something here refers to has become another entity.
    notes : str
        What a person should know about the asset.
    """

    dresser: Dresser
    root: Entity
    settings: Settings
    entry: AssetEntry | LevelEntry
    shown: tuple[int, str] = (-1, "")
    inside: InnerRoot | None = None
    refusal: str = ""
    blueprint: Blueprint | None = None
    nodes: list[Entity] = field(default_factory=list)
    base: dict[Entity, list[SceneComponent]] = field(default_factory=dict)
    inner: dict[Entity, InnerRoot] = field(default_factory=dict)
    parked: dict[Entity, str] = field(default_factory=dict)
    vanished: list[Entity] = field(default_factory=list)
    references: dict[int, Entity] = field(default_factory=dict)
    is_loose: bool = False
    notes: str = ""
    _linked: frozenset[Entity] = frozenset()
    _roots: dict[int, InnerRoot] = field(default_factory=dict)
    _changes: dict[int, list[tuple[Layer, NodeChange]]] = field(default_factory=dict)
    _handed: dict[int, dict[str, Entity]] = field(default_factory=dict)
    _handed_at: int = -1

    # -- growing -----------------------------------------------------------------------------

    def grow(
        self, blueprint: Blueprint | None, box: Callable[[], MeshRenderer], links: Links
    ) -> None:
        """Make the nodes of a blueprint, or the box; note what is left of before.

        Parameters
        ----------
        links : mapping of str to Entity
            The entities that the open level has for nodes, by path below the root.
        """
        world = self.dresser.world
        paths = NodePaths.of(world)
        before = paths.below(self.root, lambda entity: is_instance(world, entity))
        before = [e for e in before if world.alive(e) and world.has(e, Realised)]
        roots_before = {e for e in before if is_instance(world, e)}
        self.blueprint = blueprint
        if blueprint is None:
            self._drop_layers()
            self._place_box(box())
        else:
            self._place_nodes(blueprint, links)
        gone = [e for e in before if e not in self.base]
        below = (e for root in gone if root in roots_before for e in paths.below(root))
        self.vanished = list(dict.fromkeys([*gone, *below]))

    def _place_nodes(self, blueprint: Blueprint, links: Links) -> None:
        if isinstance(blueprint, LevelBlueprint):
            self._find_roots(blueprint)
        found = bind_paths(blueprint, links, self._roots).found
        # What the level has for one node does not stand in for another that it once was.
        self._linked = frozenset(links.values())
        self._take_layers(blueprint)
        for at, part in enumerate(blueprint.parts):
            linked = links[found[at]] if at in found else None
            entity = self._place(at, part, linked)
            self.nodes.append(entity)
            self._note_references(at, part, entity)
            if part.parent in self._roots:
                self._roots[part.parent].count += 1
            if at in self._roots:
                self.inner[entity] = self._roots[at]
        self.reconnect()
        if blueprint.issues:
            self.notes = f"{self.entry.path}: {'; '.join(blueprint.issues)}"

    def _find_roots(self, blueprint: LevelBlueprint) -> None:
        for at, part in enumerate(blueprint.parts):
            if isinstance(part, LevelPart) and part.is_instance:
                changes = blueprint.changes.get(at)
                self._roots[at] = InnerRoot(at, [Layer(self, changes)] if changes else [])

    def _place(self, at: int, part: BlueprintPart, linked: Entity | None) -> Entity:
        world, paths = self.dresser.world, NodePaths.of(self.dresser.world)
        parent = self._above(part)
        base = self._base(at, part)
        entity = linked or paths.step(parent, part.segment)
        if entity in self._linked and not linked:
            entity = None
        if entity is None or not world.alive(entity) or entity in self.base:
            entity = world.spawn(*base)
        else:
            self.dresser.dress(entity, base)
        paths.bind(parent, part.segment, entity)
        take_back(world, entity)
        self.base[entity] = base
        return entity

    def _above(self, part: BlueprintPart) -> Entity:
        return self.root if part.parent == ROOT else self.nodes[part.parent]

    def _base(self, at: int, part: BlueprintPart) -> list[SceneComponent]:
        """Return what a node carries before the open level changes it."""
        parent, rank, values = self._above(part), part.rank, part.values
        if self.inside is not None and part.parent == ROOT:
            # What the level around hangs under the root stands after the nodes.
            rank -= self.inside.count
        if isinstance(part, LevelPart):
            anchor = self.references.get(part.anchor) if part.anchor else None
            if anchor is not None and self.dresser.world.alive(anchor):
                parent = anchor
            if part.refers:
                values = [resolved_value(value, self.references) for value in values]
        base: list[SceneComponent] = [Parent(parent), *values, Order(rank), Realised()]
        changes = self._changes.get(at)
        if not changes:
            return base
        laid = {type(value): value for value in base}
        for layer, change in changes:
            self.dresser.lay(laid, change, layer.owner.references)
        return list(laid.values())

    def _place_box(self, drawn: MeshRenderer) -> None:
        """Stand a box, one metre high, where the asset cannot be shown."""
        base = [
            Parent(self.root),
            Name(PurePosixPath(self.entry.path).name or "no asset"),
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

    def stands_alike(self, inside: InnerRoot) -> bool:
        """Whether the levels around change nothing below the root, neither before nor now."""
        before = self.inside
        return (
            before is not None
            and not (before.layers or inside.layers)
            and before.count == inside.count
        )

    # -- layers and references ---------------------------------------------------------------

    @property
    def _layers(self) -> list[Layer]:
        return self.inside.layers if self.inside is not None else []

    def _take_layers(self, blueprint: Blueprint) -> None:
        """Find the nodes that the levels around change, and hand on what lies deeper."""
        for layer in self._layers:
            binding = bind_paths(blueprint, layer.changes, self._roots)
            for at, path in binding.found.items():
                self._changes.setdefault(at, []).append((layer, layer.changes[path]))
            for at, below in binding.handed.items():
                changes = {rest: layer.changes[path] for rest, path in below.items()}
                self._roots[at].layers.append(Layer(layer.owner, changes))
            for path in binding.lost:
                self._lose(layer, layer.changes[path])

    def _drop_layers(self) -> None:
        for layer in self._layers:
            for change in layer.changes.values():
                self._lose(layer, change)

    @staticmethod
    def _lose(layer: Layer, change: NodeChange) -> None:
        if layer.owner.references.pop(change.handle, None) is not None:
            layer.owner.is_loose = True

    def _note_references(self, at: int, part: BlueprintPart, entity: Entity) -> None:
        if isinstance(part, LevelPart):
            self.references[part.handle] = entity
        for layer, change in self._changes.get(at, ()):
            if layer.owner.references.get(change.handle) != entity:
                layer.owner.references[change.handle] = entity
                layer.owner.is_loose = True

    def reconnect(self) -> bool:
        """Turn references to the entities that nodes are by now; return whether any changed."""
        self.is_loose = False
        changed = False
        for at, part in enumerate(self.blueprint.parts if self.blueprint is not None else ()):
            if isinstance(part, LevelPart) and (part.refers or part.anchor):
                node, base = self.nodes[at], self._base(at, part)
                self.base[node] = base
                changed = self.dresser.dress(node, base) or changed
        return changed

    def links_below(self, node: Entity, links: Links) -> Links:
        """Return those of this branch's links that lead into the instance at one of its nodes."""
        version = self.dresser.world.version(InstanceNode)
        if self._handed_at != version and self.blueprint is not None:
            handed = bind_paths(self.blueprint, links, self._roots).handed
            self._handed = {
                at: {rest: links[path] for rest, path in below.items()}
                for at, below in handed.items()
            }
            self._handed_at = version
        return self._handed.get(self.inner[node].at, {})

    # -- changes of the open level -----------------------------------------------------------

    def refresh(self, node: Entity) -> bool:
        """Lay a node's overrides over its base again; return whether anything changed."""
        return self.dresser.dress(node, self.base[node])

    def dress_parked(self, entity: Entity) -> bool:
        """Give a parked entity what it carries meanwhile; return whether anything changed."""
        return self.dresser.dress(entity, parked_base(self.root, self.parked[entity]))

    def let_go(self, node: Entity) -> None:
        """Remove a parked entity without a record, unless the level still holds on to it."""
        world = self.dresser.world
        if referenced_nodes(world, [node]):
            keep_node(world, node, InstanceNode(self.root, self.parked[node]))
            self.dress_parked(node)
            return
        LetGo.of(world)[self.root, self.parked.pop(node)] = node
        self.dresser.issues.pop(node, None)
        world.despawn(node, reserve=True)

    def tell_parked(self, *, is_whole: bool) -> None:
        """Note why entities are parked, where everything below the root is there."""
        under = InstanceLinks.of(self.dresser.world).under(self.root)
        for entity, path in self.parked.items():
            if under.get(path) != entity:
                text = f"another record for node {path!r} stands before this one"
                self.dresser.issues[entity] = text
            elif is_whole:
                self.dresser.issues[entity] = f"{self.entry.path} has no node {path!r}"
