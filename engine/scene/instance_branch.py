"""`InstanceBranch`: what stands under the root of one placed prop or level.

A branch is made of the nodes of a blueprint, or of a box where there is none, and of parked
entities: those that a level changed and the asset does not have at present. A node may be the root
of an instance itself, with a branch of its own; what a placed level changes on the nodes of such an
instance is handed on to that branch as a layer, below what the open level changes there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

import numpy as np

from engine.assets.library import AssetEntry
from engine.ecs import World
from engine.reflect import Entity, SceneComponent
from engine.scene.blueprint_change import BlueprintChange
from engine.scene.branch_nodes import NodeBases, References
from engine.scene.branch_sowing import sow
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
from engine.scene.instance_layers import InnerRoot, Layer
from engine.scene.instance_links import bind_paths
from engine.scene.instance_nodes import is_instance
from engine.scene.level_blueprint import (
    LevelBlueprint,
    LevelPart,
    NodeChange,
    resolved_value,
)
from engine.scene.level_library import LevelEntry
from engine.scene.node_addresses import NodeAddresses
from engine.scene.node_paths import NodePaths
from engine.scene.parked_nodes import HeldNodes, parked_base, take_back
from engine.scene.part_columns import columns_of
from engine.scene.registry.file_index import IntArray

Settings = GltfInstance | SceneInstance
Links = Mapping[str, Entity]
_PLACEHOLDER_STEP = "#placeholder"
ALONE_COST = 20


def settings_of(world: World, entity: Entity) -> Settings | None:
    """Return what an entity places, None where it places nothing; a prop goes before a level."""
    if world.has(entity, GltfInstance):
        return world.get(entity, GltfInstance)
    return world.get(entity, SceneInstance) if world.has(entity, SceneInstance) else None


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
    nodes : list of int
        The entity of each part of the blueprint.
    base : NodeBases
        What the asset gives each node, without the overrides of the open level.
    inner : dict of Entity to InnerRoot
        The nodes that are instances themselves.
    parked : dict of Entity to str
        Changed nodes that the asset does not have, with their paths.
    vanished : list of Entity
        Realised nodes of before that `grow` found no place for; for `clear_away`.
    references : References
        What handles of the placed level's own world mean in this instance.
    is_loose : bool
        A node that something here refers to has become another entity.
    notes : str
        What a person should know about the asset.
    cost : int
        How long `grow` took per node, in nodes that are made with many others.
    """

    dresser: Dresser
    root: Entity
    settings: Settings
    entry: AssetEntry | LevelEntry
    shown: tuple[int, str] = (-1, "")
    inside: InnerRoot | None = None
    refusal: str = ""
    blueprint: Blueprint | None = None
    nodes: list[int] = field(default_factory=list)
    base: NodeBases = field(init=False)
    inner: dict[Entity, InnerRoot] = field(default_factory=dict)
    parked: dict[Entity, str] = field(default_factory=dict)
    vanished: list[Entity] = field(default_factory=list)
    references: References = field(init=False)
    is_loose: bool = False
    notes: str = ""
    cost: int = 1
    _linked: frozenset[Entity] = frozenset()
    _apart: set[int] = field(default_factory=set)
    _roots: dict[int, InnerRoot] = field(default_factory=dict)
    _changes: dict[int, list[tuple[Layer, NodeChange]]] = field(default_factory=dict)
    _handed: dict[int, dict[str, Entity]] = field(default_factory=dict)
    _handed_at: int = -1

    def __post_init__(self) -> None:
        self.base = NodeBases(self._base_of)
        self.references = References({}, self.nodes)

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
        bound = bound_below(world, self.root)
        before = [e for e in bound if world.has(e, Realised)]
        roots_before = {e for e in before if is_instance(world, e)}
        if blueprint is None:
            self._drop_layers()
            self._place_box(box())
        else:
            is_fresh = all(world.has(e, Placeholder) for e in bound)
            self._place_nodes(blueprint, links, is_fresh=is_fresh)
            self.cost = 1 if is_fresh else ALONE_COST
        gone = [e for e in before if e not in self.base]
        below = (e for root in gone if root in roots_before for e in paths.below(root))
        self.vanished = list(dict.fromkeys([*gone, *below]))

    def _place_nodes(self, blueprint: Blueprint, links: Links, *, is_fresh: bool) -> None:
        self.begin(blueprint)
        found = bind_paths(blueprint, links, self._roots).found
        # What the level has for one node does not stand in for another that it once was.
        self._linked = frozenset(links.values())
        self._take_layers(blueprint)
        linked = {at: links[path] for at, path in found.items()}
        if is_fresh:
            sow([[self]], linked)
            return
        for at, part in enumerate(blueprint.parts):
            entity = self._place(at, part, linked.get(at))
            self.nodes.append(int(entity))
            self._note_changes(at, entity)
        self._finish(blueprint)
        self.reconnect()

    def begin(self, blueprint: Blueprint) -> None:
        """Take a blueprint whose nodes are about to be made."""
        self.blueprint = blueprint
        self.references = References(blueprint.position, self.nodes)
        self._find_roots(blueprint)

    def _finish(self, blueprint: Blueprint) -> None:
        self.inner = {self.node(at): inner for at, inner in self._roots.items()}
        if blueprint.issues:
            self.notes = f"{self.entry.path}: {'; '.join(blueprint.issues)}"

    def _find_roots(self, blueprint: Blueprint) -> None:
        columns = columns_of(blueprint)
        changes = blueprint.changes if isinstance(blueprint, LevelBlueprint) else {}
        for at in columns.instances:
            layers = [Layer(self, changes[at])] if at in changes else []
            self._roots[at] = InnerRoot(at, layers, columns.hung.get(at, 0))

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
        replaced = paths.step(parent, part.segment)
        if replaced is not None and replaced != entity and replaced in HeldNodes.of(world):
            NodeAddresses.of(world).hold(world, (replaced,))
        paths.bind(parent, part.segment, entity)
        take_back(world, entity)
        self.base.add(entity, at)
        return entity

    def take_nodes(
        self, nodes: list[int], apart: Iterable[int], linked: Mapping[int, Entity]
    ) -> None:
        """Know the nodes, in the order of the parts; give those that stand `apart` their base."""
        blueprint, world = self.blueprint, self.dresser.world
        assert blueprint is not None
        columns = columns_of(blueprint)
        self.nodes.extend(nodes)
        self.base.note(nodes)
        NodePaths.of(world).bind_fresh(
            self.root, nodes, columns.above, columns.segments, columns.children
        )
        for at in apart:
            if at in linked:
                self.dress_part(at)
            else:
                world.restore(self.node(at), *self._base_of(at))
            self._note_changes(at, self.node(at))
        self._finish(blueprint)

    @property
    def changed_parts(self) -> Iterable[int]:
        """The positions of the parts that the levels around change."""
        return self._changes

    def dress_part(self, at: int) -> None:
        """Give the node of a part its base with its overrides."""
        self.dresser.dress(self.node(at), self._base_of(at))
        take_back(self.dresser.world, self.node(at))

    # -- going on ----------------------------------------------------------------------------

    def plan_from(self, known: InstanceBranch, change: BlueprintChange, links: Links) -> bool:
        """Take a blueprint whose nodes are those of the branch of before, where that is simple.

        It is not where a change of the open level finds its node elsewhere now; then nothing is
        taken.
        """
        binding = bind_paths(change.after, links, columns_of(change.after).instances)
        source = change.source.tolist()
        for at, path in binding.found.items():
            if source[at] == ROOT or known.nodes[source[at]] != links[path]:
                return False
        bound = {links[path] for path in binding.found.values()}
        linked = set(links.values())
        # What the level has for one node does not stand in for another that it once was.
        if any(entity in known.base for entity in linked - bound):
            return False
        if any(self._is_taken(known, change, at) for at in np.flatnonzero(change.is_new).tolist()):
            return False
        self.begin(change.after)
        self._linked = frozenset(linked)
        self._apart = {*binding.found, *change.dressed}
        before = known.apart()
        self._apart.update(at for at, was in enumerate(source) if was in before)
        return True

    def _is_taken(self, known: InstanceBranch, change: BlueprintChange, at: int) -> bool:
        """Whether an entity waits to become the node of a part that is new."""
        part = change.after.parts[at]
        above = ROOT if part.parent == ROOT else int(change.source[part.parent])
        if part.parent != ROOT and above == ROOT:
            return False
        parent = self.root if part.parent == ROOT else known.node(above)
        entity = NodePaths.of(self.dresser.world).step(parent, part.segment)
        return entity is not None and self.dresser.world.alive(entity)

    def apart(self) -> set[int]:
        """Return the positions of the nodes that levels change."""
        positions = (self.base.position(n) for n in self._linked if n in self.base)
        return {*self._changes, *positions}

    def follow(self, known: InstanceBranch, change: BlueprintChange, handles: IntArray) -> None:
        """Go on from the branch of before with these nodes, which carry what the parts say.

        Parameters
        ----------
        handles : (n,) int64
            In the order of the parts.
        """
        world = self.dresser.world
        paths = NodePaths.of(world)
        self.nodes.extend(handles.tolist())
        self.base.note(self.nodes)
        self._take_layers(change.after)
        for at in np.flatnonzero(change.is_new).tolist():
            part = change.after.parts[at]
            paths.bind(self._above(part), part.segment, self.node(at))
        for at in sorted({*self._apart, *self._changes}):
            self.dress_part(at)
            self._note_changes(at, self.node(at))
        self._finish(change.after)
        self.reconnect()
        gone = [known.node(at) for at in change.gone]
        below = (e for root in gone if root in known.inner for e in paths.below(root))
        self.vanished = list(dict.fromkeys([*gone, *below]))

    def _above(self, part: BlueprintPart) -> Entity:
        return self.root if part.parent == ROOT else self.node(part.parent)

    def node(self, at: int) -> Entity:
        """Return the entity of a part."""
        return Entity(self.nodes[at])

    def _base_of(self, at: int) -> list[SceneComponent]:
        assert self.blueprint is not None
        return self._base(at, self.blueprint.parts[at])

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
        self.base.fix(entity, base)

    def stands_for(self, settings: Settings, entry: AssetEntry | LevelEntry) -> bool:
        """Whether it shows what an instance with these settings should."""
        return self.settings == settings and self.shown == (entry.version, entry.state)

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
        if layer.owner.references.drop(change.handle):
            layer.owner.is_loose = True

    def _note_changes(self, at: int, entity: Entity) -> None:
        for layer, change in self._changes.get(at, ()):
            if layer.owner.references.set(change.handle, entity):
                layer.owner.is_loose = True

    def reconnect(self) -> bool:
        """Turn references to the entities that nodes are by now; return whether any changed."""
        self.is_loose = False
        changed = False
        for at in columns_of(self.blueprint).referring if self.blueprint is not None else ():
            changed = self.dresser.dress(self.node(at), self._base_of(at)) or changed
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

    def meant(self, path: str) -> tuple[Entity, str]:
        """Return the node that a path means, by its name where need be, and what leads on inside.

        Null where there is none.
        """
        if self.blueprint is None:
            return Entity.null(), ""
        binding = bind_paths(self.blueprint, [path], self._roots)
        for at in binding.found:
            return self.node(at), ""
        for at, below in binding.handed.items():
            return self.node(at), next(iter(below))
        return Entity.null(), ""

    def refresh(self, node: Entity) -> bool:
        """Lay a node's overrides over its base again; return whether anything changed."""
        return self.dresser.dress(node, self.base[node])

    def dress_parked(self, entity: Entity) -> bool:
        """Give a parked entity what it carries meanwhile; return whether anything changed."""
        return self.dresser.dress(entity, parked_base(self.root, self.parked[entity]))


def bound_below(world: World, root: Entity) -> list[Entity]:
    """Return the entities that are nodes below a root by now, without those of inner ones."""
    below = NodePaths.of(world).below(root, lambda entity: is_instance(world, entity))
    return [e for e in below if world.alive(e)]
