"""Tangents per corner, after the MikkTSpace algorithm, on whole arrays.

Vertices with the same position, normal and UV are one. Around such a vertex, triangles that share
an edge and whose UVs have the same handedness form a group; the tangent of a group is the
angle-weighted mean of its triangles' U directions in the plane of the normal. Around one vertex
each corner has at most one neighbour on either side, so groups are chains or rings and their
labels come from pointer doubling instead of a walk.

Two simplifications: the angle threshold is 180 degrees (as everywhere), and a triangle without UV
area takes its handedness from a neighbour in array order.

References
----------
M. Mikkelsen, "Simulation of Wrinkled Surfaces Revisited", 2008, and its public reference code.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.assets.welding import first_equal

F32 = NDArray[np.float32]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

_TINY = np.float32(np.finfo(np.float32).tiny)


@dataclass(slots=True)
class _Triangles:
    """Per triangle: unit U direction, handedness, and whether it has UV area (or area at all)."""

    u_direction: F32
    is_positive: Bools
    has_uv_area: Bools
    is_degenerate: Bools


def _lengths(vectors: F32) -> F32:
    return np.asarray(np.sqrt(np.einsum("ij,ij->i", vectors, vectors)), np.float32)


def _unit(vectors: F32) -> F32:
    length = _lengths(vectors)
    return np.asarray(
        vectors / np.where(length > _TINY, length, np.float32(1))[:, None], np.float32
    )


def _in_plane(vectors: F32, normals: F32) -> F32:
    """Project onto the planes of `normals` and normalise."""
    return _unit(vectors - normals * np.einsum("ij,ij->i", normals, vectors)[:, None])


def _triangles(points: F32, uv: F32) -> _Triangles:
    """Measure triangles from their corners, `points` (t, 3, 3) and `uv` (t, 3, 2)."""
    d1, d2 = points[:, 1] - points[:, 0], points[:, 2] - points[:, 0]
    t1, t2 = uv[:, 1] - uv[:, 0], uv[:, 2] - uv[:, 0]
    area = t1[:, 0] * t2[:, 1] - t1[:, 1] * t2[:, 0]
    u = t2[:, 1, None] * d1 - t1[:, 1, None] * d2
    v = t1[:, 0, None] * d2 - t2[:, 0, None] * d1
    positive = area > 0
    length = _lengths(u)
    has_area = (np.abs(area) > _TINY) & (length > _TINY) & (_lengths(v) > _TINY)
    sign = np.where(positive, np.float32(1), np.float32(-1))
    u = u * (sign / np.where(length > _TINY, length, np.float32(1)))[:, None]
    d3 = points[:, 2] - points[:, 1]
    proper = np.asarray(np.stack([d1, d2, d3]).any(axis=2).all(axis=0), np.bool_)
    return _Triangles(u, positive, has_area & proper, ~proper)


def _edge_partners(vertices: Ints, skipped: Bools) -> Ints:
    """Pair each directed edge with one of the opposite direction; -1 where there is none.

    Edge ``3 * t + k`` runs from corner k to corner k + 1 of triangle t. The n-th edge a-b pairs
    with the n-th edge b-a, in triangle order.
    """
    corners = vertices.reshape(-1, 3)
    start, end = corners.reshape(-1), np.roll(corners, -1, axis=1).reshape(-1)
    edges = np.flatnonzero(~np.repeat(skipped, 3))
    start, end = start[edges], end[edges]
    span = np.int64(vertices.max()) + 1
    pair = np.minimum(start, end) * span + np.maximum(start, end)
    order = np.argsort(pair * 2 + (start > end), kind="stable")
    directed = (pair * 2 + (start > end))[order]
    begins = np.concatenate([[True], directed[1:] != directed[:-1]])
    place = np.arange(len(order))
    rank = place - np.maximum.accumulate(np.where(begins, place, 0))
    sorted_pair = pair[order]
    order = order[np.lexsort((rank, sorted_pair))] if rank.any() else order
    ranks = np.empty(len(edges), np.int64)
    ranks[np.argsort(pair * 2 + (start > end), kind="stable")] = rank
    same = (pair[order][1:] == pair[order][:-1]) & (ranks[order][1:] == ranks[order][:-1])
    at = np.flatnonzero(same)
    first, second = edges[order[at]], edges[order[at + 1]]
    partners = np.full(len(vertices), -1, np.int64)
    partners[first], partners[second] = second, first
    return partners


def _spread_handedness(triangles: _Triangles, partners: Ints) -> Bools:
    """Give triangles without UV area the handedness of a neighbour; tell which have one."""
    known = triangles.has_uv_area.copy()
    pending = np.flatnonzero(~known & ~triangles.is_degenerate)
    neighbours = np.where(partners >= 0, partners // 3, -1).reshape(-1, 3)
    while len(pending):
        around = neighbours[pending]
        usable = (around >= 0) & known[around]
        found = usable.any(axis=1)
        if not found.any():
            break
        chosen = around[found, usable[found].argmax(axis=1)]
        triangles.is_positive[pending[found]] = triangles.is_positive[chosen]
        known[pending[found]] = True
        pending = pending[~found]
    return known


def _smallest_along(step: Ints, labels: Ints) -> Ints:
    """Return the smallest label that each element reaches by following `step`."""
    while True:
        better = np.minimum(labels, labels[step])
        if np.array_equal(better, labels):
            return labels
        labels, step = better, step[step]


def _groups(partners: Ints, is_positive: Bools, known: Bools) -> Ints:
    """Label corners so that those of one group share a label."""
    count = len(partners)
    edges = np.arange(count)
    triangle, other = edges // 3, partners // 3
    joined = (partners >= 0) & known[triangle] & known[other]
    joined &= is_positive[triangle] == is_positive[other]
    following = np.where(edges % 3 == 2, edges - 2, edges + 1)
    left, right = edges.copy(), edges.copy()
    left[joined] = following[partners[joined]]
    right[following[joined]] = partners[joined]
    return np.minimum(_smallest_along(left, edges), _smallest_along(right, edges))


def _corner_angles(points: F32, normals: F32) -> F32:
    """Return the angle at each corner in the plane of its normal, (t * 3,)."""
    here = points.reshape(-1, 3)
    before = _in_plane(np.roll(points, 1, axis=1).reshape(-1, 3) - here, normals)
    after = _in_plane(np.roll(points, -1, axis=1).reshape(-1, 3) - here, normals)
    cosine = np.einsum("ij,ij->i", before, after)
    return np.asarray(np.arccos(np.clip(cosine, -1, 1)), np.float32)


def _fallback(normals: F32) -> F32:
    """Return the reference's +X where there is no UV direction, unless the normal lies on it."""
    along_x = np.abs(normals[:, 0]) > 0.999 * _lengths(normals)
    out = np.zeros_like(normals)
    out[:, 0] = ~along_x
    out[:, 1] = along_x
    return out


def _group_tangents(
    points: F32, normals: F32, triangles: _Triangles, labels: Ints
) -> tuple[F32, Bools]:
    """Average each group; also tell which corners belong to one with a direction."""
    weight = _corner_angles(points, normals)
    weight *= np.repeat(triangles.has_uv_area, 3)
    directions = _in_plane(np.repeat(triangles.u_direction, 3, axis=0), normals)
    count = len(labels)
    total = np.empty((count, 3), np.float32)
    for axis in range(3):
        sums = np.bincount(labels, weight * directions[:, axis], minlength=count)
        total[:, axis] = sums[labels]
    return _unit(total), np.asarray(total.any(axis=1), np.bool_)


def _copy_to_degenerate(tangents: F32, is_degenerate: Bools, vertices: Ints) -> None:
    """Give corners of triangles without area the tangent of another corner of their vertex."""
    missing = np.flatnonzero(is_degenerate)
    if not len(missing):
        return
    donor = np.full(int(vertices.max()) + 1, -1, np.int64)
    usable = np.flatnonzero(~is_degenerate)[::-1]
    donor[vertices[usable]] = usable
    source = donor[vertices[missing]]
    served = source >= 0
    tangents[missing[served]] = tangents[source[served]]


def corner_tangents(positions: F32, normals: F32, uv: F32, indices: NDArray[np.uint32]) -> F32:
    """Return a tangent with its sign for each corner of a triangle list.

    Parameters
    ----------
    positions, normals : (n, 3) float32
    uv : (n, 2) float32
        V points down, as in glTF.
    indices : (m,) uint32

    Returns
    -------
    (m, 4) float32
        The sign follows glTF: ``cross(normal, tangent.xyz) * w`` points against V.
    """
    with np.errstate(all="ignore"):
        corners = indices.astype(np.int64)
        vertices = first_equal(positions, normals, uv)[corners]
        points, corner_normals = positions[vertices].reshape(-1, 3, 3), normals[vertices]
        triangles = _triangles(points, uv[vertices].reshape(-1, 3, 2))
        partners = _edge_partners(vertices, triangles.is_degenerate)
        known = _spread_handedness(triangles, partners)
        labels = _groups(partners, triangles.is_positive, known)
        directions, found = _group_tangents(points, corner_normals, triangles, labels)
        tangents = np.empty((len(corners), 4), np.float32)
        tangents[:, :3] = directions
        tangents[:, 3] = np.where(np.repeat(triangles.is_positive, 3), -1.0, 1.0)
        tangents[~found, :3] = _fallback(corner_normals[~found])
        _copy_to_degenerate(tangents, np.repeat(triangles.is_degenerate, 3), vertices)
        broken = ~np.isfinite(tangents).all(axis=1)
        tangents[broken] = (1.0, 0.0, 0.0, 1.0)
    return tangents
