"""The ground of a widget that opens over the window."""

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QWidget

from editor.qt.theme import color

__all__ = ["paint_popup"]

_RADIUS = 7


def paint_popup(widget: QWidget) -> None:
    """Paint a raised plate with an edge and round corners over all of a widget."""
    painter = QPainter(widget)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(color("raised"))
    painter.setPen(QPen(color("line_strong"), 1))
    inside = QRectF(widget.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
    painter.drawRoundedRect(inside, _RADIUS, _RADIUS)
    painter.end()
