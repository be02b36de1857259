"""What of a file's numbers a picture can be made of.

A level may hold anything that a float can: it opens, and a save keeps it. In a picture one number
that is none would spread over everything it touches, so the bridge hands none on: what has no
place is not drawn, and what has no strength, angle or colour takes a harmless one.
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

LARGEST_LIGHT: Final = 1e9
"""Beyond any light there is, and still finite after all that a shader multiplies it by."""


def has_place(matrices: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Return which of (n, 4, 4) placements are finite, (n,)."""
    rows = np.isfinite(matrices.reshape(-1, 16))
    found: NDArray[np.bool_] = np.logical_and.reduce(rows, axis=1)
    return found


def drop_placeless(matrices: NDArray[np.float32]) -> None:
    """Shrink placements that are not finite to nothing, in place; (n, 4, 4)."""
    with np.errstate(all="ignore"):
        # One long sum tells nearly always that there is nothing to look for.
        is_clean = bool(np.isfinite(matrices.sum()))
    if not is_clean:
        matrices[~has_place(matrices)] = 0.0


def finite_or(values: Any, default: float) -> NDArray[np.float32]:
    """Return numbers with `default` for what is none, as far from 0 as `LARGEST_LIGHT` at most."""
    numbers = np.asarray(values)
    with np.errstate(all="ignore"):
        narrow = np.clip(
            np.where(np.isnan(numbers), default, numbers), -LARGEST_LIGHT, LARGEST_LIGHT
        )
    return narrow.astype(np.float32)


def field_of_view(fov_y: float, default: float) -> float:
    """Return an angle that a camera can have, radians."""
    return float(fov_y if 0.0 < fov_y < math.pi else default)


def near_distance(near: float, default: float) -> float:
    """Return a distance that a near plane can have, metres."""
    return float(near if 0.0 < near < math.inf else default)
