"""The offer of what sessions left that did not end well: one bar over the view, however many."""

from functools import partial
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject

from editor.document.recovery import RecoveryEntry
from editor.main_window.recovery_dialog import RecoveryDialog
from editor.qt.report import guarded
from editor.qt.widgets.notice_bar import NoticeBars

if TYPE_CHECKING:
    from editor.main_window.window import MainWindow

__all__ = ["RecoveryOffer"]

_KEY: Final = "recovery"
_GLYPH: Final = "clock-counter-clockwise"
_WHY: Final = "the editor was closed unexpectedly."


class RecoveryOffer(QObject):
    """Offers each session once by itself, and all of them when it is asked for.

    Attributes
    ----------
    notices : NoticeBars
        Where it offers.
    dialog : RecoveryDialog or None
        The list, while it is open.
    """

    def __init__(self, window: "MainWindow") -> None:
        super().__init__(window)
        self._window = window
        self._document = window.document
        self.notices = NoticeBars(window, window.viewport)
        self.dialog: RecoveryDialog | None = None
        self._offered: set[str] = set()
        self._waiting: set[str] = set()

    def offer(self) -> None:
        """Offer what was not offered yet, together with what was not answered yet."""
        entries = self._document.recoverable()
        new = {entry.path.name for entry in entries} - self._offered
        self._offered |= new
        self._waiting |= new
        if self.dialog is None:
            self._show([entry for entry in entries if entry.path.name in self._waiting])

    def show_all(self) -> None:
        """List everything that can be recovered, also what was put off."""
        entries = self._document.recoverable()
        if entries:
            self._offered.update(entry.path.name for entry in entries)
            self._list(entries)
        else:
            self._window.toasts.show_message("info", "There is no unsaved work to recover")

    def _show(self, entries: list[RecoveryEntry]) -> None:
        self._waiting = {entry.path.name for entry in entries}
        if not entries:
            self.notices.close_notice(_KEY)
        elif len(entries) == 1:
            self._show_one(entries[0])
        else:
            self.notices.show_notice(
                _KEY,
                _GLYPH,
                f"{len(entries)} sessions can be recovered: {_WHY}",
                (
                    ("list", "Show them…", partial(self._list, entries)),
                    ("later", "Later", self._put_off),
                ),
            )

    def _show_one(self, entry: RecoveryEntry) -> None:
        self.notices.show_notice(
            _KEY,
            _GLYPH,
            f"{entry.text}: {_WHY}",
            (
                ("recover", "Recover", partial(self._recover, entry)),
                ("discard", "Discard", partial(self._discard, entry)),
                ("later", "Later", self._put_off),
            ),
        )

    def _put_off(self) -> None:
        self._waiting.clear()

    def _list(self, entries: list[RecoveryEntry]) -> None:
        self.notices.close_notice(_KEY)
        if self.dialog is None:
            self.dialog = RecoveryDialog(entries, self._recover, self._discard, self._window)
            self.dialog.finished.connect(lambda: self._on_list_closed(entries))
            self.dialog.show()
        self.dialog.raise_()
        self.dialog.activateWindow()

    def _on_list_closed(self, entries: list[RecoveryEntry]) -> None:
        """Go on offering the others where one was taken; closing the list puts all of it off."""
        dialog, self.dialog = self.dialog, None
        if dialog is not None and dialog.chosen is None:
            self._waiting -= {entry.path.name for entry in entries}
            self._show_waiting()

    @guarded
    def _discard(self, entry: RecoveryEntry) -> None:
        self._waiting.discard(entry.path.name)
        self._document.discard(entry)

    def _recover(self, entry: RecoveryEntry) -> None:
        # The offer stays until it is taken: a question about unsaved work may be cancelled.
        self._waiting.add(entry.path.name)
        self._show_waiting()
        self._window.files.if_safe(lambda: self._recover_now(entry))

    @guarded
    def _recover_now(self, entry: RecoveryEntry) -> None:
        count = self._document.recover(entry, wait=False)
        self._waiting.discard(entry.path.name)
        self._show_waiting()
        steps = "1 step is" if count == 1 else f"{count} steps are"
        self._window.toasts.show_message("good", f"{steps} back in {entry.name}")
        if entry.level is not None:
            self._window.settings.add_recent(entry.level)

    def _show_waiting(self) -> None:
        entries = self._document.recoverable()
        self._show([entry for entry in entries if entry.path.name in self._waiting])
