"""The dock of a panel: its own header is the handle, a gap keeps it off the window's edge."""

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QCloseEvent, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QDockWidget, QMainWindow, QVBoxLayout, QWidget

from editor.qt.theme import Sizes, color

__all__ = ["PanelDock"]


class _TitleBar(QWidget):
    """Holds the panel's header and paints the rounded upper end of the panel.

    It takes no mouse events, so that Qt moves the dock by it.
    """

    def __init__(self, header: QWidget, dock: QDockWidget) -> None:
        super().__init__(dock)
        self._gaps = (0, 0)
        self._column = QVBoxLayout(self)
        self._column.addWidget(header)
        self.setCursor(Qt.CursorShape.ArrowCursor)

    def set_gaps(self, left: int, right: int) -> None:
        """Keep off the window's edge."""
        self._gaps = (left, right)
        pad = Sizes.PADDING
        self._column.setContentsMargins(left + pad, 6, right + pad, 0)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        left, right = self._gaps
        box = QRectF(self.rect()).adjusted(left, 0, -right, 0)
        path = QPainterPath()
        path.setFillRule(Qt.FillRule.WindingFill)
        path.addRoundedRect(box, Sizes.RADIUS_PANEL, Sizes.RADIUS_PANEL)
        path.addRect(box.adjusted(0, Sizes.RADIUS_PANEL, 0, 0))
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillPath(path, color("panel"))
        painter.end()


class PanelDock(QDockWidget):
    """A dock without a title bar of Qt's.

    Signals
    -------
    closed()
    """

    closed = Signal()

    def __init__(self, name: str, title: str, window: QMainWindow) -> None:
        super().__init__(title, window)
        self.setObjectName(f"dock.{name}")
        self._title_bar: _TitleBar | None = None
        self._no_title = QWidget(self)
        self.setTitleBarWidget(self._no_title)
        self._holder = QWidget(self)
        self._column = QVBoxLayout(self._holder)
        self._area = Qt.DockWidgetArea.NoDockWidgetArea
        self.setWidget(self._holder)
        self.dockLocationChanged.connect(self._on_moved)
        self.topLevelChanged.connect(lambda floating: self._fit())
        self._fit()

    def set_header(self, header: QWidget) -> None:
        """Use a panel's header as the handle that the dock is moved by."""
        self._title_bar = _TitleBar(header, self)
        self.setTitleBarWidget(self._title_bar)
        self._fit()

    def set_panel(self, panel: QWidget) -> None:
        """Put the panel in."""
        self._column.addWidget(panel)

    def _on_moved(self, area: Qt.DockWidgetArea) -> None:
        self._area = area
        self._fit()

    def _fit(self) -> None:
        floats = self.isFloating()
        gap = 0 if floats else Sizes.GAP
        left = gap if self._area == Qt.DockWidgetArea.LeftDockWidgetArea else 0
        right = gap if self._area == Qt.DockWidgetArea.RightDockWidgetArea else 0
        self._column.setContentsMargins(left, 0, right, 0)
        edge = int(floats)
        self.setContentsMargins(edge, edge, edge, edge)
        if self._title_bar is not None:
            self._title_bar.set_gaps(left, right)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.isFloating():
            painter = QPainter(self)
            painter.setPen(color("line_strong"))
            painter.drawRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5))
            painter.end()

    def closeEvent(self, event: QCloseEvent) -> None:
        super().closeEvent(event)
        self.closed.emit()
