"""Local matrices split into translation, rotation and scale, a whole file at a time."""

import numpy as np
from numpy.typing import NDArray

from engine.math import decompose

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]


def _quaternions(rotation: F64) -> F64:
    """Return unit quaternions of (n, 3, 3) rotations, by the largest of the four components."""
    trace = np.trace(rotation, axis1=1, axis2=2)
    diagonal = np.diagonal(rotation, axis1=1, axis2=2)
    squared = np.concatenate([1 - trace[:, None] + 2 * diagonal, 1 + trace[:, None]], axis=1)
    largest = squared.argmax(axis=1)
    r = rotation
    x = np.stack([squared[:, 0], r[:, 1, 0] + r[:, 0, 1], r[:, 0, 2] + r[:, 2, 0]], 1)
    rows = np.empty((len(r), 4, 4))
    rows[:, 0] = np.column_stack([x, r[:, 2, 1] - r[:, 1, 2]])
    rows[:, 1] = np.column_stack(
        [x[:, 1], squared[:, 1], r[:, 2, 1] + r[:, 1, 2], r[:, 0, 2] - r[:, 2, 0]]
    )
    rows[:, 2] = np.column_stack([x[:, 2], rows[:, 1, 2], squared[:, 2], r[:, 1, 0] - r[:, 0, 1]])
    rows[:, 3] = np.column_stack([rows[:, 0, 3], rows[:, 1, 3], rows[:, 2, 3], squared[:, 3]])
    chosen = rows[np.arange(len(r)), largest]
    return np.asarray(chosen / np.linalg.norm(chosen, axis=1, keepdims=True), np.float64)


def decompose_all(matrices: F64) -> tuple[F32, F32, F32]:
    """Split (n, 4, 4) matrices like `engine.math.decompose` splits one.

    Returns
    -------
    translations (n, 3), rotations (n, 4), scales (n, 3), all float32
    """
    axes = matrices[:, :3, :3]
    scales = np.linalg.norm(axes, axis=1)
    scales[np.linalg.det(axes) < 0, 0] *= -1
    regular = (np.abs(scales) > 1e-9).all(axis=1) & np.isfinite(axes).all(axis=(1, 2))
    translations = matrices[:, :3, 3].astype(np.float32)
    rotations = np.tile(np.array((0, 0, 0, 1), np.float32), (len(matrices), 1))
    rotations[regular] = _quaternions(axes[regular] / scales[regular][:, None, :])
    for row in np.flatnonzero(~regular & np.isfinite(axes).all(axis=(1, 2))):
        rotations[row] = decompose(matrices[row])[1]
    return translations, rotations, scales.astype(np.float32)
