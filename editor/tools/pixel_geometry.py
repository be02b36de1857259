"""Shapes of pixels: hulls, and how far a pixel is from them."""

import numpy as np

from editor.tools.projection import Vector

__all__ = ["convex_hull", "polygon_distance", "polyline_distance", "segment_distance"]


def convex_hull(points: Vector) -> Vector:
    """Return the convex hull of (n, 2) points, counter-clockwise.

    Notes
    -----
    Andrew's monotone chain, 1979.
    """
    ordered = sorted({(float(x), float(y)) for x, y in points})
    if len(ordered) < 3:
        return np.array(ordered)

    def chain(sequence: list[tuple[float, float]]) -> list[tuple[float, float]]:
        hull: list[tuple[float, float]] = []
        for p in sequence:
            while len(hull) > 1 and _turn(hull[-2], hull[-1], p) <= 0:
                hull.pop()
            hull.append(p)
        return hull[:-1]

    return np.array(chain(ordered) + chain(ordered[::-1]))


def _turn(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def segment_distance(x: float, y: float, start: Vector, end: Vector) -> float:
    """Return the distance in pixels from a pixel to a line segment."""
    along = end - start
    length2 = float(along @ along)
    offset = np.array([x, y]) - start
    t = float(np.clip(offset @ along / length2, 0, 1)) if length2 > 0 else 0.0
    return float(np.hypot(*(offset - along * t)))


def polyline_distance(x: float, y: float, points: Vector) -> float:
    """Return the distance in pixels from a pixel to a (n, 2) polyline."""
    start, along = points[:-1], np.diff(points, axis=0)
    offset = np.array([x, y]) - start
    length2 = np.maximum(np.einsum("ij,ij->i", along, along), 1e-12)
    t = np.clip(np.einsum("ij,ij->i", offset, along) / length2, 0, 1)
    return float(np.min(np.hypot(*(offset - along * t[:, None]).T)))


def polygon_distance(x: float, y: float, points: Vector) -> float:
    """Return the distance in pixels from a pixel to a convex polygon, 0 inside it."""
    if len(points) < 3:
        return np.inf
    loop = np.vstack([points, points[:1]])
    edges = np.diff(loop, axis=0)
    offset = np.array([x, y]) - points
    turns = edges[:, 0] * offset[:, 1] - edges[:, 1] * offset[:, 0]
    if np.all(turns >= 0) or np.all(turns <= 0):
        return 0.0
    return polyline_distance(x, y, loop)
