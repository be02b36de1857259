"""A scroll bar in the padding beside a list, so that the rows reach as far as the fields above."""

from typing import Final

from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtWidgets import QAbstractScrollArea, QScrollBar, QWidget
from shiboken6 import isValid

from editor.qt.theme import Sizes

__all__ = ["GutterScrollBar"]

_MOVING: Final = frozenset(
    {QEvent.Type.Resize, QEvent.Type.Move, QEvent.Type.Show, QEvent.Type.Hide}
)


class GutterScrollBar(QScrollBar):
    """Stands at the right of a scroll area, in place of its own vertical bar.

    Parameters
    ----------
    area
        Its own bar is put out of sight and goes on to hold the position.
    panel
        The widget with a right padding of at least the bar's width.
    """

    def __init__(self, area: QAbstractScrollArea, panel: QWidget) -> None:
        super().__init__(Qt.Orientation.Vertical, panel)
        self._area = area
        self._panel = panel
        self._own = area.verticalScrollBar()
        area.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._own.rangeChanged.connect(lambda low, high: self._follow())
        self._own.valueChanged.connect(self.setValue)
        self.valueChanged.connect(self._own.setValue)
        area.installEventFilter(self)
        self._follow()

    def _follow(self) -> None:
        own = self._own
        self.setPageStep(own.pageStep())
        self.setSingleStep(own.singleStep())
        self.setRange(own.minimum(), own.maximum())
        self.setValue(own.value())
        self.setVisible(own.maximum() > own.minimum() and self._area.isVisible())

    def _place(self) -> None:
        corner = self._area.mapTo(self._panel, QPoint(self._area.width(), 0))
        self.setGeometry(corner.x(), corner.y(), Sizes.PADDING, self._area.height())
        self._follow()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        # An area that is being destroyed hides after its bar is gone.
        if event.type() in _MOVING and isValid(self._own):
            self._place()
        return super().eventFilter(watched, event)
