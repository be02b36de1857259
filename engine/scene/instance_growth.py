"""`InstanceGrowth`: makes the nodes of instances, those that have the most in common together.

New instances that show the same are spawned in one go, and when an asset is another one now, what
differs is worked out once and written for all its instances. What does not go that way, since
something there was changed by hand, is made node by node.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from itertools import chain

import numpy as np

from engine.assets.library import AssetEntry, AssetLibrary
from engine.ecs import World
from engine.reflect import Entity
from engine.scene.blueprint_change import BlueprintChange, change_between
from engine.scene.branch_sowing import go_on, sow
from engine.scene.components import GltfInstance, MeshRenderer, SceneInstance
from engine.scene.dresser import Dresser
from engine.scene.gltf_blueprint import Blueprint
from engine.scene.gltf_blueprints import GltfBlueprints
from engine.scene.instance_branch import (
    ALONE_COST,
    InstanceBranch,
    Settings,
    bound_below,
    settings_of,
)
from engine.scene.instance_forest import InstanceForest
from engine.scene.level_blueprint import LevelBlueprint
from engine.scene.level_library import DEEPEST, LevelEntry, LevelLibrary
from engine.scene.node_paths import NodePaths
from engine.scene.part_columns import columns_of

# Of all placed levels together; what one comes to is bounded by the library.
_MOST_LEVELS = 100_000
_MOST_NODES = 1_000_000

# How long a root takes, in nodes that are made with many others.
_ROOT_COST = 10
# How many nodes are made at once, with and without somebody waiting for the next picture.
_PORTION = 500
_MOST_AT_ONCE = 50_000

Box = Callable[[bool], MeshRenderer]


class InstanceGrowth:
    """Makes what stands under the roots of one world's instances.

    Parameters
    ----------
    world : World
    forest : InstanceForest
    dresser : Dresser
    library, levels
        Where assets and placed levels come from.
    box : callable
        What is drawn in place of an asset that can't be shown; given whether it is awaited.

    Attributes
    ----------
    spent : float
        How much was made so far, in nodes that are made with many others.
    """

    def __init__(
        self,
        world: World,
        forest: InstanceForest,
        dresser: Dresser,
        library: AssetLibrary,
        levels: LevelLibrary,
        box: Box,
    ) -> None:
        self._world = world
        self._forest = forest
        self._dresser = dresser
        self._library = library
        self._levels = levels
        self._box = box
        self._blueprints = GltfBlueprints()
        self._placed: set[Entity] = set()
        self._coming = 0
        self.spent = 0.0
        # By the levels around and the level itself; only for as long as no file changes.
        self._refused: dict[tuple[str, ...], str] = {}
        self._changes: dict[tuple[int, int], BlueprintChange] = {}

    # -- what is shown -----------------------------------------------------------------------

    def entry(self, settings: Settings) -> AssetEntry | LevelEntry:
        """Return the asset or level that an instance shows."""
        if isinstance(settings, GltfInstance):
            return self._library.get(settings.asset)
        return self._levels.get(settings.level)

    def gltf(self, settings: GltfInstance) -> tuple[AssetEntry, Blueprint | None]:
        """Return an asset and what becomes of it."""
        entry = self._library.get(settings.asset)
        return entry, self._blueprint(entry, settings)

    def _blueprint(self, entry: AssetEntry | LevelEntry, settings: Settings) -> Blueprint | None:
        if isinstance(entry, LevelEntry):
            return entry.blueprint
        assert isinstance(settings, GltfInstance)
        return self._blueprints.get(entry, settings)

    def refusal(self, root: Entity, settings: Settings) -> str:
        """Return why what a root places can't be shown there; empty where it can."""
        if not isinstance(settings, SceneInstance):
            return ""
        around = self._forest.levels_around(root)
        place = (*around, settings.level)
        known = self._refused.get(place)
        if known is None:
            known = self._refused[place] = self._loop(around, settings.level)
        return known or self._excess(root, len(around))

    def _loop(self, around: list[str], level: str) -> str:
        """Return why a level can't be placed below others, or is too much by itself."""
        home = self._levels.home()
        trail = [*([home] if home is not None else []), *map(self._levels.file_of, around)]
        file = self._levels.file_of(level)
        if file in trail:
            return self._levels.say_loop([*trail[trail.index(file) :], file])
        return self._levels.find_excess(level)

    def _excess(self, root: Entity, depth: int) -> str:
        """Return why one more level is too much; only here is known what changes place."""
        if depth >= DEEPEST:
            return f"levels in levels are more than {DEEPEST} deep here"
        is_new = root not in self._placed
        if is_new and len(self._placed) >= _MOST_LEVELS:
            return f"more than {_MOST_LEVELS:,} levels are placed already"
        if is_new and len(self._forest.nodes) + self._coming >= _MOST_NODES:
            return f"placed props and levels have more than {_MOST_NODES:,} nodes already"
        return ""

    # -- growing -----------------------------------------------------------------------------

    def forget(self, root: Entity) -> None:
        """Know that a root is gone."""
        self._placed.discard(root)

    def forget_files(self) -> None:
        """Know that files may be other ones from now on."""
        self._refused.clear()

    def forget_changes(self) -> None:
        """Let go of assets that are no longer shown anywhere."""
        self._changes.clear()

    def grow(
        self, roots: deque[Entity], limit: float, is_current: Callable[[InstanceBranch], None]
    ) -> list[InstanceBranch]:
        """Make the nodes of the next roots anew where they do not stand as they should.

        Parameters
        ----------
        roots : deque of Entity
            What is looked at is taken out: a few where there is a limit, else many.
        limit : float
            What `spent` should come to.
        is_current : callable
            Told of the branches that do.

        Returns
        -------
        list of InstanceBranch
            Those that were made; they are in the forest.
        """
        most = _PORTION if limit != math.inf else _MOST_AT_ONCE
        made: list[InstanceBranch] = []
        sown: dict[int, list[InstanceBranch]] = {}
        gone_on: dict[int, list[tuple[InstanceBranch, InstanceBranch]]] = {}
        size = self._coming = 0
        while roots and size < most:
            root = roots.popleft()
            size += _ROOT_COST
            settings = settings_of(self._world, root) if self._world.alive(root) else None
            if settings is None:
                continue
            known = self._forest.roots.get(root)
            entry = self.entry(settings)
            if known is not None and known.stands_for(settings, entry):
                is_current(known)
                continue
            branch, blueprint = self._begin(root, settings, entry)
            made.append(branch)
            parts = len(blueprint.parts) if blueprint is not None else 0
            size += parts
            self.spent += _ROOT_COST + parts
            if blueprint is not None and self._is_bare(root, branch, known):
                branch.begin(blueprint)
                if known is not None:
                    self._forest.clear(known)
                    branch.vanished = list(known.base)
                sown.setdefault(id(blueprint), []).append(branch)
                self._coming += len(blueprint.parts)
            elif known is not None and (change := self._way_on(known, branch, blueprint)):
                gone_on.setdefault(id(change), []).append((branch, known))
            else:
                self._grow_alone(branch, known, blueprint)
        for pairs in gone_on.values():
            self._go_on(pairs)
        sow(sown.values())
        for branch in chain.from_iterable(sown.values()):
            self._forest.plant(branch)
        return made

    def _begin(
        self, root: Entity, settings: Settings, entry: AssetEntry | LevelEntry
    ) -> tuple[InstanceBranch, Blueprint | None]:
        """Return a branch without nodes, and what it is to show; None for a box."""
        outer = self._forest.nodes.get(root)
        inside = outer.inner.get(root) if outer is not None else None
        refusal = self.refusal(root, settings)
        shown = (entry.version, entry.state)
        branch = InstanceBranch(
            self._dresser, root, settings, entry, shown, inside=inside, refusal=refusal
        )
        known = self._forest.roots.get(root)
        # What was parked before looks the same while it stays so.
        branch.parked = known.parked if known is not None else {}
        blueprint = None if refusal else self._blueprint(entry, settings)
        (self._placed.add if isinstance(blueprint, LevelBlueprint) else self._placed.discard)(root)
        return branch, blueprint

    def _is_bare(self, root: Entity, branch: InstanceBranch, known: InstanceBranch | None) -> bool:
        """Whether at most a box stands under a root, and nothing is changed there."""
        is_plain = branch.inside is None or not branch.inside.layers
        if not is_plain or self._forest.links(root):
            return False
        if known is None:
            return not bound_below(self._world, root)
        is_box = known.blueprint is None
        return is_box and all(e in known.base for e in bound_below(self._world, root))

    def _way_on(
        self, known: InstanceBranch, branch: InstanceBranch, blueprint: Blueprint | None
    ) -> BlueprintChange | None:
        """Return how the nodes of before serve the branch, None where they do not simply."""
        if known.blueprint is None or blueprint is None:
            return None
        world, before = self._world, known.blueprint
        if (world.locate(np.array(known.nodes, np.int64))[0] < 0).any():
            return None
        was = columns_of(before)
        # A command may have made one of them the level's own.
        if not NodePaths.of(world).are_bound(known.root, known.nodes, was.above, was.segments):
            return None
        key = (id(before), id(blueprint))
        change = self._changes.get(key)
        if change is None:
            change = self._changes[key] = change_between(before, blueprint)
        if change.is_new[list(columns_of(blueprint).single)].any():
            return None
        links = self._forest.links(branch.root)
        return change if branch.plan_from(known, change, links) else None

    def _go_on(self, pairs: list[tuple[InstanceBranch, InstanceBranch]]) -> None:
        branches, known = [branch for branch, _ in pairs], [was for _, was in pairs]
        before, after = known[0].blueprint, branches[0].blueprint
        for was in known:
            self._forest.clear(was)
        go_on(branches, known, self._changes[id(before), id(after)])
        for branch in branches:
            self._forest.plant(branch)

    def _grow_alone(
        self, branch: InstanceBranch, known: InstanceBranch | None, blueprint: Blueprint | None
    ) -> None:
        if known is not None:
            self._forest.clear(known)
        is_waiting = not branch.refusal and branch.entry.state == "loading"
        links = self._forest.links(branch.root)
        branch.grow(blueprint, lambda: self._box(is_waiting), links)
        # What the level changes here was laid over node by node.
        self.spent += ALONE_COST * len(links)
        self.spent += (branch.cost - 1) * len(blueprint.parts if blueprint is not None else ())
        self._forest.plant(branch)
