"""What the artist is told of files that were read again, by themselves or on request."""

from pathlib import PurePosixPath

from editor.document import LevelDocument
from editor.main_window.status_line import StatusLine
from editor.qt.widgets.toasts import Toasts
from engine.app import AssetNews
from engine.assets.reimports import Reimport

__all__ = ["AssetNotes"]

_LAST_READ = "showing what was last read"
_MOST_COUNTS = 3


class AssetNotes:
    """Tells quietly of what changed by itself, and of all that was asked for when it is done."""

    def __init__(self, document: LevelDocument, status: StatusLine, toasts: Toasts) -> None:
        self._document = document
        self._status = status
        self._toasts = toasts
        self._done: list[Reimport] = []

    def take(self, news: AssetNews) -> None:
        """Take in which files show something else now."""
        self._done += news.reimports
        asked = {done.path for done in news.reimports}
        self._tell_reloaded([path for path in news.reloaded if path not in asked])
        if self._done and not self._document.app.importing_again:
            done, self._done = self._done, []
            self._tell_asked(done)

    def forget(self) -> None:
        """Another level is open."""
        self._done.clear()

    def _tell_reloaded(self, assets: list[str]) -> None:
        if assets:
            more = f" and {len(assets) - 1} more" if len(assets) > 1 else ""
            self._status.show_note(f"Reloaded {PurePosixPath(assets[0]).name}{more}")
            for asset in assets:
                self._document.post("info", f"Reloaded {asset}")

    def _tell_asked(self, done: list[Reimport]) -> None:
        for one in done:
            if one.error:
                is_to_add = one.is_shown and _LAST_READ not in one.error
                text = f"{one.error}; {_LAST_READ}" if is_to_add else one.error
                self._document.post("error", text)
            else:
                self._document.post("info", f"Reimported {_in_words(one, one.path)}")
                for warning in one.asset.warnings if one.asset is not None else ():
                    self._document.post("info", f"{one.path}: {warning}")
        good = [one for one in done if not one.error]
        if len(good) == 1:
            self._show(f"Reimported {_in_words(good[0], PurePosixPath(good[0].path).name)}", good)
        elif good:
            self._show(f"Reimported {len(good)} files", good)

    def _show(self, text: str, done: list[Reimport]) -> None:
        warnings = sum(len(one.asset.warnings) for one in done if one.asset is not None)
        if warnings:
            counted = "1 warning" if warnings == 1 else f"{warnings} warnings"
            self._toasts.show_message("warning", f"{text}; {counted} in the console")
        else:
            self._toasts.show_message("good", text)


def _in_words(done: Reimport, name: str) -> str:
    """Return a file's name with what is in it, as far as that is known."""
    counts = done.asset.report().counted()[:_MOST_COUNTS] if done.asset is not None else []
    return f"{name}: {', '.join(counts)}" if counts else name
