"""The small cube in the upper right corner that turns with the view.

A click on a side looks from there, a click on the side that is looked from goes back to
perspective, and dragging it turns the view. The geometry is apart from the widget.
"""

from collections.abc import Callable
from typing import Final, NamedTuple

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtGui import QTransform as Transform
from PySide6.QtWidgets import QWidget

from editor.qt.theme import tokens
from editor.tools.projection import Vector
from editor.tools.view_camera import CameraPose

SIZE: Final = 72
REACH: Final = 18.0
"""Pixels from the middle to a side that faces the viewer."""
CLICK_SLACK: Final = 3.0
_LABEL_SIDE: Final = 100.0
# Name: outward, and what is right and up for a reader of its label.
_SIDES: Final = {
    "front": ((0, 0, 1), (1, 0, 0), (0, 1, 0)),
    "back": ((0, 0, -1), (-1, 0, 0), (0, 1, 0)),
    "right": ((1, 0, 0), (0, 0, -1), (0, 1, 0)),
    "left": ((-1, 0, 0), (0, 0, 1), (0, 1, 0)),
    "top": ((0, 1, 0), (1, 0, 0), (0, 0, -1)),
    "bottom": ((0, -1, 0), (1, 0, 0), (0, 0, 1)),
}


class Side(NamedTuple):
    """A side that is seen: (4, 2) corners in pixels, from the label's upper left clockwise.

    `facing` is 1 when it faces the viewer.
    """

    name: str
    corners: Vector
    facing: float


def visible_sides(pose: CameraPose) -> list[Side]:
    """Return the sides of the cube that a pose sees, the one that faces it most last."""
    view = np.stack([pose.right, -pose.up, pose.forward], axis=1)
    found = []
    for name, axes in _SIDES.items():
        outward, right, up = (np.array(axis, np.float64) for axis in axes)
        facing = -float(outward @ pose.forward)
        if facing > 0.04:
            corners = [outward - right + up, outward + right + up, outward + right - up]
            corners.append(outward - right - up)
            pixels = (np.array(corners) @ view)[:, :2] * REACH + SIZE / 2
            found.append(Side(name, pixels, facing))
    return sorted(found, key=lambda side: side.facing)


class ViewCube(QWidget):
    """Shows how the view is turned.

    Parameters
    ----------
    parent : QWidget
    pose : callable
        The present camera.
    set_view : callable
        Look from a side, or in "perspective".
    turn : callable
        Orbit by dx, dy pixels.
    """

    def __init__(
        self,
        parent: QWidget,
        pose: Callable[[], CameraPose],
        set_view: Callable[[str], None],
        turn: Callable[[float, float], None],
    ) -> None:
        super().__init__(parent)
        self.setObjectName("viewport.cube")
        self.setAccessibleName("View cube")
        self.setToolTip("Click a side to look from there, once more for perspective; drag to turn")
        self.setFixedSize(SIZE, SIZE)
        self.setMouseTracking(True)
        self.setCursor(Qt.CursorShape.ArrowCursor)
        self._pose = pose
        self._set_view = set_view
        self._turn = turn
        self._hovered = ""
        self._pressed: QPointF | None = None
        self._last = QPointF()
        self._has_turned = False

    def side_at(self, x: float, y: float) -> str:
        """Return the side under a pixel, empty beside the cube."""
        for side in reversed(visible_sides(self._pose())):
            if _polygon(side.corners).containsPoint(QPointF(x, y), Qt.FillRule.OddEvenFill):
                return side.name
        return ""

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton:
            self._pressed = self._last = event.position()
            self._has_turned = False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        at = event.position()
        if self._pressed is None:
            self._hover(self.side_at(at.x(), at.y()))
            return
        away = at - self._pressed
        self._has_turned = self._has_turned or max(abs(away.x()), abs(away.y())) > CLICK_SLACK
        if self._has_turned:
            # A drag across the cube turns it half around.
            by = (at - self._last) * 3.0
            self._turn(by.x(), by.y())
            self._last = at

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._pressed is None:
            return
        self._pressed = None
        name = self.side_at(event.position().x(), event.position().y())
        if name and not self._has_turned:
            self._set_view("perspective" if self._pose().view == name else name)
        self._hover(name)

    def leaveEvent(self, event: QEvent) -> None:
        self._hover("")
        super().leaveEvent(event)

    def _hover(self, name: str) -> None:
        if name != self._hovered:
            self._hovered = name
            self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme, pose = tokens(), self._pose()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_axes(painter, pose, behind=True)
        for side in visible_sides(pose):
            is_hot = side.name == self._hovered
            painter.setPen(QPen(QColor(theme.line_strong), 1.0))
            painter.setBrush(QColor(theme.chip_hover if is_hot else theme.chip))
            painter.drawPolygon(_polygon(side.corners))
            self._paint_label(painter, side, QColor(theme.accent if is_hot else theme.chip_text))
        self._paint_axes(painter, pose, behind=False)

    def _paint_label(self, painter: QPainter, side: Side, ink: QColor) -> None:
        """Lay the name on the side; one that is seen at a low angle has none."""
        if side.facing < 0.35:
            return
        flat = QRectF(0, 0, _LABEL_SIDE, _LABEL_SIDE)
        square = QPolygonF([flat.topLeft(), flat.topRight(), flat.bottomRight(), flat.bottomLeft()])
        placed = Transform.quadToQuad(square, _polygon(side.corners))
        if not isinstance(placed, Transform):
            return
        font = QFont(self.font())
        font.setPixelSize(27)
        font.setWeight(QFont.Weight.Medium)
        painter.save()
        painter.setTransform(placed, combine=True)
        painter.setFont(font)
        painter.setPen(ink)
        painter.drawText(flat, int(Qt.AlignmentFlag.AlignCenter), side.name.capitalize())
        painter.restore()

    def _paint_axes(self, painter: QPainter, pose: CameraPose, behind: bool) -> None:
        """Lines along the axes from the cube's corner, those that point away behind the cube."""
        theme = tokens()
        view = np.stack([pose.right, -pose.up, pose.forward], axis=1)
        corner = np.array([-1.0, -1.0, -1.0])
        for axis in range(3):
            points = np.stack([corner, corner + np.eye(3)[axis] * 2.55])
            flat = (points @ view) * REACH
            if (float(corner @ pose.forward) > -0.3) != behind:
                continue
            ends = flat[:, :2] + SIZE / 2
            pen = QPen(QColor(theme.axis(axis)), 2.0)
            pen.setCapStyle(Qt.PenCapStyle.RoundCap)
            painter.setPen(pen)
            painter.drawLine(QPointF(*ends[0].tolist()), QPointF(*ends[1].tolist()))


def _polygon(corners: Vector) -> QPolygonF:
    return QPolygonF([QPointF(x, y) for x, y in corners.tolist()])
