"""Levels of detail: index ranges of ever fewer triangles over a mesh's own vertices.

Each level halves the one before it. A level that saves too little, or that would be off by more
than a tenth of the mesh, ends the chain.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.assets.mesh import RenderMesh
from engine.assets.simplify import Simplifier, Surface, find_simplifier

Indices = NDArray[np.uint32]

FEWEST_TRIANGLES = 64
MOST_LEVELS = 8
_WORTHWHILE = 0.85


@dataclass(frozen=True, slots=True)
class MeshLod:
    """One level: a range of the indices, and how far it is off the full mesh, in its own units."""

    first_index: int
    index_count: int
    error: float = 0.0


def build_lods(mesh: RenderMesh) -> tuple[Indices, list[MeshLod]]:
    """Return the indices of all levels one after the other, and their ranges, finest first.

    A mesh of at most 64 triangles, one of lines or points, one with vertices that are not finite,
    and any mesh where no simplifier can run has the one level that it is.
    """
    levels: list[Indices] = [mesh.indices]
    errors = [0.0]
    simplify = find_simplifier()
    if simplify is not None and _is_worth_it(mesh):
        surface = Surface(mesh.positions, mesh.normals, mesh.uv0, mesh.colors)
        _add_levels(levels, errors, surface, simplify)
    ends = np.cumsum([len(level) for level in levels])
    ranges = [
        MeshLod(int(end) - len(level), len(level), error)
        for level, end, error in zip(levels, ends, errors, strict=True)
    ]
    return np.concatenate(levels).astype(np.uint32, copy=False), ranges


def _is_worth_it(mesh: RenderMesh) -> bool:
    return (
        mesh.topology == "triangles"
        and len(mesh.indices) > FEWEST_TRIANGLES * 3
        # The simplifiers read past the end of a triangle that is cut.
        and len(mesh.indices) % 3 == 0
        and all(
            bool(np.isfinite(a).all())
            for a in (mesh.positions, mesh.normals, mesh.uv0, mesh.colors)
        )
    )


def _add_levels(
    levels: list[Indices], errors: list[float], surface: Surface, simplify: Simplifier
) -> None:
    while len(levels) < MOST_LEVELS and len(levels[-1]) > FEWEST_TRIANGLES * 3:
        triangles = len(levels[-1]) // 3
        found, error = simplify(surface, levels[-1], triangles // 2)
        if not len(found) or len(found) > len(levels[-1]) * _WORTHWHILE:
            break
        levels.append(found)
        # Each level is made from the one before it, so what it is off adds up.
        errors.append(errors[-1] + error)
