"""When each id of a table last changed, so that a scene reacts only to the ids it uses."""

import numpy as np
from numpy.typing import NDArray


class IdStamps:
    """A version that grows with every change, and per id the version of its last change."""

    def __init__(self) -> None:
        self.version = 0
        self._stamps: NDArray[np.int64] = np.zeros(0, np.int64)

    def note(self, changed: int) -> None:
        """Record that an id was added, replaced or removed."""
        self.version += 1
        if changed >= len(self._stamps):
            grown = np.zeros(max(64, 2 * changed + 1), np.int64)
            grown[: len(self._stamps)] = self._stamps
            self._stamps = grown
        self._stamps[changed] = self.version

    def changed(self, used: NDArray[np.int32], since: int) -> bool:
        """Whether one of the used ids changed after a version."""
        if since == self.version:
            return False
        known = used[(used >= 0) & (used < len(self._stamps))]
        return bool((self._stamps[known] > since).any())
