"""How large the artist made the docks, kept while a small window squeezes them.

Qt takes room from docks when a window becomes small and gives none of it back when it becomes
large again.
"""

from collections.abc import Mapping

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtWidgets import QDockWidget, QMainWindow

__all__ = ["DockSizes"]

_UNITS = {Qt.Orientation.Horizontal: "width", Qt.Orientation.Vertical: "height"}
_SIDES = (Qt.DockWidgetArea.LeftDockWidgetArea, Qt.DockWidgetArea.RightDockWidgetArea)


class DockSizes(QObject):
    """The sizes wanted of the docks of a window: widths at its sides, heights above and below.

    Parameters
    ----------
    window : QMainWindow
    docks : mapping of str to QDockWidget
        Looked at when sizes are, so it may grow.

    Attributes
    ----------
    wanted : dict of str to int
        Logical pixels by "name.width" or "name.height".
    """

    def __init__(self, window: QMainWindow, docks: Mapping[str, QDockWidget]) -> None:
        super().__init__(window)
        self._window = window
        self._docks = docks
        self._before_drag: dict[str, int] = {}
        self.wanted: dict[str, int] = {}
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.timeout.connect(self.give_back)
        window.installEventFilter(self)

    def give_back(self) -> None:
        """Make the docks as large as is wanted, as far as there is room."""
        self.wanted = self._sizes() | self.wanted
        for orientation, unit in _UNITS.items():
            docks = {f"{n}.{unit}": d for n, d in self._standing() if self._unit(d) == unit}
            sizes = [self.wanted[key] for key in docks]
            self._window.resizeDocks(list(docks.values()), sizes, orientation)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if kind == QEvent.Type.Resize:
            self._soon.start(0)
        elif kind == QEvent.Type.MouseButtonPress:
            self._before_drag = self._sizes()
        elif kind == QEvent.Type.MouseButtonRelease:
            # Gaps between docks are the window's own; only what moved with one is wanted so.
            sizes, before = self._sizes(), self._before_drag
            self.wanted |= {n: size for n, size in sizes.items() if size != before.get(n, size)}
        return False

    def _sizes(self) -> dict[str, int]:
        """Return how large docks are, by "name.width" at the sides and "name.height" elsewhere."""
        units = [(name, dock, self._unit(dock)) for name, dock in self._standing()]
        return {
            f"{name}.{unit}": dock.width() if unit == "width" else dock.height()
            for name, dock, unit in units
        }

    def _standing(self) -> list[tuple[str, QDockWidget]]:
        docks = self._docks.items()
        return [(n, dock) for n, dock in docks if not (dock.isHidden() or dock.isFloating())]

    def _unit(self, dock: QDockWidget) -> str:
        return "width" if self._window.dockWidgetArea(dock) in _SIDES else "height"
