"""Which rows of vertex attributes are equal."""

import numpy as np
from numpy.typing import NDArray

F32 = NDArray[np.float32]
_MIX = np.uint64(0x9E3779B97F4A7C15)


def first_equal(*attributes: F32) -> NDArray[np.int64]:
    """Return for each row the number of the first row that it equals, (n,) int64.

    Zero and negative zero are equal. Rows are told apart by a 64 bit hash.
    """
    words = np.concatenate([a + np.float32(0) for a in attributes], axis=1).view(np.uint32)
    key = np.zeros(len(words), np.uint64)
    with np.errstate(over="ignore"):
        for column in words.T:
            key = (key ^ column) * _MIX
            key ^= key >> np.uint64(29)
    _, first, inverse = np.unique(key, return_index=True, return_inverse=True)
    return np.asarray(first[inverse.reshape(-1)], np.int64)
