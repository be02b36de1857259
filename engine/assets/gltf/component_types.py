"""Accessor component types as little-endian numpy dtypes (glTF 2.0, 3.6.2.2)."""

import numpy as np

Dtype = np.dtype[np.generic]

COMPONENT_DTYPES: dict[int, Dtype] = {
    5120: np.dtype("<i1"),
    5121: np.dtype("<u1"),
    5122: np.dtype("<i2"),
    5123: np.dtype("<u2"),
    5125: np.dtype("<u4"),
    5126: np.dtype("<f4"),
}
