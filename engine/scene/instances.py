"""`InstanceRealiser`: the nodes of every placed prop and level, made and kept up to date.

An entity with `GltfInstance` or `SceneInstance` is the root of an instance. Its nodes are spawned
under it, tagged `Realised` and never written to a level. When the asset or the instance's switches
change, the nodes are made to match again: an entity whose node is still there stays the same
entity, with the same handle, and its overrides are laid over the new values. A node that is gone
takes its entity with it, unless the level keeps something there; then the entity is parked under
the root. Until an asset can be shown, a box stands in its place. None of this is an edit.

The nodes of a placed level may be instances too, as deep as levels go. All overrides of the open
level belong to the outermost root, by the whole path from there.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable

from engine.assets.library import AssetEntry, AssetLibrary
from engine.assets.upload import MeshStore
from engine.ecs import ComponentType, QuerySpec, World
from engine.reflect import ComponentRecord, Entity, SceneComponent
from engine.scene.components import (
    BUILTIN_COMPONENTS,
    GltfInstance,
    InstanceNode,
    MeshRenderer,
    SceneInstance,
)
from engine.scene.dresser import Dresser
from engine.scene.gltf_meshes import GltfMeshes
from engine.scene.instance_branch import (
    InstanceBranch,
)
from engine.scene.instance_forest import InstanceForest
from engine.scene.instance_growth import InstanceGrowth
from engine.scene.instance_nodes import find_node, node_path, roots_around
from engine.scene.instance_notes import InstanceNotes
from engine.scene.instance_parking import InstanceParking
from engine.scene.level_library import LevelEntry, LevelLibrary
from engine.scene.levels.level_registry import level_registry
from engine.scene.node_paths import NodePaths
from engine.scene.override_watch import RECORDS, OverrideWatch
from engine.scene.parked_nodes import (
    clear_away,
    parked_base,
)
from engine.scene.shape_meshes import PLACEHOLDER_COLOR, WAITING_COLOR, ShapeMeshes

__all__ = ["InstanceRealiser", "find_node", "node_path"]

_NONE = Entity.null()
_ROOTS: tuple[ComponentType, ...] = (GltfInstance, SceneInstance)


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
    levels : LevelLibrary, optional
        Where placed levels come from; by default those of the library's folder.

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
        levels: LevelLibrary | None = None,
    ) -> None:
        self._world = world
        self._library = library
        self.levels = levels or LevelLibrary(level_registry(), library.resolve)
        self._dresser = Dresser(world, types)
        self._shapes = ShapeMeshes(world, renderer)
        self._roots = {type_: QuerySpec(type_) for type_ in _ROOTS}
        self._forest = InstanceForest(world)
        self._growth = InstanceGrowth(
            world, self._forest, self._dresser, library, self.levels, self._box
        )
        self._meshes = GltfMeshes(world, self.issues, self._growth.gltf, self._box)
        self._overrides = OverrideWatch(world)
        self._notes = InstanceNotes(world, self._forest, self.issues)
        self._queued: dict[Entity, None] = {}
        self._parking = InstanceParking(world, self._forest, self._overrides, self._queued)
        self._just_parked: set[Entity] = set()
        self._tick = -1
        self._is_detached = False

    @property
    def issues(self) -> dict[Entity, str]:
        """What is wrong, by entity."""
        return self._dresser.issues

    # -- public ------------------------------------------------------------------------------

    @property
    def is_behind(self) -> bool:
        """Whether there is more to make for the next `sync`."""
        return bool(self._queued)

    def sync(self, budget: float = math.inf) -> list[Entity]:
        """Bring every instance and shape up to date with what is known now.

        Parameters
        ----------
        budget : float
            About how many nodes to make; the others follow with the next calls.

        Returns
        -------
        list of Entity
            The roots whose nodes changed.
        """
        if self._is_detached:
            self._show_all_anew()
        before = self._tick
        self._growth.forget_files()
        news: list[AssetEntry | LevelEntry] = [*self._library.poll(), *self.levels.poll()]
        stale = dict.fromkeys([*self._affected(news), *self._queued])
        self._queued.clear()
        changed: dict[Entity, None] = {}
        limit = self._growth.spent + budget
        while True:
            started = self._world.tick
            stale.update(dict.fromkeys(self._settings_changed(changed)))
            changed.update(dict.fromkeys(self._parking.let_go(self._tick)))
            stale = self._realise(stale, changed, limit)
            stale.update(self._refresh_overrides(changed))
            self._tick = started
            if self._growth.spent >= limit:
                self._queued.update(stale)
            if self._queued or not (stale or self._has_news()):
                break
        changed.update(dict.fromkeys(self._meshes.sync(before, is_file_news=bool(news))))
        self._just_parked.clear()
        self._shapes.sync()
        if changed:
            self._notes.tidy()
        if not self._queued:
            self._tick = self._world.tick
            self._growth.forget_changes()
        return list(changed)

    def settle(self) -> list[Entity]:
        """Wait for every asset that is being read, and realise it.

        Returns
        -------
        list of Entity
            The roots whose nodes changed.
        """
        # Asking for all of them first spares the boxes that would stand in meanwhile.
        for table in self._roots[GltfInstance].tables(self._world):
            for path in set(table.view(GltfInstance, "asset")):
                self._library.get(path)
        for table in self._roots[SceneInstance].tables(self._world):
            for path in set(table.view(SceneInstance, "level")):
                self.levels.get(path)
        self._library.take_all()
        changed = dict.fromkeys(self.sync())
        while self._library.loading():
            self._library.take_all()
            changed.update(dict.fromkeys(self.sync()))
        return list(changed)

    @property
    def is_outdated(self) -> bool:
        """Whether instances, or what is changed on them, are others since the last `sync`."""
        return self.is_behind or self._is_detached or self._has_news()

    def is_pending(self, root: Entity) -> bool:
        """Whether the asset of a root is being read for the first time."""
        instance = self._forest.roots.get(root)
        return instance is not None and instance.entry.state == "loading"

    def attach(self, renderer: MeshStore | None) -> None:
        """Use another renderer; the ids of instances follow the library at the next `sync`.

        Without one they are not made anew before that: most often the level is let go of.
        """
        self._shapes.attach(renderer)
        for instance in self._forest.roots.values():
            instance.shown = (-1, "")
        self._is_detached = renderer is None
        if renderer is not None:
            self._show_all_anew()

    def _show_all_anew(self) -> None:
        self._is_detached = False
        stale = dict.fromkeys(self._forest.roots)
        while stale:
            stale = self._realise(stale, {}, math.inf)
        self._meshes.forget()
        self._meshes.sync(self._world.tick, is_file_news=True)
        self._shapes.sync()

    def take_over(self, before: InstanceRealiser) -> None:
        """Go on from the nodes that another realiser of this world made, of other files."""
        for branch in before._forest.roots.values():
            branch.shown = (-1, "")
            self._forest.plant(branch)

    def close(self) -> None:
        """Free what plain shapes and placeholders had uploaded; the world is let go of."""
        self._shapes.attach(None)

    def inherited(self, node: Entity) -> list[SceneComponent]:
        """Return what a node's asset gives it, with the overrides that its records hold now.

        A node that the asset does not have gets what a parked one has.
        """
        branch = self._forest.nodes.get(node)
        if branch is not None:
            return self._dresser.values(node, branch.base[node])
        return self._dresser.values(node, parked_base(*node_path(self._world, node)))

    def given(self, node: Entity) -> frozenset[str] | None:
        """Return which components a node's asset gives it, by name; None where it lacks the node.

        What a level adds to the node, or takes from it, is not looked at.
        """
        branch = self._forest.nodes.get(node)
        if branch is None:
            return None
        names = {type(component).scene_name() for component in branch.base[node]}
        return frozenset(names | self.unknown_of(node).keys())

    def branch(self, root: Entity) -> InstanceBranch | None:
        """Return what stands under the root of an instance, None where nothing was realised."""
        return self._forest.roots.get(root)

    def parked(self, root: Entity) -> dict[Entity, str]:
        """Return the changed nodes that the asset does not have at present, with their paths."""
        branch = self._forest.roots.get(root)
        return dict(branch.parked) if branch is not None else {}

    def unknown_of(self, node: Entity) -> dict[str, ComponentRecord]:
        """Return what a placed level keeps on a node that no class stands for, by name."""
        return self._forest.unknown_of(node)

    def levels_around(self, node: Entity) -> list[str]:
        """Return the levels that an entity is a node of, the outermost first."""
        return self._forest.levels_around(node)

    def stand_in(self, node: Entity) -> Entity:
        """Return what a node is by now that went while only steps referred to it."""
        return self._parking.stand_in(node)

    def park(self, root: Entity, path: str) -> Entity:
        """Make the entity that keeps the records of a node which the asset lacks at present."""
        return self._parking.park(root, path)

    # -- what changed ------------------------------------------------------------------------

    def _has_news(self) -> bool:
        return max(map(self._world.version, (*_ROOTS, *RECORDS))) > self._tick

    def _affected(self, entries: list[AssetEntry | LevelEntry]) -> list[Entity]:
        changed = set(map(id, entries))
        if not changed:
            return []
        found = [r for r, i in self._forest.roots.items() if id(i.entry) in changed]
        if any(isinstance(entry, LevelEntry) for entry in entries):
            # What was refused may be sound by now, for what is in it.
            for root, branch in self._forest.roots.items():
                if branch.refusal and not self._growth.refusal(root, branch.settings):
                    branch.shown = (-1, "")
                    found.append(root)
        return found

    def _settings_changed(self, changed: dict[Entity, None]) -> list[Entity]:
        """Return the roots that are new or whose settings changed, and drop those gone."""
        world = self._world
        if max(map(world.version, _ROOTS)) <= self._tick:
            return []
        found: list[Entity] = []
        live: set[int] = set()
        for type_, query in self._roots.items():
            for table in query.tables(world):
                entities = table.entities
                live.update(entities.tolist())
                if table.loaned(type_) <= self._tick:
                    entities = entities[table.row_ticks(type_) > self._tick]
                found += [Entity(e) for e in entities.tolist()]
        found += [Entity(e) for e in sorted(live.difference(self._forest.roots, found))]
        # Of two kinds on one entity, one went.
        kept = [root for root in self._forest.roots if root in live]
        found += [r for r in kept if not world.has(r, type(self._forest.roots[r].settings))]
        for root in [r for r in self._forest.roots if r not in live]:
            found += self._withdraw(root, changed)
        return found

    def _drop_branches(self, roots: Iterable[Entity]) -> None:
        """Forget the instances at nodes that are gone; their nodes are cleared with them."""
        for root in roots:
            branch = self._forest.roots.pop(root, None)
            self._growth.forget(root)
            if branch is not None:
                self._forest.clear(branch)
                self._notes.forget(root)

    def _withdraw(self, root: Entity, changed: dict[Entity, None]) -> dict[Entity, None]:
        """Take away the nodes of a root that is gone or no instance any more.

        Returns
        -------
        dict of Entity
            The instances that were inside, which may stand on their own now.
        """
        branch = self._forest.roots.pop(root, None)
        self._growth.forget(root)
        if branch is None:
            return {}
        self._forest.clear(branch)
        self._notes.forget(root)
        nodes = NodePaths.of(self._world).below(root)
        clear_away(self._world, [e for e in nodes if self._forest.is_free(e)])
        parent = root if self._world.alive(root) else Entity.null()
        for path, entity in self._forest.links_under(root):
            if entity not in self._forest.nodes:
                self._dresser.dress(entity, parked_base(parent, path))
        for outer in self._forest.around(root):
            self._just_parked.update(self._forest.park(outer))
            changed[outer.root] = None
        return self._stale_below(branch)

    def _refresh_overrides(self, changed: dict[Entity, None]) -> dict[Entity, None]:
        """Apply records that changed since the last time; return the roots to be made anew."""
        world = self._world
        if max(map(world.version, RECORDS)) <= self._tick:
            return {}
        touched = self._overrides.touched(self._tick)
        unknown: dict[Entity, None] = {}
        changed.update(dict.fromkeys(r for n in touched if (r := self._refresh(n, unknown))))
        return unknown

    def _refresh(self, node: Entity, unknown: dict[Entity, None]) -> Entity | None:
        """Lay a node's overrides over its base again; return the root if anything changed.

        The root of a node that its branch does not know goes into `unknown`.
        """
        world = self._world
        if not world.alive(node):
            return None
        is_elsewhere = self._overrides.is_elsewhere(node)
        branch = self._forest.nodes.get(node)
        if branch is not None:
            if is_elsewhere:
                root = roots_around(world, node)[0]
                self._forest.roots[root].shown = (-1, "")
                unknown[root] = None
            is_changed = branch.refresh(node)
            if node in self._forest.roots:
                self._notes.note(self._forest.roots[node])
            return branch.root if is_changed else None
        if node in self._just_parked and not is_elsewhere:
            return None
        if not world.has(node, InstanceNode) and NodePaths.of(world).step_to(node) is None:
            return None
        root, path = node_path(world, node)
        if root in self._queued:
            return None
        branch = self._forest.roots.get(root)
        if branch is None:
            parent = root if world.alive(root) else Entity.null()
            return root if self._dresser.dress(node, parked_base(parent, path)) else None
        if branch.parked.get(node) != path:
            branch.shown = (-1, "")
            unknown[root] = None
            return None
        if node in self._just_parked:
            return None
        return root if branch.dress_parked(node) else None

    # -- realising ---------------------------------------------------------------------------

    def _realise(
        self, roots: Iterable[Entity], changed: dict[Entity, None], limit: float
    ) -> dict[Entity, None]:
        """Make what stands under roots match its asset; return the roots to be looked at again.

        What would go beyond the limit is queued.
        """
        grown: list[InstanceBranch] = []
        todo = deque(roots)
        while self._growth.spent < limit and todo:
            grown += self._growth.grow(todo, limit, self._notes.note)
        self._queued.update(dict.fromkeys(todo))
        self._drop_branches(node for branch in grown for node in branch.vanished)
        # What hangs in an instance that is gone may be gone from its own asset, too.
        vanished = dict.fromkeys(e for branch in grown for e in branch.vanished)
        gone = [e for e in vanished if e not in self._forest.nodes]
        again: dict[Entity, None] = {}
        for node in clear_away(self._world, gone):
            # It is known by a record now, and so may be found by its name.
            root = self._world.get(node, InstanceNode).root
            if root in self._forest.roots:
                self._forest.roots[root].shown = (-1, "")
                again[root] = None
        for branch in {id(b): b for g in grown for b in self._forest.around(g.root)}.values():
            if branch.is_loose:
                branch.reconnect()
                changed[branch.root] = None
                again.update(self._stale_below(branch, only_referring=True))
            self._just_parked.update(self._forest.park(branch))
        for branch in grown:
            self._just_parked.update(self._forest.park(branch))
            self._notes.note(branch)
            changed[branch.root] = None
            again.update(self._stale_below(branch))
        return again

    def _stale_below(
        self, branch: InstanceBranch, *, only_referring: bool = False
    ) -> dict[Entity, None]:
        """Have the instances inside a branch made anew, since levels around them changed."""
        found: dict[Entity, None] = {}
        for root, inner in branch.inner.items():
            known = self._forest.roots.get(root)
            if known is None or (only_referring and not any(a.refers for a in inner.layers)):
                continue
            links = (
                branch.links_below(root, self._forest.links(branch.root))
                if branch.blueprint
                else {}
            )
            is_bound = all(entity in self._forest.nodes for entity in links.values())
            if known.stands_alike(inner) and is_bound and root in self._forest.nodes:
                known.inside = inner
                continue
            known.shown = (-1, "")
            found[root] = None
        return found

    def _box(self, is_waiting: bool) -> MeshRenderer:
        """Return what is drawn in place of an asset that is being read or can't be shown."""
        color = WAITING_COLOR if is_waiting else PLACEHOLDER_COLOR
        return MeshRenderer(self._shapes.mesh("box"), self._shapes.material(color))
