"""Plain shapes, one metre in size and centred on the origin, with normals and texture coordinates.

A surface is a grid of (u, v) in 0..1 bent into place; boxes and caps are flat grids and fans, so
that their edges stay hard. Triangles run counter-clockwise seen from outside.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine.assets.mesh import MeshData
from engine.errors import AssetError

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]
Bend = Callable[[F64, F64], tuple[F64, F64]]
"""From (u, v) to positions (n, 3) and unit normals (n, 3)."""

SEGMENTS = 32
_HALF = 0.5


def shape_mesh(kind: str) -> MeshData:
    """Return the mesh of a shape.

    Parameters
    ----------
    kind : {"box", "sphere", "cylinder", "cone", "plane", "torus"}

    Raises
    ------
    AssetError
        There is no such shape.
    """
    make = SHAPES.get(kind)
    if make is None:
        raise AssetError(f"shape: found {kind!r}, expected one of {', '.join(SHAPES)}")
    return make()


def _grid(columns: int, rows: int, bend: Bend) -> MeshData:
    """Bend a grid of `columns` by `rows` cells; u runs along columns, v along rows."""
    u = np.tile(np.linspace(0.0, 1.0, columns + 1), rows + 1)
    v = np.repeat(np.linspace(0.0, 1.0, rows + 1), columns + 1)
    positions, normals = bend(u, v)
    corner = np.arange(rows)[:, None] * (columns + 1) + np.arange(columns)
    corner = corner.reshape(-1)
    above = corner + columns + 1
    quads = np.stack([corner, above, above + 1, corner, above + 1, corner + 1], axis=1)
    triangles = quads.reshape(-1, 3)
    a, b, c = (positions[triangles[:, k]] for k in range(3))
    area = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    return MeshData(
        positions=positions.astype(np.float32),
        normals=normals.astype(np.float32),
        uv0=np.stack([u, v], axis=1).astype(np.float32),
        indices=triangles[area > 1e-9].reshape(-1).astype(np.uint32),
    )


def _joined(parts: list[MeshData]) -> MeshData:
    first = np.cumsum([0, *(part.vertex_count for part in parts)])
    return MeshData(
        positions=np.concatenate([part.positions for part in parts]),
        normals=np.concatenate([_given(part.normals) for part in parts]),
        uv0=np.concatenate([_given(part.uv0) for part in parts]),
        indices=np.concatenate(
            [part.indices + np.uint32(at) for part, at in zip(parts, first, strict=False)]
        ),
    )


def _given(values: F32 | None) -> F32:
    assert values is not None
    return values


def _flat(centre: ArrayLike, right: ArrayLike, down: ArrayLike) -> MeshData:
    """A square of one metre; v runs `down`, and its normal is ``down x right``."""
    middle, x, y = (np.asarray(vector, np.float64) for vector in (centre, right, down))
    normal = np.cross(y, x)

    def bend(u: F64, v: F64) -> tuple[F64, F64]:
        points = middle + (u[:, None] - _HALF) * x + (v[:, None] - _HALF) * y
        return points, np.broadcast_to(normal, points.shape)

    return _grid(1, 1, bend)


def _box() -> MeshData:
    x, y, z = np.eye(3)
    sides = [(z, x, -y), (-z, -x, -y), (x, -z, -y), (-x, z, -y), (y, x, z), (-y, x, -z)]
    return _joined([_flat(out * _HALF, right, down) for out, right, down in sides])


def _plane() -> MeshData:
    return _flat((0, 0, 0), (1, 0, 0), (0, 0, 1))


def _circle(u: F64) -> F64:
    """Return unit vectors around +Y, counter-clockwise seen from above."""
    angle = 2.0 * np.pi * u
    return np.stack([np.sin(angle), np.zeros_like(angle), np.cos(angle)], axis=1)


def _sphere() -> MeshData:
    def bend(u: F64, v: F64) -> tuple[F64, F64]:
        polar = np.pi * v[:, None]
        out = np.sin(polar) * _circle(u) + np.cos(polar) * (0.0, 1.0, 0.0)
        return out * _HALF, out

    return _grid(SEGMENTS, SEGMENTS // 2, bend)


def _side(top: float) -> MeshData:
    """The mantle of a cone frustum, radius `top` at the upper end and half a metre below."""

    def bend(u: F64, v: F64) -> tuple[F64, F64]:
        out, height = _circle(u), (_HALF - v)[:, None] * (0.0, 1.0, 0.0)
        normals = out + (_HALF - top) * np.array((0.0, 1.0, 0.0))
        normals /= np.linalg.norm(normals, axis=1, keepdims=True)
        return out * (top + (_HALF - top) * v[:, None]) + height, normals

    return _grid(SEGMENTS, 1, bend)


def _cap(up: float) -> MeshData:
    """A disc that closes the upper (`up` 1) or lower (-1) end."""

    def bend(u: F64, v: F64) -> tuple[F64, F64]:
        points = _circle(u * up) * _HALF * v[:, None] + (0.0, _HALF * up, 0.0)
        return points, np.broadcast_to((0.0, up, 0.0), points.shape)

    return _grid(SEGMENTS, 1, bend)


def _cylinder() -> MeshData:
    return _joined([_side(_HALF), _cap(1.0), _cap(-1.0)])


def _cone() -> MeshData:
    return _joined([_side(0.0), _cap(-1.0)])


def _torus(tube: float = 0.15) -> MeshData:
    def bend(u: F64, v: F64) -> tuple[F64, F64]:
        angle = 2.0 * np.pi * v[:, None]
        normals = np.cos(angle) * _circle(u) - np.sin(angle) * np.array((0.0, 1.0, 0.0))
        return _circle(u) * (_HALF - tube) + normals * tube, normals

    return _grid(SEGMENTS, SEGMENTS // 2, bend)


SHAPES: dict[str, Callable[[], MeshData]] = {
    "box": _box,
    "sphere": _sphere,
    "cylinder": _cylinder,
    "cone": _cone,
    "plane": _plane,
    "torus": _torus,
}
