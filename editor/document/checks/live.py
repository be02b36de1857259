"""`LiveChecks`: every check of the open level, kept up to date in idle moments."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from editor.document.checks.base import LevelCheck
from editor.document.checks.cameras import ActiveCameraCheck
from editor.document.checks.files import FileCheck
from editor.document.checks.links import ParentCheck, ReferenceCheck
from editor.document.checks.placed import PlacedProps
from editor.document.checks.placements import (
    DuplicateCheck,
    FloorCheck,
    PlacementCheck,
    UnitCheck,
)
from editor.document.checks.transforms import NegativeScaleCheck, ShearCheck
from editor.model.change_set import ChangeSet
from editor.model.messages import Issue
from engine.errors import SceneError

if TYPE_CHECKING:
    from editor.document.issues import LevelIssues

CHECKS: tuple[type[LevelCheck], ...] = (
    FileCheck,
    ParentCheck,
    ReferenceCheck,
    ActiveCameraCheck,
    ShearCheck,
    NegativeScaleCheck,
)
_AT_A_TIME = 1000
PLACEMENT_CHECKS: tuple[type[PlacementCheck], ...] = (UnitCheck, DuplicateCheck, FloorCheck)


class LiveChecks:
    """The checks of one document.

    Parameters
    ----------
    level : LevelIssues
    """

    def __init__(self, level: LevelIssues) -> None:
        self._props = PlacedProps(level)
        self._placements = [check(level, self._props) for check in PLACEMENT_CHECKS]
        self._checks: list[LevelCheck] = [*(check(level) for check in CHECKS), *self._placements]

    def start_over(self) -> None:
        """Another level is open."""
        self._props.start_over()
        for check in self._checks:
            check.start_over()

    def close(self) -> None:
        """Let workers go."""
        self._props.close()

    def note(self, changes: ChangeSet) -> None:
        """Take in what a step changed."""
        self._props.note(changes)
        for check in self._checks:
            check.note(changes)

    def look(self, seconds: float | None = None) -> bool:
        """Look at what changed; False when the time was too short for all of it."""
        until = float("inf") if seconds is None else time.perf_counter() + seconds
        while not self._props.is_up_to_date:
            moved = self._props.look(None if seconds is None else _AT_A_TIME)
            for placement in self._placements:
                placement.moved(moved)
            if time.perf_counter() > until or (seconds is not None and not moved.entities):
                return False
        return all(check.look(until) for check in self._checks)

    def issues(self) -> list[Issue]:
        """Return what was found so far, the gravest first."""
        found = [issue for check in self._checks for issue in check.issues()]
        return sorted(found, key=lambda issue: issue.is_hint)

    def fix(self, issue: Issue) -> None:
        """Carry out what an issue offers.

        Raises
        ------
        SceneError
            It offers nothing.
        """
        check = next((c for c in self._checks if c.id == issue.check), None)
        if issue.fix is None or check is None:
            raise SceneError(f"there is nothing to be done by a click: {issue.text}")
        check.fix(issue)
