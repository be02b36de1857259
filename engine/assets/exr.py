"""OpenEXR pictures, read by the OpenEXR package where it is installed (the extra `hdr`)."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.assets.optional import optional_module
from engine.errors import AssetError
from engine.plain_file import open_plain

_MOST_BYTES = 1 << 30


def read_exr(path: Path) -> NDArray[np.float32]:
    """Read the first part's colours.

    Returns
    -------
    (h, w, 3) float32
        Linear RGB, rows from the top.

    Raises
    ------
    AssetError
        The package is not installed, the file is damaged, or has no R, G and B or luminance.
    """
    package = optional_module("OpenEXR")
    if package is None:
        raise AssetError(
            f"{path.name}: EXR files need the Python package OpenEXR, expected in the program's "
            "environment: pip install OpenEXR"
        )
    _expect_exr(path)
    try:
        with package.File(str(path), separate_channels=True) as opened:
            channels = {name: channel.pixels for name, channel in opened.channels().items()}
    except Exception as error:
        raise AssetError(f"{path.name}: cannot be read as EXR ({error})") from error
    return _colors(channels, path.name)


def _expect_exr(path: Path) -> None:
    """Refuse what would make the library read for ever or print to the terminal."""
    try:
        with open_plain(path) as file:
            mark = file.read(4)
            size = path.stat().st_size
    except OSError as error:
        raise AssetError(f"{path.name}: {error.strerror or error}") from error
    if mark != b"\x76\x2f\x31\x01":
        raise AssetError(f"{path.name}: found {mark!r}, expected an OpenEXR file")
    if size > _MOST_BYTES:
        raise AssetError(f"{path.name}: found {size} bytes, expected at most {_MOST_BYTES}")


def _colors(channels: dict[str, Any], name: str) -> NDArray[np.float32]:
    """Stack R, G and B; of several layers the first that has them, else luminance."""
    layers = sorted({key.rpartition(".")[0] for key in channels})
    for layer in layers:
        prefix = f"{layer}." if layer else ""
        names = [prefix + part for part in "RGB"]
        if any(key not in channels for key in names):
            names = [f"{prefix}Y"] * 3
        parts = [np.asarray(channels[key], np.float32) for key in names if key in channels]
        if len(parts) == 3 and len({part.shape for part in parts}) == 1:
            return np.stack(parts, axis=-1)
    found = ", ".join(sorted(channels)) or "no channels"
    raise AssetError(f"{name}: found {found}, expected R, G and B")
