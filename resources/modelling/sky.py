"""The default environment as numbers: the dome of a clear day without its sun, and the ground.

The dome follows Perez' all-weather distribution with Preetham's coefficients, so it is brightest
around the place of the sun and pale at the horizon; thin clouds give reflections something to
show. It is balanced to light a level as the neutral gradient sky does.

References
----------
A. Preetham, P. Shirley, B. Smits, "A Practical Analytic Model for Daylight", SIGGRAPH 1999.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

F64 = NDArray[np.float64]

TURBIDITY = 2.6
SUN = np.array([-0.60, 0.52, 0.61])
"""Towards the sun, which is not in the picture: a level has its own as a light."""
BRIGHTNESS = 0.36
"""Mean radiance of the dome as the ground sees it."""
SATURATION = 0.74
BALANCE = np.array([1.05, 1.0, 0.90])
"""Factor on the dome's light, so that a grey surface stays nearly grey under it."""
_GROUND_ALBEDO = np.array([0.33, 0.27, 0.215])
# Change of Perez' five coefficients with turbidity, of luminance and of chromaticity x and y.
_SLOPE_Y = (0.1787, -0.3554, -0.0227, 0.1206, -0.0670)
_SLOPE_CX = (-0.0193, -0.0665, -0.0004, -0.0641, -0.0033)
_SLOPE_CY = (-0.0167, -0.0950, -0.0079, -0.0441, -0.0109)
_RGB_FROM_XYZ = np.array(
    [
        [3.2404542, -1.5371385, -0.4985314],
        [-0.9692660, 1.8760108, 0.0415560],
        [0.0556434, -0.2040259, 1.0572252],
    ]
)


def sky_panorama(height: int) -> NDArray[np.float32]:
    """Return (height, 2 height, 3) linear radiance, laid out as `EnvironmentMap` wants it."""
    polar = (np.arange(height) + 0.5) / height * np.pi
    turn = ((np.arange(2 * height) + 0.5) / (2 * height) - 0.5) * 2 * np.pi
    p, t = np.meshgrid(polar, turn, indexing="ij")
    towards = np.stack([np.sin(p) * np.cos(t), np.cos(p), np.sin(p) * np.sin(t)], axis=-1)
    dome = _clouded(_dome(towards), towards)
    weight = np.sin(p) * np.maximum(towards[..., 1], 0.0)
    mean = (dome * weight[..., None]).sum(axis=(0, 1)) / weight.sum()
    dome *= BRIGHTNESS / mean.mean()
    ground = _ground(towards, dome, mean * BRIGHTNESS / mean.mean())
    # The horizon is as soft as haze makes it.
    above = _smooth(-0.11, 0.02, towards[..., 1])[..., None]
    light: F64 = ground * (1 - above) + dome * above
    return light.astype(np.float32)


def _dome(towards: F64) -> F64:
    """Radiance of the clear sky, RGB up to a factor; below the horizon as at it."""
    sun = SUN / np.linalg.norm(SUN)
    cosine = np.maximum(towards[..., 1], 0.02)
    flat = towards * [1.0, 0.0, 1.0]
    flat /= np.maximum(np.linalg.norm(flat, axis=-1, keepdims=True), 1e-9)
    raised = flat * np.sqrt(1 - cosine**2)[..., None]
    raised[..., 1] = cosine
    gamma = np.arccos(np.clip(raised @ sun, -1.0, 1.0))
    zenith = np.arccos(sun[1])
    big_y = _relative((-1.4630, 0.4275, 5.3251, -2.5771, 0.3703), _SLOPE_Y, cosine, gamma, zenith)
    x = _relative((-0.2592, 0.0008, 0.2125, -0.8989, 0.0452), _SLOPE_CX, cosine, gamma, zenith)
    y = _relative((-0.2608, 0.0092, 0.2102, -1.6537, 0.0529), _SLOPE_CY, cosine, gamma, zenith)
    zx, zy = _zenith_color(zenith)
    chroma_x, chroma_y = zx * x, zy * y
    # Without its core the glow around the sun stays a broad lamp.
    big_y = 4.5 * np.tanh(big_y / 4.5)
    xyz = np.stack(
        [chroma_x / chroma_y * big_y, big_y, (1 - chroma_x - chroma_y) / chroma_y * big_y], axis=-1
    )
    rgb = np.maximum(xyz @ _RGB_FROM_XYZ.T, 0.0)
    grey = (rgb @ [0.2126, 0.7152, 0.0722])[..., None]
    result: F64 = (grey + (rgb - grey) * SATURATION) * BALANCE
    return result


def _relative(
    constant: tuple[float, ...], slope: tuple[float, ...], cosine: F64, gamma: F64, zenith: float
) -> F64:
    """Perez' distribution as a factor on its value straight up."""
    c = tuple(np.array(constant) + np.array(slope) * TURBIDITY)
    value: F64 = _perez(c, cosine, gamma) / _perez(c, np.array(1.0), np.array(zenith))
    return value


def _perez(c: tuple[float, ...], cosine: F64, gamma: F64) -> F64:
    a, b, d, e, f = c
    value: F64 = (1 + a * np.exp(b / cosine)) * (1 + d * np.exp(e * gamma) + f * np.cos(gamma) ** 2)
    return value


def _zenith_color(zenith: float) -> tuple[float, float]:
    """Chromaticity straight up, for the sun's angle from there."""
    powers = np.array([zenith**3, zenith**2, zenith, 1.0])
    t = np.array([TURBIDITY**2, TURBIDITY, 1.0])
    x = [
        [0.00166, -0.00375, 0.00209, 0.0],
        [-0.02903, 0.06377, -0.03202, 0.00394],
        [0.11693, -0.21196, 0.06052, 0.25886],
    ]
    y = [
        [0.00275, -0.00610, 0.00317, 0.0],
        [-0.04214, 0.08970, -0.04153, 0.00516],
        [0.15346, -0.26756, 0.06670, 0.26688],
    ]
    return float(t @ np.array(x) @ powers), float(t @ np.array(y) @ powers)


def _clouded(dome: F64, towards: F64) -> F64:
    """Thin high clouds, lit from where the sun is."""
    sun = SUN / np.linalg.norm(SUN)
    height = np.maximum(towards[..., 1], 0.03)
    # A layer above a round earth: it comes down to the horizon without an end.
    reach = 1.0 / (height + 0.16)
    u, v = towards[..., 0] * reach, towards[..., 2] * reach
    veil = _layered_noise(1.1 * u + 0.35 * v, 1.9 * v - 0.2 * u, 5)
    heaps = _layered_noise(2.3 * u + 7.0, 2.3 * v + 3.0, 6)
    cover = _smooth(0.50, 0.78, 0.55 * veil + 0.45 * heaps)
    cover *= _smooth(0.02, 0.16, towards[..., 1]) * 0.75
    towards_sun = 0.5 + 0.5 * (towards @ sun)
    lit = np.array([1.0, 0.985, 0.96]) * (0.85 + 0.75 * towards_sun**2)[..., None]
    shade = 1.0 - 0.35 * _smooth(0.55, 0.9, heaps)[..., None]
    mean = dome[towards[..., 1] > 0].mean()
    cloud = np.maximum(lit * shade * mean * 1.7, dome)
    result: F64 = dome + (cloud - dome) * cover[..., None]
    return result


def _ground(towards: F64, dome: F64, mean: F64) -> F64:
    """A plain that reflects the sky's mean light and pales into the haze at the horizon."""
    down = np.maximum(-towards[..., 1], 0.0)
    haze = np.exp(-down / 0.17)[..., None] * 0.8
    rows = np.abs(towards[:, 0, 1]).argmin()
    horizon = dome[rows][None] * np.ones((len(towards), 1, 1))
    plain = _GROUND_ALBEDO * (mean + 0.12)
    # Darker below, where whoever looks stands in the way of the light.
    shade = (1.0 - 0.25 * down**2)[..., None]
    result: F64 = plain * shade * (1 - haze) + horizon * haze
    return result


def _smooth(low: float, high: float, value: F64) -> F64:
    t = np.clip((value - low) / (high - low), 0.0, 1.0)
    result: F64 = t * t * (3.0 - 2.0 * t)
    return result


def _layered_noise(x: F64, y: F64, octaves: int) -> F64:
    """Noise from 0 to 1, each octave finer and weaker by half."""
    total, weight = np.zeros_like(x), 0.0
    for k in range(octaves):
        strength = 0.5**k
        total += strength * _noise(x * 2.0**k + 17.3 * k, y * 2.0**k - 9.1 * k)
        weight += strength
    return total / weight


def _noise(x: F64, y: F64) -> F64:
    """Values of a lattice, between them smoothly."""
    left, top = np.floor(x), np.floor(y)
    u, v = _smooth(0.0, 1.0, x - left), _smooth(0.0, 1.0, y - top)

    def at(dx: int, dy: int) -> F64:
        i, j = (left + dx).astype(np.int64), (top + dy).astype(np.int64)
        mixed = (i * 374761393 + j * 668265263) & 0xFFFFFFFF
        mixed = ((mixed ^ (mixed >> 13)) * 1274126177) & 0xFFFFFFFF
        result: F64 = (mixed ^ (mixed >> 16)) / 2.0**32
        return result

    upper = at(0, 0) * (1 - u) + at(1, 0) * u
    lower = at(0, 1) * (1 - u) + at(1, 1) * u
    result: F64 = upper * (1 - v) + lower * v
    return result
