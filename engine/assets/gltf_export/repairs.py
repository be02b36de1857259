"""Vertex data made to pass the validator, changing only the rows that would not.

Bounds are the Khronos validator's: unit vectors within 0.00674, weights that sum to 1, no joint
named twice for a vertex, colours from 0 to 1, nothing that is not finite.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

F32 = NDArray[np.float32]
Joints = NDArray[np.uint16]

_UNIT_TOLERANCE = 0.005
_SUM_TOLERANCE = 2e-7


def finite(values: F32) -> F32:
    """Return values with zeros for what is not finite."""
    good = np.isfinite(values)
    return values if bool(good.all()) else np.where(good, values, np.float32(0))


def unit_vectors(values: F32, fallback: tuple[float, ...]) -> F32:
    """Return (n, 3) rows of length 1; `fallback` for those without a direction."""
    with np.errstate(all="ignore"):
        length = np.linalg.norm(values.astype(np.float64), axis=1)
        bad = ~(np.abs(length - 1) <= _UNIT_TOLERANCE)
    if not bool(bad.any()):
        return values
    out = values.copy()
    usable = bad & np.isfinite(length) & (length > 1e-20)
    out[usable] = values[usable] / length[usable, None]
    out[bad & ~usable] = fallback
    return out


def tangents(values: F32) -> F32:
    """Return (n, 4) rows whose last value is 1 or -1 and whose rest has length 1."""
    directions = unit_vectors(values[:, :3], (1.0, 0.0, 0.0))
    signs = np.where(values[:, 3] < 0, np.float32(-1), np.float32(1))
    if directions.base is values and bool((signs == values[:, 3]).all()):
        return values
    return np.concatenate([directions, signs[:, None]], axis=1)


def colors(values: F32) -> F32:
    """Return colours from 0 to 1."""
    values = finite(values)
    inside = bool(((values >= 0) & (values <= 1)).all())
    return values if inside else np.clip(values, 0, 1)


def influences(joints: Joints, weights: F32) -> tuple[Joints, F32]:
    """Return joints and weights, (n, 4) each: summing to 1, each joint once, none without weight.

    A vertex that no joint moves follows its first.
    """
    exact = np.where(np.isfinite(weights), np.maximum(weights, 0), 0).astype(np.float64)
    joints, exact = joints.copy(), _merged(joints, exact)
    lost = exact.sum(axis=1) <= 0
    exact[lost] = (1, 0, 0, 0)
    total = exact.sum(axis=1, keepdims=True)
    off = (np.abs(total - 1) > _SUM_TOLERANCE)[:, 0]
    exact[off] /= total[off]
    joints[exact == 0] = 0
    return joints, exact.astype(np.float32)


def _merged(joints: Joints, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Add the weight of a joint's later mention to its first one."""
    weights = weights.copy()
    for later in range(1, 4):
        for first in range(later):
            same = (joints[:, first] == joints[:, later]) & (weights[:, later] > 0)
            if bool(same.any()):
                weights[same, first] += weights[same, later]
                weights[same, later] = 0
    return weights


def increasing_times(times: F32) -> F32:
    """Return key times that start at 0 or later and strictly increase."""
    out = np.maximum(finite(times), np.float32(0))
    if len(out) < 2 or bool((out[1:] > out[:-1]).all()):
        return times if bool((out == times).all()) else out
    fixed: Any = out.tolist()
    for at in range(1, len(fixed)):
        if fixed[at] <= fixed[at - 1]:
            fixed[at] = float(np.nextafter(np.float32(fixed[at - 1]), np.float32(np.inf)))
    return np.array(fixed, np.float32)
