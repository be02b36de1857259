"""`InstanceRealiser`: the nodes of every placed prop, spawned from its asset and kept up to date.

An entity with `GltfInstance` is the root of an instance. Its nodes are spawned under it, tagged
`Realised` and never written to a level. When the asset or the instance's switches change, the nodes
are made to match again: an entity whose node is still there stays the same entity, with the same
handle, and its overrides are laid over the new values. A node that is gone takes its entity with
it, unless the level keeps something there; then the entity is parked under the root. Until an asset
can be shown, a box stands in its place. None of this is an edit.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from engine.assets.library import AssetEntry, AssetLibrary
from engine.assets.upload import MeshStore
from engine.ecs import ComponentType, QuerySpec, World
from engine.reflect import Entity, SceneComponent
from engine.scene.components import (
    BUILTIN_COMPONENTS,
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
from engine.scene.gltf_blueprint import ROOT, Blueprint, draw_blueprint
from engine.scene.hierarchy import children
from engine.scene.instance_nodes import InstanceLinks, find_node, node_path
from engine.scene.node_paths import NodePaths, split_path
from engine.scene.overrides import dress, overlaid, overridable
from engine.scene.shape_meshes import PLACEHOLDER_COLOR, ShapeMeshes

__all__ = ["InstanceRealiser", "find_node", "node_path"]

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


@dataclass(eq=False, slots=True)
class _Instance:
    """What stands under one root at present."""

    settings: GltfInstance
    entry: AssetEntry
    shown: tuple[int, str] = (-1, "")
    base: dict[Entity, list[SceneComponent]] = field(default_factory=dict)
    parked: dict[Entity, str] = field(default_factory=dict)
    notes: str = ""


class InstanceRealiser:
    """Realises the instances and plain shapes of one world.

    Parameters
    ----------
    world : World
    library : AssetLibrary
        Where assets come from; its `poll` is called here.
    renderer : MeshStore, optional
        Where plain shapes and placeholders get their meshes.
    types : iterable of component types
        What overrides may name.

    Attributes
    ----------
    issues : dict of Entity to str
        What is wrong with an instance or one of its changed nodes.
    """

    def __init__(
        self,
        world: World,
        library: AssetLibrary,
        renderer: MeshStore | None = None,
        types: Iterable[ComponentType] = BUILTIN_COMPONENTS,
    ) -> None:
        self.issues: dict[Entity, str] = {}
        self._world = world
        self._library = library
        self._types = overridable(types)
        self._owned = _FROM_ASSET | set(self._types.values()) - {GltfInstance}
        self._shapes = ShapeMeshes(world, renderer)
        self._roots = QuerySpec(GltfInstance, without=(Realised,))
        self._changed_nodes = (QuerySpec(InstanceNode), QuerySpec(KeptRecords, Realised))
        self._instances: dict[Entity, _Instance] = {}
        self._linked: set[Entity] = set()
        self._blueprints: dict[tuple[str, int, bool, bool, str], Blueprint] = {}
        self._tick = -1

    # -- public ------------------------------------------------------------------------------

    def sync(self) -> list[Entity]:
        """Bring every instance and shape up to date with what is known now.

        Returns
        -------
        list of Entity
            The roots whose nodes changed.
        """
        stale = dict.fromkeys(self._affected(self._library.poll()))
        stale.update(dict.fromkeys(self._settings_changed()))
        changed = {root: None for root in stale if self._realise(root)}
        changed.update(dict.fromkeys(self._refresh_overrides()))
        self._shapes.sync()
        if changed:
            self.issues = {e: text for e, text in self.issues.items() if self._world.alive(e)}
        self._tick = self._world.tick
        return list(changed)

    def settle(self) -> list[Entity]:
        """Wait for every asset that is being read, and realise it.

        Returns
        -------
        list of Entity
            The roots whose nodes changed.
        """
        changed = dict.fromkeys(self.sync())
        while self._library.loading():
            self._library.wait()
            changed.update(dict.fromkeys(self.sync()))
        return list(changed)

    def pending(self) -> list[Entity]:
        """Return the roots whose asset is being read for the first time."""
        return [r for r, i in self._instances.items() if i.entry.state == "loading"]

    def attach(self, renderer: MeshStore | None) -> None:
        """Use another renderer; the ids of instances follow the library at the next `sync`."""
        self._shapes.attach(renderer)
        for instance in self._instances.values():
            instance.shown = (-1, "")
        for root in list(self._instances):
            self._realise(root)
        self._shapes.sync()

    def close(self) -> None:
        """Free what plain shapes and placeholders had uploaded; the world is let go of."""
        self._shapes.attach(None)

    def inherited(self, node: Entity) -> list[SceneComponent]:
        """Return what a node's asset gives it, with the overrides that its records hold now.

        A node that the asset does not have gets what a parked one has.
        """
        root, path = node_path(self._world, node)
        instance = self._instances.get(root)
        base = instance.base.get(node) if instance is not None else None
        values, _ = overlaid(self._world, node, base or _parked_base(root, path), self._types)
        return [value.copy() for value in values.values()]

    # -- what changed ------------------------------------------------------------------------

    def _affected(self, entries: Iterable[AssetEntry]) -> list[Entity]:
        changed = set(map(id, entries))
        if not changed:
            return []
        return [r for r, i in self._instances.items() if id(i.entry) in changed]

    def _settings_changed(self) -> list[Entity]:
        """Return the roots that are new or whose `GltfInstance` changed, and drop those gone."""
        world = self._world
        if world.version(GltfInstance) <= self._tick:
            return []
        found: dict[Entity, None] = {}
        live: set[Entity] = set()
        for table in self._roots.tables(world):
            entities = [Entity(e) for e in table.entities.tolist()]
            live.update(entities)
            ticks = table.row_ticks(GltfInstance).tolist()
            if table.loaned(GltfInstance) > self._tick:
                ticks = [world.tick] * len(ticks)
            for entity, tick in zip(entities, ticks, strict=True):
                if tick > self._tick or entity not in self._instances:
                    found[entity] = None
        for root in self._instances.keys() - live:
            self._withdraw(root)
        return list(found)

    def _refresh_overrides(self) -> list[Entity]:
        """Apply records that changed since the last time; return the roots of their nodes."""
        world = self._world
        if max(world.version(InstanceNode), world.version(KeptRecords)) <= self._tick:
            return []
        linked: set[Entity] = set()
        touched: set[Entity] = set()
        for query, type_ in zip(self._changed_nodes, (InstanceNode, KeptRecords), strict=True):
            for table in query.tables(world):
                entities = [Entity(e) for e in table.entities.tolist()]
                linked.update(entities)
                ticks = table.row_ticks(type_).tolist()
                touched.update(e for e, t in zip(entities, ticks, strict=True) if t > self._tick)
        touched |= {entity for entity in self._linked - linked if world.alive(entity)}
        touched |= linked - self._linked
        self._linked = linked
        return list(dict.fromkeys(root for node in touched if (root := self._refresh(node))))

    def _refresh(self, node: Entity) -> Entity | None:
        """Lay a node's overrides over its base again; return the root if anything changed."""
        world = self._world
        if not world.has(node, InstanceNode) and NodePaths.of(world).step_to(node) is None:
            return None
        root, path = node_path(world, node)
        instance = self._instances.get(root)
        if instance is None:
            parent = root if world.alive(root) else Entity.null()
            return root if self._dress(node, _parked_base(parent, path)) else None
        if node in instance.base:
            return root if self._dress(node, instance.base[node]) else None
        if instance.parked.get(node) == path:
            return root if self._dress_parked(root, instance, node) else None
        instance.shown = (-1, "")
        return root if self._realise(root) else None

    # -- realising ---------------------------------------------------------------------------

    def _realise(self, root: Entity) -> bool:
        """Make what stands under a root match its asset; whether anything changed."""
        world = self._world
        if not world.has(root, GltfInstance):
            return False
        settings = world.get(root, GltfInstance)
        entry = self._library.get(settings.asset)
        instance = self._instances.get(root)
        shown = (entry.version, entry.state)
        if instance is not None and instance.settings == settings and instance.shown == shown:
            self._note(root, instance)
            return False
        instance = self._instances[root] = _Instance(settings, entry, shown)
        blueprint = self._blueprint(entry, settings)
        before = [e for e in NodePaths.of(world).below(root) if world.has(e, Realised)]
        if blueprint is None:
            self._place_box(root, instance)
        else:
            self._place_nodes(root, instance, blueprint)
        self._clear_away([e for e in before if e not in instance.base])
        self._park(root, instance)
        self._note(root, instance)
        return True

    def _note(self, root: Entity, instance: _Instance) -> None:
        text = instance.entry.error or instance.notes
        if text:
            self.issues[root] = text
        else:
            self.issues.pop(root, None)

    def _blueprint(self, entry: AssetEntry, settings: GltfInstance) -> Blueprint | None:
        if entry.asset is None or entry.uploaded is None:
            return None
        switches = (settings.cast_shadows, settings.skinned_meshes, settings.variant)
        key = (entry.path, entry.version, *switches)
        if key not in self._blueprints:
            for old in [k for k in self._blueprints if k[0] == entry.path and k[1] != key[1]]:
                del self._blueprints[old]
            self._blueprints[key] = draw_blueprint(
                entry.asset,
                entry.uploaded,
                cast_shadows=settings.cast_shadows,
                skinned_meshes=settings.skinned_meshes,
                variant=settings.variant,
            )
        return self._blueprints[key]

    def _place_nodes(self, root: Entity, instance: _Instance, blueprint: Blueprint) -> None:
        world, paths = self._world, NodePaths.of(self._world)
        linked = self._linked_parts(root, blueprint)
        entities: list[Entity] = []
        for at, part in enumerate(blueprint.parts):
            parent = root if part.parent == ROOT else entities[part.parent]
            base = [Parent(parent), *part.values, Order(part.rank), Realised()]
            entity = linked.get(at) or paths.step(parent, part.segment)
            if entity is None or not world.alive(entity) or entity in instance.base:
                entity = world.spawn(*base)
            else:
                self._dress(entity, base)
            paths.bind(parent, part.segment, entity)
            instance.base[entity] = base
            entities.append(entity)
        if blueprint.issues:
            instance.notes = f"{instance.settings.asset}: {'; '.join(blueprint.issues)}"

    def _linked_parts(self, root: Entity, blueprint: Blueprint) -> dict[int, Entity]:
        """Return the entities that `InstanceNode` records bind to parts, by path, then by name."""
        found: dict[int, Entity] = {}
        lost: list[tuple[str, Entity]] = []
        for path, entity in InstanceLinks.of(self._world).under(root).items():
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

    def _place_box(self, root: Entity, instance: _Instance) -> None:
        """Stand a box, one metre high, where the asset cannot be shown."""
        drawn = MeshRenderer(self._shapes.mesh("box"), self._shapes.material(PLACEHOLDER_COLOR))
        base = [
            Parent(root),
            Name("Placeholder"),
            LocalTransform((0.0, 0.5, 0.0)),
            drawn,
            Order(-1),
            Placeholder(),
            Realised(),
        ]
        paths = NodePaths.of(self._world)
        entity = paths.step(root, _PLACEHOLDER_STEP)
        if entity is None or not self._world.alive(entity):
            entity = self._world.spawn(*base)
        else:
            self._dress(entity, base)
        paths.bind(root, _PLACEHOLDER_STEP, entity)
        instance.base[entity] = base

    def _dress(self, entity: Entity, base: list[SceneComponent]) -> bool:
        """Give an entity its base with its overrides; whether anything changed."""
        values, problems = overlaid(self._world, entity, base, self._types)
        self.issues.pop(entity, None)
        if problems:
            self.issues[entity] = "; ".join(problems)
        # What a shape draws is derived by `ShapeMeshes`.
        owned = self._owned - {MeshRenderer} if Shape in values else self._owned
        return dress(self._world, entity, values, owned)

    def _clear_away(self, nodes: list[Entity]) -> None:
        """Remove realised nodes that the asset no longer has, but not what the level keeps there.

        A node that carries records stays, and so does one that something of the level hangs under:
        it gets a record of its own.
        """
        world, paths = self._world, NodePaths.of(self._world)
        hosts = {node for node in nodes if world.alive(node) and self._is_host(node)}
        for node in hosts:
            world.add(node, InstanceNode(*node_path(world, node)))
        for node in reversed(nodes):
            if world.alive(node):
                paths.unbind(node)
                if not world.has(node, InstanceNode):
                    world.despawn(node)

    def _is_host(self, node: Entity) -> bool:
        """Whether something that is not part of the asset hangs under a node without a record."""
        world = self._world
        if world.has(node, InstanceNode):
            return False
        return any(not world.has(child, Realised) for child in children(world, node))

    def _park(self, root: Entity, instance: _Instance) -> None:
        """Hang changed nodes that the asset does not have right under the root."""
        for path, entity in InstanceLinks.of(self._world).under(root).items():
            if entity not in instance.base:
                instance.parked[entity] = path
                self._dress_parked(root, instance, entity)

    def _dress_parked(self, root: Entity, instance: _Instance, entity: Entity) -> bool:
        path = instance.parked[entity]
        changed = self._dress(entity, _parked_base(root, path))
        if instance.entry.state == "ready":
            self.issues[entity] = f"{instance.settings.asset} has no node {path!r}"
        return changed

    def _withdraw(self, root: Entity) -> None:
        """Take away the nodes of a root that is gone or no instance any more."""
        world = self._world
        del self._instances[root]
        self.issues.pop(root, None)
        nodes = NodePaths.of(world).below(root)
        self._clear_away([e for e in nodes if world.has(e, Realised)])
        parent = root if world.alive(root) else Entity.null()
        for path, entity in InstanceLinks.of(world).under(root).items():
            self._dress(entity, _parked_base(parent, path))


def _parked_base(parent: Entity, path: str) -> list[SceneComponent]:
    """Return what a changed node carries while the asset does not have it."""
    name = split_path(path)[-1].replace("\\/", "/").replace("\\\\", "\\")
    hung: list[SceneComponent] = [Parent(parent)] if parent else []
    return [*hung, Name(name), LocalTransform(), Realised()]
