"""`RenderBridge`: from the world to a `RenderScene`, once per frame.

`build` leaves the scene as if it had been cleared and filled from the world: instances, lights and
joints, the first active camera, and the look of the first `Environment`. What is switched off, or
hangs under something that is, takes no part. Work is done for what changed; a scene that somebody
edited in between, and another scene, are filled anew. `propagate_transforms` runs before.
"""

from __future__ import annotations

from weakref import ReferenceType, ref

import numpy as np
from numpy.typing import NDArray

from engine.ecs import QuerySpec, World
from engine.reflect import Entity
from engine.reflect.entity import INDEX_MASK
from engine.render.scene import LIGHT_KINDS, LightArrays, LightKind, RenderScene
from engine.scene.components import LightSource, WorldTransform
from engine.scene.environment_images import EnvironmentImages
from engine.scene.hierarchy_index import HierarchyIndex
from engine.scene.render_instances import InstanceSync
from engine.scene.render_look import LookSync
from engine.scene.render_values import finite_or, has_place

Flags = NDArray[np.bool_]


class RenderBridge:
    """Keeps render scenes as a world has them; keep one, it remembers what it built.

    Attributes
    ----------
    hidden : frozenset of Entity
        Left out of the picture with what hangs under them, though the level has them switched on:
        the view of whoever looks, not a part of the world.
    images : EnvironmentImages or None
        Where environment images come from; None leaves them out.
    """

    def __init__(self) -> None:
        self.hidden: frozenset[Entity] = frozenset()
        self.images: EnvironmentImages | None = None
        self._off = _HiddenFlags()
        self._instances = InstanceSync()
        self._lights = _LightSync()
        self._look = LookSync()

    def build(self, world: World, scene: RenderScene) -> int:
        """Bring `scene` up to date.

        Returns
        -------
        int
            The number of instances. Entities without a mesh (id -1) or a `WorldTransform` give
            none.
        """
        disabled = HierarchyIndex.of(world).disabled(world)
        off = self._off.over(world, disabled, self.hidden)
        count = self._instances.build(world, scene, off)
        self._lights.build(world, scene, off)
        self._look.build(world, scene, disabled, self.images)
        return count


def build_render_scene(world: World, scene: RenderScene) -> int:
    """Fill `scene` from the world once; programs that draw frames keep a `RenderBridge`."""
    return RenderBridge().build(world, scene)


class _HiddenFlags:
    """What is hidden, laid over what is switched off; the same object while nothing changed."""

    def __init__(self) -> None:
        self._key: tuple[object, ...] = ()
        self._disabled: Flags | None = None
        self._flags: Flags | None = None

    def over(self, world: World, disabled: Flags | None, hidden: frozenset[Entity]) -> Flags | None:
        """Return `disabled` with the slots of `hidden`, and of all below them, set."""
        if not hidden:
            return disabled
        index = HierarchyIndex.of(world)
        key = (ref(world), index.version, hidden)
        if key != self._key or disabled is not self._disabled:
            self._key, self._disabled = key, disabled
            off = np.zeros(len(index.handle), np.bool_)
            off[[entity & INDEX_MASK for entity in hidden if world.alive(entity)]] = True
            off = index.spread(off)
            self._flags = off if disabled is None else off | disabled
        return self._flags


class _LightSync:
    """Keeps `scene.lights` as one world has them."""

    def __init__(self) -> None:
        self._query = QuerySpec(LightSource, WorldTransform)
        self._world: ReferenceType[World] | None = None
        self._scene: ReferenceType[RenderScene] | None = None
        self._tick = -1
        self._disabled: Flags | None = None
        self._written = -1

    def build(self, world: World, scene: RenderScene, disabled: Flags | None) -> None:
        if not self._is_current(world, scene, disabled):
            self._world, self._scene, self._disabled = ref(world), ref(scene), disabled
            self._refill(world, scene, disabled)
            self._written = scene.lights.version
        self._tick = world.tick

    def _is_current(self, world: World, scene: RenderScene, disabled: Flags | None) -> bool:
        if self._world is None or self._scene is None or self._world() is not world:
            return False
        if self._scene() is not scene or self._written != scene.lights.version:
            return False
        if disabled is not self._disabled:
            return False
        if world.version(LightSource) > self._tick:
            return False
        tables = self._query.tables(world)
        if any(table.structure > self._tick for table in tables):
            return False
        if world.version(WorldTransform) <= self._tick:
            return True
        return all(
            table.loaned(WorldTransform) <= self._tick
            and not (len(table) and table.row_ticks(WorldTransform).max() > self._tick)
            for table in tables
        )

    def _refill(self, world: World, scene: RenderScene, disabled: Flags | None) -> None:
        parts = []
        for table in self._query.tables(world):
            rows = np.flatnonzero(has_place(table.view(WorldTransform, "matrix")))
            if disabled is not None:
                rows = rows[~disabled[table.entities[rows] & INDEX_MASK]]
            if len(rows):
                parts.append((table, rows))
        scene.lights.resize(sum(len(rows) for _, rows in parts))
        arrays = scene.lights.columns()
        start = 0
        for table, rows in parts:
            here = slice(start, start + len(rows))
            kinds = table.view(LightSource, "kind")
            arrays.kind[here] = [_kind_code(kinds[row]) for row in rows.tolist()]
            for name, default in _LIGHT_NUMBERS.items():
                numbers = finite_or(table.view(LightSource, name)[rows], default)
                getattr(arrays, name)[here] = numbers
            arrays.cast_shadows[here] = table.view(LightSource, "cast_shadows")[rows]
            _aim(arrays, here, table.view(WorldTransform, "matrix")[rows])
            arrays.entity[here] = table.entities[rows]
            start += len(rows)
        # File order: the sum of several lights depends on which comes first in its last bit, and
        # a level opened again has other archetypes in another order.
        order = np.argsort(world.serials(arrays.entity), kind="stable")
        for column in arrays:
            column[:] = column[order]


_LIGHT_NUMBERS = {
    "color": 0.0,
    "intensity": 0.0,
    "range": 0.0,
    "inner_angle": LightSource().inner_angle,
    "outer_angle": LightSource().outer_angle,
}
"""What a light takes for a number that is none: one without strength does not shine."""


def _kind_code(kind: str) -> int:
    """Return the number of a kind; a word that a file made up is a directional light."""
    known = kind in LIGHT_KINDS
    return LIGHT_KINDS.index(LightKind(kind)) if known else LIGHT_KINDS.index(LightKind.DIRECTIONAL)


def _aim(arrays: LightArrays, here: slice, matrices: NDArray[np.float32]) -> None:
    """Place lights at their matrices, shining along local -Z."""
    arrays.position[here] = matrices[:, :3, 3]
    direction = -matrices[:, :3, 2].astype(np.float64)
    with np.errstate(all="ignore"):
        length = np.linalg.norm(direction, axis=1, keepdims=True)
        direction = np.where(length > 0, direction / length, (0.0, 0.0, -1.0))
    arrays.direction[here] = direction
