"""Cooked meshes as a mesh source: their streams taken apart for the renderer's own layout.

Known by shape only (`engine.assets.CookedMesh`). Version 1 of the format has no flags, so what a
vertex carries is read off the values: tangents that are all the same filler, or a second UV set of
zeros, are as good as absent.
"""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

_NO_TANGENT = np.array([1.0, 0.0, 0.0, 1.0], np.float32)


class CookedMeshSource(Protocol):
    """What `add_cooked_mesh` takes: `engine.assets.CookedMesh`, known by its shape only."""

    lods: Any
    bounds_min: Any
    bounds_max: Any

    def vertices(self) -> NDArray[np.void]:
        """(n,) rows as the vertex buffer has them."""

    def skin(self) -> NDArray[np.void] | None:
        """(n,) rows of joints and weights, None without a skin."""

    def indices(self) -> NDArray[np.uint32]:
        """(m,) corners, of all levels of detail."""

    def morphs(self) -> NDArray[np.void] | None:
        """(targets, n) rows of morph deltas, None without targets."""


@dataclass(slots=True)
class UnpackedMesh:
    """A cooked mesh with the attributes of `engine.assets.MeshData` and `RenderMesh` at once."""

    positions: Any
    normals: Any
    uv0: Any
    tangents: Any
    uv1: Any
    indices: NDArray[np.uint32]
    joints: Any
    weights: Any
    morph_positions: Any
    morph_normals: Any
    bounds: tuple[Any, Any]
    morph_tangents: Any = None
    colors: Any = None
    topology: str = "triangles"
    flat: bool = False
    facts: Any = None

    def render_mesh(self, tangents: bool | None = None) -> Any:
        """Return the streams with fillers for what is absent."""
        count = len(self.positions)
        return UnpackedMesh(
            **{name: getattr(self, name) for name in _KEPT},
            tangents=np.tile(_NO_TANGENT, (count, 1)) if self.tangents is None else self.tangents,
            uv1=np.zeros((count, 2), np.float32) if self.uv1 is None else self.uv1,
            colors=np.ones((count, 4), np.float32),
        )


_KEPT = (
    "positions",
    "normals",
    "uv0",
    "indices",
    "joints",
    "weights",
    "morph_positions",
    "morph_normals",
    "bounds",
)


def unpack(mesh: CookedMeshSource) -> UnpackedMesh:
    """Return the parts of a cooked mesh as arrays; indices are those of the finest level."""
    vertices, skin, morphs = mesh.vertices(), mesh.skin(), mesh.morphs()
    first = mesh.lods[0]
    has_tangents = bool((vertices["tangent"] != _NO_TANGENT).any())
    return UnpackedMesh(
        positions=vertices["position"],
        normals=vertices["normal"],
        uv0=vertices["uv0"],
        tangents=vertices["tangent"] if has_tangents else None,
        uv1=vertices["uv1"] if bool(vertices["uv1"].any()) else None,
        indices=mesh.indices()[first.first_index : first.first_index + first.index_count],
        joints=None if skin is None else skin["joints"],
        weights=None if skin is None else skin["weights"],
        morph_positions=None if morphs is None else morphs["position"],
        morph_normals=None if morphs is None else morphs["normal"],
        bounds=(mesh.bounds_min, mesh.bounds_max),
    )
