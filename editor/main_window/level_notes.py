"""What the console is told without anyone having done something: issues and warnings of assets.

They appear while assets load, perhaps many at once; so each issue gets its line in the console, and
one notice sums them up. Of an asset's warnings the first are told.
"""

from collections.abc import Callable
from pathlib import Path

from editor.document import LevelDocument
from editor.model.messages import Issue, Message
from editor.model.signal import Subscription
from engine.reflect import Entity

__all__ = ["LevelNotes"]

# Of one asset; the rest is in its import report.
_MOST_TOLD = 10


class LevelNotes:
    """Passes on issues that are new, and warnings of assets that were just read.

    Parameters
    ----------
    tell
        Adds a line to the console.
    notify
        Shows a short notice: level, text, and what a button on it says and does.
    withdraw
        Takes the notice with a text away.
    show_issues
        Brings the issues to the front.
    """

    def __init__(
        self,
        document: LevelDocument,
        tell: Callable[[Message], None],
        notify: Callable[[str, str, tuple[str, Callable[[], object]]], None],
        withdraw: Callable[[str], None],
        show_issues: Callable[[], object],
    ) -> None:
        self._document = document
        self._tell = tell
        self._notify = notify
        self._withdraw = withdraw
        self._show_issues = show_issues
        self._issues: set[tuple[str | Entity, ...]] = set()
        # What notices that may be on screen still were about.
        self._noticed: dict[str, set[tuple[str | Entity, ...]]] = {}
        self._read: set[tuple[str, int]] = set()
        self._subscriptions: list[Subscription] = [
            document.replaced.connect(lambda nothing: self._start_over()),
            document.changed.connect(
                lambda changes: self.look_at_assets() if changes.realised else None
            ),
        ]

    def _start_over(self) -> None:
        self._issues.clear()
        self._withdraw_mended()
        self._read.clear()

    def take_issues(self, issues: list[Issue]) -> None:
        """Tell of the issues that were not there before; hints are for who looks for them."""
        new = [i for i in issues if _cause(i) not in self._issues and not i.is_hint]
        self._issues = set(map(_cause, issues))
        self._withdraw_mended()
        for issue in new:
            self._tell(Message("warning", issue.text, entity=issue.entity))
        if new:
            more = "" if len(new) == 1 else f", and {len(new) - 1} more"
            text = f"{new[0].text}{more}"
            self._noticed[text] = set(map(_cause, new))
            self._notify("warning", text, ("Show issues", self._show_issues))

    def _withdraw_mended(self) -> None:
        """Take away the notices of which nothing is amiss any more."""
        for text, causes in list(self._noticed.items()):
            if self._issues.isdisjoint(causes):
                del self._noticed[text]
                self._withdraw(text)

    def look_at_assets(self) -> None:
        """Tell of the warnings of assets that were read since the last time."""
        root = Path(self._document.root)
        for entry in self._document.app.assets.entries():
            key = (entry.path, id(entry.asset))
            if entry.asset is None or key in self._read:
                continue
            self._read.add(key)
            where, warnings = root / entry.path, entry.asset.warnings
            told = warnings if len(warnings) <= _MOST_TOLD else warnings[: _MOST_TOLD - 1]
            for text in told:
                self._tell(Message("warning", f"{entry.path}: {text}", path=where))
            if len(told) < len(warnings):
                text = f"{len(warnings) - len(told)} more warnings (see its details in Assets)"
                self._tell(Message("warning", f"{entry.path}: {text}", path=where))

    def dispose(self) -> None:
        """Stop listening."""
        for subscription in self._subscriptions:
            subscription.close()
        self._subscriptions.clear()


def _cause(issue: Issue) -> tuple[str | Entity, ...]:
    """Return what makes an issue the same although its words say more by now."""
    if issue.asset:
        return issue.check, issue.asset, issue.text.partition("; ")[0]
    return (issue.check, issue.entity, issue.subject) if issue.subject else (issue.text,)
