"""Light in KTX2 files: panoramas and cubes of half floats, floats or shared exponents.

Only the largest level is read. What a renderer takes is kept in the same format: `PackedLight`.

References
----------
Khronos KTX 2.0, 3 and 4; Vulkan, "Formats"; Khronos Data Format 1.3, 5 and 10.
"""

import struct
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.assets.ktx2.container import Container, write_levels
from engine.errors import FileError
from engine.math import unpack_light
from engine.plain_file import read_plain

F32 = NDArray[np.float32]
U32 = NDArray[np.uint32]

SHARED_EXPONENT = 123
_KIND = "environment image"
_IRRADIANCE = "CinderIrradiance"
_SOURCE = "CinderSource"
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


class PackedLight(NamedTuple):
    """Light as a renderer takes it.

    Parameters
    ----------
    levels : list of (f, h, w) uint32
        Texels of `pack_light`, largest level first; one face, or the six of a cube.
    irradiance : (9, 4) float32
        Harmonics of the mean radiance of every hemisphere.
    source : str
        What it was made of, in the words of who made it.
    """

    levels: list[U32]
    irradiance: F32
    source: str = ""


def packed_light_bytes(light: PackedLight) -> bytes:
    """Return light as a KTX2 file."""
    rows = [
        (np.ascontiguousarray(level, "<u4").tobytes(), level.shape[2], level.shape[1])
        for level in light.levels
    ]
    numbers = " ".join(f"{value:.9g}" for value in light.irradiance[:, :3].ravel())
    values = {
        "KTXorientation": b"rd",
        "KTXwriter": b"cinder",
        _IRRADIANCE: numbers.encode(),
        _SOURCE: light.source.encode(),
    }
    faces = len(light.levels[0])
    return write_levels(rows, SHARED_EXPONENT, _shared_exponent_descriptor(), values, 4, faces)


def read_packed_light(path: Path) -> PackedLight:
    """Read what `packed_light_bytes` gave.

    Raises
    ------
    AssetError
        It cannot be read or is something else.
    """
    container = _opened(path)
    values = container.values()
    if container.format != SHARED_EXPONENT or _IRRADIANCE not in values:
        container.fail("expected packed light")
    levels = []
    for number in range(len(container.levels)):
        width, height = container.size(number)
        data = container.level(number, container.faces * width * height * 4)
        levels.append(np.frombuffer(data, "<u4").reshape(container.faces, height, width))
    irradiance = np.zeros((9, 4), np.float32)
    try:
        irradiance[:, :3] = np.array(values[_IRRADIANCE].split(), np.float32).reshape(9, 3)
    except ValueError:
        container.fail(f"{_IRRADIANCE}: expected 27 numbers")
    return PackedLight(levels, irradiance, values.get(_SOURCE, b"").decode("utf-8", "replace"))


def _opened(path: Path) -> Container:
    try:
        data = read_plain(path)
    except OSError as error:
        raise FileError(path.name, error.strerror or str(error), _KIND) from error
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
