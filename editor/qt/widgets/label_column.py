"""The width that all field labels of a panel share, and the grip that changes it."""

from typing import Final

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QWidget

from editor.qt.theme import Sizes

__all__ = ["ColumnGrip", "LabelColumn"]

_LEAST: Final = 60
_MOST: Final = 240
_MOST_BY_ITSELF: Final = 118
"""More would leave three numbers in a row too little."""


class LabelColumn(QObject):
    """The width of the labels.

    Until somebody drags it, it becomes wider for a label that does not fit, within reason, and
    never narrower: what is shown next stands where it stood.

    Signals
    -------
    changed(int)
    """

    changed = Signal(int)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.width = Sizes.LABEL
        self._is_chosen = False

    def make_room(self, width: int) -> None:
        """Become wide enough for a label, unless somebody chose a width."""
        wanted = min(width, _MOST_BY_ITSELF)
        if not self._is_chosen and wanted > self.width:
            self._take(wanted)

    def reset(self) -> None:
        """Take the usual width, and the choice from now on."""
        self._is_chosen = False
        self._take(Sizes.LABEL)

    def set_width(self, width: int) -> None:
        """Take another width, within reason."""
        self._is_chosen = True
        self._take(min(_MOST, max(_LEAST, width)))

    def _take(self, width: int) -> None:
        if width != self.width:
            self.width = width
            self.changed.emit(width)


class ColumnGrip(QWidget):
    """The space between label and field; dragging it resizes the column of all rows."""

    def __init__(self, column: LabelColumn, parent: QWidget) -> None:
        super().__init__(parent)
        self._column = column
        self._start: tuple[float, int] | None = None
        self.setFixedWidth(6)
        self.setCursor(Qt.CursorShape.SplitHCursor)
        self.setToolTip("Drag to resize the labels, double click for the usual width")

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._start = (event.globalPosition().x(), self._column.width)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._start is not None:
            at, width = self._start
            self._column.set_width(width + round(event.globalPosition().x() - at))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._start = None

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self._column.reset()
