"""The KTX 2.0 file format: header, level index and levels; nothing of what is inside a level.

Khronos KTX 2.0, 3: an identifier, nine u32 fields, an index of four descriptor ranges, then per
level u64 offset, length and uncompressed length. Levels are stored smallest first. The data format
descriptor tells the transfer function (Khronos Data Format 1.3, 5.4).
"""

import struct
import zlib
from dataclasses import dataclass
from typing import NoReturn

from engine.errors import AssetError

IDENTIFIER = b"\xabKTX 20\xbb\r\n\x1a\n"
UNDEFINED, RGBA8, RGBA8_SRGB, BC7, BC7_SRGB = 0, 37, 43, 145, 146
MOST_BYTES = 1 << 30
_HEADER = struct.Struct("<9I")
_INDEX = struct.Struct("<4I2Q")
_LEVEL = struct.Struct("<3Q")
_HEAD_BYTES = 12 + _HEADER.size + _INDEX.size
_ZLIB = 3
_LINEAR, _SRGB = 1, 2
_WRITER = b"KTXwriter\0cinder-cook\0"


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
        What messages call it: each begins with ``cooked texture <label>``.

    Raises
    ------
    AssetError
        No KTX2, truncated, not a plain 2D picture, or larger than any device takes.
    """

    def __init__(self, data: bytes, label: str) -> None:
        self._data = data
        self._label = label
        if data[:12] != IDENTIFIER:
            self.fail("bad magic, expected a KTX 2.0 file")
        if len(data) < _HEAD_BYTES:
            self.fail(f"truncated: {len(data)} bytes, expected {_HEAD_BYTES} of header")
        fields = _HEADER.unpack_from(data, 12)
        self.format, _, self.width, self.height, depth, layers, faces, count, scheme = fields
        self._scheme = scheme
        if depth or layers > 1 or faces != 1 or not self.width or not self.height:
            self.fail(
                f"{self.width} x {self.height} x {depth} with {layers} layers and {faces} faces, "
                "expected one 2D picture"
            )
        if self.width * self.height * 4 > MOST_BYTES:
            self.fail(f"{self.width} x {self.height} pixels need more than {MOST_BYTES} bytes")
        if count > max(self.width, self.height).bit_length():
            self.fail(f"{count} levels out of range for {self.width} x {self.height} pixels")
        self.levels = self._read_levels(max(count, 1))
        self.srgb = self._read_transfer()

    def fail(self, problem: str) -> NoReturn:
        raise AssetError(f"cooked texture {self._label}: {problem}")

    def size(self, level: int) -> tuple[int, int]:
        """Return the width and height of a level in pixels."""
        return max(self.width >> level, 1), max(self.height >> level, 1)

    def level(self, number: int, expected: int) -> bytes:
        """Return the bytes of a level, inflated; they have to be `expected` many."""
        level = self.levels[number]
        data = self._data[level.offset : level.offset + level.length]
        if self._scheme == _ZLIB:
            data = self._inflated(data, expected)
        elif self._scheme:
            self.fail(f"supercompression scheme {self._scheme}, expected none or zlib")
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
            return self.format in (RGBA8_SRGB, BC7_SRGB)
        offset, length, *_ = _INDEX.unpack_from(self._data, 12 + _HEADER.size)
        if length < 16 or offset + length > len(self._data):
            self.fail("truncated: no data format descriptor")
        return bool(self._data[offset + 14] == _SRGB)


def write_rgba8(levels: list[tuple[bytes, int, int]], srgb: bool) -> bytes:
    """Return an uncompressed KTX2 file of RGBA8 levels (bytes, width, height), largest first."""
    descriptor = _descriptor(srgb)
    values = struct.pack("<I", len(_WRITER)) + _WRITER
    values += b"\0" * (-len(values) % 4)
    at = _HEAD_BYTES + len(levels) * _LEVEL.size
    ranges = at, len(descriptor), at + len(descriptor), len(values), 0, 0
    offset = at + len(descriptor) + len(values)
    index, body = [b""] * len(levels), []
    for number in reversed(range(len(levels))):
        data = levels[number][0]
        index[number] = _LEVEL.pack(offset, len(data), len(data))
        body.append(data)
        offset += len(data)
    width, height = levels[0][1:]
    fields = RGBA8_SRGB if srgb else RGBA8, 1, width, height, 0, 0, 1, len(levels), 0
    head = IDENTIFIER + _HEADER.pack(*fields) + _INDEX.pack(*ranges)
    return b"".join([head, *index, descriptor, values, *body])


def _descriptor(srgb: bool) -> bytes:
    """Return the basic data format descriptor of RGBA8 (Khronos Data Format 1.3, 5)."""
    # RGBSDA colour model, BT.709 primaries; alpha is linear (bit 4) beside sRGB colours.
    alpha = 15 | (16 if srgb else 0)
    block = struct.pack("<4B4B8B", 1, 1, _SRGB if srgb else _LINEAR, 0, *[0] * 4, 4, *[0] * 7)
    for at, channel in enumerate((0, 1, 2, alpha)):
        block += struct.pack("<HBB4BII", 8 * at, 7, channel, *[0] * 4, 0, 255)
    return struct.pack("<IIHH", len(block) + 12, 0, 2, len(block) + 8) + block
