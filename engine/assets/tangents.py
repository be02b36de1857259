"""Tangents per corner, after the MikkTSpace algorithm."""

import numpy as np
from numpy.typing import NDArray

F32 = NDArray[np.float32]


def corner_tangents(positions: F32, normals: F32, uv: F32, indices: NDArray[np.uint32]) -> F32:
    """Return a tangent with its sign for each corner, (m, 4) float32."""
    raise AssertionError
