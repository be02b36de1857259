"""The assets panel."""

import os
from pathlib import Path
from typing import Final

from PySide6.QtCore import QEvent, QItemSelectionModel, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QSplitter, QWidget

from editor.model.change_set import ChangeSet
from editor.panels.assets.asset_users import AssetUsers
from editor.panels.assets.bar import AssetBar
from editor.panels.assets.details import AssetDetails
from editor.panels.assets.file_actions import AssetFileActions
from editor.panels.assets.folder_drop import take_drag
from editor.panels.assets.folder_tree import FolderTree
from editor.panels.assets.grid import AssetGrid
from editor.panels.assets.model import AssetModel, TileNote
from editor.panels.assets.project_listing import (
    AssetItem,
    AssetQuery,
    list_folder,
    search_folder,
    search_known,
    sort_items,
)
from editor.panels.assets.thumbnails import Thumbnails
from editor.panels.assets.tile_menu import make_tile_menu
from editor.qt.panel import Panel, PanelContext
from editor.qt.report import guarded
from editor.qt.widgets.empty_state import EmptyState
from engine.app import AssetNews
from engine.reflect import Entity

__all__ = ["AssetsPanel"]

_WAIT_MS: Final = 150
_USABLE: Final = ("model", "image")


class AssetsPanel(Panel):
    """Folders and tiles; drag a tile out, or double click it to place it."""

    _contents_read = Signal()

    def __init__(self, context: PanelContext) -> None:
        super().__init__("assets", context)
        self.setAcceptDrops(True)
        self._root = Path(self.document.root)
        self._folder = self._root
        self.thumbnails = Thumbnails(context.services, self._digest_of, self)
        self.model = AssetModel(self.thumbnails, self)
        self.actions_on_files = AssetFileActions(self.document, context.services, self._show_anew)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_WAIT_MS)
        self._timer.timeout.connect(self.refresh)
        self.bar = AssetBar()
        self.search = self.bar.search
        self._build()
        self._connect()
        self._on_replaced()

    def _build(self) -> None:
        self.folders = FolderTree(self)
        self.grid = AssetGrid(self.model, self)
        self.grid.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self._empty = EmptyState("package", "", "", self)
        right = QWidget(self)
        row = QHBoxLayout(right)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.grid)
        row.addWidget(self._empty)
        self._splitter = QSplitter(Qt.Orientation.Horizontal, self)
        self._splitter.addWidget(self.folders)
        self._splitter.addWidget(right)
        self.details = AssetDetails(self)
        self.details.setMinimumWidth(160)
        self.details.hide()
        self._splitter.addWidget(self.details)
        self._splitter.setStretchFactor(1, 1)
        self._splitter.setSizes([150, 640, 260])
        self._splitter.setChildrenCollapsible(False)
        self.folders.setMinimumWidth(90)
        self.column.addWidget(self._splitter, 1)

    def _connect(self) -> None:
        document, files = self.document, self.actions_on_files
        self.folders.folder_chosen.connect(self.show_folder)
        self.folders.dropped.connect(files.drop)
        self.grid.opened.connect(self._activate_all)
        self.grid.dropped.connect(files.drop)
        self.grid.star_clicked.connect(lambda item: files.mark([item]))
        self.grid.delete_requested.connect(lambda: self._delete_selected())
        self.grid.up_requested.connect(self._go_up)
        self.grid.refresh_requested.connect(files.read_all_again)
        self.grid.selectionModel().selectionChanged.connect(lambda *_: self._on_chosen())
        self.grid.customContextMenuRequested.connect(self._on_menu_requested)
        # Later, when the line that was typed into has given the keys back to the tiles.
        queued = Qt.ConnectionType.QueuedConnection
        self.model.rename_requested.connect(self._rename, queued)
        self.bar.query_changed.connect(self._on_query_changed)
        self.bar.folder_chosen.connect(self.show_folder)
        self.bar.folders_toggled.connect(lambda: self.folders.setVisible(self.folders.isHidden()))
        self.bar.details_toggled.connect(self._on_details_clicked)
        self.bar.import_requested.connect(lambda: self.context.actions["import_asset"].trigger())
        self.details.entities_chosen.connect(self._select)
        self.details.level_chosen.connect(self._open_level)
        self.details.reimport_requested.connect(self._reimport)
        self._contents_read.connect(document.poll_contents, queued)
        self.observe(document.replaced.connect(lambda nothing: self._on_replaced()))
        self.observe(document.changed.connect(self._on_changed))
        self.observe(document.assets_changed.connect(self._on_assets_changed))
        self.observe(document.contents_changed.connect(lambda nothing: self._timer.start()))
        self.observe(document.history_changed.connect(lambda nothing: self._on_saved()))

    def corner_widget(self) -> QWidget | None:
        return self.bar

    @property
    def folder(self) -> Path:
        """The folder whose tiles are shown."""
        return self._folder

    # -- what is shown -----------------------------------------------------------------------

    def _digest_of(self, path: Path) -> str:
        text, root = str(path), str(self._root)
        asset = text[len(root) + 1 :].replace("\\", "/") if text.startswith(root) else text
        return self.document.contents.digest(asset)

    def _on_replaced(self) -> None:
        self._root = Path(self.document.root)
        self.bar.clear()
        self.folders.show_root(self._root)
        props = self._root / "props"
        self.show_folder(props if os.path.isdir(props) else self._root)
        self._was_dirty = self.document.dirty
        self.look_at_project()

    def _on_changed(self, changes: ChangeSet) -> None:
        if Path(self.document.root) != self._root:
            self._on_replaced()
        elif changes.realised or self._shows_users():
            self._timer.start()

    def _shows_users(self) -> bool:
        """Whether what is shown depends on what the level uses."""
        return self.bar.query.unused or not self.details.isHidden()

    def _on_saved(self) -> None:
        """Look at the project when the level's file was written: it has another content now."""
        was_dirty, self._was_dirty = self._was_dirty, self.document.dirty
        if was_dirty and not self._was_dirty:
            self.look_at_project()

    def look_at_project(self) -> None:
        """Let a worker look at which files there are and what they hold."""
        self.document.refresh_contents(self._contents_read.emit)

    def look_again(self) -> None:
        """Show what other programs did to the project."""
        self._timer.start()
        self.look_at_project()

    def show_folder(self, folder: Path) -> None:
        """Show the tiles of a folder."""
        self._folder = folder if folder.is_relative_to(self._root) else self._root
        self.bar.clear()
        self.refresh()

    def _go_up(self) -> None:
        if self._folder != self._root:
            left = self._folder
            self.show_folder(left.parent)
            self.reveal(left.relative_to(self._root).as_posix())

    def refresh(self) -> None:
        """Read the folder (or search) anew."""
        if not os.path.isdir(self._folder):
            self._folder = self._root
        self.grid.folder, self.grid.root = self._folder, self._root
        query = self.bar.query
        if query.is_empty:
            items = list_folder(self._root, self._folder)
        else:
            items = self._search(query)
        chosen = [item.asset for item in self.grid.selected_items()]
        current = self.grid.current_item()
        found = sort_items(items, self.bar.sort, first=query.words[0] if query.words else "")
        self.model.show_items(found, self._notes(items))
        self._choose(chosen, current.asset if current is not None else "")
        self.folders.look_again()
        self.folders.show_folder(self._folder)
        self.bar.show_crumbs(self._root, self._folder)
        self._show_empty(has_items=bool(items))
        self._show_details()

    def _search(self, query: AssetQuery) -> list[AssetItem]:
        """Return what fits, of the files that are known: a walk would hold up every key."""
        document = self.document
        favourites = document.favourites
        used = document.used_files() if query.unused else set()

        def accepts(asset: str, kind: str) -> bool:
            if query.favourite and asset not in favourites:
                return False
            return not query.unused or (kind in _USABLE and asset not in used)

        known = document.contents.files
        if query.asks_for_folders or not known:
            return search_folder(self._root, self._root, query, accepts)
        stamps = {asset: content.stamp for asset, content in known.items()}
        return search_known(self._root, stamps, query, accepts)

    def _notes(self, items: list[AssetItem]) -> dict[str, TileNote]:
        marked, files = self.document.favourites, self.document.contents.files
        notes = {}
        for item in items:
            content = files.get(item.asset)
            problem = content.error if content is not None else ""
            if content is not None and content.missing:
                problem = "\n".join(words for _, words in content.missing)
            if problem or item.asset in marked:
                notes[item.asset] = TileNote(item.asset in marked, problem)
        return notes

    def _show_empty(self, *, has_items: bool) -> None:
        query = self.bar.query
        if query.favourite:
            self._empty.set_texts("No favourites here", "Click the star on a file to mark it.")
        elif query.unused and self.document.contents.is_busy:
            self._empty.set_texts("Looking …", "The project's files are being read.")
        elif query.unused:
            self._empty.set_texts("Nothing is unused", "Every file of the project is used.")
        elif not query.is_empty:
            self._empty.set_texts("Nothing found", "No asset's path holds all of these words.")
        else:
            self._empty.set_texts(
                "No assets here", "Drop a .glb or .gltf here to copy it into the project."
            )
        self.grid.setVisible(has_items)
        self._empty.setVisible(not has_items)

    def _on_query_changed(self) -> None:
        """Show what is found from its beginning."""
        self.refresh()
        self.grid.scrollToTop()

    def refresh_folders(self) -> None:
        """Read the folders of the project anew."""
        self.folders.show_root(self._root)
        self.refresh()
        self.look_at_project()

    def _show_anew(self, asset: str) -> None:
        """Show the project after files changed, and one of them where a path is given."""
        self.refresh_folders()
        if asset and self.bar.query.is_empty:
            self.reveal(asset)

    def reveal(self, asset: str) -> None:
        """Show and select a file by its project-relative path."""
        path = self._root / asset
        if self.model.row_of(asset) < 0 or self._folder != path.parent:
            self.show_folder(path.parent)
        row = self.model.row_of(asset)
        if row >= 0:
            index = self.model.index(row, 0)
            self.grid.setCurrentIndex(index)
            self.grid.scrollTo(index)

    def _choose(self, assets: list[str], current: str) -> None:
        """Select tiles again after they were read anew."""
        selection, flags = self.grid.selectionModel(), QItemSelectionModel.SelectionFlag
        if [item.asset for item in self.grid.selected_items()] != assets:
            for row in (self.model.row_of(asset) for asset in assets):
                if row >= 0:
                    selection.select(self.model.index(row, 0), flags.Select)
        row = self.model.row_of(current) if current else -1
        if row >= 0 and self.grid.currentIndex().row() != row:
            selection.setCurrentIndex(self.model.index(row, 0), flags.NoUpdate)

    # -- details -----------------------------------------------------------------------------

    def _on_chosen(self) -> None:
        item = self.grid.current_item()
        is_model = item is not None and item.kind == "model"
        self.context.services.choose_prop(item.asset if item is not None and is_model else "")
        self._show_details()

    def _on_details_clicked(self) -> None:
        self.details.setVisible(self.details.isHidden())
        self._show_details()

    def _show_details(self) -> None:
        """Show who uses the chosen file and what it brought, where that is asked for."""
        if self.details.isHidden():
            return
        item = self.grid.current_item()
        self._offer_reimport()
        if item is None or item.kind == "folder":
            self.details.show_file(None, self._root)
            return
        entries = {entry.path: entry for entry in self.document.app.assets.entries()}
        entry = entries.get(item.asset)
        # What is being read again is an older one.
        asset = None if entry is None or entry.is_being_read else entry.asset
        problem = entry.error if entry is not None and asset is not None else ""
        users, digest = self._users(item.asset), self._digest_of(item.path)
        self.details.show_file(item.path, self._root, users, asset, problem, digest)

    def _importable(self) -> list[AssetItem]:
        return self.actions_on_files.importable(self.grid.selected_items())

    def _offer_reimport(self) -> None:
        chosen = self._importable()
        under_way = self.document.app.importing_again.intersection(i.asset for i in chosen)
        count = len(under_way) or len(chosen)
        self.details.offer_reimport(count, is_running=bool(under_way))

    def _reimport(self) -> None:
        # The button is off meanwhile; the next key shall not go wherever the focus went.
        self.grid.setFocus()
        self.actions_on_files.reimport(self._importable())
        self._offer_reimport()

    def _on_assets_changed(self, news: AssetNews) -> None:
        """Show anew what was imported again, also where it came out as it was."""
        for done in news.reimports:
            path = self._root / done.path
            self.details.forget(path)
            self.thumbnails.forget(path)
        if news.reimports:
            self._show_details()

    def _users(self, asset: str) -> AssetUsers:
        document = self.document
        entities = tuple((e, document.label(e)) for e in document.asset_users(asset))
        models = tuple(document.contents.assets_naming(asset))
        return AssetUsers(entities, document.other_levels_using(asset), models)

    @guarded
    def _select(self, entities: list[Entity]) -> None:
        self.document.select([e for e in entities if self.document.world.alive(e)])

    def _open_level(self, level: str) -> None:
        self.context.services.open_file(self._root / level)

    # -- what the artist does ----------------------------------------------------------------

    @guarded
    def _activate(self, item: AssetItem) -> None:
        if item.kind == "folder":
            self.show_folder(item.path)
        elif item.kind == "model":
            self.actions_on_files.place([item])
        elif item.kind == "level":
            self.context.services.open_file(item.path)

    def _activate_all(self, items: list[AssetItem]) -> None:
        """Place all that is chosen; a folder or level that is chosen alone opens."""
        placed = [item for item in items if item.kind in ("model", "level")]
        if len(items) > 1 and any(item.kind == "model" for item in placed):
            self.actions_on_files.place(placed)
        elif items:
            self._activate(items[0])

    def _rename(self, item: AssetItem, name: str) -> None:
        self.actions_on_files.rename(item, name)

    def _delete_selected(self) -> None:
        items = self.grid.selected_items()
        if items:
            self.actions_on_files.delete(items)

    def _on_menu_requested(self, at: QPoint) -> None:
        under = self.grid.item_at(at)
        items = self.grid.selected_items()
        if under is not None and under not in items:
            items = [under]
        elif under is None:
            items = []
        menu = make_tile_menu(
            self,
            items,
            self._folder,
            self.actions_on_files,
            self.document.favourites,
            self._activate,
            lambda: self.grid.edit(self.grid.currentIndex()),
            self.make_folder,
        )
        menu.popup(self.grid.viewport().mapToGlobal(at))

    def make_folder(self) -> None:
        """Make a folder in the one that is shown and begin to edit its name."""
        self.actions_on_files.make_folder(self._folder)
        item = self.grid.current_item()
        if item is not None and item.kind == "folder":
            self.grid.edit(self.grid.currentIndex())

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.ActivationChange and self.isActiveWindow():
            self.look_again()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._timer.start()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        take_drag(event, self._root, self._folder)

    def dropEvent(self, event: QDropEvent) -> None:
        drop = take_drag(event, self._root, self._folder)
        if drop is not None:
            self.actions_on_files.drop(drop)

    def dispose(self) -> None:
        """Stop the timers, the threads and the subscriptions."""
        self._timer.stop()
        self.bar.dispose()
        self.details.close_reader()
        self.thumbnails.close()
        super().dispose()
