"""`Clock`: the one count of changes that a world and its tables share."""

from __future__ import annotations

from engine.reflect import SceneComponent


class Clock:
    """Counts mutations, and remembers for each component type when it was last touched."""

    def __init__(self) -> None:
        self.tick = 0
        self.structure = 0
        self.versions: dict[type[SceneComponent], int] = {}

    def advance(self, *types: type[SceneComponent]) -> int:
        """Count one mutation that touches `types` and return its tick."""
        self.tick += 1
        for type_ in types:
            self.versions[type_] = self.tick
        return self.tick
