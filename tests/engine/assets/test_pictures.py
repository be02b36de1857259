"""Pictures whose headers promise more than anybody draws in so few bytes."""

import struct
import zlib

import pytest

from engine.assets.gltf.pictures import Picture
from engine.errors import AssetError


def png(width, height):
    """A white mask of a bit per pixel."""
    rows = (b"\0" + b"\xff" * (width // 8)) * height
    chunks = (b"IHDR", struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0))
    parts = [b"\x89PNG\r\n\x1a\n"]
    for kind, data in (chunks, (b"IDAT", zlib.compress(rows)), (b"IEND", b"")):
        parts.append(struct.pack(">I", len(data)) + kind + data)
        parts.append(struct.pack(">I", zlib.crc32(kind + data)))
    return b"".join(parts)


def gif(width, height):
    """A canvas with a frame of one pixel on it."""
    head = b"GIF89a" + struct.pack("<HHBBB", width, height, 0x80, 0, 0) + bytes(6)
    return head + b"\x2c" + struct.pack("<HHHHB", 0, 0, 1, 1, 0) + b"\x02\x02\x44\x01\0\x3b"


def ktx2(width, height):
    return b"\xabKTX 20\xbb\r\n\x1a\n" + struct.pack("<9I", 0, 1, width, height, 0, 0, 1, 1, 1)


@pytest.mark.parametrize("make", [png, gif, ktx2])
def test_a_picture_that_would_fill_the_memory_out_of_next_to_nothing_is_refused(make):
    with pytest.raises(AssetError, match=r"16384 x 16384 pixels in \d+ bytes are refused"):
        Picture(make(16384, 16384))


def test_a_large_mask_of_one_colour_is_taken():
    assert Picture(png(8192, 8192)).size == (8192, 8192)
