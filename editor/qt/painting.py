"""Painting that several views share."""

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter

from editor.qt.theme import color

__all__ = ["paint_ground"]


def paint_ground(
    painter: QPainter, rect: QRectF, *, selected: bool = False, hovered: bool = False
) -> None:
    """Paint the rounded ground of a selected or hovered row, nothing for another."""
    if not (selected or hovered):
        return
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(color("selection" if selected else "hover"))
    painter.drawRoundedRect(rect, 4, 4)
    painter.restore()
