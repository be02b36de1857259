"""The assets panel: folders, files as tiles or rows, and what is known of the chosen one."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QSplitter, QVBoxLayout, QWidget

from editor.model.change_set import ChangeSet
from editor.panels.assets.bar import AssetBar
from editor.panels.assets.detail_feed import DetailFeed
from editor.panels.assets.details import AssetDetails
from editor.panels.assets.file_actions import AssetFileActions
from editor.panels.assets.folder_drop import take_drag
from editor.panels.assets.folder_tree import FolderTree
from editor.panels.assets.grid import AssetGrid
from editor.panels.assets.hands import AssetHands
from editor.panels.assets.listing import AssetListing
from editor.panels.assets.model import AssetModel
from editor.panels.assets.order import Order, sort_items
from editor.panels.assets.thumbnails import Thumbnails
from editor.qt.panel import Panel, PanelContext
from editor.qt.widgets.empty_state import EmptyState
from engine.app import AssetNews

__all__ = ["AssetsPanel"]

_WAIT_MS: Final = 150


class AssetsPanel(Panel):
    """Folders and files; drag a file out, or double click it to place it."""

    _contents_read = Signal()

    def __init__(self, context: PanelContext) -> None:
        super().__init__("assets", context)
        self.setAcceptDrops(True)
        self._root = Path(self.document.root)
        self._folder = self._root
        self._settings = context.settings
        self._listing = AssetListing(self.document)
        self.thumbnails = Thumbnails(context.services, self._digest_of, self)
        self.model = AssetModel(self.thumbnails, self)
        self.actions_on_files = AssetFileActions(self.document, context.services, self._show_anew)
        self._timer = self._delay(self.refresh)
        self.bar = AssetBar()
        self.search = self.bar.search
        self._build()
        self.feed = DetailFeed(
            self.document, self.grid, self.details, self.actions_on_files, self._digest_of, self
        )
        self.hands = AssetHands(
            self.document,
            context.services,
            self.grid,
            self.actions_on_files,
            self.show_folder,
            self,
        )
        self._details_timer = self._delay(self.feed.show_current)
        self._connect()
        self._show_view()
        self._on_replaced()

    def _delay(self, act: Callable[[], object]) -> QTimer:
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.setInterval(_WAIT_MS)
        timer.timeout.connect(act)
        return timer

    def _build(self) -> None:
        self.folders = FolderTree(self)
        self.grid = AssetGrid(self.model, self)
        self.thumbnails.is_shown = self.grid.shows
        self._empty = EmptyState("package", "", "", self)
        middle = QWidget(self)
        column = QVBoxLayout(middle)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        above = QHBoxLayout()
        above.setContentsMargins(0, 0, self.grid.verticalScrollBar().sizeHint().width(), 0)
        above.addWidget(self.grid.header)
        column.addLayout(above)
        column.addWidget(self.grid)
        column.addWidget(self._empty)
        self._splitter = QSplitter(Qt.Orientation.Horizontal, self)
        self._splitter.addWidget(self.folders)
        self._splitter.addWidget(middle)
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
        self._connect_views()
        self._connect_bar()
        document = self.document
        self._contents_read.connect(document.poll_contents, Qt.ConnectionType.QueuedConnection)
        self.observe(document.replaced.connect(lambda nothing: self._on_replaced()))
        self.observe(document.changed.connect(self._on_changed))
        self.observe(document.assets_changed.connect(self._on_assets_changed))
        self.observe(document.contents_changed.connect(lambda nothing: self._timer.start()))
        self.observe(document.history_changed.connect(lambda nothing: self._on_saved()))

    def _connect_views(self) -> None:
        self.folders.folder_chosen.connect(self.show_folder)
        self.folders.dropped.connect(self.actions_on_files.drop)
        self.grid.up_requested.connect(self._go_up)
        self.grid.header.order_chosen.connect(self._on_order_chosen)
        self.grid.selectionModel().selectionChanged.connect(lambda *_: self._on_chosen())
        # Later, when the line that was typed into has given the keys back to the tiles.
        queued = Qt.ConnectionType.QueuedConnection
        self.model.rename_requested.connect(self.actions_on_files.rename, queued)
        self.details.level_chosen.connect(self._open_level)

    def _connect_bar(self) -> None:
        self.bar.query_changed.connect(self._on_query_changed)
        self.bar.order_chosen.connect(self._on_order_chosen)
        self.bar.rows_toggled.connect(self._on_rows_toggled)
        self.bar.folder_chosen.connect(self.show_folder)
        self.bar.folders_toggled.connect(lambda: self.folders.setVisible(self.folders.isHidden()))
        self.bar.details_toggled.connect(self.feed.toggle)
        self.bar.import_requested.connect(lambda: self.context.actions["import_asset"].trigger())

    def corner_widget(self) -> QWidget | None:
        return self.bar

    @property
    def folder(self) -> Path:
        """The folder whose files are shown."""
        return self._folder

    # -- how files are shown -----------------------------------------------------------------

    @property
    def order(self) -> Order:
        """The order in which files are shown."""
        return Order.of(self._settings.assets_order)

    def _show_view(self) -> None:
        as_rows = self._settings.assets_view == "list"
        self.grid.show_rows(as_rows)
        self.grid.header.show_order(self.order)
        self.bar.show_view(self.order, as_rows=as_rows)

    def _on_rows_toggled(self, on: bool) -> None:
        self._settings.set("assets_view", "list" if on else "tiles")
        self._show_view()
        self._show_empty(has_items=self.model.rowCount() > 0)

    def _on_order_chosen(self, order: Order) -> None:
        self._settings.set("assets_order", order.text)
        self._show_view()
        self._list()
        self.grid.scrollToTop()

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
        elif changes.realised or self.bar.query.unused:
            self._timer.start()
        elif self.feed.is_shown:
            self._details_timer.start()

    def _on_saved(self) -> None:
        """Look at the project when the level's file was written: it has another content now."""
        was_dirty, self._was_dirty = self._was_dirty, self.document.dirty
        if was_dirty and not self._was_dirty:
            self.look_at_project()

    def _on_assets_changed(self, news: AssetNews) -> None:
        for done in news.reimports:
            self.thumbnails.forget(self._root / done.path)
        self.feed.take_news(news)

    def look_at_project(self) -> None:
        """Let a worker look at which files there are and what they hold."""
        self.document.refresh_contents(self._contents_read.emit)

    def look_again(self) -> None:
        """Show what other programs did to the project."""
        self._timer.start()
        self.look_at_project()

    def show_folder(self, folder: Path) -> None:
        """Show the files of a folder."""
        self._folder = folder if folder.is_relative_to(self._root) else self._root
        self.bar.clear()
        self.refresh()

    def _go_up(self) -> None:
        if self._folder != self._root:
            left = self._folder
            self.show_folder(left.parent)
            self.reveal(left.relative_to(self._root).as_posix())

    def refresh(self) -> None:
        """Read the folder (or search) and the tree of folders anew."""
        if not os.path.isdir(self._folder):
            self._folder = self._root
        self._list()
        self.folders.look_again()
        self.folders.show_folder(self._folder)
        self.bar.show_crumbs(self._root, self._folder)

    def _list(self) -> None:
        """Show what the folder holds, or what fits the search."""
        self.grid.folder, self.grid.root = self._folder, self._root
        query = self.bar.query
        items = self._listing.items(self._root, self._folder, query)
        found = sort_items(items, self.order, first=query.words[0] if query.words else "")
        chosen = [item.asset for item in self.grid.selected_items()]
        current = self.grid.current_item()
        self.model.tells_folders = not query.is_empty
        self.model.show_items(found, self._listing.notes(items))
        self.grid.choose(chosen, current.asset if current is not None else "")
        self._show_empty(has_items=bool(items))
        self.feed.show_current()

    def _show_empty(self, *, has_items: bool) -> None:
        self._empty.set_texts(*self._listing.nothing(self.bar.query))
        self.grid.setVisible(has_items)
        self.grid.header.setVisible(has_items and self.grid.has_rows)
        self._empty.setVisible(not has_items)

    def _on_query_changed(self) -> None:
        """Show what is found from its beginning."""
        self._list()
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
        self.grid.reveal(asset)

    def reveal_all(self, assets: Sequence[str]) -> None:
        """Show and select files, as far as they are in the folder of the last."""
        self.reveal(assets[-1])
        self.grid.choose(list(assets), assets[-1])

    # -- what the artist does ----------------------------------------------------------------

    def _on_chosen(self) -> None:
        item = self.grid.current_item()
        is_model = item is not None and item.kind == "model"
        self.context.services.choose_prop(item.asset if item is not None and is_model else "")
        self.feed.show_current()

    def _open_level(self, level: str) -> None:
        self.context.services.open_file(self._root / level)

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
        self._details_timer.stop()
        self.bar.dispose()
        self.details.close_reader()
        self.thumbnails.close()
        super().dispose()
