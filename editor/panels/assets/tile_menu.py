"""The context menu of tiles and of the empty ground between them."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu, QWidget

from editor.panels.assets.file_actions import AssetFileActions
from editor.panels.assets.project_listing import AssetItem
from editor.qt.icons import icon

__all__ = ["make_tile_menu"]

_VERBS = {"model": "Place at the view's centre", "folder": "Open", "level": "Open", "image": ""}


def make_tile_menu(
    parent: QWidget,
    items: list[AssetItem],
    folder: Path,
    actions: AssetFileActions,
    favourites: frozenset[str],
    activate: Callable[[AssetItem], None],
    rename: Callable[[], None],
    make_folder: Callable[[], None],
) -> QMenu:
    """Return the menu for the selected tiles; for none of them that of the folder.

    Parameters
    ----------
    parent
        Owns the menu.
    items, folder
        What is selected, and what is shown.
    activate, rename
        Open or place a tile; begin to edit its name.
    make_folder
        Make one in the folder that is shown.
    """
    menu = QMenu(parent)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    if items:
        _add_own(menu, items, actions, favourites, activate, rename)
    new = menu.addAction(icon("folder-plus", "quiet"), "New folder")
    new.triggered.connect(make_folder)
    shown = items[0].path.parent if items else folder
    menu.addAction(icon("folder-open", "quiet"), "Show in file manager").triggered.connect(
        lambda: actions.show_in_file_manager(shown)
    )
    if not items:
        again = menu.addAction(icon("arrows-clockwise", "quiet"), "Reload assets\tF5")
        again.triggered.connect(lambda: actions.read_all_again())
    return menu


def _add_own(
    menu: QMenu,
    items: list[AssetItem],
    actions: AssetFileActions,
    favourites: frozenset[str],
    activate: Callable[[AssetItem], None],
    rename: Callable[[], None],
) -> None:
    item = items[0]
    if len(items) == 1 and _VERBS[item.kind]:
        glyph = icon("plus" if item.kind == "model" else "arrow-square-out", "quiet")
        menu.addAction(glyph, _VERBS[item.kind]).triggered.connect(lambda: activate(item))
    placed = [i for i in items if i.kind in ("model", "level")]
    if len(placed) > 1 or item.kind == "level":
        count = f"Place {len(placed)} files" if len(placed) > 1 else "Place"
        place = menu.addAction(icon("plus", "quiet"), f"{count} at the view's centre")
        place.triggered.connect(lambda: actions.place(placed))
    if len(items) == 1 and item.kind != "folder":
        users = menu.addAction(icon("selection-all", "quiet"), "Select what uses it")
        users.triggered.connect(lambda: actions.select_users(item.asset))
    importable = actions.importable(items)
    if importable:
        text = "Reimport" if len(importable) == 1 else f"Reimport {len(importable)} files"
        again = menu.addAction(icon("arrow-clockwise", "quiet"), text)
        again.triggered.connect(lambda: actions.reimport(importable))
    menu.addSeparator()
    files = [i for i in items if i.kind != "folder"]
    if files:
        is_marked = all(i.asset in favourites for i in files)
        text = "Remove from favourites" if is_marked else "Add to favourites"
        glyph = icon("star-fill" if is_marked else "star", "quiet")
        menu.addAction(glyph, text).triggered.connect(lambda: actions.mark(files))
    if len(items) == 1:
        action = menu.addAction(icon("pencil-simple", "quiet"), "Rename\tF2")
        action.triggered.connect(rename)
        copy = menu.addAction(icon("copy", "quiet"), "Copy path")
        copy.triggered.connect(lambda: QGuiApplication.clipboard().setText(item.asset))
    gone = menu.addAction(icon("trash", "quiet"), "Move to trash\tDel")
    gone.triggered.connect(lambda: actions.delete(items))
    menu.addSeparator()
