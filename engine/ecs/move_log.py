"""`MoveLog`: which entities lately came, went or changed their archetype.

A system that keeps something for every entity can follow single edits by it instead of looking at
the whole world again. The log is short: after a bulk change, or to one who has not looked for long,
it answers that it does not know.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable


class MoveLog:
    """The last few structural changes, by tick."""

    LIMIT = 1024

    def __init__(self) -> None:
        self._entries: deque[tuple[int, int]] = deque()
        self._complete_after = 0

    def note(self, tick: int, entities: Iterable[int]) -> None:
        """Remember that `entities` moved at `tick`."""
        self._entries.extend([(tick, int(entity)) for entity in entities])
        while len(self._entries) > self.LIMIT:
            self._complete_after = self._entries.popleft()[0]

    def after(self, tick: int) -> list[int] | None:
        """Return the handles that moved after `tick`, or None when that is not known."""
        if tick < self._complete_after:
            return None
        found = []
        for at, entity in reversed(self._entries):
            if at <= tick:
                break
            found.append(entity)
        return found
