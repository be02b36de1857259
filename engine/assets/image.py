"""Decoded pictures as plain data, and the checker that stands in for a missing one."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(slots=True)
class Image:
    """A decoded picture.

    Parameters
    ----------
    name : str
        Name in the file, else its URI, else ``image <index>``.
    pixels : (h, w, 4) uint8
        RGBA rows from the top; the bytes of the file, with no colour conversion.
    missing : bool
        True when the picture could not be read and `pixels` is the checker.
    """

    name: str
    pixels: NDArray[np.uint8]
    missing: bool = False

    @property
    def width(self) -> int:
        """Pixels of a row."""
        return int(self.pixels.shape[1])

    @property
    def height(self) -> int:
        """Rows of pixels."""
        return int(self.pixels.shape[0])


def checker_pixels() -> NDArray[np.uint8]:
    """Return the magenta and dark checker that marks a missing picture, (64, 64, 4) uint8."""
    size, squares = 64, 8
    cell = np.arange(size) * squares // size
    odd = (cell[:, None] + cell[None, :]) % 2 == 1
    pixels = np.empty((size, size, 4), np.uint8)
    pixels[...] = (32, 32, 32, 255)
    pixels[odd] = (255, 0, 255, 255)
    return pixels
