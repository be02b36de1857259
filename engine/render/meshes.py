"""Meshes on the GPU: vertex streams, indices and morph deltas in shared pages.

The streams are split by how often they are there: every mesh has position, normal and first UV;
tangents, the second UV set and colours come only with a mesh that has them, skin data likewise. A
mesh keeps its id when it is replaced.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol
from zlib import crc32

import numpy as np
import wgpu
from numpy.typing import ArrayLike, NDArray

from engine.errors import EngineError
from engine.render.arena import Allocation, BufferArena
from engine.render.deformation import DeformedBoxes, MeshReach, full_weights, mesh_reach
from engine.render.id_stamps import IdStamps
from engine.render.scene import RenderScene

BASE_STRIDE = 32
EXTRA_STRIDE = 40
SKIN_STRIDE = 24
MORPH_FLOATS = 12
_NO_BOX = np.zeros((1, 3), np.float32)


class MeshSource(Protocol):
    """What `add_mesh` takes: `engine.assets.MeshData`, known by its shape only."""

    tangents: Any
    uv1: Any
    colors: Any
    topology: Any

    def render_mesh(self, tangents: bool | None = None) -> Any: ...


class MeshLevel(NamedTuple):
    """Indices of one level of detail; `error` is how far it is off, in the mesh's own metres."""

    first_index: int
    index_count: int
    error: float


Levels = tuple[ArrayLike, Sequence[Any]]
"""All levels' indices one after the other, and per level `first_index`, `index_count`, `error`."""


@dataclass(eq=False)
class GpuMesh:
    """One mesh's ranges and what its vertices carry.

    `extra`, `skin` and `morph` are None when absent; `lo` and `hi` are the corners of its box at
    rest, and `reach` bounds what a pose makes of it, None where none can. `digest` is of its
    contents, the same in every session, so that draws can be ordered without regard to the order
    of loading.
    """

    base: Allocation
    indices: Allocation
    index_count: int
    vertex_count: int
    topology: str
    lo: NDArray[np.float32]
    hi: NDArray[np.float32]
    extra: Allocation | None = None
    skin: Allocation | None = None
    morph: Allocation | None = None
    morph_bind_group: Any = None
    morph_count: int = 0
    has_tangents: bool = False
    has_uv1: bool = False
    has_colors: bool = False
    flat: bool = False
    digest: int = 0
    # Units of UV per metre at rest, a mean by area; 0 where they are all at one point.
    uv_density: float = 0.0
    reach: MeshReach | None = None
    levels: tuple[MeshLevel, ...] = ()

    @property
    def first_index(self) -> int:
        """Where its indices begin in the buffer that holds them."""
        return self.indices.offset // 4

    @property
    def deforms(self) -> bool:
        """Whether skinning or morphing can move vertices."""
        return self.skin is not None or self.morph is not None

    @property
    def layout(self) -> frozenset[str]:
        """The shader switches that its vertices ask for."""
        names = {
            "EXTRA": self.extra is not None,
            "TANGENTS": self.has_tangents,
            "UV1": self.has_uv1,
            "COLORS": self.has_colors,
            "SKIN": self.skin is not None,
            "MORPH": self.morph is not None,
            "POINTS": self.topology == "points",
            # Face normals made for the rest pose are wrong once vertices move.
            "FLAT": self.flat and self.deforms,
        }
        return frozenset(name for name, on in names.items() if on)

    def allocations(self) -> Iterator[tuple[str, Allocation]]:
        """Each range with the name of its arena."""
        for name in ("base", "extra", "skin"):
            if (found := getattr(self, name)) is not None:
                yield "vertex", found
        yield "index", self.indices
        if self.morph is not None:
            yield "morph", self.morph


class MeshTable:
    """Every mesh of a renderer, by id.

    Parameters
    ----------
    device
        The wgpu device.
    morph_layout
        Bind group layout of a mesh's morph deltas.
    """

    def __init__(self, device: Any, morph_layout: Any) -> None:
        use = wgpu.BufferUsage
        self._device = device
        self._morph_layout = morph_layout
        self._arenas = {
            "vertex": BufferArena(device, use.VERTEX | use.COPY_DST, "vertices"),
            "index": BufferArena(device, use.INDEX | use.COPY_DST, "indices"),
            "morph": BufferArena(device, use.STORAGE | use.COPY_DST, "morph deltas"),
        }
        self._meshes: list[GpuMesh | None] = []
        self._free_ids: list[int] = []
        self.lo = np.zeros((0, 3), np.float32)
        self.hi = np.zeros((0, 3), np.float32)
        # Units of UV per metre at rest.
        self.uv_density = np.zeros(0, np.float32)
        # Of the levels after the first; infinite where a mesh has none.
        self.level_errors = np.zeros((0, 0), np.float32)
        self.stamps = IdStamps()

    def __len__(self) -> int:
        return len(self._meshes)

    def get(self, mesh: int) -> GpuMesh | None:
        """The mesh with an id, None when there is none."""
        return self._meshes[mesh] if 0 <= mesh < len(self._meshes) else None

    @property
    def alive(self) -> NDArray[np.bool_]:
        """(n,) which ids hold a mesh that draws something."""
        return np.array([m is not None and m.index_count > 0 for m in self._meshes], np.bool_)

    @property
    def reaches(self) -> list[MeshReach | None]:
        """By id, what bounds a mesh in every pose; None where it has none, or there is no mesh."""
        return [None if m is None else m.reach for m in self._meshes]

    def instance_boxes(self, scene: RenderScene) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Corners of each instance in its own space, as `Renderer.instance_boxes` gives them."""
        arrays = scene.instances.columns()
        alive = np.append(self.alive, False)
        mesh = np.where((arrays.mesh >= 0) & (arrays.mesh < len(self)), arrays.mesh, -1)
        rest = (self.lo, self.hi) if len(self.lo) else (_NO_BOX, _NO_BOX)
        lo, hi = (np.where(alive[mesh][:, None], side[mesh], np.nan) for side in rest)
        posed = DeformedBoxes()
        posed.reset(arrays, self.reaches, rest, scene.joints.array, scene.morph_weights.array)
        lo[posed.rows], hi[posed.rows] = posed.lo, posed.hi
        return lo.astype(np.float32), hi.astype(np.float32)

    @property
    def used_bytes(self) -> int:
        """Bytes of GPU memory that meshes take."""
        return sum(arena.used_bytes for arena in self._arenas.values())

    def add(self, source: MeshSource, levels: Levels | None = None) -> int:
        """Upload a mesh and give its id.

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
        uploaded = self._upload(source, levels)
        if self._free_ids:
            mesh = self._free_ids.pop()
            self._meshes[mesh] = uploaded
        else:
            mesh = len(self._meshes)
            self._meshes.append(uploaded)
        self._note(mesh, uploaded)
        return mesh

    def replace(self, mesh: int, source: MeshSource, levels: Levels | None = None) -> None:
        """Upload another mesh under the same id.

        Raises
        ------
        EngineError
            The id holds no mesh.
        """
        old = self._require(mesh)
        uploaded = self._upload(source, levels)
        self._release(old)
        self._meshes[mesh] = uploaded
        self._note(mesh, uploaded)

    def remove(self, mesh: int) -> None:
        """Free a mesh; instances that name it draw nothing from now on.

        Raises
        ------
        EngineError
            The id holds no mesh.
        """
        self._release(self._require(mesh))
        self._meshes[mesh] = None
        self._free_ids.append(mesh)
        self.stamps.note(mesh)

    def _require(self, mesh: int) -> GpuMesh:
        found = self.get(mesh)
        if found is None:
            raise EngineError(f"mesh {mesh}: found no such mesh, expected an id of add_mesh")
        return found

    def _release(self, mesh: GpuMesh) -> None:
        for arena, allocation in mesh.allocations():
            self._arenas[arena].free(allocation)

    def _note(self, mesh: int, uploaded: GpuMesh) -> None:
        if mesh >= len(self.lo):
            rows = max(64, 2 * mesh + 1)
            self.lo = np.concatenate([self.lo, np.zeros((rows - len(self.lo), 3), np.float32)])
            self.hi = np.concatenate([self.hi, np.zeros((rows - len(self.hi), 3), np.float32)])
            more = np.zeros(rows - len(self.uv_density), np.float32)
            self.uv_density = np.concatenate([self.uv_density, more])
        self.lo[mesh], self.hi[mesh] = uploaded.lo, uploaded.hi
        self.uv_density[mesh] = uploaded.uv_density
        self._note_levels(mesh, uploaded.levels)
        self.stamps.note(mesh)

    def _note_levels(self, mesh: int, levels: tuple[MeshLevel, ...]) -> None:
        errors, simpler = self.level_errors, [level.error for level in levels[1:]]
        rows, columns = max(len(self.lo), len(errors)), max(len(simpler), errors.shape[1])
        if errors.shape != (rows, columns):
            self.level_errors = np.full((rows, columns), np.inf, np.float32)
            self.level_errors[: len(errors), : errors.shape[1]] = errors
        self.level_errors[mesh] = np.inf
        self.level_errors[mesh, : len(simpler)] = simpler

    def _upload(self, source: MeshSource, lods: Levels | None) -> GpuMesh:
        has_tangents = source.tangents is not None
        data = source.render_mesh(tangents=has_tangents)
        streams, indices, levels = _drawn(source, data, lods)
        reach = _reach(streams, data.morph_positions)
        taken: list[tuple[str, Allocation]] = []
        try:
            stored = {
                name: None if rows is None else self._store("vertex", rows, taken)
                for name, rows in streams.items()
            }
            base = stored.pop("base")
            assert base is not None
            stored_indices = self._store("index", indices, taken)
            morph, group = self._upload_morph(data, taken)
        except BaseException:
            for arena, allocation in taken:
                self._arenas[arena].free(allocation)
            raise
        return GpuMesh(
            base=base,
            indices=stored_indices,
            index_count=levels[0].index_count,
            vertex_count=len(data.positions),
            topology=source.topology,
            lo=np.asarray(data.bounds[0], np.float32),
            hi=np.asarray(data.bounds[1], np.float32),
            morph=morph,
            morph_bind_group=group,
            morph_count=0 if morph is None else len(data.morph_positions),
            has_tangents=has_tangents,
            has_uv1=source.uv1 is not None,
            has_colors=source.colors is not None,
            flat=bool(data.flat),
            digest=_digest(streams, indices),
            uv_density=_uv_density(streams["base"], indices[: levels[0].index_count]),
            reach=reach,
            levels=levels,
            **stored,
        )

    def _store(
        self, arena: str, rows: NDArray[Any], taken: list[tuple[str, Allocation]]
    ) -> Allocation:
        allocation = self._arenas[arena].store(rows)
        taken.append((arena, allocation))
        return allocation

    def _upload_morph(
        self, data: Any, taken: list[tuple[str, Allocation]]
    ) -> tuple[Allocation | None, Any]:
        if data.morph_positions is None or not len(data.morph_positions):
            return None, None
        positions = np.asarray(data.morph_positions, np.float32)
        deltas = np.zeros((*positions.shape[:2], MORPH_FLOATS), np.float32)
        deltas[..., 0:3] = positions
        if data.morph_normals is not None:
            deltas[..., 4:7] = data.morph_normals
        if data.morph_tangents is not None:
            deltas[..., 8:11] = np.asarray(data.morph_tangents)[..., :3]
        if not deltas.size:
            return None, None
        if data.topology == "points":
            deltas = np.repeat(deltas, 4, axis=1)
        allocation = self._store("morph", deltas, taken)
        resource = {
            "buffer": allocation.buffer,
            "offset": allocation.offset,
            "size": allocation.size,
        }
        group = self._device.create_bind_group(
            layout=self._morph_layout, entries=[{"binding": 0, "resource": resource}]
        )
        return allocation, group


def _drawn(
    source: MeshSource, data: Any, lods: Levels | None
) -> tuple[dict[str, NDArray[Any] | None], NDArray[np.uint32], tuple[MeshLevel, ...]]:
    """What is drawn of a mesh: streams of vertices, indices, and which of them each level takes."""
    streams = _streams(
        data, source.uv1 is not None, source.colors is not None, source.tangents is not None
    )
    indices = np.ascontiguousarray(data.indices, np.uint32)
    if source.topology == "points":
        streams, indices = _point_quads(streams, indices)
    elif lods is not None and source.topology == "triangles":
        return streams, *_checked_levels(lods, len(data.positions))
    return streams, indices, (MeshLevel(0, len(indices), 0.0),)


def _streams(data: Any, uv1: bool, colors: bool, tangents: bool) -> dict[str, NDArray[Any] | None]:
    count = len(data.positions)
    base = np.empty((count, 8), np.float32)
    base[:, 0:3], base[:, 3:6], base[:, 6:8] = data.positions, data.normals, data.uv0
    extra = None
    if uv1 or colors or tangents:
        extra = np.empty((count, 10), np.float32)
        extra[:, 0:4], extra[:, 4:6], extra[:, 6:10] = data.tangents, data.uv1, data.colors
    skin = None
    if data.joints is not None and data.weights is not None:
        skin = np.empty(count, np.dtype([("joints", "<u2", 4), ("weights", "<f4", 4)]))
        skin["joints"], skin["weights"] = data.joints, full_weights(data.weights)
    return {"base": base, "extra": extra, "skin": skin}


def _uv_density(base: NDArray[Any] | None, indices: NDArray[np.uint32]) -> float:
    """Units of UV per metre, of some hundred triangles."""
    triangles = indices[: len(indices) // 3 * 3].reshape(-1, 3)
    triangles = triangles[:: 1 + len(triangles) // 512]
    if base is None or not len(triangles):
        return 0.0
    with np.errstate(all="ignore"):
        corners = base[triangles].astype(np.float64)
        along, across = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
        surface = np.linalg.norm(np.cross(along[:, :3], across[:, :3]), axis=1).sum()
        in_uv = np.abs(along[:, 6] * across[:, 7] - along[:, 7] * across[:, 6]).sum()
        density = float(np.sqrt(in_uv / surface)) if surface > 0.0 else 0.0
    return density if np.isfinite(density) else 0.0


def _reach(streams: dict[str, NDArray[Any] | None], morph: NDArray[Any] | None) -> MeshReach | None:
    base, skin = streams["base"], streams["skin"]
    assert base is not None
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
    errors = np.maximum.accumulate([level.error for level in found]).tolist()
    return indices, tuple(x._replace(error=e) for x, e in zip(found, errors, strict=True))


def _digest(streams: dict[str, NDArray[Any] | None], indices: NDArray[np.uint32]) -> int:
    found = crc32(indices.data)
    for rows in streams.values():
        if rows is not None:
            found = crc32(rows.data, found)
    return found


def _point_quads(
    streams: dict[str, NDArray[Any] | None], indices: NDArray[np.uint32]
) -> tuple[dict[str, NDArray[Any] | None], NDArray[np.uint32]]:
    """Four vertices and two triangles per point; the vertex shader moves the corners apart."""
    quads = {k: None if rows is None else np.repeat(rows, 4, axis=0) for k, rows in streams.items()}
    corners = np.array([0, 1, 2, 2, 1, 3], np.uint32)
    return quads, (indices[:, None] * np.uint32(4) + corners).reshape(-1).astype(np.uint32)
