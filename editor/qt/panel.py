"""What a panel is, and what it is given.

A panel is a widget with an object name, made by a `PanelSpec`. It gets one `PanelContext` and talks
to others only through it: it reads the document, turns what the artist does into calls on the
document, and asks the window for what lies outside (the viewport, files, thumbnails).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction, QImage
from PySide6.QtWidgets import QVBoxLayout, QWidget

from editor.document import LevelDocument
from editor.model.settings import Settings
from editor.model.signal import Subscription
from editor.qt.theme import Sizes
from editor.tools.state import ToolState
from engine.reflect import Entity

__all__ = ["Panel", "PanelContext", "PanelServices", "PanelSpec"]


class PanelServices(Protocol):
    """What the window does for panels."""

    def frame_selection(self) -> None:
        """Bring the selection into view."""

    def place_at_centre(self, assets: Sequence[str]) -> None:
        """Place assets side by side where the viewport looks at, as one step."""

    def place_under(self, assets: Sequence[str], parent: Entity | None) -> None:
        """Place assets as children of an entity, None for the top level, as one step."""

    def pick_entity(self, on_picked: Callable[[Entity], None]) -> None:
        """Let the artist point at an entity in the viewport."""

    def import_files(self, paths: Sequence[Path], folder: str | None = None) -> None:
        """Copy files from outside into the project: into a folder of it, or where they fit."""

    def choose_asset(self, pattern: str, on_chosen: Callable[[str], None]) -> None:
        """Ask for a file of the project; the answer is project-relative."""

    def asset_path(self, dropped: str) -> str:
        """Return the project-relative path to store for a file, copying it in when needed."""

    def asset_problem(self, asset: str) -> str:
        """Return what is wrong with an asset, empty if nothing."""

    def reveal_asset(self, asset: str) -> None:
        """Show an asset in the assets panel."""

    def choose_prop(self, asset: str) -> None:
        """Take an asset as the one that the place tool sets down."""

    def thumbnail(
        self, path: Path, size: int, is_wanted: Callable[[], bool] = lambda: True
    ) -> QImage | None:
        """Return a picture of an asset; None while it is being made, or cannot be.

        It is not made any more when its turn comes and `is_wanted` says so.
        """

    def on_thumbnail_ready(self, ready: Callable[[str], None]) -> None:
        """Call back with the path of every picture that can be asked for anew."""

    def forget_thumbnail(self, path: Path) -> None:
        """Draw the picture of an asset anew when it is asked for."""

    def thumbnail_failed(self, path: Path, size: int) -> bool:
        """Whether there can be no picture of an asset, as it is now."""

    def confirm(self, title: str, text: str, verb: str, on_agreed: Callable[[], None]) -> None:
        """Ask before something is taken away; `verb` is what the button says."""

    def open_file(self, path: Path) -> None:
        """Show a file: a level opens here, anything else in its own program."""

    def show_menu(self, menu_id: str, at: QPoint) -> None:
        """Open one of the window's menus at a global position."""

    def notify(self, level: str, text: str) -> None:
        """Show a short notice."""


@dataclass(frozen=True)
class PanelContext:
    """The surroundings of a panel."""

    document: LevelDocument
    tool_state: ToolState
    services: PanelServices
    actions: dict[str, QAction] = field(default_factory=dict)
    settings: Settings = field(default_factory=Settings)


@dataclass(frozen=True)
class PanelSpec:
    """One panel, as data.

    Attributes
    ----------
    panel_id
        Object name of the widget.
    area
        "left", "right" or "bottom".
    """

    panel_id: str
    title: str
    glyph: str
    area: str
    create: Callable[[PanelContext], "Panel"]


class Panel(QWidget):
    """Base of all panels: a rounded ground, a column of rows, subscriptions that end with it.

    Attributes
    ----------
    header
        The panel's first line, which the dock takes as its handle; None for a panel in tabs.
    """

    def __init__(self, panel_id: str, context: PanelContext) -> None:
        super().__init__()
        self.setObjectName(panel_id)
        self.setProperty("role", "panel")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.context = context
        self.document = context.document
        self._subscriptions: list[Subscription] = []
        self.header: QWidget | None = None
        self.column = QVBoxLayout(self)
        pad = Sizes.PADDING
        self.column.setContentsMargins(pad, 6, pad, pad)
        self.column.setSpacing(6)

    def corner_widget(self) -> QWidget | None:
        """Return controls for the line of tabs, None for a panel that has none."""
        return None

    def observe(self, subscription: Subscription) -> None:
        """Keep a subscription until the panel is disposed of."""
        self._subscriptions.append(subscription)

    def dispose(self) -> None:
        """Stop listening; the window calls this when it closes."""
        for subscription in self._subscriptions:
            subscription.close()
        self._subscriptions.clear()
