"""The KTX 2.0 file format: header, level index and levels; nothing of what is inside a level.

Khronos KTX 2.0, 3: an identifier, nine u32 fields, an index of four descriptor ranges, then per
level u64 offset, length and uncompressed length. Levels are stored smallest first. The data format
descriptor tells the transfer function (Khronos Data Format 1.3, 5.4).
"""

import struct
import zlib
from dataclasses import dataclass
from typing import NoReturn

from engine.assets.optional import optional_module
from engine.errors import FileError

IDENTIFIER = b"\xabKTX 20\xbb\r\n\x1a\n"
UNDEFINED, RGBA8, RGBA8_SRGB, BC7, BC7_SRGB = 0, 37, 43, 145, 146
BYTE_CHANNELS = {
    9: "r", 15: "r", 16: "rg", 22: "rg", 23: "rgb", 29: "rgb", 30: "bgr", 36: "bgr",
    RGBA8: "rgba", RGBA8_SRGB: "rgba", 44: "bgra", 50: "bgra",
}  # fmt: skip
"""The channels of the VkFormats that have a byte for each."""
_SRGB_FORMATS = (15, 22, 29, 36, RGBA8_SRGB, 50, BC7_SRGB)
MOST_BYTES = 1 << 30
_HEADER = struct.Struct("<9I")
_INDEX = struct.Struct("<4I2Q")
_LEVEL = struct.Struct("<3Q")
_HEAD_BYTES = 12 + _HEADER.size + _INDEX.size
_ZSTD, _ZLIB = 2, 3
_LINEAR, _SRGB = 1, 2


@dataclass(frozen=True, slots=True)
class Level:
    """Where one level lies, and how long it is when it is inflated."""

    offset: int
    length: int
    inflated: int


class Container:
    """The parsed head of one file; ``levels`` from the largest.

    Parameters
    ----------
    data : bytes
        The whole file.
    label : str
        What messages call it: each begins with ``<kind> <label>``.
    kind : str
        What it is to the reader.
    faces : tuple of int
        How many faces it may have, 6 for a cube.

    Raises
    ------
    FileError
        No KTX2, truncated, not a plain 2D picture, or larger than any device takes.
    """

    def __init__(
        self, data: bytes, label: str, kind: str = "cooked texture", faces: tuple[int, ...] = (1,)
    ) -> None:
        self._data = data
        self._label, self._kind = label, kind
        if data[:12] != IDENTIFIER:
            self.fail("bad magic, expected a KTX 2.0 file")
        if len(data) < _HEAD_BYTES:
            self.fail(f"truncated: {len(data)} bytes, expected {_HEAD_BYTES} of header")
        fields = _HEADER.unpack_from(data, 12)
        self.format, _, self.width, self.height, depth, layers, self.faces, count, scheme = fields
        self._scheme = scheme
        is_flat = not depth and layers <= 1 and self.width and self.height
        if not is_flat or self.faces not in faces:
            self.fail(
                f"{self.width} x {self.height} x {depth} with {layers} layers and {self.faces} "
                f"faces, expected one 2D picture{' or a cube' if 6 in faces else ''}"
            )
        if self.width * self.height * self.faces * 4 > MOST_BYTES:
            self.fail(f"{self.width} x {self.height} pixels need more than {MOST_BYTES} bytes")
        if count > max(self.width, self.height).bit_length():
            self.fail(f"{count} levels out of range for {self.width} x {self.height} pixels")
        self.levels = self._read_levels(max(count, 1))
        self.srgb = self._read_transfer()

    def fail(self, problem: str) -> NoReturn:
        """Raise FileError about this file."""
        raise FileError(self._label, problem, self._kind)

    def size(self, level: int) -> tuple[int, int]:
        """Return the width and height of a level in pixels."""
        return max(self.width >> level, 1), max(self.height >> level, 1)

    def level(self, number: int, expected: int) -> bytes:
        """Return the bytes of a level, inflated; they have to be `expected` many."""
        level = self.levels[number]
        data = self._data[level.offset : level.offset + level.length]
        if self._scheme == _ZLIB:
            data = self._inflated(data, expected)
        elif self._scheme == _ZSTD:
            data = self._unpacked(data, expected)
        elif self._scheme:
            self.fail(f"supercompression scheme {self._scheme}, expected none, zlib or zstd")
        if len(data) != expected:
            width, height = self.size(number)
            self.fail(
                f"level {number}: {len(data)} bytes, expected {expected} for {width} x {height}"
            )
        return data

    def _inflated(self, data: bytes, expected: int) -> bytes:
        try:
            return zlib.decompressobj().decompress(data, expected + 1)
        except zlib.error as error:
            self.fail(f"zlib: {error}")

    def _unpacked(self, data: bytes, expected: int) -> bytes:
        packer = optional_module("zstandard")
        if packer is None:
            self.fail("packed by zstd, which needs the Python package zstandard")
        try:
            opened = packer.ZstdDecompressor().stream_reader(data)
            return bytes(opened.read(expected + 1))
        except packer.ZstdError as error:
            self.fail(f"zstd: {error}")

    def values(self) -> dict[str, bytes]:
        """Return the key/value data, the values without their closing zero."""
        _, _, offset, length, _, _ = _INDEX.unpack_from(self._data, 12 + _HEADER.size)
        if offset + length > len(self._data):
            self.fail(f"truncated: key/value data ends at byte {offset + length}")
        found, at, end = {}, offset, offset + length
        while at + 4 <= end:
            (size,) = struct.unpack_from("<I", self._data, at)
            key, _, value = self._data[at + 4 : min(at + 4 + size, end)].partition(b"\0")
            found[key.decode("utf-8", "replace")] = value.removesuffix(b"\0")
            at += 4 + size + -size % 4
        return found

    def _read_levels(self, count: int) -> list[Level]:
        if _HEAD_BYTES + count * _LEVEL.size > len(self._data):
            self.fail(f"truncated: no room for the index of {count} levels")
        levels = [
            Level(*_LEVEL.unpack_from(self._data, _HEAD_BYTES + k * _LEVEL.size))
            for k in range(count)
        ]
        for number, level in enumerate(levels):
            if level.offset + level.length > len(self._data):
                self.fail(
                    f"truncated: level {number} ends at byte {level.offset + level.length} of "
                    f"{len(self._data)}"
                )
        return levels

    def _read_transfer(self) -> bool:
        if self.format:
            return self.format in _SRGB_FORMATS
        offset, length, *_ = _INDEX.unpack_from(self._data, 12 + _HEADER.size)
        if length < 16 or offset + length > len(self._data):
            self.fail("truncated: no data format descriptor")
        return bool(self._data[offset + 14] == _SRGB)


def write_rgba8(levels: list[tuple[bytes, int, int]], srgb: bool) -> bytes:
    """Return an uncompressed KTX2 file of RGBA8 levels (bytes, width, height), largest first."""
    values = {"KTXwriter": b"cinder-cook"}
    return write_levels(levels, RGBA8_SRGB if srgb else RGBA8, _descriptor(srgb), values)


def write_levels(
    levels: list[tuple[bytes, int, int]],
    vk_format: int,
    descriptor: bytes,
    values: dict[str, bytes],
    type_size: int = 1,
    faces: int = 1,
) -> bytes:
    """Return a KTX2 file of levels (bytes, width, height) as they are, largest first.

    `descriptor` is the data format descriptor, `values` the key/value data.
    """
    texts = b""
    for key in sorted(values):
        entry = key.encode() + b"\0" + values[key] + b"\0"
        texts += struct.pack("<I", len(entry)) + entry + b"\0" * (-len(entry) % 4)
    at = _HEAD_BYTES + len(levels) * _LEVEL.size
    ranges = at, len(descriptor), at + len(descriptor), len(texts), 0, 0
    offset = at + len(descriptor) + len(texts)
    padding = b"\0" * (-offset % 4)
    offset += len(padding)
    index, body = [b""] * len(levels), []
    for number in reversed(range(len(levels))):
        data = levels[number][0]
        index[number] = _LEVEL.pack(offset, len(data), len(data))
        body.append(data)
        offset += len(data)
    width, height = levels[0][1:]
    fields = vk_format, type_size, width, height, 0, 0, faces, len(levels), 0
    head = IDENTIFIER + _HEADER.pack(*fields) + _INDEX.pack(*ranges)
    return b"".join([head, *index, descriptor, texts, padding, *body])


def _descriptor(srgb: bool) -> bytes:
    """Return the basic data format descriptor of RGBA8 (Khronos Data Format 1.3, 5)."""
    # RGBSDA colour model, BT.709 primaries; alpha is linear (bit 4) beside sRGB colours.
    alpha = 15 | (16 if srgb else 0)
    block = struct.pack("<4B4B8B", 1, 1, _SRGB if srgb else _LINEAR, 0, *[0] * 4, 4, *[0] * 7)
    for at, channel in enumerate((0, 1, 2, alpha)):
        block += struct.pack("<HBB4BII", 8 * at, 7, channel, *[0] * 4, 0, 255)
    return struct.pack("<IIHH", len(block) + 12, 0, 2, len(block) + 8) + block
