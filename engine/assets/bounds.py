"""Axis-aligned boxes."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class SceneBounds:
    """A box in world space, metres: corners `min` and `max`, each (3,) float32."""

    min: NDArray[np.float32]
    max: NDArray[np.float32]

    def centre(self) -> NDArray[np.float32]:
        """The middle, (3,) float32, metres."""
        return (self.min + self.max) * np.float32(0.5)

    def radius(self) -> float:
        """Return half the diagonal."""
        return float(np.linalg.norm((self.max - self.min).astype(np.float64))) * 0.5
