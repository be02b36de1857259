"""Meshes on the GPU: indices, vertex streams and morph deltas in shared pages.

A mesh keeps its id when it is replaced. `mesh_streams` tells what its bytes are.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import wgpu
from numpy.typing import NDArray

from engine.errors import EngineError
from engine.render.arena import Allocation, BufferArena
from engine.render.deformation import DeformedBoxes, MeshReach
from engine.render.id_stamps import IdStamps
from engine.render.mesh_streams import Levels, MeshLevel, MeshSource, MeshStreams, prepare_mesh
from engine.render.scene import RenderScene

_NO_BOX = np.zeros((1, 3), np.float32)


@dataclass(eq=False)
class GpuMesh:
    """One mesh's ranges and what its vertices carry.

    `block` holds `indices`, `base` and what there is of `tangents`, `uv1`, `colors` and `skin`,
    which are None when absent, as `morph` is; `lo` and `hi` are the corners of its box at rest, and
    `reach` bounds what a pose makes of it, None where none can. `digest` is of its contents, the
    same in every session, so that draws can be ordered without regard to the order of loading.
    """

    block: Allocation
    base: Allocation
    indices: Allocation
    index_count: int
    vertex_count: int
    topology: str
    lo: NDArray[np.float32]
    hi: NDArray[np.float32]
    tangents: Allocation | None = None
    uv1: Allocation | None = None
    colors: Allocation | None = None
    skin: Allocation | None = None
    morph: Allocation | None = None
    morph_bind_group: Any = None
    morph_count: int = 0
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
            "TANGENTS": self.tangents is not None,
            "UV1": self.uv1 is not None,
            "COLORS": self.colors is not None,
            "SKIN": self.skin is not None,
            "MORPH": self.morph is not None,
            "POINTS": self.topology == "points",
            # Face normals made for the rest pose are wrong once vertices move.
            "FLAT": self.flat and self.deforms,
        }
        return frozenset(name for name, on in names.items() if on)

    def allocations(self) -> Iterator[tuple[str, Allocation]]:
        """Each range with the name of its arena."""
        yield "mesh", self.block
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
            "mesh": BufferArena(device, use.VERTEX | use.INDEX | use.COPY_DST, "meshes"),
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

    def add(
        self, source: MeshSource, levels: Levels | None = None, made: MeshStreams | None = None
    ) -> int:
        """Upload a mesh and give its id.

        Parameters
        ----------
        source
            The mesh.
        levels
            As `prepare_mesh` takes them.
        made
            What that gave for both.

        Raises
        ------
        EngineError
            The levels' indices or ranges are not within the mesh.
        """
        uploaded = self._upload(made or prepare_mesh(source, levels))
        if self._free_ids:
            mesh = self._free_ids.pop()
            self._meshes[mesh] = uploaded
        else:
            mesh = len(self._meshes)
            self._meshes.append(uploaded)
        self._note(mesh, uploaded)
        return mesh

    def replace(
        self,
        mesh: int,
        source: MeshSource,
        levels: Levels | None = None,
        made: MeshStreams | None = None,
    ) -> None:
        """Upload another mesh under the same id.

        Raises
        ------
        EngineError
            The id holds no mesh.
        """
        old = self._require(mesh)
        uploaded = self._upload(made or prepare_mesh(source, levels))
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
        self.level_errors[mesh] = simpler + [np.inf] * (columns - len(simpler))

    def _upload(self, made: MeshStreams) -> GpuMesh:
        block = self._arenas["mesh"].store(made.block)
        morph, group = None, None
        try:
            if made.morph is not None:
                morph = self._arenas["morph"].store(made.morph)
                group = self._morph_group(morph)
        except BaseException:
            self._arenas["mesh"].free(block)
            if morph is not None:
                self._arenas["morph"].free(morph)
            raise
        return GpuMesh(
            block=block,
            index_count=made.levels[0].index_count,
            vertex_count=made.vertex_count,
            topology=made.topology,
            lo=made.lo,
            hi=made.hi,
            morph=morph,
            morph_bind_group=group,
            morph_count=0 if made.morph is None else len(made.morph),
            flat="FLAT" in made.switches,
            digest=made.digest,
            uv_density=made.uv_density,
            reach=made.reach,
            levels=made.levels,
            **{name: block.part(*span) for name, span in made.spans.items()},
        )

    def _morph_group(self, morph: Allocation) -> Any:
        resource = {"buffer": morph.buffer, "offset": morph.offset, "size": morph.size}
        return self._device.create_bind_group(
            layout=self._morph_layout, entries=[{"binding": 0, "resource": resource}]
        )
