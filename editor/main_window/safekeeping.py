"""What keeps work from being lost, as far as a window has part in it.

It offers what a session left that did not end well, takes in what others write to the level's
file, and keeps copies while nobody is doing anything.
"""

import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QApplication

from editor.document.disk_merge import DiskMerge
from editor.main_window.disk_watch import DiskWatch
from editor.main_window.merge_dialog import MergeDialog
from editor.main_window.prompts import Choice, Question
from editor.main_window.recovery_offer import RecoveryOffer
from editor.qt.report import guarded
from engine.errors import EngineError

if TYPE_CHECKING:
    from editor.main_window.window import MainWindow

__all__ = ["Safekeeping"]

_TICK_MS: Final = 5_000
_IDLE_S: Final = 10.0
_COPY_EVERY_S: Final = 180.0


class Safekeeping(QObject):
    """Watches over the document of one window.

    Attributes
    ----------
    recovery : RecoveryOffer
        What it offers to bring back.
    """

    def __init__(self, window: "MainWindow") -> None:
        super().__init__(window)
        self._window = window
        self._document = window.document
        self.recovery = RecoveryOffer(window)
        self._dialog: MergeDialog | None = None
        self._watch = DiskWatch(self._document, self)
        self._unreadable = ""
        self._must_look = False
        self._steps = 0
        self._busy_at = self._copied_at = time.monotonic()
        self._timer = QTimer(self)
        self._timer.setInterval(_TICK_MS)
        self._timer.timeout.connect(self.tick)
        self._subscription = self._document.replaced.connect(lambda nothing: self._on_replaced())
        window.files.before_save = self.before_save

    def start(self) -> None:
        """Begin, now that the window is shown."""
        self._timer.start()
        QTimer.singleShot(0, self, self.offer)

    def dispose(self) -> None:
        """Let go of the document."""
        self._timer.stop()
        self._subscription.close()
        self._watch.dispose()

    # -- recovery ----------------------------------------------------------------------------

    def offer(self) -> None:
        """Offer what sessions left that ended without saving; each is offered once."""
        self.recovery.offer()

    def _on_replaced(self) -> None:
        self._dialog = None
        if self._window.isVisible():
            QTimer.singleShot(0, self, self.offer)

    # -- what others write -------------------------------------------------------------------

    @property
    def is_comparing(self) -> bool:
        """Whether the level is being compared with its file."""
        return self._watch.is_busy

    def look_at_disk(self) -> None:
        """Take in what somebody else wrote to the level's file; during another look, after it."""
        self._must_look = self._dialog is not None or self._watch.is_busy
        if not self._must_look:
            self._watch.compare(self._on_found, self._on_unreadable)

    def _look_again(self) -> None:
        """Look at what was written while nothing could be looked at."""
        if self._must_look:
            self.look_at_disk()

    @guarded
    def _on_found(self, found: DiskMerge | None) -> None:
        self._unreadable = ""
        if found is not None:
            self._merge(found, lambda: None)
        self._look_again()

    def _on_unreadable(self, error: EngineError) -> None:
        """Say it once, not whenever the window gets the focus."""
        QTimer.singleShot(0, self, self._look_again)
        if str(error) != self._unreadable:
            self._unreadable = str(error)
            self._document.post("warning", f"What is on disk can't be merged: {error}")

    def before_save(self, go_on: Callable[[], None]) -> None:
        """Merge what somebody else wrote, asking about conflicts, then go on."""
        self._document.finish_gestures()
        self._watch.compare(
            lambda found: self._save_on(found, go_on),
            lambda error: self._ask_overwrite(str(error), go_on),
            is_urgent=True,
        )

    @guarded
    def _save_on(self, found: DiskMerge | None, go_on: Callable[[], None]) -> None:
        if found is None:
            go_on()
        else:
            self._merge(found, go_on)

    def _merge(self, found: DiskMerge, go_on: Callable[[], None]) -> None:
        """Take in what was found, after asking where both sides changed the same."""
        if found.conflicts:
            self._ask(found, go_on)
            return
        self._document.take_in(found, wait=False)
        if found.changes:
            self._tell(found)
        go_on()

    def _ask(self, found: DiskMerge, go_on: Callable[[], None]) -> None:
        if self._dialog is not None:
            self._dialog.reject()

        def answered(theirs: list[int]) -> None:
            self._take_in(found, theirs, go_on)

        name = self._document.path.name if self._document.path is not None else ""
        dialog = MergeDialog(name, found.conflicts, answered, self._window)
        dialog.finished.connect(self._forget_dialog)
        self._dialog = dialog
        if self._window.isVisible():
            dialog.open()
        else:
            dialog.reject()

    def _forget_dialog(self) -> None:
        self._dialog = None
        QTimer.singleShot(0, self, self._look_again)

    @guarded
    def _take_in(self, found: DiskMerge, theirs: list[int], go_on: Callable[[], None]) -> None:
        """Take in what was chosen; where the level or the file moved on, compare again before."""
        if found.moment == self._document.moment:
            self._document.take_in(found, theirs, wait=False)
            self._tell(found)
            go_on()
            return

        @guarded
        def again(self: Safekeeping, now: DiskMerge | None) -> None:
            if now is not None and theirs and now.conflicts == found.conflicts:
                self._take_in(now, theirs, go_on)
            else:
                self._save_on(now, go_on)

        self._watch.compare(partial(again, self), self._on_unreadable, is_urgent=True)

    def _tell(self, found: DiskMerge) -> None:
        name = self._document.name
        count = max(found.changes, 1)
        what = "1 entity" if count == 1 else f"{count} entities"
        text = f"{name} was changed by somebody else: merged, {what} changed"
        self._window.viewport.keep_ticking()
        self._window.toasts.show_message("info", text)

    def _ask_overwrite(self, reason: str, go_on: Callable[[], None]) -> None:
        question = Question(
            "The file was changed and can't be merged",
            f"{reason}\n\nSaving now replaces it. Save under another name to keep both.",
            (
                Choice("save_as", "Save as…"),
                Choice("overwrite", "Replace it", destructive=True),
            ),
        )

        def answered(answer: str) -> None:
            if answer == "save_as":
                self._window.files.save_as(lambda: None)
            elif answer == "overwrite":
                self._overwrite(go_on)

        self._window.prompts.ask(question, answered)

    @guarded
    def _overwrite(self, go_on: Callable[[], None]) -> None:
        self._document.save(overwrite=True)
        go_on()

    # -- copies ------------------------------------------------------------------------------

    def tick(self) -> None:
        """Keep a copy where it is time for one and nobody is doing anything."""
        now, steps = time.monotonic(), self._document.step_count
        if QApplication.mouseButtons().value or steps != self._steps:
            self._steps, self._busy_at = steps, now
        else:
            self._document.sync_journal()
        if now - self._busy_at < _IDLE_S or now - self._copied_at < _COPY_EVERY_S:
            return
        self._copied_at = now
        try:
            self._document.keep_copy()
        except EngineError as error:
            self._document.post("warning", f"No copy could be kept: {error}")
