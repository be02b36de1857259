"""Two parts side by side, the second below the first where there is no room beside it."""

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QSizePolicy, QWidget

__all__ = ["WrappingLine"]

_GAP = 6


class WrappingLine(QWidget):
    """Shows `lead`, then `tail` at the right: beside it, or below it in a narrow panel.

    Parameters
    ----------
    lead
        Takes what room there is; it asks for the width that shows all of it.
    tail
        Never cut.
    """

    def __init__(self, lead: QWidget, tail: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._lead, self._tail = lead, tail
        self.is_wrapped = False
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(_GAP)
        self._grid.setVerticalSpacing(0)
        self._grid.setColumnStretch(0, 1)
        self._grid.addWidget(lead, 0, 0)
        self._grid.addWidget(tail, 0, 1)

    def _whole_width(self) -> int:
        tail = 0 if self._tail.isHidden() else self._width_of(self._tail) + _GAP
        return self._width_of(self._lead) + tail

    @staticmethod
    def _width_of(part: QWidget) -> int:
        return max(part.sizeHint().width(), part.minimumWidth())

    def _arrange(self) -> None:
        """Put the second part where it fits."""
        is_wrapped = not self._tail.isHidden() and self._whole_width() > self.width()
        if is_wrapped == self.is_wrapped:
            return
        self.is_wrapped = is_wrapped
        self._grid.removeWidget(self._tail)
        row, column = (1, 0) if is_wrapped else (0, 1)
        side = Qt.AlignmentFlag.AlignRight
        self._grid.addWidget(self._tail, row, column, side if is_wrapped else Qt.AlignmentFlag(0))
        self.updateGeometry()

    def minimumSizeHint(self) -> QSize:
        """Leave a panel as narrow as it is: what is beside the first part can go below it."""
        parts = [part for part in (self._lead, self._tail) if not part.isHidden()]
        width = max((p.minimumWidth() or p.minimumSizeHint().width() for p in parts), default=0)
        return QSize(width, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def event(self, event: QEvent) -> bool:
        """Look again when one of the parts says something else."""
        if event.type() == QEvent.Type.LayoutRequest:
            self._arrange()
        return super().event(event)
