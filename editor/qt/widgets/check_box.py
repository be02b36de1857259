"""A painted check box with a mixed state, crisp at every scale and in both themes."""

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from editor.qt.theme import color

__all__ = ["CheckBox"]

_BOX = 14


class CheckBox(QAbstractButton):
    """On, off or mixed.

    Signals
    -------
    edited(bool)
        The artist chose a state; a mixed box becomes on.
    """

    edited = Signal(bool)

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setText(text)
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._mixed = False
        self.clicked.connect(self._on_clicked)

    @property
    def mixed(self) -> bool:
        """Whether the selection's values differ."""
        return self._mixed

    def set_state(self, state: bool | None) -> None:
        """Show on, off, or mixed for None."""
        self._mixed = state is None
        self.setChecked(bool(state))
        self.update()

    def _on_clicked(self, checked: bool) -> None:
        if self._mixed:
            self._mixed = False
            self.setChecked(True)
            checked = True
        self.edited.emit(checked)

    def sizeHint(self) -> QSize:
        width = _BOX + 2
        if self.text():
            width += 7 + self.fontMetrics().horizontalAdvance(self.text()) + 2
        return QSize(width, 20)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(1, (self.height() - _BOX) / 2, _BOX, _BOX)
        self._paint_box(painter, box)
        self._paint_mark(painter, box)
        if self.text():
            painter.setPen(color("text" if self.isEnabled() else "faint"))
            rect = self.rect().adjusted(_BOX + 8, 0, 0, 0)
            painter.drawText(rect, int(Qt.AlignmentFlag.AlignVCenter), self.text())
        painter.end()

    def _paint_box(self, painter: QPainter, box: QRectF) -> None:
        enabled = self.isEnabled()
        hovered = self.underMouse() and enabled
        if self.isChecked() or self._mixed:
            role = ("accent_hover" if hovered else "accent") if enabled else "line_strong"
            painter.setBrush(color(role))
            painter.setPen(Qt.PenStyle.NoPen)
            painter.drawRoundedRect(box, 3.5, 3.5)
        else:
            painter.setBrush(color("sunken"))
            border = "accent" if hovered else "check_border" if enabled else "line"
            painter.setPen(QPen(color(border), 1))
            painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 3.5, 3.5)
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(color("accent_hover"), 1))
            painter.drawRoundedRect(box.adjusted(-0.5, -0.5, 0.5, 0.5), 4, 4)

    def _paint_mark(self, painter: QPainter, box: QRectF) -> None:
        pen = QPen(color("on_accent"), 1.7)
        pen.setCapStyle(Qt.PenCapStyle.RoundCap)
        pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
        painter.setPen(pen)
        at = box.topLeft()
        if self._mixed:
            painter.drawLine(at + QPointF(4, 7), at + QPointF(10, 7))
        elif self.isChecked():
            hook = (QPointF(3.7, 7.3), QPointF(6, 9.6), QPointF(10.4, 4.8))
            painter.drawPolyline(QPolygonF([at + point for point in hook]))
