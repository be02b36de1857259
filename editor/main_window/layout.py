"""Where panels stand: docks left and right, tabs below, remembered and restorable.

Panels below the viewport share one dock with tabs; one that is taken out gets a dock of its own,
and closing that dock puts it back among the tabs.
"""

import base64
import json
from collections.abc import Mapping
from typing import Final

from PySide6.QtCore import QByteArray, QObject, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QDockWidget, QMainWindow, QWidget

from editor.main_window.dock_sizes import DockSizes
from editor.main_window.panel_dock import PanelDock
from editor.model.settings import Settings
from editor.qt.panel import Panel, PanelSpec
from editor.qt.widgets.panel_header import PanelHeader
from editor.qt.widgets.tab_deck import TabDeck

__all__ = ["DockLayout"]

_VERSION: Final = 1
_LARGEST: Final = 10_000
_AREAS: Final = {
    "left": Qt.DockWidgetArea.LeftDockWidgetArea,
    "right": Qt.DockWidgetArea.RightDockWidgetArea,
    "bottom": Qt.DockWidgetArea.BottomDockWidgetArea,
}
_LEAST_WIDTHS: Final = {"hierarchy": 140, "inspector": 250}
_ORDER: Final = ("assets", "console", "history", "issues", "profiler")


class DockLayout(QObject):
    """The docks of one window."""

    def __init__(
        self, window: QMainWindow, panels: Mapping[str, tuple[PanelSpec, Panel]], settings: Settings
    ) -> None:
        super().__init__(window)
        self._window = window
        self._panels = dict(panels)
        self._settings = settings
        self._docks: dict[str, QDockWidget] = {}
        self._taken: dict[str, QDockWidget] = {}
        self._sizes = DockSizes(window, self._docks)
        self.deck = TabDeck()
        self.deck.setObjectName("deck")
        self.deck.detach_requested.connect(self.take_out)
        for name, (spec, panel) in self._panels.items():
            if spec.area != "bottom":
                self._add_dock(name, spec.title, panel, _AREAS[spec.area])
        for name in _ORDER:
            if name in self._panels:
                spec, panel = self._panels[name]
                self.deck.add_page(name, spec.title, spec.glyph, panel, panel.corner_widget())
        self.deck.show_page(_ORDER[0])
        self._add_dock("deck", "Assets, console, history", self.deck, _AREAS["bottom"])
        left, right = Qt.Corner.BottomLeftCorner, Qt.Corner.BottomRightCorner
        window.setCorner(left, _AREAS["left"])
        window.setCorner(right, _AREAS["right"])

    def _add_dock(
        self, name: str, title: str, widget: QWidget, area: Qt.DockWidgetArea
    ) -> QDockWidget:
        dock = PanelDock(name, title, self._window)
        if isinstance(widget, Panel) and widget.header is not None:
            dock.set_header(widget.header)
            widget.setProperty("role", "panel_bottom")
        dock.set_panel(widget)
        widget.setMinimumWidth(max(widget.minimumWidth(), _LEAST_WIDTHS.get(name, 0)))
        self._window.addDockWidget(area, dock)
        self._docks[name] = dock
        return dock

    def toggle_actions(self) -> list[QAction]:
        """Return the checkable actions that show and hide the docks."""
        return [dock.toggleViewAction() for dock in self._docks.values()]

    def show_panel(self, name: str) -> None:
        """Bring a panel to the front, wherever it is."""
        if self.deck.has_page(name):
            self._docks["deck"].show()
            self.deck.show_page(name)
        elif name in self._taken:
            self._taken[name].show()
            self._taken[name].raise_()
        elif name in self._docks:
            self._docks[name].show()

    def take_out(self, name: str) -> None:
        """Give a panel of the tabs a dock of its own, floating."""
        if not self.deck.has_page(name):
            return
        spec, panel = self._panels[name]
        self.deck.take_page(name)
        self._docks["deck"].setVisible(bool(self.deck.page_ids()))
        dock = PanelDock(name, spec.title, self._window)
        dock.closed.connect(lambda: self.put_back(name))
        header = PanelHeader(spec.glyph, spec.title)
        corner = panel.corner_widget()
        if corner is not None:
            header.add_widget(corner)
            corner.show()
        header.add_button("x", "Put back among the tabs").clicked.connect(dock.close)
        dock.set_header(header)
        panel.setProperty("role", "panel_bottom")
        dock.set_panel(panel)
        panel.show()
        self._window.addDockWidget(_AREAS["bottom"], dock)
        self._taken[name] = dock
        dock.setFloating(True)
        corner_of_deck = self.deck.mapToGlobal(QPoint(40, -240))
        dock.setGeometry(QRect(corner_of_deck, QSize(640, 280)))
        dock.show()

    def put_back(self, name: str) -> None:
        """Put a panel back among the tabs."""
        dock = self._taken.pop(name, None)
        if dock is None:
            return
        spec, panel = self._panels[name]
        panel.setProperty("role", "panel")
        self.deck.add_page(name, spec.title, spec.glyph, panel, panel.corner_widget())
        self.deck.show_page(name)
        self._docks["deck"].show()
        self._window.removeDockWidget(dock)
        dock.deleteLater()

    def restore_default(self) -> None:
        """Put every panel where it stands in a new window."""
        for name in list(self._taken):
            self.put_back(name)
        for name, dock in self._docks.items():
            area = self._panels[name][0].area if name in self._panels else "bottom"
            dock.setFloating(False)
            self._window.addDockWidget(_AREAS[area], dock)
            dock.show()
        self.deck.show_page(_ORDER[0])
        self.set_default_sizes()

    def set_default_sizes(self) -> None:
        """Give docks the sizes of a new window."""
        wide = self._window.width() >= 1600
        self._sizes.wanted = {
            "hierarchy.width": 280 if wide else 236,
            "inspector.width": 350 if wide else 320,
            "deck.height": 210 if self._window.height() >= 1000 else 178,
        }
        self._sizes.give_back()

    def save(self) -> None:
        """Remember the layout."""
        state = {
            "version": _VERSION,
            "taken": sorted(self._taken),
            "state": base64.b64encode(self._window.saveState(_VERSION).data()).decode(),
            "page": self.deck.current,
            "sizes": self._sizes.wanted,
        }
        geometry = base64.b64encode(self._window.saveGeometry().data()).decode()
        self._settings.set("window_state", json.dumps(state))
        self._settings.set("window_geometry", geometry)

    def restore(self) -> bool:
        """Bring back the remembered layout; False when there is none that fits."""
        try:
            state = json.loads(self._settings.window_state)
            packed = base64.b64decode(state["state"], validate=True)
            geometry = base64.b64decode(self._settings.window_geometry, validate=True)
            taken = [name for name in state["taken"] if name in self._panels]
            page, version = str(state["page"]), state["version"]
            sizes = {name: int(size) for name, size in state.get("sizes", {}).items()}
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError):
            return False
        if version != _VERSION:
            return False
        for name in taken:
            self.take_out(name)
        self._window.restoreGeometry(QByteArray(geometry))
        restored = self._window.restoreState(QByteArray(packed), _VERSION)
        self.deck.show_page(page)
        self._sizes.wanted = {n: max(0, min(size, _LARGEST)) for n, size in sizes.items()}
        return restored
