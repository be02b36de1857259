"""Painting the tools' shapes with Qt, anti-aliased at the device's own resolution."""

from typing import Final

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen, QPolygonF

from editor.qt.icons import draw_icon
from editor.qt.theme import tokens
from editor.tools.projection import Vector
from editor.tools.shapes import Icon, Polygon, Rgba, Shape, Stroke, Text

GLYPHS: Final = {
    "directional": "sun",
    "point": "lightbulb",
    "spot": "flashlight",
    "camera": "video-camera",
}
ICON_SIZE: Final = 18
ICON_GROUND: Final = QColor(22, 24, 28, 158)
"""Behind icons in both themes: what they lie on is the level, not the window."""


def paint_shapes(painter: QPainter, shapes: list[Shape]) -> None:
    """Paint shapes in their order; the painter works in logical pixels."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for shape in shapes:
        match shape:
            case Polygon():
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(_color(shape.color))
                painter.drawPolygon(_polygon(shape.points))
            case Stroke():
                _paint_stroke(painter, shape)
            case Icon():
                _paint_icon(painter, shape)
            case Text():
                _paint_text(painter, shape)


def _paint_stroke(painter: QPainter, stroke: Stroke) -> None:
    pen = QPen(_color(stroke.color), stroke.width)
    pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    if stroke.dashed:
        pen.setDashPattern([3.0, 3.0])
    painter.setBrush(Qt.BrushStyle.NoBrush)
    outline = _polygon(stroke.points)
    draw = painter.drawPolygon if stroke.closed else painter.drawPolyline
    if stroke.halo:
        halo = QPen(pen)
        halo.setColor(QColor(0, 0, 0, 56))
        halo.setWidthF(stroke.width + 1.8)
        painter.setPen(halo)
        draw(outline)
    painter.setPen(pen)
    draw(outline)


def _paint_icon(painter: QPainter, shape: Icon) -> None:
    half = ICON_SIZE / 2 + 3
    plate = QRectF(shape.x - half, shape.y - half, 2 * half, 2 * half)
    painter.setPen(QPen(_color(shape.color), 1.4) if shape.selected else Qt.PenStyle.NoPen)
    painter.setBrush(ICON_GROUND)
    painter.drawEllipse(plate)
    box = QRect(
        round(shape.x - ICON_SIZE / 2), round(shape.y - ICON_SIZE / 2), ICON_SIZE, ICON_SIZE
    )
    draw_icon(painter, box, GLYPHS[shape.name], _color(shape.color))


def _paint_text(painter: QPainter, shape: Text) -> None:
    metrics = QFontMetricsF(painter.font())
    width = metrics.horizontalAdvance(shape.text) + 16
    view = painter.viewport()
    window = painter.window()
    room = window.width() if window.width() else view.width()
    x = min(shape.x, room - width - 4)
    plate = QRectF(x, shape.y, width, metrics.height() + 8)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(tokens().chip))
    painter.drawRoundedRect(plate, 5, 5)
    painter.setPen(QColor(tokens().chip_text))
    painter.drawText(plate, int(Qt.AlignmentFlag.AlignCenter), shape.text)


def _color(rgba: Rgba) -> QColor:
    return QColor(*rgba)


def _polygon(points: Vector) -> QPolygonF:
    """Coordinates are kept in a range that painters handle exactly."""
    return QPolygonF([QPointF(x, y) for x, y in points.clip(-30_000, 30_000).tolist()])
