"""Radiance pictures (.hdr): light as shared-exponent RGBE, scanlines run-length encoded.

Reads what is used for environments: RGBE, rows from the top, both encodings of scanlines. XYZE
files and other orientations are refused.

References
----------
G. Ward, "Real Pixels", Graphics Gems II, 1991; the Radiance file formats, "Picture files".
"""

import re
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.errors import AssetError, FileError, about_file
from engine.plain_file import read_plain

_LARGEST = 16384
_SIZE = re.compile(rb"-Y +(\d+) +\+X +(\d+)$")


def read_hdr(path: str | Path) -> NDArray[np.float32]:
    """Read a picture.

    Returns
    -------
    (h, w, 3) float32
        Linear RGB radiance, rows from the top.

    Raises
    ------
    AssetError
        The file cannot be read, is no such picture, or ends too early.
    """
    name = Path(path).name
    try:
        data = read_plain(path)
    except OSError as problem:
        raise FileError(name, problem.strerror or str(problem)) from problem
    return decode_hdr(data, name)


def decode_hdr(data: bytes, name: str = "picture") -> NDArray[np.float32]:
    """Decode the bytes of a picture; see `read_hdr`."""
    with about_file(name):
        width, height, exposure, at = _header(data)
        rows = np.empty((height, width, 4), np.uint8)
        for y in range(height):
            at = _scanline(data, at, rows[y], f"scanline {y}")
    # The mantissa's middle: (m + 0.5) / 256 * 2 ** (e - 128); a zero exponent is black.
    scale = np.ldexp(np.float32(1.0 / exposure), rows[..., 3].astype(np.int32) - 136)
    scale = np.where(rows[..., 3] > 0, scale, 0.0).astype(np.float32)
    light: NDArray[np.float32] = (rows[..., :3] + np.float32(0.5)) * scale[..., None]
    return light


def _header(data: bytes) -> tuple[int, int, float, int]:
    """Width, height, exposure and where the scanlines start."""
    if not data.startswith((b"#?RADIANCE", b"#?RGBE")):
        raise AssetError(f"found {data[:10]!r}, expected a Radiance picture (#?RADIANCE)")
    exposure, at = 1.0, 0
    while True:
        end = data.find(b"\n", at)
        if end < 0 or end - at > 4096:
            raise AssetError("found no size in the header, expected -Y h +X w")
        line, at = data[at:end].strip(), end + 1
        if found := _SIZE.match(line):
            height, width = int(found[1]), int(found[2])
            break
        if line.startswith(b"FORMAT=") and line != b"FORMAT=32-bit_rle_rgbe":
            raise AssetError(f"found {line!r}, expected FORMAT=32-bit_rle_rgbe")
        if line.startswith(b"EXPOSURE="):
            exposure *= _factor(line[9:])
        if line.startswith((b"+Y", b"+X", b"-X", b"-Y")):
            raise AssetError(f"found {line!r}, expected rows from the top: -Y h +X w")
    if not 1e-30 < exposure < 1e30:
        raise AssetError(f"found exposures that come to {exposure:g}, expected about 1")
    if not (0 < width <= _LARGEST and 0 < height <= _LARGEST):
        raise AssetError(f"found {width} x {height}, expected 1 to {_LARGEST} pixels")
    # A run takes two bytes for at most 127 values of a channel.
    if len(data) - at < height * width // 32:
        raise AssetError(f"found {len(data) - at} bytes for {width} x {height} pixels")
    return width, height, exposure, at


def _factor(text: bytes) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not (0.0 < value < float("inf")):
        raise AssetError(f"found exposure {text!r}, expected a positive number")
    return value


def _scanline(data: bytes, at: int, row: NDArray[np.uint8], where: str) -> int:
    """Decode one row of RGBE and return where the next begins."""
    width = len(row)
    mark = data[at : at + 4]
    is_new = 8 <= width < 32768 and mark[:2] == b"\x02\x02" and len(mark) == 4 and mark[2] < 128
    if not is_new:
        return _old_scanline(data, at, row, where)
    if mark[2] << 8 | mark[3] != width:
        found = mark[2] << 8 | mark[3]
        raise AssetError(f"{where}: found a width of {found}, expected {width}")
    at += 4
    for channel in range(4):
        filled = 0
        values = bytearray()
        while filled < width:
            count = data[at] if at < len(data) else 0
            if count > 128:
                count -= 128
                values += data[at + 1 : at + 2] * count
                at += 2
            else:
                values += data[at + 1 : at + 1 + count]
                at += 1 + count
            filled += count
            if not count or len(values) != filled or filled > width:
                raise AssetError(f"{where}: found a broken run at byte {at}")
        row[:, channel] = np.frombuffer(values, np.uint8)
    return at


def _old_scanline(data: bytes, at: int, row: NDArray[np.uint8], where: str) -> int:
    """Plain pixels; (1, 1, 1, n) repeats the one before, n shifted by 8 bits per repeat mark."""
    width = len(row)
    plain = np.frombuffer(data[at : at + 4 * width], np.uint8)
    if len(plain) == 4 * width and not (plain.reshape(-1, 4)[:, :3] == 1).all(axis=1).any():
        row[:] = plain.reshape(-1, 4)
        return at + 4 * width
    filled, shift = 0, 0
    while filled < width:
        pixel = data[at : at + 4]
        if len(pixel) < 4:
            raise AssetError(f"{where}: found the end of the file, expected {width} pixels")
        at += 4
        if pixel[:3] != b"\x01\x01\x01":
            row[filled] = tuple(pixel)
            filled, shift = filled + 1, 0
            continue
        count = pixel[3] << shift
        if not filled or filled + count > width:
            raise AssetError(f"{where}: found a broken run at byte {at}")
        row[filled : filled + count] = row[filled - 1]
        filled, shift = filled + count, shift + 8
    return at
