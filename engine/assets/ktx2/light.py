"""Light in KTX2 files: panoramas and cubes of half floats, floats or shared exponents.

Only the largest level is read. Reflections that were filtered before ship in the same format, with
the levels of roughness as mip levels; `write_cube` and `read_cube` are for those.

References
----------
Khronos KTX 2.0, 3 and 4; Vulkan, "Formats"; Khronos Data Format 1.3, 5 and 10.
"""

import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.assets.ktx2.container import Container, write_levels
from engine.errors import AssetError
from engine.math import unpack_light

F32 = NDArray[np.float32]
U32 = NDArray[np.uint32]

SHARED_EXPONENT = 123
_KIND = "environment image"
_IRRADIANCE = "CinderIrradiance"
_REFUSED = {
    0: "Basis Universal",
    131: "BC6H blocks (VK_FORMAT_BC6H_UFLOAT_BLOCK)",
    132: "BC6H blocks (VK_FORMAT_BC6H_SFLOAT_BLOCK)",
}


def read_light_ktx2(path: Path) -> F32:
    """Read the light of a KTX2 file.

    Returns
    -------
    (h, w, 3) float32, or (6, n, n, 3) of a cube
        Linear RGB radiance, rows from the top, faces +X, -X, +Y, -Y, +Z, -Z.

    Raises
    ------
    AssetError
        It cannot be read, is damaged, or holds texels of another format.
    """
    container = _opened(path)
    found = _FORMATS.get(container.format)
    if found is None:
        what = _REFUSED.get(container.format, f"VkFormat {container.format}")
        container.fail(
            f"found {what}, expected half floats (VK_FORMAT_R16G16B16A16_SFLOAT), floats, "
            "VK_FORMAT_E5B9G9R9_UFLOAT_PACK32, VK_FORMAT_B10G11R11_UFLOAT_PACK32 or RGBA8"
        )
    dtype, channels, decode = found
    width, height, faces = container.width, container.height, container.faces
    if faces == 6 and width != height:
        container.fail(f"found faces of {width} x {height}, expected squares")
    size = np.dtype(dtype).itemsize * channels
    data = container.level(0, width * height * faces * size)
    texels = np.frombuffer(data, dtype).reshape(faces, height, width, channels)
    light = decode(texels if channels > 1 else texels[..., 0])[..., :3]
    return light if faces == 6 else light[0]


def write_cube(path: Path, levels: list[U32], irradiance: F32) -> None:
    """Write levels of (6, n, n) packed texels, largest first, and (9, 4) harmonics."""
    rows = [(np.ascontiguousarray(level).tobytes(), *level.shape[1:]) for level in levels]
    numbers = " ".join(f"{value:.9g}" for value in irradiance[:, :3].ravel())
    values = {
        "KTXorientation": b"rd",
        "KTXwriter": b"resources.make_environment",
        _IRRADIANCE: numbers.encode(),
    }
    descriptor = _shared_exponent_descriptor()
    path.write_bytes(write_levels(rows, SHARED_EXPONENT, descriptor, values, 4, 6))


def read_cube(path: Path) -> tuple[list[U32], F32]:
    """Read what `write_cube` wrote.

    Raises
    ------
    AssetError
        It cannot be read or is something else.
    """
    container = _opened(path)
    if container.format != SHARED_EXPONENT or container.faces != 6:
        container.fail("expected a cube of filtered light")
    levels = []
    for number in range(len(container.levels)):
        size = container.size(number)[0]
        data = container.level(number, 6 * size * size * 4)
        levels.append(np.frombuffer(data, "<u4").reshape(6, size, size))
    irradiance = np.zeros((9, 4), np.float32)
    try:
        numbers = np.array(container.values().get(_IRRADIANCE, b"").split(), np.float32)
        irradiance[:, :3] = numbers.reshape(9, 3)
    except ValueError:
        container.fail(f"{_IRRADIANCE}: expected 27 numbers")
    return levels, irradiance


def _opened(path: Path) -> Container:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise AssetError(f"{_KIND} {path.name}: {error.strerror or error}") from error
    return Container(data, path.name, _KIND, (1, 6))


def _floats(texels: NDArray[np.generic]) -> F32:
    return texels.astype(np.float32)


def _bytes(texels: NDArray[np.generic]) -> F32:
    return texels.astype(np.float32) / np.float32(255.0)


def _srgb(texels: NDArray[np.generic]) -> F32:
    value = _bytes(texels)
    light = np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)
    return light.astype(np.float32)


def _packed_floats(texels: NDArray[np.generic]) -> F32:
    """Unsigned floats of 11, 11 and 10 bits: half floats without sign and last bits."""
    bits = texels.astype(np.uint32)
    parts = (bits & 0x7FF) << 4, (bits >> 11 & 0x7FF) << 4, (bits >> 22) << 5
    return np.stack(parts, axis=-1).astype(np.uint16).view(np.float16).astype(np.float32)


def _shared_exponents(texels: NDArray[np.generic]) -> F32:
    return unpack_light(texels.astype(np.uint32))


_FORMATS: dict[int, tuple[str, int, Callable[[NDArray[np.generic]], F32]]] = {
    23: ("u1", 3, _bytes),
    29: ("u1", 3, _srgb),
    37: ("u1", 4, _bytes),
    43: ("u1", 4, _srgb),
    90: ("<f2", 3, _floats),
    97: ("<f2", 4, _floats),
    106: ("<f4", 3, _floats),
    109: ("<f4", 4, _floats),
    122: ("<u4", 1, _packed_floats),
    SHARED_EXPONENT: ("<u4", 1, _shared_exponents),
}


def _shared_exponent_descriptor() -> bytes:
    """Return the data format descriptor of E5B9G9R9 (Khronos Data Format 1.3, table 79)."""
    # RGBSDA colour model, BT.709 primaries, linear; each channel is mantissa and exponent.
    block = struct.pack("<4B4B8B", 1, 1, 1, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0)
    for channel in range(3):
        block += struct.pack("<HBB4BII", 9 * channel, 8, channel, 0, 0, 0, 0, 0, 8448)
        block += struct.pack("<HBB4BII", 27, 4, channel | 0x20, 0, 0, 0, 0, 15, 31)
    return struct.pack("<IIHH", len(block) + 12, 0, 2, len(block) + 8) + block
