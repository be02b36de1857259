"""Textures whose mip levels come ready: RGBA8 pixels or BC7 blocks.

WebGPU (texture creation) wants the largest level of a block format to be whole blocks; smaller
levels are copied rounded up to whole blocks.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import wgpu
from numpy.typing import NDArray

from engine.errors import EngineError

_BLOCK = 4


def upload_levels(
    device: Any,
    levels: Sequence[NDArray[np.uint8]],
    size: tuple[int, int],
    bc7: bool,
    srgb: bool,
    label: str,
) -> Any:
    """Make a texture of ready levels, largest first.

    Parameters
    ----------
    device
        The wgpu device.
    levels
        (h, w, 4) pixels each, or with `bc7` (rows of blocks, blocks, 16).
    size
        Width and height of the largest level in pixels.

    Raises
    ------
    EngineError
        A level has another shape than its size asks for, the device has no texture of that size,
        or it takes no BC7 of that size.
    """
    _check(device, levels, size, bc7, label)
    base = "bc7-rgba-unorm" if bc7 else "rgba8unorm"
    texture = device.create_texture(
        label=label,
        size=(*size, 1),
        format=f"{base}-srgb" if srgb else base,
        mip_level_count=len(levels),
        usage=wgpu.TextureUsage.TEXTURE_BINDING | wgpu.TextureUsage.COPY_DST,
    )
    for number, level in enumerate(levels):
        rows = np.ascontiguousarray(level)
        height, width = rows.shape[:2]
        layout = {"bytes_per_row": rows.shape[1] * rows.shape[2], "rows_per_image": height}
        copied = (width * _BLOCK, height * _BLOCK, 1) if bc7 else (width, height, 1)
        target = {"texture": texture, "mip_level": number}
        device.queue.write_texture(target, rows, layout, copied)
    return texture


def _check(
    device: Any, levels: Sequence[NDArray[np.uint8]], size: tuple[int, int], bc7: bool, label: str
) -> None:
    most = int(device.limits["max-texture-dimension-2d"])
    width, height = size
    if not 0 < min(size) <= max(size) <= most:
        raise EngineError(f"texture {label!r}: found {width} x {height}, expected at most {most}")
    if not 1 <= len(levels) <= max(size).bit_length():
        raise EngineError(f"texture {label!r}: found {len(levels)} levels for {width} x {height}")
    if bc7 and (width % _BLOCK or height % _BLOCK):
        raise EngineError(f"texture {label!r}: found {width} x {height}, expected whole blocks")
    if bc7 and "texture-compression-bc" not in device.features:
        raise EngineError(f"texture {label!r}: found BC7, which this device does not take")
    for number, level in enumerate(levels):
        columns, rows = (max(side >> number, 1) for side in size)
        expected = (-(-rows // _BLOCK), -(-columns // _BLOCK), 16) if bc7 else (rows, columns, 4)
        if level.shape != expected:
            raise EngineError(
                f"texture {label!r}: level {number}: found {level.shape}, expected {expected}"
            )
