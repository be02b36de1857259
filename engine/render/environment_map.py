"""Light from everywhere as plain arrays, made ready for a renderer where they are made.

Radiance is kept in nine bits per channel and a shared exponent, a third of what floats take, and
with its mip levels. All the work on pixels happens when a map is made, on whatever thread that is,
so a renderer only uploads.

References
----------
R. Ramamoorthi, P. Hanrahan, "An Efficient Representation for Irradiance Environment
Maps", 2001.
"""

from collections.abc import Callable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from engine.math import BRIGHTEST, pack_light, unpack_light

F32 = NDArray[np.float32]
U32 = NDArray[np.uint32]

WIDEST = 4096


class EnvironmentMap:
    """Light from everywhere, as a panorama.

    Parameters
    ----------
    pixels
        (h, w, 3) float linear radiance, equirectangular: the first row is straight up (+Y), the
        middle column looks along +X, columns turn towards +Z. Wider ones than 4096 are halved.
    name
        For messages.

    Attributes
    ----------
    levels : list of (h, w) uint32
        Mip levels, largest first, as `pack_light` packs them.
    irradiance : (9, 4) float32
        See `irradiance_harmonics`.
    """

    levels: list[U32]
    irradiance: F32

    @classmethod
    def of_levels(cls, levels: list[U32], irradiance: F32, name: str = "") -> "EnvironmentMap":
        """Return a map of levels and harmonics as another one had them.

        Parameters
        ----------
        levels : list of (h, w) uint32
        irradiance : (9, 4) float32
        name : str
        """
        made = cls.__new__(cls)
        made.name, made.levels, made.irradiance = name, levels, irradiance
        return made

    def __init__(self, pixels: F32, name: str = "") -> None:
        self.name = name
        light = np.clip(np.nan_to_num(pixels, posinf=BRIGHTEST), 0.0, BRIGHTEST)
        while light.shape[1] > WIDEST and light.shape[0] > 1:
            light = halved(light)
        self.levels = [pack_light(light)]
        smaller = light
        while max(smaller.shape[:2]) > 1:
            smaller = halved(smaller)
            self.levels.append(pack_light(smaller))
        self.irradiance = irradiance_harmonics(light)

    @property
    def pixels(self) -> F32:
        """(h, w, 3) float32 linear radiance of the largest level."""
        return unpack_light(self.levels[0])


class PrefilteredMap:
    """Light from everywhere, as a cube of ever rougher reflections that was made before.

    Parameters
    ----------
    read
        Gives the levels, each (6, n, n) uint32 as `pack_light` packs them in the order of cube
        faces, and the (9, 4) harmonics. Called once, when somebody first needs them.
    name
        For messages.
    """

    def __init__(self, read: Callable[[], tuple[list[U32], F32]], name: str = "") -> None:
        self.name = name
        self._read = read

    @cached_property
    def _contents(self) -> tuple[list[U32], F32]:
        return self._read()

    @property
    def levels(self) -> list[U32]:
        """Cube levels, largest and smoothest first."""
        return self._contents[0]

    @property
    def irradiance(self) -> F32:
        """(9, 4) float32, see `irradiance_harmonics`."""
        return self._contents[1]


def halved(pixels: F32) -> F32:
    """A picture, (h, w, 3) float32, of half the width and height, rounded down but at least one."""
    height, width = pixels.shape[:2]
    if height > 1:
        even = pixels[: height // 2 * 2]
        pixels = 0.5 * (even[0::2] + even[1::2])
    if width > 1:
        even = pixels[:, : width // 2 * 2]
        pixels = 0.5 * (even[:, 0::2] + even[:, 1::2])
    return pixels.astype(np.float32, copy=False)


def irradiance_harmonics(pixels: F32) -> F32:
    """(9, 4) coefficients of the mean radiance of the hemisphere around a direction.

    Factors of 1, y, z, x, xy, yz, 3zz - 1, xz and xx - yy, in RGB and a zero.
    """
    while pixels.shape[1] > 128 and pixels.shape[0] > 1:
        pixels = halved(pixels)
    height, width = pixels.shape[:2]
    polar = (np.arange(height) + 0.5) / height * np.pi
    turn = ((np.arange(width) + 0.5) / width - 0.5) * 2.0 * np.pi
    x = np.sin(polar)[:, None] * np.cos(turn)
    z = np.sin(polar)[:, None] * np.sin(turn)
    y = np.broadcast_to(np.cos(polar)[:, None], x.shape)
    share = np.sin(polar) / np.sin(polar).sum() / width
    basis = np.stack(
        [np.ones_like(x), y, z, x, x * y, y * z, 3.0 * z * z - 1.0, x * z, x * x - y * y]
    )
    weighted = (basis * share[:, None]).reshape(9, -1)
    moments = weighted @ pixels.reshape(-1, 3).astype(np.float64)
    # Y squared times 4 pi (the mean stands for the integral) times A_l / pi of the cosine lobe.
    squared = np.array([1.0, 3.0, 3.0, 3.0, 15.0, 15.0, 1.25, 15.0, 3.75])
    lobe = np.array([1.0, *[2.0 / 3.0] * 3, *[0.25] * 5])
    out = np.zeros((9, 4), np.float32)
    out[:, :3] = moments * (squared * lobe)[:, None]
    return out
