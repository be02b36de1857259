"""Picture files, small: for tiles and fields."""

from pathlib import Path

import numpy as np
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QImage, QImageReader

from editor.qt.color_space import srgb_from_linear
from engine.assets.hdr import read_hdr
from engine.errors import AssetError

__all__ = ["small_picture"]


def small_picture(path: Path, size: int) -> QImage:
    """Return a picture file, scaled down to fit a square; null where it can't be read.

    Parameters
    ----------
    path
        Anything that Qt reads, or a panorama in Radiance HDR.
    size
        Pixels of the square's edge.
    """
    if path.suffix.lower() == ".hdr":
        return _small_panorama(path, size)
    reader = QImageReader(str(path))
    reader.setAutoTransform(True)
    full = reader.size()
    if full.isValid() and max(full.width(), full.height()) > size:
        limit = QSize(size, size)
        reader.setScaledSize(full.scaled(limit, Qt.AspectRatioMode.KeepAspectRatio))
    return reader.read()


def _small_panorama(path: Path, size: int) -> QImage:
    try:
        radiance = read_hdr(path)
    except (AssetError, MemoryError):
        return QImage()
    step = max(1, radiance.shape[1] // size)
    small = np.clip(np.nan_to_num(radiance[::step, ::step]), 0, None)
    srgb = np.round(srgb_from_linear(small / (1 + small)) * 255).astype(np.uint8)
    srgb = np.ascontiguousarray(srgb)
    height, width = srgb.shape[:2]
    return QImage(srgb.data, width, height, 3 * width, QImage.Format.Format_RGB888).copy()
