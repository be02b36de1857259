"""A document without a renderer, and a window that only notes what panels ask of it."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication

from editor.document import LevelDocument
from editor.qt.panel import PanelContext
from editor.qt.report import set_error_sink
from editor.qt.theme import apply_theme
from editor.tools.state import ToolState


class Window:
    """Stands for the main window."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, Any]] = []
        self.picked: Callable[[Any], None] | None = None
        self.problems: dict[str, str] = {}
        self.agrees = True

    def frame_selection(self) -> None:
        self.calls.append(("frame", None))

    def place_at_centre(self, assets: Any) -> None:
        self.calls.append(("place", list(assets)))

    def place_under(self, assets: Any, parent: Any) -> None:
        self.calls.append(("place_under", (tuple(assets), parent)))

    def pick_entity(self, on_picked: Callable[[Any], None]) -> None:
        self.picked = on_picked

    def import_files(self, paths: Any, folder: Any = None) -> None:
        self.calls.append(("import", list(paths)))
        self.folder = folder

    def choose_asset(self, pattern: str, on_chosen: Callable[[str], None]) -> None:
        on_chosen("props/chosen.glb")

    def asset_path(self, dropped: str) -> str:
        return dropped

    def asset_problem(self, asset: str) -> str:
        return self.problems.get(asset, "")

    def reveal_asset(self, asset: str) -> None:
        self.calls.append(("reveal", asset))

    def choose_prop(self, asset: str) -> None:
        self.prop = asset

    def thumbnail(self, path: Path, size: int, is_wanted: Callable[[], bool] = bool) -> None:
        return None

    def forget_thumbnail(self, path: Path) -> None:
        pass

    def thumbnail_failed(self, path: Path, size: int) -> bool:
        return False

    def confirm(self, title: str, text: str, verb: str, on_agreed: Callable[[], None]) -> None:
        self.calls.append(("confirm", text))
        if self.agrees:
            on_agreed()

    def on_thumbnail_ready(self, ready: Callable[[str], None]) -> None:
        self.ready = ready

    def open_file(self, path: Path) -> None:
        self.calls.append(("open", path))

    def show_menu(self, menu_id: str, at: Any) -> None:
        self.calls.append(("menu", menu_id))

    def notify(self, level: str, text: str) -> None:
        self.calls.append(("notify", text))


@pytest.fixture
def window() -> Window:
    return Window()


@pytest.fixture
def document() -> Iterator[LevelDocument]:
    document = LevelDocument()
    yield document
    document.close()


@pytest.fixture
def errors(qapp: QApplication) -> Iterator[list[Exception]]:
    found: list[Exception] = []
    set_error_sink(found.append)
    yield found
    set_error_sink(None)


@pytest.fixture
def context(
    qapp: QApplication, document: LevelDocument, window: Window, errors: list[Exception]
) -> PanelContext:
    apply_theme(qapp, "dark")
    return PanelContext(document, ToolState(), window, {"import_asset": QAction()})
