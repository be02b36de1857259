"""What of a mesh goes to the GPU, made without one: `prepare_mesh` may run on any thread.

Indices and vertex streams of a mesh are one block of bytes, so that taking it in is one copy. Every
mesh has position, normal and first UV side by side; tangents, the second UV set, colours and skin
data are a stream each, which only a mesh that has them carries and only a pass that reads them
binds.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple, Protocol
from zlib import crc32

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine.errors import EngineError
from engine.render.deformation import MeshReach, full_weights, mesh_reach
from engine.stream_facts import StreamFacts

BASE_STRIDE = 32
TANGENT_STRIDE = 16
UV1_STRIDE = 8
COLOR_STRIDE = 16
SKIN_STRIDE = 24
MORPH_FLOATS = 12
_OPTIONAL = {"tangents": TANGENT_STRIDE, "uv1": UV1_STRIDE, "colors": COLOR_STRIDE}
_SKIN = np.dtype([("joints", "<u2", 4), ("weights", "<f4", 4)])
_POINT_CORNERS = np.array([0, 1, 2, 2, 1, 3], np.uint32)


class MeshSource(Protocol):
    """What `add_mesh` takes: `engine.assets.MeshData`, known by its shape only."""

    tangents: Any
    uv1: Any
    colors: Any
    topology: Any

    def render_mesh(self, tangents: bool | None = None) -> Any:
        """Return the `RenderMesh` to draw, with tangents where they are asked for or needed."""


class MeshLevel(NamedTuple):
    """Indices of one level of detail; `error` is how far it is off, in the mesh's own metres."""

    first_index: int
    index_count: int
    error: float


Levels = tuple[ArrayLike, Sequence[Any]]
"""All levels' indices one after the other, and per level `first_index`, `index_count`, `error`."""


class Span(NamedTuple):
    """A range of a block, in bytes."""

    offset: int
    size: int


@dataclass(frozen=True, eq=False)
class MeshStreams:
    """A mesh as the GPU gets it.

    Attributes
    ----------
    block : (n,) uint8
        Indices, then the streams that there are.
    spans : dict of str to Span
        Where "indices", "base", "tangents", "uv1", "colors" and "skin" lie in it.
    levels : tuple of MeshLevel
        The finest first.
    morph : (targets, vertices, 12) float32 or None
        Position, normal and tangent deltas, four floats each.
    lo, hi : (3,) float32
        Corners of the box at rest.
    switches : frozenset of str
        Of "TANGENTS", "UV1", "COLORS" and "FLAT" what the vertices have or are.
    digest : int
        Of the block, the same in every session.
    uv_density : float
        Units of UV per metre at rest, a mean by area; 0 where they are all at one point.
    reach : MeshReach or None
        What bounds it in every pose, None where nothing moves it.
    """

    block: NDArray[np.uint8]
    spans: dict[str, Span]
    levels: tuple[MeshLevel, ...]
    morph: NDArray[np.float32] | None
    vertex_count: int
    topology: str
    lo: NDArray[np.float32]
    hi: NDArray[np.float32]
    switches: frozenset[str]
    digest: int
    uv_density: float
    reach: MeshReach | None


def prepare_mesh(source: MeshSource, levels: Levels | None = None) -> MeshStreams:
    """Lay a mesh out as the GPU gets it; on any thread.

    Parameters
    ----------
    source
        The mesh.
    levels
        What `build_lods` gives: indices of the vertices of `render_mesh`, and their ranges
        from the finest level to the coarsest.

    Raises
    ------
    EngineError
        The levels' indices or ranges are not within the mesh.
    """
    has_tangents = source.tangents is not None
    data = source.render_mesh(tangents=has_tangents)
    optional = {name: getattr(source, name) is not None for name in _OPTIONAL}
    # Four vertices and two triangles per point; the vertex shader moves the corners apart.
    corners = 4 if source.topology == "points" else 1
    indices, found = _indices(source, data, levels)
    block, spans = _block(data, indices, corners, optional)
    base = block[slice(*_ends(spans["base"]))].view(np.float32).reshape(-1, 8)
    skin = block[slice(*_ends(spans["skin"]))].view(_SKIN) if "skin" in spans else None
    morph = _morph(data, corners)
    facts = data.facts
    if facts is None or (facts.maker, facts.size) != (_maker(), block.nbytes):
        density = _uv_density(base, indices[: found[0].index_count])
        facts = data.facts = StreamFacts(_maker(), block.nbytes, crc32(block.data), density)
    return MeshStreams(
        block=block,
        spans=spans,
        levels=found,
        morph=morph,
        vertex_count=len(data.positions),
        topology=source.topology,
        lo=np.asarray(data.bounds[0], np.float32),
        hi=np.asarray(data.bounds[1], np.float32),
        switches=frozenset(
            name.upper() for name, on in {**optional, "flat": data.flat}.items() if on
        ),
        digest=facts.digest,
        uv_density=facts.uv_density,
        reach=_reach(base, skin, data.morph_positions),
    )


@cache
def _maker() -> int:
    try:
        return crc32(Path(__file__).read_bytes())
    except OSError:
        return 0


def _ends(span: Span) -> tuple[int, int]:
    return span.offset, span.offset + span.size


def _indices(
    source: MeshSource, data: Any, levels: Levels | None
) -> tuple[NDArray[np.uint32], tuple[MeshLevel, ...]]:
    """What is drawn of the vertices, and which of it each level takes."""
    if levels is not None and source.topology == "triangles":
        return _checked_levels(levels, len(data.positions))
    indices = np.ascontiguousarray(data.indices, np.uint32)
    if source.topology == "points":
        indices = (indices[:, None] * np.uint32(4) + _POINT_CORNERS).reshape(-1).astype(np.uint32)
    return indices, (MeshLevel(0, len(indices), 0.0),)


def _block(
    data: Any, indices: NDArray[np.uint32], corners: int, optional: Mapping[str, bool]
) -> tuple[NDArray[np.uint8], dict[str, Span]]:
    """Indices and streams one after the other, each vertex `corners` times."""
    count = len(data.positions)
    has_skin = data.joints is not None and data.weights is not None
    strides = {"base": BASE_STRIDE}
    strides |= {name: stride for name, stride in _OPTIONAL.items() if optional[name]}
    strides |= {"skin": SKIN_STRIDE} if has_skin else {}
    spans = {"indices": Span(0, indices.nbytes)}
    end = indices.nbytes
    for name, stride in strides.items():
        spans[name] = Span(end, count * corners * stride)
        end += spans[name].size
    block = np.empty(end, np.uint8)
    block[: indices.nbytes] = indices.view(np.uint8)
    rows = {
        name: block[slice(*_ends(spans[name]))].reshape(count, corners, stride)
        for name, stride in strides.items()
    }
    for corner in range(corners):
        _fill(rows["base"][:, corner].view(np.float32), data.positions, data.normals, data.uv0)
    for name in _OPTIONAL.keys() & rows.keys():
        rows[name].view(np.float32)[...] = np.asarray(getattr(data, name))[:, None]
    if has_skin:
        skin = rows["skin"].view(_SKIN)[..., 0]
        skin["joints"] = np.asarray(data.joints)[:, None]
        skin["weights"] = full_weights(data.weights)[:, None]
    return block, spans


def _fill(rows: NDArray[np.float32], *tables: Any) -> None:
    """Put tables of vectors beside each other into (vertices, floats)."""
    at = 0
    for table in map(np.asarray, tables):
        # What a mesh lacks is one row, repeated.
        is_filler = len(table) > 0 and table.strides[0] == 0
        # Column by column: numpy copies rows of so few numbers several times slower.
        for column in table[0] if is_filler else table.T:
            rows[:, at] = column
            at += 1


def _morph(data: Any, corners: int) -> NDArray[np.float32] | None:
    if data.morph_positions is None or not len(data.morph_positions):
        return None
    positions = np.asarray(data.morph_positions, np.float32)
    deltas = np.zeros((*positions.shape[:2], MORPH_FLOATS), np.float32)
    deltas[..., 0:3] = positions
    if data.morph_normals is not None:
        deltas[..., 4:7] = data.morph_normals
    if data.morph_tangents is not None:
        deltas[..., 8:11] = np.asarray(data.morph_tangents)[..., :3]
    if not deltas.size:
        return None
    return deltas if corners == 1 else np.repeat(deltas, corners, axis=1)


def _uv_density(base: NDArray[np.float32], indices: NDArray[np.uint32]) -> float:
    """Units of UV per metre, of some hundred triangles."""
    triangles = indices[: len(indices) // 3 * 3].reshape(-1, 3)
    triangles = triangles[:: 1 + len(triangles) // 512]
    if not len(triangles):
        return 0.0
    with np.errstate(all="ignore"):
        corners = base.take(triangles.T.ravel(), axis=0).reshape(3, -1, 8).astype(np.float64)
        along, across = (corners[1:] - corners[0]).transpose(0, 2, 1)
        (ax, ay, az), (bx, by, bz) = along[:3], across[:3]
        normal = ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
        surface = np.sqrt(sum(side * side for side in normal)).sum()
        in_uv = np.abs(along[6] * across[7] - along[7] * across[6]).sum()
        density = float(np.sqrt(in_uv / surface)) if surface > 0.0 else 0.0
    return density if np.isfinite(density) else 0.0


def _reach(
    base: NDArray[np.float32], skin: NDArray[Any] | None, morph: NDArray[Any] | None
) -> MeshReach | None:
    joints, weights = (None, None) if skin is None else (skin["joints"], skin["weights"])
    deltas = None if morph is None else np.asarray(morph, np.float32)
    return mesh_reach(base[:, 0:3], joints, weights, deltas)


def _checked_levels(
    lods: Levels, vertices: int
) -> tuple[NDArray[np.uint32], tuple[MeshLevel, ...]]:
    """Levels whose every index is one of the mesh; the finest is put first."""
    indices = np.ascontiguousarray(lods[0], np.uint32).reshape(-1)
    found = [MeshLevel(int(x.first_index), int(x.index_count), float(x.error)) for x in lods[1]]
    if not found:
        raise EngineError("levels of detail: found none, expected at least the full mesh")
    for level in found:
        if level.first_index < 0 or level.first_index + level.index_count > len(indices):
            raise EngineError(
                f"levels of detail: found indices {level.first_index} to "
                f"{level.first_index + level.index_count}, expected within {len(indices)}"
            )
    if indices.size and int(indices.max()) >= vertices:
        raise EngineError(
            f"levels of detail: found vertex {int(indices.max())}, expected below {vertices}"
        )
    start, count, _ = found[0]
    if start:
        indices = np.concatenate([indices[start : start + count], indices])
        found = [
            MeshLevel(0, count, 0.0),
            *(x._replace(first_index=x[0] + count) for x in found[1:]),
        ]
    # Errors that grow with the level, so that counting the ones in reach gives the coarsest.
    errors = accumulate((level.error for level in found), max)
    return indices, tuple(MeshLevel(*x[:2], e) for x, e in zip(found, errors, strict=True))
