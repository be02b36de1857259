"""The split-sum table of the specular lobe: how much light a rough surface reflects in all
directions.

Each entry is the integral of the GGX lobe with height-correlated Smith shadowing over the
hemisphere of light, split into the part that scales F0 and the part that is added to it, so that
`F0 * scale + bias` is the albedo of a single bounce. The integral is taken over half vectors by
importance sampling with a regular point set; the error of 128 x 32 points stays below 0.01, the
most at grazing angles.

References
----------
B. Karis, "Real Shading in Unreal Engine 4", 2013 (the split sum); E. Heitz, "Understanding the
Masking-Shadowing Function in Microfacet-Based BRDFs", 2014 (the correlated Smith term).
"""

from functools import cache

import numpy as np
from numpy.typing import NDArray

SIZE = 16


@cache
def dfg_table() -> NDArray[np.float32]:
    """(SIZE, SIZE, 2) float32 of scale and bias.

    Row j holds N.V = (j + 0.5) / SIZE, column i holds roughness (i + 0.5) / SIZE; alpha is
    roughness squared.
    """
    centres = (np.arange(SIZE) + 0.5) / SIZE
    table = np.empty((SIZE, SIZE, 2), np.float32)
    for j, n_dot_v in enumerate(centres):
        table[j] = _integrate(float(n_dot_v), centres * centres)
    return table


def _integrate(n_dot_v: float, alpha: NDArray[np.float64]) -> NDArray[np.float64]:
    """(k, 2) scale and bias for k values of alpha."""
    u, phi = _points(128, 32)
    a2 = (alpha * alpha)[:, None]
    cos_h = np.sqrt((1.0 - u) / (1.0 + (a2 - 1.0) * u))
    sin_h = np.sqrt(np.maximum(1.0 - cos_h * cos_h, 0.0))
    sin_v = np.sqrt(1.0 - n_dot_v * n_dot_v)
    v_dot_h = np.maximum(sin_v * sin_h * np.cos(phi) + n_dot_v * cos_h, 0.0)
    n_dot_l = np.maximum(2.0 * v_dot_h * cos_h - n_dot_v, 0.0)
    visibility = 0.5 / (
        n_dot_l * np.sqrt(a2 + (1.0 - a2) * n_dot_v * n_dot_v)
        + n_dot_v * np.sqrt(a2 + (1.0 - a2) * n_dot_l * n_dot_l)
    )
    weight = np.where(n_dot_l > 0.0, 4.0 * visibility * n_dot_l * v_dot_h / cos_h, 0.0)
    fresnel = (1.0 - v_dot_h) ** 5
    scale = np.mean(weight * (1.0 - fresnel), axis=1)
    return np.stack([scale, np.mean(weight * fresnel, axis=1)], axis=1)


def _points(n_u: int, n_phi: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    u, phi = np.meshgrid((np.arange(n_u) + 0.5) / n_u, (np.arange(n_phi) + 0.5) / n_phi * np.pi)
    return u.ravel(), phi.ravel()
