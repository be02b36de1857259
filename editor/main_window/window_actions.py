"""Actions about the window itself: theme, layout, dialogs, pictures, files from outside."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QPoint, QUrl
from PySide6.QtGui import QDesktopServices, QImage, QKeySequence
from PySide6.QtWidgets import QApplication, QDialog

from editor.main_window.add_actions import ASSET_FILTER
from editor.main_window.dialogs import AboutDialog, KeysDialog, PreferencesDialog
from editor.main_window.prompts import FileQuestion
from editor.main_window.reports import log_folder
from editor.main_window.welcome import Offer, WelcomeCard, recent_offers
from editor.panels.hierarchy import HierarchyPanel
from editor.qt.actions import ACTIONS
from editor.qt.menus import MENU_BAR, MENUS, VIEW_SUBMENUS
from editor.qt.report import guarded
from editor.qt.theme import apply_theme
from editor.qt.widgets.search_menu import SearchEntry, SearchMenu

if TYPE_CHECKING:
    from editor.main_window.window import MainWindow

__all__ = ["WindowActions"]

_PICTURE: Final = (1920, 1080)
_PALETTE_PX: Final = 460
_MENU_OF: Final = {
    action_id: f"{MENUS[menu][0].replace('&', '')} › "
    for menu in (*VIEW_SUBMENUS, *reversed(MENU_BAR))
    for action_id in MENUS[menu][1]
}
_GLYPHS: Final = {spec.action_id: spec.glyph for spec in ACTIONS}


class WindowActions:
    """What concerns the window rather than the level."""

    NEED_SELECTION: Final = (
        "cut", "copy", "duplicate", "delete", "rename", "group", "unparent", "hide", "lock",
        "drop_to_floor", "select_parent", "select_children", "select_same_asset",
        "select_same_type", "export_selection",
    )  # fmt: skip

    def __init__(self, window: "MainWindow") -> None:
        self._window = window
        self._card: WelcomeCard | None = None

    def handlers(self) -> dict[str, Callable[[], object]]:
        """Return the actions of this concern."""
        return {
            "about": self.about,
            "find": self.find,
            "full_screen": self.full_screen,
            "import_asset": self.import_asset,
            "keys": self.keys,
            "open_log": self.open_log,
            "palette": self.palette,
            "preferences": self.preferences,
            "recover": lambda: self._window.safekeeping.recovery.show_all(),
            "reload_assets": self.reload_assets,
            "rename": self.rename,
            "reset_layout": lambda: self._window.docks.restore_default(),
            "screenshot": self.screenshot,
            "theme_light": self.toggle_theme,
            "welcome": self.welcome,
        }

    def set_theme(self, name: str) -> None:
        """Turn a theme on and remember it."""
        app = QApplication.instance()
        if isinstance(app, QApplication):
            apply_theme(app, name)
        self._window.settings.set("theme", name)
        self._window.actions_by_id["theme_light"].setChecked(name == "light")
        self._window.viewport.request_frame()

    def toggle_theme(self) -> None:
        """Switch between dark and light."""
        self.set_theme("dark" if self._window.settings.theme == "light" else "light")

    def full_screen(self) -> None:
        """Fill the screen, or not."""
        if self._window.isFullScreen():
            self._window.showNormal()
        else:
            self._window.showFullScreen()

    def find(self) -> None:
        """Put the cursor into the search of the hierarchy."""
        self._window.docks.show_panel("hierarchy")
        panel = self._window.panels["hierarchy"]
        if isinstance(panel, HierarchyPanel):
            panel.search.setFocus()
            panel.search.selectAll()

    def rename(self) -> None:
        """Edit the name of the active entity in the tree."""
        panel = self._window.panels["hierarchy"]
        if isinstance(panel, HierarchyPanel):
            self._window.docks.show_panel("hierarchy")
            panel.rename_current()

    def _show_once(self, name: str, make: Callable[[], QDialog]) -> None:
        """Show a dialog, or bring the one to the front that is open."""
        for dialog in self._window.findChildren(QDialog, f"dialog.{name}"):
            if dialog.isVisible():
                dialog.raise_()
                dialog.activateWindow()
                return
        make().show()

    def about(self) -> None:
        """Show version and graphics adapter."""
        picture = self._window.viewport.picture
        renderer = picture.renderer
        name = renderer.adapter if renderer is not None else picture.error
        self._show_once("about", lambda: AboutDialog(name, picture.details, self._window))

    def keys(self) -> None:
        """Show all shortcuts."""
        self._show_once("keys", lambda: KeysDialog(self._window.actions_by_id, self._window))

    def preferences(self) -> None:
        """Show the preferences."""
        window = self._window
        adapters = window.viewport.picture.adapters()
        self._show_once(
            "preferences",
            lambda: PreferencesDialog(
                window.settings, window.tool_state, self.set_theme, adapters, window
            ),
        )

    def welcome(self) -> None:
        """Offer recent work, the sample and a new level; everything else goes on."""
        if self._card is not None:
            return
        window, files = self._window, self._window.files
        levels, projects = recent_offers(files.recent(), files.open_asking)
        sections = (("", self._beginnings()), ("Recent levels", levels), ("Projects", projects))
        again = window.settings.welcome
        card = WelcomeCard(
            window, window.viewport, sections, again, lambda on: window.settings.set("welcome", on)
        )
        self._card = card
        card.destroyed.connect(self._forget_card)
        card.show()

    def _beginnings(self) -> list[Offer]:
        files = self._window.files
        return [
            Offer(
                "file-plus",
                "New level",
                files.new,
                tip="Begin a new level  (Ctrl+N)",
                about="Begin with a sky and a sun",
            ),
            Offer(
                "folder-open",
                "Open a level…",
                files.open,
                tip="Open a level  (Ctrl+O)",
                about="Go on with a .scene file",
            ),
            Offer(
                "house-line",
                "The sample village",
                files.open_sample,
                about="Look around and try things out",
            ),
        ]

    def _forget_card(self) -> None:
        self._card = None

    def put_welcome_away(self) -> None:
        """Take the welcome away: work has begun."""
        if self._card is not None:
            self._card.put_away()

    def palette(self) -> None:
        """Offer every action that can be done now, by name."""
        window = self._window
        keys = QKeySequence.SequenceFormat.NativeText
        entries = [
            SearchEntry(
                f"{_MENU_OF.get(name, '')}{action.text().removesuffix('…')}",
                _GLYPHS.get(name) or "caret-right",
                action.toolTip(),
                action,
                action.shortcut().toString(keys),
            )
            for name, action in window.actions_by_id.items()
            if action.isEnabled() and name != "palette"
        ]
        menu = SearchMenu(sorted(entries, key=lambda e: e.title), "Find an action", window)
        menu.setObjectName("palette")
        menu.chosen.connect(lambda action: action.trigger())
        width = min(_PALETTE_PX, window.width() - 40)
        left = (window.width() - width) // 2
        menu.open_at(window.mapToGlobal(QPoint(left, window.height() // 6)), width)

    def open_log(self) -> None:
        """Show the folder of the log files."""
        log_folder().mkdir(parents=True, exist_ok=True)
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(log_folder())))

    def import_asset(self) -> None:
        """Ask for glTF files and copy them into the project."""
        last = self._window.settings.import_folder
        folder = Path(last) if last and os.path.isdir(last) else Path.home()
        question = FileQuestion("Import assets", "open_many", folder, ASSET_FILTER)
        self._window.prompts.ask_file(question, self._import)

    def _import(self, files: list[Path]) -> None:
        self._window.settings.set("import_folder", str(files[0].parent))
        self._window.services.import_files(files)

    @guarded
    def reload_assets(self) -> None:
        """Read all assets anew."""
        count = self._window.document.reload_assets(force=True, wait=False)
        self._window.viewport.keep_ticking()
        self._window.toasts.show_message("info", f"Reloading {count} assets")

    @guarded
    def look_at_disk(self) -> None:
        """Read assets that changed on disk while another window had the focus."""
        self._window.project_watch.verify()
        if self._window.document.reload_assets(wait=False):
            self._window.viewport.keep_ticking()

    def screenshot(self) -> None:
        """Ask where to save a picture of the view."""
        folder = self._window.document.root / f"{self._window.document.name}.png"
        question = FileQuestion("Save screenshot", "save", Path(folder), "PNG (*.png)", "png")
        self._window.prompts.ask_file(question, lambda files: self._save_picture(files[0]))

    @guarded
    def _save_picture(self, path: Path) -> None:
        width, height = _PICTURE
        pixels = self._window.viewport.snapshot(width, height)
        image = QImage(pixels.tobytes(), width, height, QImage.Format.Format_RGBA8888)
        if not image.save(str(path)):
            raise OSError(f"{path}: the picture cannot be written")
        self._window.toasts.show_message("good", f"Saved {path.name}")
