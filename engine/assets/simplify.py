"""Fewer triangles over the same vertices, by whichever simplifier this machine can run.

meshoptimizer comes first. Its Python package is built for AVX2 and would end the process on a CPU
without it, so the CPU is asked before the package is imported. Elsewhere opengl_decimate takes
its place; with neither there is nothing simpler than the mesh itself.

Both are told which vertices lie on seams: places where one position has several UVs or colours.
They keep those, so that no triangle reads the texture of its neighbour's patch or takes its paint.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from engine.assets.optional import optional_module
from engine.assets.welding import first_equal

F32 = NDArray[np.float32]
Indices = NDArray[np.uint32]

LARGEST_ERROR = 0.1
"""How far a simpler mesh may be off, as a fraction of the mesh's largest side."""

_NORMAL_WEIGHT, _UV_WEIGHT, _COLOR_WEIGHT = 0.5, 1.0, 1.0
_PROTECT, _PERMISSIVE = 2, 32


@dataclass(frozen=True, slots=True)
class Surface:
    """Vertices that simplifiers look at."""

    positions: F32
    normals: F32
    uv: F32
    colors: F32

    @property
    def extent(self) -> float:
        """The largest side of the box around all positions."""
        return float((self.positions.max(axis=0) - self.positions.min(axis=0)).max())

    def seams(self) -> NDArray[np.uint8]:
        """Return `_PROTECT` for vertices whose position has several UVs or colours, (n,)."""
        place = first_equal(self.positions)
        corner = first_equal(self.positions, self.uv, self.colors)
        patches = np.bincount(place[np.unique(corner)], minlength=len(place))
        return np.where(patches[place] > 1, np.uint8(_PROTECT), np.uint8(0))

    def has_paint_edges(self) -> bool:
        """Whether one position has several colours, as where two paints meet."""
        place = first_equal(self.positions)
        painted = first_equal(self.positions, self.colors)
        return len(np.unique(place)) < len(np.unique(painted))


Simplified = tuple[Indices, float]
Simplifier = Callable[[Surface, Indices, int], Simplified]


def _has_avx2() -> bool:
    """Ask numpy, which looks at the CPU and at what the system saves of its registers."""
    numpy_core = optional_module("numpy._core._multiarray_umath")
    features = getattr(numpy_core, "__cpu_features__", {})
    return bool(features.get("AVX2")) and bool(features.get("FMA3"))


def _with_meshoptimizer(package: ModuleType) -> Simplifier:
    weights = np.array([_NORMAL_WEIGHT] * 3 + [_UV_WEIGHT] * 2 + [_COLOR_WEIGHT] * 4, np.float32)

    def simplify(surface: Surface, indices: Indices, triangles: int) -> Simplified:
        attributes = np.concatenate([surface.normals, surface.uv, surface.colors], axis=1)
        found, error = package.simplify_with_attributes(
            np.array(indices, np.uint32),
            np.array(surface.positions, np.float32, order="C"),
            np.ascontiguousarray(attributes, np.float32),
            weights.copy(),
            triangles * 3,
            LARGEST_ERROR,
            surface.seams(),
            _PERMISSIVE,
        )
        return np.asarray(found, np.uint32), float(error) * surface.extent

    return simplify


def _with_decimate(package: ModuleType) -> Simplifier:
    def simplify(surface: Surface, indices: Indices, triangles: int) -> Simplified:
        if surface.has_paint_edges():
            # It keeps seams of UVs apart, not those of colours: better no simpler mesh.
            return indices, 0.0
        attributes = {
            "POSITION": surface.positions,
            "NORMAL": surface.normals,
            "TEXCOORD_0": surface.uv,
            "COLOR_0": surface.colors,
        }
        options = package.SimplifyOptions(
            target_count=triangles,
            target_error=LARGEST_ERROR * surface.extent,
            placement="endpoint",
            lock_seams=True,
        )
        result = package.simplify(attributes, indices, options)
        found = {key: np.asarray(result.attributes[key], np.float32) for key in attributes}
        reduced = Surface(*(found[key] for key in attributes))
        vertices = nearest_vertices(surface, reduced)
        return vertices[np.asarray(result.indices, np.int64)], float(result.error)

    return simplify


def nearest_vertices(surface: Surface, reduced: Surface) -> Indices:
    """Return the vertex of `surface` that each one of `reduced` is: same place, nearest attributes.

    Every position of `reduced` is one of `surface`.
    """
    count = len(surface.positions)
    place = first_equal(np.concatenate([surface.positions, reduced.positions]))
    order = np.argsort(place[:count], kind="stable")
    starts = np.searchsorted(place[:count][order], place[count:], side="left")
    ends = np.searchsorted(place[:count][order], place[count:], side="right")
    rows = np.repeat(np.arange(len(starts)), ends - starts)
    ranks = np.arange(len(rows)) - np.repeat(
        np.cumsum(ends - starts) - (ends - starts), ends - starts
    )
    candidates = order[starts[rows] + ranks]
    distance = sum(
        np.square(ours[candidates] - theirs[rows]).sum(axis=1)
        for ours, theirs in (
            (surface.normals, reduced.normals),
            (surface.uv, reduced.uv),
            (surface.colors, reduced.colors),
        )
    )
    best = np.lexsort((distance, rows))
    first = np.searchsorted(rows[best], np.arange(len(starts)))
    return np.asarray(candidates[best[first]], np.uint32)


@cache
def find_simplifier() -> Simplifier | None:
    """Return the best simplifier that this machine can run; None when there is none."""
    if _has_avx2():
        package = optional_module("almeshopt")
        if package is not None:
            return _with_meshoptimizer(package)
    package = optional_module("opengl_decimate")
    return None if package is None else _with_decimate(package)
