"""The surface under the cursor, and how a prop comes to rest on it.

What is seen is what is placed on: render meshes first, then the ground plane y = 0, then the
picture's own depth, so that there is always an answer.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from editor.tools.projection import Ray, Vector
from editor.tools.raycast import RaycastScene
from engine.render.framing import box_corners

GROUND_REACH = 500.0
_GAP = 0.05
_LEAST_GAP = 0.01
UP = np.array([0.0, 1.0, 0.0])
_PLACES: Final = 5
"""Nobody sees a hundredth of a millimetre, but everybody reads 0.30000001 in a file."""


@dataclass(frozen=True)
class SurfacePoint:
    """A point of a surface: world metres, unit normal, and the entity hit (0 for the ground)."""

    point: Vector
    normal: Vector
    entity: int = 0


def surface_under(
    scene: RaycastScene | None, ray: Ray, ignore: Collection[int] = (), fallback: float = 10.0
) -> SurfacePoint:
    """Return the surface that `ray` meets.

    Parameters
    ----------
    scene : RaycastScene or None
        What is drawn; None draws nothing.
    ray : Ray
    ignore : collection of int
        Entities to look through, such as the prop being placed.
    fallback : float
        Metres along the ray when it meets neither a mesh nor the ground nearby.
    """
    hit = scene.cast(ray, ignore) if scene is not None else None
    if hit is not None:
        return SurfacePoint(hit.point, hit.normal, hit.entity)
    ground = ground_distance(ray)
    if ground is not None and ground < GROUND_REACH + abs(ray.origin[1]) * 4:
        point = ray.at(ground)
        point[1] = 0.0
        return SurfacePoint(point, UP.copy())
    return SurfacePoint(ray.at(fallback), UP.copy())


def ground_distance(ray: Ray) -> float | None:
    """Return the distance to the plane y = 0, None when the ray runs beside or away from it."""
    if abs(ray.direction[1]) < 1e-9:
        return None
    distance = -ray.origin[1] / ray.direction[1]
    return float(distance) if distance > 1e-6 else None


def snap_to(value: ArrayLike, step: float) -> Vector:
    """Return `value` rounded to multiples of `step`; halves go up, so that it is even-handed."""
    return np.floor(np.asarray(value, np.float64) / step + 0.5) * step


def resting_position(
    surface: SurfacePoint, lo: ArrayLike, hi: ArrayLike, linear: ArrayLike, step: float | None
) -> Vector:
    """Return where the origin of a prop goes so that its bounding box rests on a surface.

    Parameters
    ----------
    surface : SurfacePoint
    lo, hi : (3,) array_like
        The prop's bounds around its own origin.
    linear : (3, 3) array_like
        Rotation and scale that the prop will have.
    step : float or None
        Snap step in metres, applied in the surface's tangent plane only.
    """
    point, normal = surface.point, surface.normal
    if step:
        point = _snapped_in_plane(point, normal, step)
    corners = box_corners(lo, hi) @ np.asarray(linear, np.float64).T
    resting: Vector = point - normal * float((corners @ normal).min())
    return resting.round(_PLACES)


def _snapped_in_plane(point: Vector, normal: Vector, step: float) -> Vector:
    """Snap the two world coordinates that the plane faces least; the third follows the plane."""
    main = int(np.argmax(np.abs(normal)))
    snapped = snap_to(point, step)
    snapped[main] = point[main]
    shift = snapped - point
    snapped[main] -= float(shift @ normal) / normal[main]
    return snapped


def align_to_normal(normal: ArrayLike) -> Vector:
    """Return the (3, 3) rotation of least turn that takes +Y to `normal`."""
    target = np.asarray(normal, np.float64)
    axis = np.cross(UP, target)
    cosine = float(UP @ target)
    if cosine < -0.999999:
        return np.diag([1.0, -1.0, -1.0])
    skew = np.array(
        [[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]], np.float64
    )
    return np.eye(3) + skew + skew @ skew / (1 + cosine)


def row_axis(normal: ArrayLike, right: ArrayLike) -> Vector:
    """Return the unit vector in a surface's plane that runs to the right on the screen."""
    up, across = np.asarray(normal, np.float64), np.asarray(right, np.float64)
    # Seen from the edge nothing runs to the right; any way along the surface does.
    for wanted in (across, UP, np.array([1.0, 0.0, 0.0])):
        flat = wanted - up * float(wanted @ up)
        length = float(np.linalg.norm(flat))
        if length > 0.1:
            return flat / length
    raise AssertionError("unreachable: no normal is along two axes")


def side_by_side(
    spans: Sequence[tuple[float, float]], least_gap: float = 0.0, *, is_centred: bool = False
) -> list[float]:
    """Return where origins go on a line so that what is around them does not overlap.

    Parameters
    ----------
    spans : sequence of (float, float)
        How far each reaches from its origin, metres, least first.
    least_gap : float
        Metres between neighbours; a twentieth of the widest where that is more.
    is_centred : bool
        The middle of the row is at 0, instead of its beginning.
    """
    gap = max(least_gap, _GAP * max(hi - lo for lo, hi in spans), _LEAST_GAP)
    origins, end = [], 0.0
    for lo, hi in spans:
        origins.append(end - lo)
        end += hi - lo + gap
    shift = (end - gap) / 2 if is_centred else 0.0
    return [round(origin - shift, _PLACES) for origin in origins]


def drop_distance(scene: RaycastScene, lo: Vector, hi: Vector, ignore: Collection[int]) -> float:
    """Return how far down (positive) something must move to stand on what is below it.

    Rays go down from a grid over the footprint, from just above the box's underside, so that a
    prop that has sunk a little into a floor comes up onto it. Without a mesh below, the ground
    plane y = 0 is the floor.
    """
    inset = (hi - lo) * 0.02
    xs = np.linspace(lo[0] + inset[0], hi[0] - inset[0], 5)
    zs = np.linspace(lo[2] + inset[2], hi[2] - inset[2], 5)
    lift = min(0.25 * float(hi[1] - lo[1]), 0.25) + 1e-4
    drops = [
        hit.distance - lift
        for x in xs
        for z in zs
        if (hit := scene.cast(Ray(np.array([x, lo[1] + lift, z]), -UP), ignore)) is not None
    ]
    return min(drops, default=float(lo[1]))
