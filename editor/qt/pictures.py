"""Picture files, small: for tiles and fields."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QImage

from editor.qt.color_space import srgb_from_linear
from engine.assets.gltf.pictures import Picture
from engine.assets.hdr import read_hdr
from engine.errors import AssetError
from engine.plain_file import read_plain

__all__ = ["small_picture"]


def small_picture(path: Path, size: int) -> QImage:
    """Return a picture file, scaled down to fit a square; null where it can't be read.

    It is read as the engine reads it, so what can't be shown there has no picture here either;
    nothing is printed about broken files.

    Parameters
    ----------
    path
        A picture that a material may have, or a panorama in Radiance HDR.
    size
        Pixels of the square's edge.
    """
    try:
        if path.suffix.lower() == ".hdr":
            return _small_panorama(path, size)
        return _image(Picture(read_plain(path)).shrunk(size), QImage.Format.Format_RGBA8888)
    except (AssetError, OSError, MemoryError):
        return QImage()


def _small_panorama(path: Path, size: int) -> QImage:
    radiance = read_hdr(path)
    step = max(1, radiance.shape[1] // size)
    small = np.clip(np.nan_to_num(radiance[::step, ::step]), 0, None)
    srgb = np.round(srgb_from_linear(small / (1 + small)) * 255).astype(np.uint8)
    return _image(srgb, QImage.Format.Format_RGB888)


def _image(pixels: NDArray[np.uint8], form: QImage.Format) -> QImage:
    held = np.ascontiguousarray(pixels)
    height, width, channels = held.shape
    return QImage(held.data, width, height, channels * width, form).copy()
