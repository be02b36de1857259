"""What is amiss in the open level, and mending it by a click."""

from __future__ import annotations

from collections.abc import Sequence

from editor.document.assets import LevelAssets
from editor.document.checks import LiveChecks
from editor.document.edits import EntityEdits
from editor.document.reads import LevelReads
from editor.model.change_set import ChangeSet
from editor.model.messages import Issue
from editor.model.signal import Signal
from engine.app import App


class LevelIssues(LevelReads, EntityEdits, LevelAssets):
    """Issues that are looked for when somebody asks, among what changed since.

    Attributes
    ----------
    issues_changed : Signal[list of Issue]
        A look found others than the one before.
    """

    def __init__(self, app: App | None = None) -> None:
        self.issues_changed: Signal[list[Issue]] = Signal()
        self._checks = LiveChecks(self)
        self._found: list[Issue] = []
        super().__init__(app)
        self.changed.connect(self._note_changes)

    def _begin_level(self) -> None:
        super()._begin_level()
        self._checks.start_over()

    def close(self) -> None:
        """Let go of the level, and of the worker that measures assets."""
        self._checks.close()
        super().close()

    def _note_changes(self, changes: ChangeSet) -> None:
        self._checks.note(changes)

    def issues(self) -> list[Issue]:
        """Return what is amiss in the level, warnings before hints."""
        self._checks.look()
        return self._tell(self._checks.issues())

    def look_for_issues(self, seconds: float) -> list[Issue] | None:
        """Look for a while; None while there is more to look at, else the issues."""
        return self._tell(self._checks.issues()) if self._checks.look(seconds) else None

    def _tell(self, issues: list[Issue]) -> list[Issue]:
        if issues != self._found:
            self._found = issues
            self.issues_changed.emit(issues)
        return list(issues)

    def fix(self, issue: Issue) -> None:
        """Carry out what an issue offers, as one step.

        Raises
        ------
        SceneError
            It offers nothing.
        """
        self._checks.fix(issue)

    def fix_all(self, issues: Sequence[Issue], label: str) -> None:
        """Carry out what several issues offer, as one step."""
        with self.gesture(label):
            for issue in issues:
                if issue.fix is not None and self.world.alive(issue.entity):
                    self._checks.fix(issue)
