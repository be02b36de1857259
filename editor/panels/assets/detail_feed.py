"""Feeds the details with what the document knows of the chosen file."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject

from editor.document import LevelDocument
from editor.panels.assets.asset_users import AssetUsers
from editor.panels.assets.details import AssetDetails
from editor.panels.assets.file_actions import AssetFileActions
from editor.panels.assets.grid import AssetGrid
from editor.panels.assets.project_listing import AssetItem
from editor.qt.report import guarded
from engine.app import AssetNews
from engine.reflect import Entity

__all__ = ["DetailFeed"]


class DetailFeed(QObject):
    """Shows who uses the chosen file, what it brought, and whether it can be imported again.

    Parameters
    ----------
    digest_of
        From a file to a hash of what it holds.
    """

    def __init__(
        self,
        document: LevelDocument,
        grid: AssetGrid,
        details: AssetDetails,
        actions: AssetFileActions,
        digest_of: Callable[[Path], str],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._document, self._grid, self._details = document, grid, details
        self._actions, self._digest_of = actions, digest_of
        details.entities_chosen.connect(self._select)
        details.reimport_requested.connect(self._reimport)

    @property
    def is_shown(self) -> bool:
        """Whether the details are open."""
        return not self._details.isHidden()

    def toggle(self) -> None:
        """Open or close the details."""
        self._details.setVisible(self._details.isHidden())
        self.show_current()

    def show_current(self) -> None:
        """Show who uses the chosen file and what it brought, where that is asked for."""
        if not self.is_shown:
            return
        item, root = self._grid.current_item(), Path(self._document.root)
        self._offer_reimport()
        if item is None or item.kind == "folder":
            self._details.show_file(None, root)
            return
        entries = {entry.path: entry for entry in self._document.app.assets.entries()}
        entry = entries.get(item.asset)
        # What is being read again is an older one.
        asset = None if entry is None or entry.is_being_read else entry.asset
        problem = entry.error if entry is not None and asset is not None else ""
        users, digest = self._users(item.asset), self._digest_of(item.path)
        self._details.show_file(item.path, root, users, asset, problem, digest)

    def take_news(self, news: AssetNews) -> None:
        """Show anew what was imported again, also where it came out as it was."""
        for done in news.reimports:
            self._details.forget(Path(self._document.root) / done.path)
        if news.reimports:
            self.show_current()

    def _importable(self) -> list[AssetItem]:
        return self._actions.importable(self._grid.selected_items())

    def _offer_reimport(self) -> None:
        chosen = self._importable()
        under_way = self._document.app.importing_again.intersection(i.asset for i in chosen)
        count = len(under_way) or len(chosen)
        self._details.offer_reimport(count, is_running=bool(under_way))

    def _reimport(self) -> None:
        # The button is off meanwhile; the next key shall not go wherever the focus went.
        self._grid.setFocus()
        self._actions.reimport(self._importable())
        self._offer_reimport()

    def _users(self, asset: str) -> AssetUsers:
        document = self._document
        entities = tuple((e, document.label(e)) for e in document.asset_users(asset))
        models = tuple(document.contents.assets_naming(asset))
        return AssetUsers(entities, document.other_levels_using(asset), models)

    @guarded
    def _select(self, entities: list[Entity]) -> None:
        self._document.select([e for e in entities if self._document.world.alive(e)])
