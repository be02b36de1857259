"""The times of the last frames, phase by phase, as arrays to plot; no Qt."""

from collections.abc import Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

PHASES: Final = ("Assets", "Transforms", "Instances", "Upload", "Record", "Wait")
"""In the order of a frame; what is shown stacked."""
GPU: Final = "GPU"
KEPT: Final = 240

Times = NDArray[np.float32]


class FrameSamples:
    """A ring of frames: milliseconds per phase, and of the GPU where it tells."""

    def __init__(self) -> None:
        self._ring: Times = np.zeros((KEPT, len(PHASES) + 1), np.float32)
        self._count = 0

    def __len__(self) -> int:
        return min(self._count, KEPT)

    def add(self, phases: Mapping[str, float], gpu_ms: float) -> None:
        """Note a frame; phases that it has not are 0."""
        row = self._ring[self._count % KEPT]
        row[:-1] = [phases.get(name, 0.0) for name in PHASES]
        row[-1] = gpu_ms
        self._count += 1

    def clear(self) -> None:
        """Forget every frame."""
        self._count = 0

    def stacked(self) -> Times:
        """Return (frames, phases) times up to the end of each phase, the oldest frame first."""
        return np.cumsum(self._ordered()[:, :-1], axis=1)

    def gpu(self) -> Times:
        """Return (frames,) the GPU's times, 0 where it does not tell."""
        return self._ordered()[:, -1]

    def medians(self) -> dict[str, float]:
        """Return the median of every phase, of the whole frame ("Frame") and of the GPU."""
        rows = self._ordered()
        if not len(rows):
            return {}
        middle = np.median(rows, axis=0).tolist()
        whole = float(np.median(rows[:, :-1].sum(axis=1)))
        return {"Frame": whole, **dict(zip((*PHASES, GPU), middle, strict=True))}

    def _ordered(self) -> Times:
        if self._count <= KEPT:
            return self._ring[: self._count]
        return np.roll(self._ring, -(self._count % KEPT), axis=0)
