"""`RenderBridge`: from the world to a `RenderScene`, once per frame.

`build` leaves the scene as if it had been cleared and filled from the world: instances, lights and
joints, the first active camera, and the look of the first `Environment`. What is switched off, or
hangs under something that is, takes no part. Work is done for what changed; a scene that somebody
edited in between, and another scene, are filled anew. `propagate_transforms` runs before.
"""

from __future__ import annotations

from dataclasses import replace
from typing import cast
from weakref import ReferenceType, ref

import numpy as np
from numpy.typing import NDArray

from engine.ecs import ComponentType, QuerySpec, Table, World
from engine.reflect import Entity
from engine.reflect.entity import INDEX_MASK
from engine.render.scene import (
    LIGHT_KINDS,
    LightArrays,
    LightKind,
    RenderScene,
    SkyGradient,
    Tonemap,
)
from engine.scene.components import CameraComponent, Environment, LightSource, WorldTransform
from engine.scene.hierarchy_index import HierarchyIndex
from engine.scene.render_instances import InstanceSync

Flags = NDArray[np.bool_]

_TONEMAPS = ("agx", "neutral", "none")
_NEUTRAL_SKY = SkyGradient()
_NEUTRAL_BACKGROUND = np.asarray(Environment().background, np.float64)


class RenderBridge:
    """Keeps render scenes as a world has them; keep one, it remembers what it built.

    Attributes
    ----------
    hidden : frozenset of Entity
        Left out of the picture with what hangs under them, though the level has them switched on:
        the view of whoever looks, not a part of the world.
    """

    def __init__(self) -> None:
        self.hidden: frozenset[Entity] = frozenset()
        self._off = _HiddenFlags()
        self._instances = InstanceSync()
        self._lights = _LightSync()
        self._cameras = QuerySpec(CameraComponent, WorldTransform)
        self._environments = QuerySpec(Environment)

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
        self._place_camera(world, scene, disabled)
        environment = _first(world, self._environments, disabled, Environment)
        if environment is not None:
            table, row = environment
            _apply_look(cast(Environment, table.read(row, Environment)), scene)
        return count

    def _place_camera(self, world: World, scene: RenderScene, disabled: Flags | None) -> None:
        found = _first(world, self._cameras, disabled, CameraComponent, "active")
        if found is None:
            return
        table, row = found
        placed = _rigid(table.view(WorldTransform, "matrix")[row])
        fov_y = float(table.view(CameraComponent, "fov_y")[row])
        near = float(table.view(CameraComponent, "near")[row])
        camera = scene.camera
        wanted = (fov_y, near, None, None)
        held = (camera.fov_y, camera.near, camera.far, camera.ortho_height)
        if held != wanted or not np.array_equal(camera.world_from_view, placed):
            scene.camera = replace(
                camera, world_from_view=placed, fov_y=fov_y, near=near, far=None, ortho_height=None
            )


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
        if world.version(WorldTransform) <= self._tick:
            return True
        return all(
            table.structure <= self._tick
            and table.loaned(WorldTransform) <= self._tick
            and not (len(table) and table.row_ticks(WorldTransform).max() > self._tick)
            for table in self._query.tables(world)
        )

    def _refill(self, world: World, scene: RenderScene, disabled: Flags | None) -> None:
        parts = []
        for table in self._query.tables(world):
            rows = np.arange(len(table))
            if disabled is not None:
                rows = rows[~disabled[table.entities & INDEX_MASK]]
            if len(rows):
                parts.append((table, rows))
        scene.lights.resize(sum(len(rows) for _, rows in parts))
        arrays = scene.lights.columns()
        start = 0
        for table, rows in parts:
            here = slice(start, start + len(rows))
            kinds = table.view(LightSource, "kind")
            arrays.kind[here] = [_kind_code(kinds[row]) for row in rows.tolist()]
            for name in _LIGHT_FIELDS:
                getattr(arrays, name)[here] = table.view(LightSource, name)[rows]
            _aim(arrays, here, table.view(WorldTransform, "matrix")[rows])
            arrays.entity[here] = table.entities[rows]
            start += len(rows)


_LIGHT_FIELDS = ("color", "intensity", "range", "inner_angle", "outer_angle", "cast_shadows")


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


def _first(
    world: World,
    query: QuerySpec,
    disabled: Flags | None,
    type_: ComponentType,
    flag: str | None = None,
) -> tuple[Table, int] | None:
    """Return table and row of the first match that is on and, if asked, has `flag` set."""
    for table in query.tables(world):
        if not len(table):
            continue
        takes_part = np.ones(len(table), np.bool_)
        if flag is not None:
            takes_part &= table.view(type_, flag)
        if disabled is not None:
            takes_part &= ~disabled[table.entities & INDEX_MASK]
        if takes_part.any():
            return table, int(np.argmax(takes_part))
    return None


def _rigid(matrix: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the placement of a camera: -Z and +Y of `matrix`, without its scale and shear."""
    placed = np.eye(4)
    back, up = matrix[:3, 2].astype(np.float64), matrix[:3, 1].astype(np.float64)
    right = np.cross(up, back)
    lengths = np.linalg.norm(back), np.linalg.norm(right)
    if all(np.isfinite(length) and length > 0 for length in lengths):
        back, right = back / lengths[0], right / lengths[1]
        placed[:3, 0], placed[:3, 1], placed[:3, 2] = right, np.cross(back, right), back
    placed[:3, 3] = matrix[:3, 3]
    return placed.astype(np.float32)


def _apply_look(look: Environment, scene: RenderScene) -> None:
    """Give the scene the look of an `Environment`; words that a file made up take the defaults."""
    for name in ("ambient", "background"):
        wanted = getattr(look, name)
        if not np.array_equal(np.asarray(getattr(scene, name), np.float32), wanted):
            setattr(scene, name, tuple(wanted.tolist()))
    scene.environment = _sky(look)
    scene.exposure = float(look.exposure)
    scene.tonemap = cast(Tonemap, look.tonemap if look.tonemap in _TONEMAPS else "agx")
    scene.sky = "plain" if look.sky == "plain" else "gradient"


def _sky(look: Environment) -> SkyGradient | None:
    """Return the neutral sky tinted by the background colour; None is the neutral one itself."""
    background = np.asarray(look.background, np.float64)
    if np.array_equal(look.background, Environment().background):
        return None
    tint = background / _NEUTRAL_BACKGROUND
    return SkyGradient(
        *(
            cast("tuple[float, float, float]", tuple((np.asarray(part) * tint).tolist()))
            for part in (_NEUTRAL_SKY.zenith, _NEUTRAL_SKY.horizon, _NEUTRAL_SKY.ground)
        )
    )
