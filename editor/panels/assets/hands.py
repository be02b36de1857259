"""What hands do to the files that are shown: open, place, delete, name a folder, open the menu."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, QPoint, Qt
from PySide6.QtWidgets import QWidget

from editor.document import LevelDocument
from editor.panels.assets.file_actions import AssetFileActions
from editor.panels.assets.grid import AssetGrid
from editor.panels.assets.project_listing import AssetItem
from editor.panels.assets.tile_menu import make_tile_menu
from editor.qt.panel import PanelServices
from editor.qt.report import guarded

__all__ = ["AssetHands"]


class AssetHands(QObject):
    """Turns what is done in the grid into what is done to files.

    Parameters
    ----------
    document, services, grid, files
    show_folder
        Shows another folder.
    panel
        Owns the menu.
    """

    def __init__(
        self,
        document: LevelDocument,
        services: PanelServices,
        grid: AssetGrid,
        files: AssetFileActions,
        show_folder: Callable[[Path], None],
        panel: QWidget,
    ) -> None:
        super().__init__(panel)
        self._document, self._services = document, services
        self._grid, self._files = grid, files
        self._show_folder, self._panel = show_folder, panel
        grid.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        grid.customContextMenuRequested.connect(self.open_menu)
        grid.opened.connect(self._activate_all)
        grid.dropped.connect(files.drop)
        grid.star_clicked.connect(lambda item: files.mark([item]))
        grid.delete_requested.connect(self._delete_selected)
        grid.refresh_requested.connect(files.read_all_again)

    @guarded
    def _activate(self, item: AssetItem) -> None:
        if item.kind == "folder":
            self._show_folder(item.path)
        elif item.kind == "model":
            self._files.place([item])
        elif item.kind == "level":
            self._services.open_file(item.path)

    def _activate_all(self, items: list[AssetItem]) -> None:
        """Place all that is chosen; a folder or level that is chosen alone opens."""
        placed = [item for item in items if item.kind in ("model", "level")]
        if len(items) > 1 and any(item.kind == "model" for item in placed):
            self._files.place(placed)
        elif items:
            self._activate(items[0])

    def _delete_selected(self) -> None:
        items = self._grid.selected_items()
        if items:
            self._files.delete(items)

    def open_menu(self, at: QPoint) -> None:
        """Open the menu of what is chosen, or of the folder, at a point of the grid."""
        under = self._grid.item_at(at)
        items = self._grid.selected_items()
        if under is not None and under not in items:
            items = [under]
        elif under is None:
            items = []
        menu = make_tile_menu(
            self._panel,
            items,
            self._grid.folder,
            self._files,
            self._document.favourites,
            self._activate,
            lambda: self._grid.edit(self._grid.currentIndex()),
            self.make_folder,
        )
        menu.popup(self._grid.viewport().mapToGlobal(at))

    def make_folder(self) -> None:
        """Make a folder in the one that is shown and begin to edit its name."""
        self._files.make_folder(self._grid.folder)
        item = self._grid.current_item()
        if item is not None and item.kind == "folder":
            self._grid.edit(self._grid.currentIndex())
