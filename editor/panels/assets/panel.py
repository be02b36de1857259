"""The assets panel."""

from pathlib import Path
from typing import Final

from PySide6.QtCore import QModelIndex, QPoint, Qt, QTimer, QUrl
from PySide6.QtGui import QDesktopServices, QDragEnterEvent, QDropEvent, QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QMenu, QSplitter, QToolButton, QWidget

from editor.model.change_set import ChangeSet
from editor.panels.assets.details import AssetDetails
from editor.panels.assets.folder_tree import FolderTree
from editor.panels.assets.grid import ITEM_ROLE, AssetGrid, AssetModel
from editor.panels.assets.project_listing import AssetItem, list_folder, search_folder
from editor.panels.assets.thumbnails import Thumbnails
from editor.qt.icons import icon
from editor.qt.mime import read_assets
from editor.qt.panel import Panel, PanelContext
from editor.qt.report import guarded
from editor.qt.widgets.empty_state import EmptyState
from editor.qt.widgets.search_field import SearchField
from editor.qt.widgets.tool_button import icon_button
from engine.reflect import Entity
from engine.scene import GltfInstance

__all__ = ["AssetsPanel"]

_SEARCH_MS: Final = 150


class AssetsPanel(Panel):
    """Folders and tiles; drag a tile out, or double click it to place it."""

    def __init__(self, context: PanelContext) -> None:
        super().__init__("assets", context)
        self.setAcceptDrops(True)
        self._root = Path(self.document.root)
        self._folder = self._root
        self._crumbs_for = Path()
        self.thumbnails = Thumbnails(context.services, self)
        self.model = AssetModel(self.thumbnails, self)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_SEARCH_MS)
        self._timer.timeout.connect(self.refresh)
        self._corner = self._make_corner()
        self._build()
        self.observe(self.document.replaced.connect(lambda nothing: self._on_replaced()))
        self.observe(self.document.changed.connect(self._on_changed))
        self._on_replaced()

    def _build(self) -> None:
        self.folders = FolderTree(self)
        self.folders.folder_chosen.connect(self.show_folder)
        self.grid = AssetGrid(self.model, self)
        self.grid.doubleClicked.connect(self._on_double_clicked)
        self.grid.selectionModel().selectionChanged.connect(lambda *_: self._on_chosen())
        self.grid.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.grid.customContextMenuRequested.connect(self._on_menu_requested)
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

    def _make_corner(self) -> QWidget:
        corner = QWidget()
        row = QHBoxLayout(corner)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        self._crumbs = QWidget(corner)
        self._crumb_row = QHBoxLayout(self._crumbs)
        self._crumb_row.setContentsMargins(0, 0, 0, 0)
        self._crumb_row.setSpacing(0)
        row.addWidget(self._crumbs)
        self.search = SearchField("Search assets", corner)
        self.search.setObjectName("assets.search")
        self.search.setFixedWidth(190)
        self.search.textChanged.connect(lambda text: self._timer.start())
        row.addWidget(self.search)
        toggle = icon_button("columns", "Show or hide the folders", corner)
        toggle.clicked.connect(lambda: self.folders.setVisible(self.folders.isHidden()))
        row.addWidget(toggle)
        details = icon_button("info", "Show or hide what an asset brought", corner)
        details.clicked.connect(self._on_details_clicked)
        row.addWidget(details)
        add = icon_button("plus", "Import assets into the project", corner)
        add.clicked.connect(lambda: self.context.actions["import_asset"].trigger())
        row.addWidget(add)
        return corner

    def corner_widget(self) -> QWidget | None:
        return self._corner

    @property
    def folder(self) -> Path:
        """The folder whose tiles are shown."""
        return self._folder

    def _on_replaced(self) -> None:
        self._root = Path(self.document.root)
        self.search.clear()
        self.folders.show_root(self._root)
        props = self._root / "props"
        self.show_folder(props if props.is_dir() else self._root)

    def _on_changed(self, changes: ChangeSet) -> None:
        if Path(self.document.root) != self._root:
            self._on_replaced()
        elif changes.spawned or changes.realised:
            self._timer.start()

    def show_folder(self, folder: Path) -> None:
        """Show the tiles of a folder."""
        self._folder = folder if folder.is_relative_to(self._root) else self._root
        self.search.clear()
        self.refresh()

    def refresh(self) -> None:
        """Read the folder (or search) anew."""
        if not self._folder.is_dir():
            self._folder = self._root
        text = self.search.text().strip()
        if text:
            items = search_folder(self._root, self._root, text)
        else:
            items = list_folder(self._root, self._folder)
        self.model.show_items(items)
        self.folders.show_folder(self._folder)
        self._show_crumbs()
        if text:
            self._empty.set_texts("Nothing found", "No asset's path holds all of these words.")
        else:
            self._empty.set_texts(
                "No assets here", "Drop a .glb or .gltf here to copy it into the project."
            )
        self.grid.setVisible(bool(items))
        self._empty.setVisible(not items)

    def _show_crumbs(self) -> None:
        """Show the way to the folder, each part a button."""
        if self._crumbs_for == self._folder:
            return
        self._crumbs_for = self._folder
        while (item := self._crumb_row.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        parts = self._folder.relative_to(self._root).parts
        paths = [self._root.joinpath(*parts[: i + 1]) for i in range(len(parts))]
        titles = list(parts)
        if not paths:
            paths, titles = [self._root], ["Project"]
        for i, (path, title) in enumerate(zip(paths[-3:], titles[-3:], strict=True)):
            button = QToolButton(self._crumbs)
            button.setProperty("role", "crumb")
            button.setText(title if i == 0 else f"›  {title}")
            button.setToolTip(str(path))
            button.clicked.connect(lambda checked=False, path=path: self.show_folder(path))
            self._crumb_row.addWidget(button)
            button.show()

    def refresh_folders(self) -> None:
        """Read the folders of the project anew."""
        self.folders.show_root(self._root)
        self.refresh()

    def reveal(self, asset: str) -> None:
        """Show and select an asset by its project-relative path."""
        path = self._root / asset
        self.show_folder(path.parent)
        for row, item in enumerate(self.model.items()):
            if item.asset == asset:
                index = self.model.index(row, 0)
                self.grid.setCurrentIndex(index)
                self.grid.scrollTo(index)

    def _on_chosen(self) -> None:
        item = self.grid.currentIndex().data(ITEM_ROLE)
        is_model = isinstance(item, AssetItem) and item.kind == "model"
        self.context.services.choose_prop(item.asset if is_model else "")
        self._show_details()

    def _on_details_clicked(self) -> None:
        self.details.setVisible(self.details.isHidden())
        self._show_details()

    def _show_details(self) -> None:
        """Show what the chosen model brought, where that is asked for."""
        if self.details.isHidden():
            return
        item = self.grid.currentIndex().data(ITEM_ROLE)
        if not isinstance(item, AssetItem) or item.kind != "model":
            self.details.show_model(None, self._root)
            return
        entries = {entry.path: entry for entry in self.document.app.assets.entries()}
        entry = entries.get(item.asset)
        self.details.show_model(item.path, self._root, None if entry is None else entry.asset)

    @guarded
    def _on_double_clicked(self, index: QModelIndex) -> None:
        item = index.data(ITEM_ROLE)
        if isinstance(item, AssetItem):
            self._activate(item)

    def _activate(self, item: AssetItem) -> None:
        if item.kind == "folder":
            self.show_folder(item.path)
        elif item.kind == "model":
            self.context.services.place_at_centre(item.asset)
        elif item.kind == "level":
            self.context.services.open_file(item.path)

    def _on_menu_requested(self, at: QPoint) -> None:
        item = self.grid.indexAt(at).data(ITEM_ROLE)
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if isinstance(item, AssetItem):
            verb = {"model": "Place at the view's centre"}.get(item.kind, "Open")
            menu.addAction(icon("plus", "quiet"), verb).triggered.connect(
                lambda: self._activate(item)
            )
            if item.kind == "model":
                users = menu.addAction(icon("selection-all", "quiet"), "Select all of this asset")
                users.triggered.connect(lambda: self._select_users(item.asset))
            menu.addSeparator()
            menu.addAction(icon("copy", "quiet"), "Copy path").triggered.connect(
                lambda: QGuiApplication.clipboard().setText(item.asset)
            )
        folder = item.path.parent if isinstance(item, AssetItem) else self._folder
        menu.addAction(icon("folder-open", "quiet"), "Show in file manager").triggered.connect(
            lambda: QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder)))
        )
        menu.popup(self.grid.viewport().mapToGlobal(at))

    @guarded
    def _select_users(self, asset: str) -> None:
        world = self.document.world
        users = [
            entity
            for entity in world.entities()
            if world.has(entity, GltfInstance)
            and str(world.get(entity, GltfInstance).asset) == asset
        ]
        self.document.select([Entity(e) for e in users])
        if not users:
            self.context.services.notify("info", "Nothing in the level uses this asset")

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if event.source() is None and read_assets(event.mimeData()):
            event.setDropAction(Qt.DropAction.CopyAction)
            event.accept()

    def dropEvent(self, event: QDropEvent) -> None:
        paths = [Path(path) for path in read_assets(event.mimeData())]
        if event.source() is None and paths:
            event.accept()
            self.context.services.import_files(paths)

    def dispose(self) -> None:
        """Stop the timer and the subscriptions."""
        self._timer.stop()
        self.details.close_reader()
        super().dispose()
