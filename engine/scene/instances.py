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

from engine.assets.library import AssetEntry, AssetLibrary
from engine.assets.upload import MeshStore
from engine.ecs import ComponentType, QuerySpec, World
from engine.reflect import Entity, SceneComponent
from engine.scene.components import (
    BUILTIN_COMPONENTS,
    GltfInstance,
    InstanceNode,
    KeptRecords,
    MeshRenderer,
    Realised,
)
from engine.scene.gltf_blueprint import Blueprint, draw_blueprint
from engine.scene.instance_branch import (
    Dresser,
    InstanceBranch,
    clear_away,
    parked_base,
    withdraw,
)
from engine.scene.instance_nodes import find_node, node_path
from engine.scene.node_paths import NodePaths
from engine.scene.shape_meshes import PLACEHOLDER_COLOR, ShapeMeshes

__all__ = ["InstanceRealiser", "find_node", "node_path"]


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
        self._world = world
        self._library = library
        self._dresser = Dresser(world, types)
        self._shapes = ShapeMeshes(world, renderer)
        self._roots = QuerySpec(GltfInstance, without=(Realised,))
        self._changed_nodes = (QuerySpec(InstanceNode), QuerySpec(KeptRecords, Realised))
        self._instances: dict[Entity, InstanceBranch] = {}
        self._linked: set[Entity] = set()
        self._blueprints: dict[tuple[str, int, bool, bool, str], Blueprint] = {}
        self._tick = -1

    @property
    def issues(self) -> dict[Entity, str]:
        return self._dresser.issues

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
        changed = dict.fromkeys(self._let_go())
        changed.update(dict.fromkeys(self._realise(stale)))
        changed.update(dict.fromkeys(self._refresh_overrides()))
        self._shapes.sync()
        if changed:
            for gone in [e for e in self.issues if not self._world.alive(e)]:
                del self.issues[gone]
        self._tick = self._world.tick
        return list(changed)

    def settle(self) -> list[Entity]:
        """Wait for every asset that is being read, and realise it.

        Returns
        -------
        list of Entity
            The roots whose nodes changed.
        """
        # Asking for all of them first spares the boxes that would stand in meanwhile.
        for table in self._roots.tables(self._world):
            for path in set(table.view(GltfInstance, "asset")):
                self._library.get(path)
        self._library.wait()
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
        self._realise(list(self._instances))
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
        return self._dresser.values(node, base or parked_base(root, path))

    def park(self, root: Entity, path: str) -> Entity:
        """Make the entity that keeps the records of a node which the asset lacks at present.

        Parameters
        ----------
        root : Entity
            The instance.
        path : str
            Of the node. A `sync` removes the entity when its `InstanceNode` is gone again.
        """
        world = self._world
        entity = world.spawn(*parked_base(root, path), InstanceNode(root, path))
        self._linked.add(entity)
        if root in self._instances:
            self._instances[root].parked[entity] = path
        return entity

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
        found: list[Entity] = []
        live: set[int] = set()
        for table in self._roots.tables(world):
            entities = table.entities
            live.update(entities.tolist())
            if table.loaned(GltfInstance) <= self._tick:
                entities = entities[table.row_ticks(GltfInstance) > self._tick]
            found += [Entity(e) for e in entities.tolist()]
        found += [Entity(e) for e in sorted(live.difference(self._instances, found))]
        for root in self._instances.keys() - live:
            del self._instances[root]
            self.issues.pop(root, None)
            withdraw(self._dresser, root)
        return found

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
        unknown: dict[Entity, None] = {}
        changed = [root for node in touched if (root := self._refresh(node, unknown))]
        return [*changed, *self._realise(unknown)]

    def _refresh(self, node: Entity, unknown: dict[Entity, None]) -> Entity | None:
        """Lay a node's overrides over its base again; return the root if anything changed.

        The root of a node that its branch does not know goes into `unknown`.
        """
        world = self._world
        if not world.has(node, InstanceNode) and NodePaths.of(world).step_to(node) is None:
            return None
        root, path = node_path(world, node)
        instance = self._instances.get(root)
        if instance is None:
            parent = root if world.alive(root) else Entity.null()
            return root if self._dresser.dress(node, parked_base(parent, path)) else None
        changed = instance.refresh(node, path)
        if changed is None:
            instance.shown = (-1, "")
            unknown[root] = None
        return root if changed else None

    def _let_go(self) -> list[Entity]:
        """Clear away parked entities whose last change was taken back; return their roots."""
        world, roots = self._world, []
        if world.version(InstanceNode) <= self._tick:
            return []
        paths = NodePaths.of(world)
        for node in self._linked:
            if world.alive(node) and not world.has(node, InstanceNode) and not paths.step_to(node):
                branch = next((b for b in self._instances.values() if node in b.parked), None)
                if branch is not None:
                    branch.let_go(node)
                    roots.append(branch.root)
        return roots

    # -- realising ---------------------------------------------------------------------------

    def _realise(self, roots: Iterable[Entity]) -> list[Entity]:
        """Make what stands under roots match its asset; return those where that changed."""
        grown = [branch for root in roots if (branch := self._grow(root)) is not None]
        clear_away(self._world, [node for branch in grown for node in branch.vanished])
        for branch in grown:
            branch.park()
            self._note(branch)
        return [branch.root for branch in grown]

    def _grow(self, root: Entity) -> InstanceBranch | None:
        """Make the nodes of a root anew; None when they stand as they should."""
        world = self._world
        if not world.has(root, GltfInstance):
            return None
        settings = world.get(root, GltfInstance)
        entry = self._library.get(settings.asset)
        instance = self._instances.get(root)
        shown = (entry.version, entry.state)
        if instance is not None and instance.settings == settings and instance.shown == shown:
            self._note(instance)
            return None
        instance = InstanceBranch(self._dresser, root, settings, entry, shown)
        self._instances[root] = instance
        instance.grow(self._blueprint(entry, settings), self._box)
        return instance

    def _box(self) -> MeshRenderer:
        """Return what a placeholder draws."""
        return MeshRenderer(self._shapes.mesh("box"), self._shapes.material(PLACEHOLDER_COLOR))

    def _note(self, instance: InstanceBranch) -> None:
        text = instance.entry.error or instance.notes
        if text:
            self.issues[instance.root] = text
        else:
            self.issues.pop(instance.root, None)

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
