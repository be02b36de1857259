"""Which entries a history writes to its journal, so that a replay has the same steps to undo.

A journal begins in the middle of a session, when the level was saved. A step that is older than
the journal can't be taken back there by naming it: what taking it back did is written as a step of
its own. `JournalSteps` knows at every moment which steps the history of a replay would have.
"""

from __future__ import annotations

import weakref
from typing import Generic, TypeVar

from editor.model.history import Command, StepEvent
from editor.model.journal import EntryKind

C = TypeVar("C")


class JournalSteps(Generic[C]):
    """The history that a replay of the journal would have, step for step."""

    def __init__(self) -> None:
        self._steps: list[weakref.ref[Command[C]] | None] = []
        self._index = 0

    def begin_with_state(self) -> None:
        """Start anew behind one step that stands for everything so far."""
        self._steps, self._index = [None], 1

    def note(self, event: StepEvent, step: Command[C]) -> EntryKind:
        """Take in what happened to a step and return the entry to write for it."""
        if event == "undone" and self._is_at(self._index - 1, step):
            self._index -= 1
            return EntryKind.UNDO
        if event == "redone" and self._is_at(self._index, step):
            self._index += 1
            return EntryKind.REDO
        # After an undo a replay has the opposite of `step` here: nothing that could be named.
        self._steps[self._index :] = [None if event == "undone" else weakref.ref(step)]
        self._index += 1
        return EntryKind.STEP

    def _is_at(self, index: int, step: Command[C]) -> bool:
        known = self._steps[index] if 0 <= index < len(self._steps) else None
        return known is not None and known() is step
