"""What panels may ask of the window (`PanelServices`)."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QPoint, QUrl
from PySide6.QtGui import QDesktopServices, QImage
from PySide6.QtWidgets import QMenu

from editor.document import LevelDocument
from editor.main_window.add_actions import AddActions
from editor.main_window.file_actions import FileActions
from editor.main_window.prompts import Choice, FileQuestion, Prompts, Question
from editor.panels.assets import AssetsPanel
from editor.qt.pictures import small_picture
from editor.qt.report import guarded
from editor.viewport.thumbnails import Thumbnails
from editor.viewport.widget import ViewportWidget
from engine.assets.gltf.container import GLTF_SUFFIXES
from engine.errors import EngineError
from engine.reflect import Entity
from engine.scene.levels.scene_file import LEVEL_SUFFIXES

__all__ = ["WindowServices"]


class WindowServices:
    """Answers panels from the viewport, the files and the dialogs."""

    def __init__(
        self,
        document: LevelDocument,
        viewport: ViewportWidget,
        prompts: Callable[[], Prompts],
        notify: Callable[[str, str], None],
    ) -> None:
        self._document = document
        self._viewport = viewport
        self._prompts = prompts
        self.notify = notify
        self.thumbnails = Thumbnails(viewport.picture, viewport)
        self.files: FileActions | None = None
        self.add: AddActions | None = None
        self.assets: AssetsPanel | None = None
        self.menus: dict[str, QMenu] = {}

    def frame_selection(self) -> None:
        self._viewport.frame_selection()

    @guarded
    def place_at_centre(self, assets: Sequence[str]) -> None:
        self._viewport.place_assets_at_centre(assets)

    def place_under(self, assets: Sequence[str], parent: Entity | None) -> None:
        if self.add is not None:
            self.add.place_all(list(assets), parent)

    def pick_entity(self, on_picked: Callable[[Entity], None]) -> None:
        self._viewport.pick_entity(on_picked)

    def import_files(self, paths: Sequence[Path], folder: str | None = None) -> None:
        """Copy assets in; one that is broken is told of, the others still come."""
        imported: list[str] = []
        for path in paths:
            try:
                if folder is None:
                    imported.append(self._document.import_asset(path))
                else:
                    imported += self._document.import_into([path], folder)
            except EngineError as error:
                self._document.post("error", str(error), path=path)
        if imported and self.assets is not None:
            self.assets.refresh_folders()
            self.assets.reveal_all(imported)
            count = len(imported)
            self.notify("good", f"Imported {imported[-1] if count == 1 else f'{count} assets'}")

    def choose_asset(self, pattern: str, on_chosen: Callable[[str], None]) -> None:
        shown = pattern.replace("*.gl*", "*.glb *.gltf")
        question = FileQuestion(
            "Choose an asset", "open", Path(self._document.root), f"Assets ({shown})"
        )

        def chosen(files: list[Path]) -> None:
            asset = self.asset_path(str(files[0]))
            if asset:
                on_chosen(asset)

        self._prompts().ask_file(question, chosen)

    def asset_path(self, dropped: str) -> str:
        root = Path(self._document.root)
        path = Path(dropped)
        if not path.is_absolute():
            return dropped
        if path.resolve().is_relative_to(root.resolve()):
            return path.resolve().relative_to(root.resolve()).as_posix()
        try:
            return self._document.import_asset(path)
        except EngineError as error:
            self._document.post("error", str(error), path=path)
            return ""

    def asset_problem(self, asset: str) -> str:
        if not self._document.is_there(asset):
            return f"{asset}: there is no such file"
        app = self._document.app
        told = next((entry.error for entry in app.assets.entries() if entry.path == asset), "")
        return told or app.images.problems.get(asset, "") or app.textures.problem(asset)

    def reveal_asset(self, asset: str) -> None:
        if self.assets is not None:
            self.assets.reveal(asset)

    def choose_prop(self, asset: str) -> None:
        self._viewport.place_tool.asset = asset

    def thumbnail(
        self, path: Path, size: int, is_wanted: Callable[[], bool] = lambda: True
    ) -> QImage | None:
        if path.suffix.lower() in LEVEL_SUFFIXES:
            return self._level_picture(path, size)
        if path.suffix.lower() not in GLTF_SUFFIXES:
            return small_picture(path, size)
        return self.thumbnails.thumbnail(path, size, is_wanted)

    def forget_thumbnail(self, path: Path) -> None:
        self.thumbnails.forget(path)

    def thumbnail_failed(self, path: Path, size: int) -> bool:
        return self.thumbnails.has_failed(path, size)

    def _level_picture(self, path: Path, size: int) -> QImage | None:
        """Return the view of the open level, where that is what its file holds."""
        document = self._document
        is_drawn = self._viewport.picture.is_open and not document.tasks
        if document.dirty or document.path != path or not is_drawn:
            return None
        try:
            pixels = self._viewport.snapshot(size, size)
        except EngineError:
            return None
        image = QImage(pixels.data, size, size, 4 * size, QImage.Format.Format_RGBA8888)
        return image.copy()

    def confirm(self, title: str, text: str, verb: str, on_agreed: Callable[[], None]) -> None:
        question = Question(title, text, (Choice("yes", verb, destructive=True),))
        self._prompts().ask(question, lambda answer: on_agreed() if answer == "yes" else None)

    def on_thumbnail_ready(self, ready: Callable[[str], None]) -> None:
        self.thumbnails.ready.connect(ready)

    def open_file(self, path: Path) -> None:
        if path.suffix in LEVEL_SUFFIXES and self.files is not None:
            self.files.open_asking(path)
        else:
            folder = path if os.path.isdir(path) else path.parent
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder)))

    def show_menu(self, menu_id: str, at: QPoint) -> None:
        if menu_id == "entity" and not self._document.selection:
            menu_id = "nothing"
        menu = self.menus.get(menu_id)
        if menu is not None:
            menu.popup(at)
