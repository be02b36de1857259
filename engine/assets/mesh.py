"""Triangle, line and point meshes as plain arrays.

`MeshData` keeps a file's vertices as they are. What a renderer needs besides (normals where the
file has none, tangents, a white vertex colour, zero UVs) is derived by `MeshData.render_mesh`
on first use, because flat normals and tangents split vertices and many users (collision, bounds,
hierarchy) never ask for them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine.stream_facts import StreamFacts

if TYPE_CHECKING:
    from engine.assets.lods import MeshLod

Topology = Literal["triangles", "lines", "points"]
F32 = NDArray[np.float32]
Lods = tuple[NDArray[np.uint32], list["MeshLod"]]


@dataclass(slots=True)
class MorphTarget:
    """Offsets that a weight of 1 adds to the vertices; None means no change.

    ``positions``, ``normals`` and ``tangents`` are (n, 3) float32 in the mesh's own space.
    """

    positions: F32 | None = None
    normals: F32 | None = None
    tangents: F32 | None = None
    name: str = ""


@dataclass(slots=True)
class RenderMesh:
    """What a renderer uploads: every attribute present, indices in range.

    ``tangents[:, 3]`` is the sign of the bitangent ``cross(normal, tangent.xyz) * w``. ``flat``
    tells that the normals were made here, one per face. ``source_vertices`` maps each vertex to
    the one of `MeshData` that it came from. Morph arrays are None when the mesh has no targets.
    ``facts`` is kept for the next time by the renderer that made streams of it.
    """

    positions: F32
    normals: F32
    tangents: F32
    uv0: F32
    uv1: F32
    colors: F32
    joints: NDArray[np.uint16] | None
    weights: F32 | None
    indices: NDArray[np.uint32]
    morph_positions: F32 | None
    morph_normals: F32 | None
    morph_tangents: F32 | None
    topology: Topology
    flat: bool
    bounds: tuple[F32, F32]
    source_vertices: NDArray[np.int64] | None = None
    facts: StreamFacts | None = field(default=None, init=False, compare=False)


def _floats(values: ArrayLike | None, width: int) -> F32 | None:
    if values is None:
        return None
    array = np.asarray(values, np.float32)
    return array if array.ndim == 2 and array.shape[1] == width else array.reshape(-1, width)


@dataclass(slots=True, eq=False)
class MeshData:
    """One drawable piece of geometry, in its own space, metres.

    Parameters
    ----------
    positions : (n, 3) float32
    normals : (n, 3) float32, optional
        Unit vectors; without them `render_mesh` shades flat.
    tangents : (n, 4) float32, optional
    uv0, uv1 : (n, 2) float32, optional
        V points down, as in glTF.
    colors : (n, 4) float32, optional
        Linear RGBA.
    joints : (n, 4) uint16, optional
        Indices into the skin's joints.
    weights : (n, 4) float32, optional
    indices : (m,) uint32, optional
        Three per triangle, two per line, one per point; sequential when absent.
    morph_targets : sequence of MorphTarget
    topology : {"triangles", "lines", "points"}
    needs_tangents : bool
        Set by the importer when the material reads a normal map.
    """

    positions: F32 = field(default_factory=lambda: np.zeros((0, 3), np.float32))
    normals: F32 | None = None
    tangents: F32 | None = None
    uv0: F32 | None = None
    uv1: F32 | None = None
    colors: F32 | None = None
    joints: NDArray[np.uint16] | None = None
    weights: F32 | None = None
    indices: NDArray[np.uint32] = None  # type: ignore[assignment]
    morph_targets: Sequence[MorphTarget] = ()
    topology: Topology = "triangles"
    needs_tangents: bool = False
    extensions: dict[str, Any] = field(default_factory=dict)
    _render: dict[bool, RenderMesh] = field(default_factory=dict, init=False, repr=False)
    _lods: dict[bool, Lods] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        positions = _floats(self.positions, 3)
        assert positions is not None
        self.positions = positions
        self.normals = _floats(self.normals, 3)
        self.tangents = _floats(self.tangents, 4)
        self.uv0, self.uv1 = _floats(self.uv0, 2), _floats(self.uv1, 2)
        self.colors = _floats(self.colors, 4)
        self.weights = _floats(self.weights, 4)
        if self.joints is not None:
            self.joints = np.asarray(self.joints, np.uint16).reshape(-1, 4)
        if self.indices is None:
            self.indices = np.arange(len(positions), dtype=np.uint32)
        else:
            self.indices = np.asarray(self.indices, np.uint32).reshape(-1)

    @property
    def vertex_count(self) -> int:
        """How many vertices there are."""
        return len(self.positions)

    @property
    def triangle_count(self) -> int:
        """How many triangles there are; none where it is made of lines or points."""
        return len(self.indices) // 3 if self.topology == "triangles" else 0

    def has_skin(self) -> bool:
        """Whether joints move it."""
        return self.joints is not None and self.weights is not None

    def has_morph(self) -> bool:
        """Whether it has morph targets."""
        return len(self.morph_targets) > 0

    def bounds(self) -> tuple[F32, F32]:
        """Return the smallest and largest corner of all positions, each (3,) float32."""
        if not len(self.positions):
            return np.zeros(3, np.float32), np.zeros(3, np.float32)
        return self.positions.min(axis=0), self.positions.max(axis=0)

    def render_mesh(self, tangents: bool | None = None) -> RenderMesh:
        """Return the arrays a renderer uploads, derived on the first call and kept.

        Parameters
        ----------
        tangents : bool, optional
            Whether tangents are wanted: the file's, else computed. None asks
            `needs_tangents`. Without them the tangents are (1, 0, 0, 1).
        """
        from engine.assets.geometry import derive_render_mesh

        wanted = self.needs_tangents if tangents is None else tangents
        if wanted not in self._render:
            with np.errstate(all="ignore"):
                self._render[wanted] = derive_render_mesh(self, wanted)
        return self._render[wanted]

    def keep_derived(self, render: RenderMesh, lods: Lods) -> None:
        """Take what `render_mesh` and `build_lods` gave for an equal mesh, to spare the work.

        It is the one with the file's tangents, if it has any.
        """
        wanted = self.tangents is not None
        self._render[wanted], self._lods[wanted] = render, lods

    def build_lods(self, tangents: bool | None = None) -> Lods:
        """Return levels of detail, built on the first call and kept.

        Parameters
        ----------
        tangents : bool, optional
            Which `render_mesh` the indices are for; None means the one with the file's tangents,
            if it has any.

        Returns
        -------
        indices : (m,) uint32
            Triangles of all levels, indices of the vertices of `render_mesh`.
        lods : list of MeshLod
            Their ranges, the full mesh first; only that one where there is nothing to gain.
        """
        from engine.assets.lods import build_lods

        wanted = self.tangents is not None if tangents is None else tangents
        if wanted not in self._lods:
            self._lods[wanted] = build_lods(self.render_mesh(wanted))
        return self._lods[wanted]
