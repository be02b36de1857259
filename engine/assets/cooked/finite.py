"""Whether numbers are finite: one that is not is drawn as nothing, or hides all there is.

The smallest and the largest of some numbers tell for all of them, because every comparison hands on
what is no number. So looking takes two quick passes and no memory.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray


def is_finite(values: NDArray[np.floating[Any]]) -> bool:
    """Whether all of some numbers, of any shape, are finite."""
    if not values.size:
        return True
    with np.errstate(invalid="ignore"):
        return math.isfinite(values.min()) and math.isfinite(values.max())


def first_odd(values: NDArray[np.floating[Any]]) -> int:
    """Return the place, in the flattened array, of the first number that is not finite; or -1."""
    if is_finite(values):
        return -1
    return int(np.flatnonzero(~np.isfinite(values.reshape(-1)))[0])


def odd_field(records: NDArray[np.void]) -> tuple[int, str] | None:
    """Return the first record and field with a float that is not finite, None for none.

    Parameters
    ----------
    records : (n,) structured, contiguous
        Of multiples of four bytes. Fields whose names begin with ``pad`` may hold anything.
    """
    # Other fields seldom look like such floats, and one by one would take ten times as long.
    if is_finite(records.view(np.uint8).view("<f4")):
        return None
    found = []
    for order, (name, (kind, *_)) in enumerate((records.dtype.fields or {}).items()):
        if kind.base.kind != "f" or name.startswith("pad"):
            continue
        at = first_odd(records[name])
        if at >= 0:
            found.append((at // math.prod(kind.shape), order, name))
    return (min(found)[0], min(found)[2]) if found else None
