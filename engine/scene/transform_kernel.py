"""The arithmetic of placements on component planes.

A batch of affine matrices is held as (3, 4, n): one contiguous plane per matrix element, so that
every operation is a few long vector loops. Sums are taken in the same order for a batch of one as
for a batch of all, so a result never depends on what else was recomputed with it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Planes = NDArray[np.float32]
"""(3, 4, n) float32, the upper rows of n affine matrices."""

_TWO = np.float32(2.0)
_ONE = np.float32(1.0)


def planes_from_trs(
    translation: NDArray[np.float32], rotation: NDArray[np.float32], scale: NDArray[np.float32]
) -> Planes:
    """Compose translation (n, 3), rotation (n, 4) and scale (n, 3).

    The quaternions need not be of unit length; a zero quaternion does not rotate.
    """
    x, y, z, w = np.ascontiguousarray(rotation.T)
    squared = x * x + y * y + z * z + w * w
    s = np.divide(_TWO, squared, out=np.zeros_like(squared), where=squared > 0)
    xs, ys, zs = x * s, y * s, z * s
    xx, xy, xz = x * xs, x * ys, x * zs
    yy, yz, zz = y * ys, y * zs, z * zs
    wx, wy, wz = w * xs, w * ys, w * zs
    sx, sy, sz = np.ascontiguousarray(scale.T)
    planes = np.empty((3, 4, len(translation)), np.float32)
    np.multiply(_ONE - (yy + zz), sx, out=planes[0, 0])
    np.multiply(xy - wz, sy, out=planes[0, 1])
    np.multiply(xz + wy, sz, out=planes[0, 2])
    np.multiply(xy + wz, sx, out=planes[1, 0])
    np.multiply(_ONE - (xx + zz), sy, out=planes[1, 1])
    np.multiply(yz - wx, sz, out=planes[1, 2])
    np.multiply(xz - wy, sx, out=planes[2, 0])
    np.multiply(yz + wx, sy, out=planes[2, 1])
    np.multiply(_ONE - (xx + yy), sz, out=planes[2, 2])
    planes[:, 3] = translation.T
    return planes


def planes_from_matrices(matrices: NDArray[np.float32]) -> Planes:
    """Return the planes of (n, 4, 4) matrices; the last row is taken as (0, 0, 0, 1)."""
    return np.ascontiguousarray(matrices[:, :3].transpose(1, 2, 0))


def multiply_planes(parents: Planes, locals_: Planes, out: Planes) -> None:
    """Write ``parents @ locals_`` to `out`; all (3, 4, n)."""
    np.multiply(parents[:, 0, None], locals_[0], out=out)
    out += parents[:, 1, None] * locals_[1]
    out += parents[:, 2, None] * locals_[2]
    out[:, 3] += parents[:, 3]
