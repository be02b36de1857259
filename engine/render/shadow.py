"""Where shadow maps look from and how much they cover: a plan that the painter and shaders follow.

The first directional light that casts shadows has up to three maps: one over a small scene, else
ever larger ones around what is before the camera. Their radii move in steps and their centres by
whole texels, so shadows don't crawl when the camera moves. Every other light that casts shadows
has one map (directional, spot) or six (point), in tiles of further layers.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.math import look_at
from engine.render.camera import Camera
from engine.render.columns import LIGHT_KINDS, LightArrays, LightKind

SHADOW_SIZE = 2048
TILE = SHADOW_SIZE // 2
FACE_TILE = SHADOW_SIZE // 4
CASCADES = 3
MAX_LOCAL_LAYERS = 4
NEAR_REACH = 25.0
DIRECTIONAL = LIGHT_KINDS.index(LightKind.DIRECTIONAL)
POINT = LIGHT_KINDS.index(LightKind.POINT)
SPOT = LIGHT_KINDS.index(LightKind.SPOT)
# Axis and up of the six views of a point light, in the order that shaders number them.
FACES = (
    ((1, 0, 0), (0, 1, 0)),
    ((-1, 0, 0), (0, 1, 0)),
    ((0, 1, 0), (0, 0, 1)),
    ((0, -1, 0), (0, 0, 1)),
    ((0, 0, 1), (0, 1, 0)),
    ((0, 0, -1), (0, 1, 0)),
)
_NEAREST = 0.05
# Part of a tile that is looked at; the rest is room for the filter.
_USED = 0.985
# In half widths of a parallel map.
_CASTER_STEP = 0.5

F64 = NDArray[np.float64]


class ShadowFit(NamedTuple):
    """What a map sees; `texel` is a texel's width in metres, in perspective at one metre."""

    clip_from_world: tuple[tuple[float, ...], ...]
    texel: float
    perspective: bool = False


def casters_clip(fit: ShadowFit) -> F64:
    """(4, 4) clip matrix of what a map's casters are chosen by.

    Of a parallel map it is wider and moves in steps of half a width, so that most frames of a
    moving camera choose none anew; without ends in depth, as such a map is as deep as the scene.
    """
    clip = np.array(fit.clip_from_world)
    if fit.perspective:
        return clip
    clip[:2, 3] = np.round(clip[:2, 3] / _CASTER_STEP) * _CASTER_STEP
    clip[:2] /= 1.0 + 0.5 * _CASTER_STEP
    clip[2] = (0.0, 0.0, 0.0, 0.5)
    return clip


class ShadowView(NamedTuple):
    """A fit and its place: `size` texels from (x, y) of a layer."""

    fit: ShadowFit
    layer: int
    x: int
    y: int
    size: int


class ShadowPlan(NamedTuple):
    """The maps of one picture.

    `views` is in the order of numbers that lights hold: the cascades (as many as are used, then
    None), then the others.
    """

    views: tuple[ShadowView | None, ...]
    cascades: int
    layers: int


def shadow_light(lights: LightArrays) -> int:
    """Index of the first directional light that casts shadows, -1 when there is none."""
    found = np.flatnonzero(_casting(lights) & (lights.kind == DIRECTIONAL))
    return int(found[0]) if len(found) else -1


def shadow_slots(lights: LightArrays) -> NDArray[np.int32]:
    """(n,) number of each light's first map, -1 for none; depends on the lights alone."""
    slots: NDArray[np.int32] = np.full(len(lights.kind), -1, np.int32)
    sun = shadow_light(lights)
    if sun >= 0:
        slots[sun] = 0
    following, quarters = CASCADES, 0
    for row in np.flatnonzero(_casting(lights)).tolist():
        views, room = (6, 6) if lights.kind[row] == POINT else (1, 4)
        # A tile of a spot is four of a face, and starts where four begin.
        start = quarters if room == 6 else quarters + -quarters % 4
        if row == sun or start + room > 16 * MAX_LOCAL_LAYERS:
            continue
        slots[row] = following
        following, quarters = following + views, start + room
    return slots


def plan_shadows(
    lights: LightArrays, center: NDArray[np.float32], radius: float, camera: Camera
) -> ShadowPlan | None:
    """The maps for lights over a scene's bounding sphere; None where there is no shadow to draw."""
    slots = shadow_slots(lights)
    if not (radius > 0.0 and math.isfinite(radius)) or not (slots >= 0).any():
        return None
    middle = np.asarray(center, np.float64)
    sun = shadow_light(lights)
    fits = fit_cascades(lights.direction[sun], middle, radius, camera) if sun >= 0 else []
    views: list[ShadowView | None] = [
        ShadowView(fit, layer, 0, 0, SHADOW_SIZE) for layer, fit in enumerate(fits)
    ]
    views += [None] * (CASCADES - len(fits))
    quarters = 0
    for row in np.flatnonzero(slots >= CASCADES).tolist():
        local = _fit_light(lights, row, middle, radius)
        step = 1 if len(local) == 6 else 4
        quarters += -quarters % step
        for fit in local:
            views.append(_tile(fit, quarters, step, len(fits)))
            quarters += step
    return ShadowPlan(tuple(views), len(fits), len(fits) + -(-quarters // 16))


def fit_cascades(
    direction: NDArray[np.float32], center: F64, radius: float, camera: Camera
) -> list[ShadowFit]:
    """One map over a small scene, else up to three of growing reach."""
    eye = camera.position.astype(np.float64)
    outside = max(float(np.linalg.norm(eye - center)) - radius, 0.0)
    reach = NEAR_REACH + 1.5 * outside
    if reach >= radius:
        return [_fit_sun(direction, center, radius, center, radius, SHADOW_SIZE)]
    fits = []
    for covered in (0.5 * reach, 2.0 * reach, 8.0 * reach):
        if covered >= radius:
            fits.append(_fit_sun(direction, center, radius, center, radius, SHADOW_SIZE))
            break
        focus = eye + camera.forward.astype(np.float64) * (outside + 0.7 * covered)
        fits.append(_fit_sun(direction, center, radius, focus, covered, SHADOW_SIZE))
    return fits


def _casting(lights: LightArrays) -> NDArray[np.bool_]:
    casting: NDArray[np.bool_] = lights.cast_shadows & (lights.intensity > 0.0)
    return casting & np.isfinite(lights.position).all(axis=1)


def _tile(fit: ShadowFit, quarters: int, step: int, first_layer: int) -> ShadowView:
    """Place a map of `step` quarter tiles; four quarters make a square of two by two."""
    layer, within = divmod(quarters, 16)
    block, corner = divmod(within, 4)
    x, y = (block % 2) * TILE, (block // 2) * TILE
    if step == 4:
        return ShadowView(fit, first_layer + layer, x, y, TILE)
    x, y = x + (corner % 2) * FACE_TILE, y + (corner // 2) * FACE_TILE
    return ShadowView(fit, first_layer + layer, x, y, FACE_TILE)


def _fit_sun(
    direction: NDArray[np.float32],
    center: F64,
    radius: float,
    focus: F64,
    covered: float,
    size: int,
) -> ShadowFit:
    """A parallel map of a sphere around `focus`, as deep as the scene."""
    covered = 2.0 ** (math.ceil(2.0 * math.log2(covered)) / 2.0)
    axes = _light_axes(np.asarray(direction, np.float64))
    texel = 2.0 * covered / size
    across = axes[:2] @ focus
    across = np.round(across / texel) * texel
    depth = float(axes[2] @ center)
    clip = np.eye(4)
    clip[:2, :3], clip[:2, 3] = axes[:2] / covered, -across / covered
    # Depth 1 at the end nearest the light, 0 at the far one.
    clip[2, :3] = axes[2] / (2.0 * radius * 1.02)
    clip[2, 3] = 0.5 - depth / (2.0 * radius * 1.02)
    return ShadowFit(_rows(clip), texel)


def _fit_light(lights: LightArrays, row: int, center: F64, radius: float) -> list[ShadowFit]:
    if lights.kind[row] == DIRECTIONAL:
        return [_fit_sun(lights.direction[row], center, radius, center, radius, TILE)]
    position = lights.position[row].astype(np.float64)
    away = float(np.linalg.norm(position - center)) + radius
    reach = float(lights.range[row])
    far = max(min(reach, away) if reach > 0.0 else away, 2.0 * _NEAREST)
    if lights.kind[row] == SPOT:
        half = min(max(float(lights.outer_angle[row]), 0.02), 1.4)
        direction = lights.direction[row].astype(np.float64)
        up = (0.0, 0.0, 1.0) if abs(direction[1]) > 0.9 else (0.0, 1.0, 0.0)
        return [_fit_cone(position, direction, np.array(up), math.tan(half), far, TILE)]
    return [
        _fit_cone(position, np.array(axis, float), np.array(up, float), 1.0, far, FACE_TILE)
        for axis, up in FACES
    ]


def _fit_cone(
    position: F64, direction: F64, up: F64, slope: float, far: float, size: int
) -> ShadowFit:
    """A perspective map, `slope` wide at one metre, with reversed depth."""
    slope /= _USED
    project = np.zeros((4, 4))
    project[0, 0] = project[1, 1] = 1.0 / slope
    project[2, 2] = _NEAREST / (far - _NEAREST)
    project[2, 3] = _NEAREST * far / (far - _NEAREST)
    project[3, 2] = -1.0
    view = look_at(position, position + direction, up).astype(np.float64)
    return ShadowFit(_rows(project @ view), 2.0 * slope / size, True)


def _rows(matrix: F64) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(row) for row in matrix.tolist())


def _light_axes(direction: F64) -> F64:
    """(3, 3) rows: right, up, and towards the light."""
    back = -direction / max(float(np.linalg.norm(direction)), 1e-12)
    up = np.array([0.0, 0.0, 1.0] if abs(back[1]) > 0.9 else [0.0, 1.0, 0.0])
    right = np.cross(up, back)
    right /= np.linalg.norm(right)
    return np.stack([right, np.cross(back, right), back])
