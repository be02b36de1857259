"""The shadow map of the scene's first shadow-casting directional light: how it is fitted.

The map covers a sphere: all of a small scene, or the part around the view of a large one. Its
radius moves in steps and its centre by whole texels, so shadows don't crawl when the camera moves.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.render.camera import Camera
from engine.render.columns import LIGHT_KINDS, LightArrays, LightKind

SHADOW_SIZE = 2048
NEAR_REACH = 25.0
DIRECTIONAL = LIGHT_KINDS.index(LightKind.DIRECTIONAL)

F64 = NDArray[np.float64]


@dataclass(frozen=True)
class ShadowFit:
    """The map's placement; `texel` is a texel's width in metres."""

    clip_from_world: tuple[tuple[float, ...], ...]
    texel: float


def shadow_light(lights: LightArrays) -> int:
    """Index of the first directional light that casts shadows, -1 when there is none."""
    directional = lights.kind == DIRECTIONAL
    found = np.flatnonzero(directional & lights.cast_shadows & (lights.intensity > 0.0))
    return int(found[0]) if len(found) else -1


def fit_shadow(
    direction: NDArray[np.float32],
    center: NDArray[np.float32],
    radius: float,
    camera: Camera,
) -> ShadowFit | None:
    """Place the map over a scene's bounding sphere; None when there is nothing to shade."""
    if not (radius > 0.0 and math.isfinite(radius)):
        return None
    focus, covered = _focus(np.asarray(center, np.float64), radius, camera)
    covered = 2.0 ** (math.ceil(2.0 * math.log2(covered)) / 2.0)
    axes = _light_axes(np.asarray(direction, np.float64))
    texel = 2.0 * covered / SHADOW_SIZE
    across = axes[:2] @ focus
    across = np.round(across / texel) * texel
    depth = float(axes[2] @ center)
    clip = np.eye(4)
    clip[:2, :3], clip[:2, 3] = axes[:2] / covered, -across / covered
    # Depth 1 at the end nearest the light, 0 at the far one.
    clip[2, :3] = axes[2] / (2.0 * radius * 1.02)
    clip[2, 3] = 0.5 - depth / (2.0 * radius * 1.02)
    rows = tuple(tuple(row) for row in clip.tolist())
    return ShadowFit(rows, texel)


def _focus(center: F64, radius: float, camera: Camera) -> tuple[F64, float]:
    eye = camera.position.astype(np.float64)
    outside = max(float(np.linalg.norm(eye - center)) - radius, 0.0)
    reach = NEAR_REACH + 1.5 * outside
    if reach >= radius:
        return center, radius
    focus = eye + camera.forward.astype(np.float64) * (outside + 0.7 * NEAR_REACH)
    offset = focus - center
    distance = float(np.linalg.norm(offset))
    if distance > radius:
        focus = center + offset * (radius / distance)
    return focus, reach


def _light_axes(direction: F64) -> F64:
    """(3, 3) rows: right, up, and towards the light."""
    back = -direction / max(float(np.linalg.norm(direction)), 1e-12)
    up = np.array([0.0, 0.0, 1.0] if abs(back[1]) > 0.9 else [0.0, 1.0, 0.0])
    right = np.cross(up, back)
    right /= np.linalg.norm(right)
    return np.stack([right, np.cross(back, right), back])
