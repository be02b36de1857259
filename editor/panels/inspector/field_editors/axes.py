"""Reading and editing single axes of array values, shared by vectors and rotations."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from editor.qt.expression import NumberEdit

__all__ = ["edited_axes", "shared_axes"]


def shared_axes(values: Sequence[Any], count: int) -> list[float | None]:
    """Return per axis the value that the whole selection shares, None where it differs."""
    table = np.array([np.asarray(v, np.float64).reshape(-1)[:count] for v in values])
    same = np.all((table == table[0]) | (np.isnan(table) & np.isnan(table[0])), axis=0)
    return [float(table[0, i]) if same[i] else None for i in range(count)]


def edited_axes(
    old: Any, axis: int, edit: NumberEdit, index: int, count: int
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Apply a number edit to one axis of an array, or to all for axis -1."""
    result = np.array(old, np.float64).reshape(-1)
    for i in range(len(result)) if axis < 0 else (axis,):
        result[i] = edit.apply(float(result[i]), index, count)
    return result
