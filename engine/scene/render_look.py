"""`LookSync`: a scene's camera and look, from the first active camera and the first environment.

First means first in file order, among what is on. A level without a camera or an environment leaves
the scene's own.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast
from weakref import ReferenceType, ref

import numpy as np
from numpy.typing import NDArray

from engine.ecs import ComponentType, QuerySpec, Table, World
from engine.reflect import Entity
from engine.reflect.entity import INDEX_MASK
from engine.render.scene import RenderScene, SkyGradient
from engine.scene.components import CameraComponent, Environment, WorldTransform
from engine.scene.environment_images import EnvironmentImages
from engine.scene.hierarchy import world_matrix
from engine.scene.render_values import field_of_view, finite_or, has_place, near_distance

Flags = NDArray[np.bool_]

_SKIES = ("gradient", "daylight", "plain")
_TONEMAPS = ("agx", "neutral", "none")
_NEUTRAL_SKY = SkyGradient()
_DEFAULT = Environment()
_NEUTRAL_BACKGROUND = _DEFAULT.background
_PINHOLE = CameraComponent()


class LookSync:
    """Keeps a scene's camera and look as one world has them."""

    def __init__(self) -> None:
        self._cameras = QuerySpec(CameraComponent, WorldTransform)
        self._environments = QuerySpec(Environment)
        self._world: ReferenceType[World] | None = None
        self._tick = -1
        self._disabled: Flags | None = None
        self._camera: dict[str, Any] = {}
        self._look: dict[str, Any] = {}
        self._images: EnvironmentImages | None = None
        self._images_version = -1

    def build(
        self,
        world: World,
        scene: RenderScene,
        disabled: Flags | None,
        images: EnvironmentImages | None = None,
    ) -> None:
        """Set what differs; an edit that somebody made to the scene is overwritten."""
        version = -1 if images is None else images.version
        is_known = self._world is not None and self._world() is world
        is_known = is_known and self._images is images and self._images_version == version
        self._images, self._images_version = images, version
        if not is_known or world.tick != self._tick or disabled is not self._disabled:
            self._world, self._tick, self._disabled = ref(world), world.tick, disabled
            self._camera = self._find_camera(world, disabled)
            self._look = self._find_look(world, disabled)
        if _differ(scene.camera, self._camera):
            scene.camera = replace(scene.camera, **self._camera)
        if _differ(scene, self._look):
            for name, value in self._look.items():
                setattr(scene, name, value)

    def _find_camera(self, world: World, disabled: Flags | None) -> dict[str, Any]:
        found = _first(world, self._cameras, disabled, CameraComponent, "active")
        if found is None:
            return {}
        table, row = found
        return {
            "world_from_view": _rigid(table.view(WorldTransform, "matrix")[row]),
            "fov_y": field_of_view(
                float(table.view(CameraComponent, "fov_y")[row]), float(_PINHOLE.fov_y)
            ),
            "near": near_distance(
                float(table.view(CameraComponent, "near")[row]), float(_PINHOLE.near)
            ),
            "far": None,
            "ortho_height": None,
        }

    def _find_look(self, world: World, disabled: Flags | None) -> dict[str, Any]:
        found = _first(world, self._environments, disabled, Environment)
        if found is None:
            return {}
        table, row = found
        look = cast(Environment, table.read(row, Environment))
        _mend(look)
        return {
            "ambient": tuple(look.ambient.tolist()),
            "background": tuple(look.background.tolist()),
            "exposure": float(look.exposure),
            "tonemap": look.tonemap,
            "occlusion": float(look.occlusion),
            "occlusion_radius": float(look.occlusion_radius),
            "bloom": float(look.bloom),
            "sky": "plain" if look.sky == "plain" else "gradient",
            **self._surroundings(look),
        }

    def _surroundings(self, look: Environment) -> dict[str, Any]:
        """What lights the level and is seen behind it.

        Without an image a sky is lit by the default one; a "gradient" sky shows a calm gradient
        before it, in the same tint.
        """
        images = self._images
        image = None if images is None or not look.image else images.get(look.image)
        gradient = _sky(look)
        found: dict[str, Any] = {
            "environment": image or gradient,
            "environment_tint": (1.0, 1.0, 1.0),
            "backdrop": None,
        }
        if image is None and images is not None and look.sky != "plain":
            found["environment"] = images.default
            if look.sky == "gradient":
                found["environment_tint"] = _tint(look)
                found["backdrop"] = gradient or _NEUTRAL_SKY
        return found


def _mend(look: Environment) -> None:
    """Give words that a file made up, and numbers that are none, the defaults."""
    look.tonemap = look.tonemap if look.tonemap in _TONEMAPS else "agx"
    look.sky = look.sky if look.sky in _SKIES else "gradient"
    look.exposure = float(finite_or(look.exposure, _DEFAULT.exposure))
    for name, most in (("occlusion", 1.0), ("occlusion_radius", np.inf), ("bloom", 1.0)):
        number = float(finite_or(getattr(look, name), getattr(_DEFAULT, name)))
        setattr(look, name, min(max(number, 0.0), most))
    for name in ("ambient", "background"):
        value = getattr(look, name)
        if not np.isfinite(value).all():
            value = getattr(_DEFAULT, name)
        setattr(look, name, finite_or(value, 0.0))


def _differ(held: object, wanted: dict[str, Any]) -> bool:
    for name, value in wanted.items():
        present = getattr(held, name)
        if present is value:
            continue
        if isinstance(present, np.ndarray) or isinstance(value, np.ndarray):
            if not np.array_equal(present, value):
                return True
        elif present != value:
            return True
    return False


def _first(
    world: World,
    query: QuerySpec,
    disabled: Flags | None,
    type_: ComponentType,
    flag: str | None = None,
) -> tuple[Table, int] | None:
    """Return table and row of the first match, in file order, that is on and has `flag` set."""
    found: tuple[int, Table, int] | None = None
    for table in query.tables(world):
        if not len(table):
            continue
        takes_part = np.ones(len(table), np.bool_)
        if flag is not None:
            takes_part &= table.view(type_, flag)
        if WorldTransform in query.types:
            takes_part &= has_place(table.view(WorldTransform, "matrix"))
        if disabled is not None:
            takes_part &= ~disabled[table.entities & INDEX_MASK]
        rows = np.flatnonzero(takes_part)
        if len(rows):
            serials = world.serials(table.entities[rows])
            at = int(np.argmin(serials))
            if found is None or serials[at] < found[0]:
                found = (int(serials[at]), table, int(rows[at]))
    return None if found is None else found[1:]


def camera_of(world: World, entity: Entity) -> dict[str, Any]:
    """Return what a camera of the level sees by, as arguments of `engine.render.Camera`."""
    camera = world.get(entity, CameraComponent)
    return {
        "world_from_view": _rigid(np.asarray(world_matrix(world, entity), np.float32)),
        "fov_y": field_of_view(float(camera.fov_y), float(_PINHOLE.fov_y)),
        "near": near_distance(float(camera.near), float(_PINHOLE.near)),
    }


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


def _tint(look: Environment) -> tuple[float, float, float]:
    """Return the background colour as a factor on the neutral one."""
    tint = look.background.astype(np.float64) / _NEUTRAL_BACKGROUND
    return cast("tuple[float, float, float]", tuple(tint.tolist()))


def _sky(look: Environment) -> SkyGradient | None:
    """Return the neutral sky tinted by the background colour; None is the neutral one itself."""
    if np.array_equal(look.background, _NEUTRAL_BACKGROUND):
        return None
    tint = _tint(look)
    return SkyGradient(
        *(
            cast("tuple[float, float, float]", tuple((np.asarray(part) * tint).tolist()))
            for part in (_NEUTRAL_SKY.zenith, _NEUTRAL_SKY.horizon, _NEUTRAL_SKY.ground)
        )
    )
