"""The uniform form of a texture reference's KHR_texture_transform."""

import math
from typing import Any


def uv_rows(ref: Any) -> tuple[float, ...]:
    """Rows of the 2x3 matrix of KHR_texture_transform, each padded to four floats."""
    if ref is None:
        return (1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0)
    cos, sin = math.cos(ref.rotation), math.sin(ref.rotation)
    (scale_u, scale_v), (offset_u, offset_v) = ref.scale, ref.offset
    first = (cos * scale_u, sin * scale_v, offset_u, 0.0)
    return (*first, -sin * scale_u, cos * scale_v, offset_v, 0.0)
