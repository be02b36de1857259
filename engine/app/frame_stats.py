"""What one frame did, for those who measure or show it."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter

from engine.reflect import Entity


@dataclass(frozen=True)
class FrameStats:
    """What one frame did.

    Attributes
    ----------
    realised : tuple of Entity
        Instance roots whose nodes were made, replaced or removed.
    moved : int
        Entities whose world transform was computed.
    instances : int
        Instances in the picture.
    phases : tuple of (str, float)
        The parts of the frame in their order, milliseconds: "Assets", "Transforms", "Instances".
    """

    realised: tuple[Entity, ...] = ()
    moved: int = 0
    instances: int = 0
    phases: tuple[tuple[str, float], ...] = ()


class PhaseClock:
    """Takes the time of the parts of a frame, one after the other.

    Attributes
    ----------
    phases : list of (str, float)
        Those that ended, in their order, milliseconds.
    """

    def __init__(self) -> None:
        self.phases: list[tuple[str, float]] = []
        self._since = perf_counter()

    def end(self, phase: str) -> None:
        """Note that a part ended, and begin the next."""
        now = perf_counter()
        self.phases.append((phase, (now - self._since) * 1e3))
        self._since = now
