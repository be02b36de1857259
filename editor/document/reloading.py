"""What becomes of files of the project that are other ones now; none of it is an edit."""

from __future__ import annotations

from editor.document.base import DocumentBase
from editor.model.signal import Signal
from engine.app import App, AssetNews
from engine.assets.watch import FileChanges


class LevelReloading(DocumentBase):
    """Follows the files that the level shows.

    Attributes
    ----------
    assets_changed : Signal[AssetNews]
        After assets came to show other contents, and after a problem with one came or went.
    """

    def __init__(self, app: App | None = None) -> None:
        self.assets_changed: Signal[AssetNews] = Signal()
        super().__init__(app)
        self.app.on_assets = self.assets_changed.emit
        # A drag works on what was there when it began.
        self.app.is_held = lambda: bool(self.history.open_gestures)

    def files_changed(self, changes: FileChanges) -> int:
        """Read again, in the background, the assets that are made of files that changed.

        The level, its history, the selection and all overrides stay. What changed during a drag
        shows when that has ended. Returns how many assets it is.
        """
        return self.app.files_changed(changes)

    def reload_assets(self, force: bool = False, *, wait: bool = True) -> int:
        """Read assets again that changed on disk (all of them with `force`).

        It is no edit: the level, its history and its overrides stay. Returns how many.
        """
        started = self.app.check_for_changes(force)
        if wait:
            self.settle()
        return started
