"""Accessor component types as little-endian numpy dtypes, and element widths (glTF 2.0, 3.6.2)."""

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

ELEMENT_WIDTHS = {
    "SCALAR": 1,
    "VEC2": 2,
    "VEC3": 3,
    "VEC4": 4,
    "MAT2": 4,
    "MAT3": 9,
    "MAT4": 16,
}
