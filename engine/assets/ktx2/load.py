"""Reading a KTX2 file into what a texture store uploads: BC7 blocks or RGBA8 pixels.

A device takes BC7 only where the largest level is whole 4 x 4 blocks, so any other size becomes
RGBA8. Basis Universal is transcoded; RGBA8 and BC7 are taken as they are; what has fewer bytes for
a pixel, or has them in another order, is filled up to RGBA8.

References
----------
Khronos KTX 2.0, 3.11 KTXswizzle; Vulkan, "Formats" and "Conversion to RGBA".
"""

import os
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import PIL.Image
from numpy.typing import NDArray

from engine.assets.ktx2.container import (
    BC7,
    BC7_SRGB,
    BYTE_CHANNELS,
    UNDEFINED,
    Container,
)
from engine.assets.optional import optional_module
from engine.errors import FileError
from engine.plain_file import read_plain

U8 = NDArray[np.uint8]


@dataclass(slots=True, eq=False)
class LoadedTexture:
    """A picture with its levels, largest first.

    With ``bc7`` a level is (rows of blocks, blocks, 16) uint8, else (h, w, 4) uint8. ``width`` and
    ``height`` are those of the largest level in pixels.
    """

    width: int
    height: int
    levels: list[U8]
    bc7: bool
    srgb: bool


class LevelStore(Protocol):
    """A texture store that takes ready levels; the `resources` of a renderer."""

    def add_texture(self, pixels: U8, srgb: bool, label: str) -> int:
        """Upload (h, w, 4) uint8, sRGB or linear, with mip levels to be made; return the id."""

    def add_levels(
        self, levels: list[U8], size: tuple[int, int], bc7: bool, srgb: bool, label: str
    ) -> int:
        """Upload mip levels, the largest (`size` pixels, width and height) first; return the id."""

    def view(self, texture: int) -> Any:
        """Return the GPU view of a texture."""


def load_ktx2(path: str | os.PathLike[str], prefer_bc7: bool) -> LoadedTexture:
    """Read a KTX2 file.

    Parameters
    ----------
    path : path
    prefer_bc7 : bool
        The device takes BC7; it is used where the size is whole blocks.

    Raises
    ------
    AssetError
        ``cooked texture <path>``: the file cannot be read, is damaged, or holds something other
        than Basis Universal, BC7, or one to four bytes a pixel in one 2D picture.
    """
    try:
        data = read_plain(path)
    except OSError as error:
        problem = f"cannot be read ({error.strerror})"
        raise FileError(os.fspath(path), problem, "cooked texture") from error
    container = Container(data, os.fspath(path))
    bc7 = prefer_bc7 and container.width % 4 == 0 and container.height % 4 == 0
    if container.format == UNDEFINED:
        return _transcoded(container, data, bc7)
    if container.format in BYTE_CHANNELS:
        order = _channels(container)
        levels = [_rgba8(container, k, order) for k in range(len(container.levels))]
        return LoadedTexture(container.width, container.height, levels, False, container.srgb)
    if container.format in (BC7, BC7_SRGB):
        blocks = [_blocks(container, k) for k in range(len(container.levels))]
        levels = blocks if bc7 else [_unpacked(container, k, b) for k, b in enumerate(blocks)]
        return LoadedTexture(container.width, container.height, levels, bc7, container.srgb)
    return container.fail(
        f"VkFormat {container.format} in {container.width} x {container.height} pixels, expected "
        "Basis Universal, BC7, or RGBA8, RGB8, RG8 or R8"
    )


def _channels(container: Container) -> str:
    """Return where red, green, blue and alpha come from: a stored channel, or "0" or "1"."""
    stored = BYTE_CHANNELS[container.format]
    wanted = container.values().get("KTXswizzle", b"rgba").decode("ascii", "replace")
    if len(wanted) != 4 or not set(wanted) <= set("rgba01"):
        container.fail(f"KTXswizzle {wanted!r}, expected four of rgba01")
    absent = {"r": "0", "g": "0", "b": "0", "a": "1"}
    return "".join(name if name in stored else absent.get(name, name) for name in wanted)


def _rgba8(container: Container, level: int, order: str) -> U8:
    stored = BYTE_CHANNELS[container.format]
    width, height = container.size(level)
    data = container.level(level, width * height * len(stored))
    texels = np.frombuffer(data, np.uint8).reshape(height, width, len(stored))
    if order == stored:
        return texels
    filled = np.empty((height, width, 4), np.uint8)
    for channel, name in enumerate(order):
        is_stored = name in stored
        filled[..., channel] = texels[..., stored.index(name)] if is_stored else 255 * int(name)
    return filled


def _blocks(container: Container, level: int) -> U8:
    width, height = container.size(level)
    columns, rows = -(-width // 4), -(-height // 4)
    data = container.level(level, columns * rows * 16)
    return np.frombuffer(data, np.uint8).reshape(rows, columns, 16)


def _unpacked(container: Container, level: int, blocks: U8) -> U8:
    width, height = container.size(level)
    whole = (blocks.shape[1] * 4, blocks.shape[0] * 4)
    try:
        picture = PIL.Image.frombytes("RGBA", whole, blocks.tobytes(), "bcn", (7,))
    except Exception as error:  # noqa: BLE001  Pillow's decoders raise whatever they like
        container.fail(f"level {level} of {width} x {height} cannot be decoded ({error})")
    return np.ascontiguousarray(np.asarray(picture)[:height, :width])


def _transcoded(container: Container, data: bytes, bc7: bool) -> LoadedTexture:
    transcoder = optional_module("opengl_basisu")
    if transcoder is None:
        container.fail("needs the Python package opengl_basisu, which cannot be loaded")
    target = "bc7" if bc7 else "rgba8"
    try:
        texture = transcoder.open(data)
        images = texture.transcode_levels(target)
    except Exception as error:  # noqa: BLE001  the transcoder raises whatever it likes
        container.fail(f"cannot be transcoded ({error})")
    levels = [np.asarray(image.data, np.uint8) for image in images]
    return LoadedTexture(container.width, container.height, levels, bc7, container.srgb)


def upload_loaded(resources: LevelStore, label: str, loaded: LoadedTexture) -> tuple[int, Any]:
    """Upload a picture and return its id and its view.

    A picture of one level that could have more gets its other levels from the store.
    """
    more = max(loaded.width, loaded.height) > 1
    if len(loaded.levels) == 1 and more and not loaded.bc7:
        texture = resources.add_texture(loaded.levels[0], loaded.srgb, label)
    else:
        size = (loaded.width, loaded.height)
        texture = resources.add_levels(loaded.levels, size, loaded.bc7, loaded.srgb, label)
    return texture, resources.view(texture)
