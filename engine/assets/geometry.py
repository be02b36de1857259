"""What a renderer needs beyond a file's vertices: flat normals, tangents, filled attributes.

glTF 2.0, 3.7.2.1: without NORMAL the client shades flat and ignores given tangents; without
TANGENT they come from the MikkTSpace algorithm. Both split vertices, so everything is derived into
a `RenderMesh` and the `MeshData` stays as the file has it.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.assets.mesh import MeshData, MorphTarget, RenderMesh
from engine.assets.tangents import corner_tangents

F32 = NDArray[np.float32]
Vertices = NDArray[np.int64]


def face_normals(positions: F32, indices: NDArray[np.uint32]) -> F32:
    """Return the unit normal of each triangle, (t, 3) float32; +Z where the area is zero."""
    a, b, c = (positions[indices[k::3]].astype(np.float64) for k in range(3))
    normals = np.cross(b - a, c - a)
    length = np.linalg.norm(normals, axis=1)
    good = (length > 0) & np.isfinite(length)
    normals[good] /= length[good, None]
    normals[~good] = (0.0, 0.0, 1.0)
    return normals.astype(np.float32)


@dataclass(slots=True)
class _Draft:
    """Vertices under construction: the mesh, its indices, and where each vertex came from."""

    mesh: MeshData
    indices: NDArray[np.uint32]
    normals: F32
    tangents: F32 | None
    flat: bool
    source: Vertices | None = None
    flat_targets: tuple[F32, ...] | None = None


def _taken(values: F32 | None, source: Vertices | None) -> F32 | None:
    return values if values is None or source is None else values[source]


def _flat_draft(mesh: MeshData) -> _Draft:
    source = mesh.indices.astype(np.int64)
    corners = np.arange(len(source), dtype=np.uint32)
    base = np.repeat(face_normals(mesh.positions, mesh.indices), 3, axis=0)
    moved = []
    for target in mesh.morph_targets:
        if target.positions is None:
            moved.append(np.zeros_like(base))
            continue
        posed = face_normals(mesh.positions + target.positions, mesh.indices)
        moved.append(np.repeat(posed, 3, axis=0) - base)
    return _Draft(mesh, corners, base, None, True, source, tuple(moved))


def _split_by_tangent(draft: _Draft, tangents: F32) -> _Draft:
    """Give each corner its tangent, splitting the vertices whose corners disagree."""
    corners = draft.indices.astype(np.int64)
    key = np.empty(len(corners), [("v", np.int64), ("t", np.float32, 4)])
    key["v"], key["t"] = corners, tangents
    raw = key.view(np.dtype((np.void, key.dtype.itemsize)))
    _, first, inverse = np.unique(raw, return_index=True, return_inverse=True)
    order = np.argsort(first, kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    kept = corners[first[order]]
    return replace(
        draft,
        indices=rank[inverse.reshape(-1)].astype(np.uint32),
        normals=draft.normals[kept],
        tangents=tangents[first[order]],
        source=kept if draft.source is None else draft.source[kept],
        flat_targets=None
        if draft.flat_targets is None
        else tuple(t[kept] for t in draft.flat_targets),
    )


def _draft(mesh: MeshData, tangents: bool) -> _Draft:
    if mesh.topology != "triangles" or (mesh.normals is None and not len(mesh.indices)):
        normals = mesh.normals
        flat = normals is None
        if normals is None:
            normals = np.broadcast_to(np.array((0, 0, 1), np.float32), mesh.positions.shape).copy()
        return _Draft(mesh, mesh.indices, normals, mesh.tangents, flat)
    if mesh.normals is None:
        draft = _flat_draft(mesh)
    else:
        draft = _Draft(mesh, mesh.indices, mesh.normals, mesh.tangents, False)
    if not tangents or draft.tangents is not None or mesh.uv0 is None or not len(draft.indices):
        return draft
    positions, uv = _taken(mesh.positions, draft.source), _taken(mesh.uv0, draft.source)
    assert positions is not None
    assert uv is not None
    return _split_by_tangent(draft, corner_tangents(positions, draft.normals, uv, draft.indices))


def _target_arrays(
    targets: tuple[MorphTarget, ...], attribute: str, draft: _Draft, count: int
) -> F32 | None:
    values = [getattr(target, attribute) for target in targets]
    if attribute == "normals" and draft.flat_targets is not None:
        values = [None if not v.any() else v for v in draft.flat_targets]
    else:
        values = [_taken(value, draft.source) for value in values]
    if all(value is None for value in values):
        return None
    out = np.zeros((len(values), count, 3), np.float32)
    for row, value in zip(out, values, strict=True):
        if value is not None:
            row[:] = value
    return out


def _or_filled(values: F32 | None, count: int, fill: tuple[float, ...]) -> F32:
    """Return `values`, or as many rows of `fill` where there are none; (count, k) float32."""
    if values is None:
        values = np.empty((count, len(fill)), np.float32)
        values[...] = fill
    return np.ascontiguousarray(values, np.float32)


def derive_render_mesh(mesh: MeshData, tangents: bool) -> RenderMesh:
    """Build the `RenderMesh` of `mesh`; see `MeshData.render_mesh`."""
    draft = _draft(mesh, tangents)
    source = draft.source
    positions = _taken(mesh.positions, source)
    assert positions is not None
    count = len(positions)

    def filled(values: F32 | None, *fill: float) -> F32:
        return _or_filled(_taken(values, source), count, fill)

    targets = tuple(mesh.morph_targets)
    joints, weights = mesh.joints, mesh.weights
    if source is not None and joints is not None:
        joints = joints[source]
    return RenderMesh(
        positions=np.ascontiguousarray(positions),
        normals=np.ascontiguousarray(draft.normals, np.float32),
        tangents=_or_filled(draft.tangents, count, (1.0, 0.0, 0.0, 1.0)),
        uv0=filled(mesh.uv0, 0.0, 0.0),
        uv1=filled(mesh.uv1, 0.0, 0.0),
        colors=filled(mesh.colors, 1.0, 1.0, 1.0, 1.0),
        joints=None if joints is None else np.ascontiguousarray(joints),
        weights=None if weights is None else np.ascontiguousarray(_taken(weights, source)),
        indices=np.ascontiguousarray(draft.indices),
        morph_positions=_target_arrays(targets, "positions", draft, count),
        morph_normals=_target_arrays(targets, "normals", draft, count),
        morph_tangents=None if draft.flat else _target_arrays(targets, "tangents", draft, count),
        topology=mesh.topology,
        flat=draft.flat,
        bounds=mesh.bounds(),
        source_vertices=source,
    )
