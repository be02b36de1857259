"""OpenEXR pictures, read by the OpenEXR package where it is installed (the extra `hdr`)."""

import os
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.assets.decoders import exr
from engine.assets.decoders.process import DecoderPool
from engine.assets.optional import optional_module
from engine.errors import AssetError, about_file
from engine.plain_file import open_plain

_MOST_BYTES = 1 << 30
_SECONDS_PER_BYTE = 1e-6

decoders = DecoderPool(exr, seconds=30.0)


def read_exr(path: Path) -> NDArray[np.float32]:
    """Read the first part's colours.

    Returns
    -------
    (h, w, 3) float32
        Linear RGB, rows from the top.

    Raises
    ------
    AssetError
        The package is not installed, the file is damaged, too large or too slow to decode, or has
        no R, G and B or luminance.
    """
    with about_file(path.name):
        if optional_module("OpenEXR") is None:
            raise AssetError(
                "EXR files need the Python package OpenEXR, expected in the program's "
                "environment: pip install OpenEXR"
            )
        size = _expect_exr(path)
        found = decoders.decode(os.fsencode(path.absolute()), size * _SECONDS_PER_BYTE)
    parts = [np.asarray(part, np.float32) for part in found.values()]
    return np.stack(parts * 3 if len(parts) == 1 else parts, axis=-1)


def _expect_exr(path: Path) -> int:
    """Refuse what is no such file; return how many bytes it has."""
    try:
        with open_plain(path) as file:
            mark = file.read(4)
            size = path.stat().st_size
    except OSError as error:
        raise AssetError(error.strerror or str(error)) from error
    if mark != b"\x76\x2f\x31\x01":
        raise AssetError(f"found {mark!r}, expected an OpenEXR file")
    if size > _MOST_BYTES:
        raise AssetError(f"found {size} bytes, expected at most {_MOST_BYTES}")
    return size
