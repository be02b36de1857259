"""The small picture of what the selected camera sees, in a corner of the viewport."""

from typing import Final

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetrics,
    QImage,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QWidget

from editor.qt.theme import tokens
from editor.viewport.chips import HEIGHT, RADIUS, Chip

WIDTH: Final = 224
PICTURE: Final = (224, 126)
"""Logical pixels, 16:9 as the camera's shape in the level."""


class CameraInset(QWidget):
    """A camera's picture under its name; a click looks through the camera.

    Signals
    -------
    chosen()
        The artist wants to look through the camera.
    piloted()
        The artist wants to pilot it.
    """

    chosen = Signal()
    piloted = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("viewport.inset")
        self.setAccessibleName("Camera preview")
        self.setToolTip("What the selected camera sees; click to look through it")
        self.setFixedSize(WIDTH, HEIGHT + PICTURE[1])
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.pilot = Chip("video-camera", "Pilot", self)
        self.pilot.show_parts("Pilot")
        self.pilot.setToolTip("Move the camera by moving the view  (Shift+0)")
        self.pilot.move(WIDTH - self.pilot.width(), 0)
        self.pilot.clicked.connect(self.piloted)
        self._name = ""
        self._image: QImage | None = None
        self.hide()

    def show_name(self, name: str) -> None:
        """Say whose picture it is."""
        if name != self._name:
            self._name = name
            self.update()

    def show_image(self, image: QImage | None) -> None:
        """Set the picture; None while there is none."""
        self._image = image
        self.update()

    @property
    def image(self) -> QImage | None:
        """The picture that is shown."""
        return self._image

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton and self.rect().contains(
            event.position().toPoint()
        ):
            self.chosen.emit()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        event.accept()

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme = tokens()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        frame = QRectF(0.5, 0.5, self.width() - 1, self.height() - 1)
        plate = QPainterPath()
        plate.addRoundedRect(frame, RADIUS, RADIUS)
        painter.fillPath(plate, QColor(theme.chip))
        painter.save()
        painter.setClipPath(plate)
        picture = QRectF(0, HEIGHT, *PICTURE)
        if self._image is not None:
            painter.drawImage(picture, self._image)
        painter.restore()
        painter.setPen(QPen(QColor(theme.line_strong), 1.0))
        painter.drawPath(plate)
        painter.setPen(QColor(theme.chip_text))
        room = self.pilot.x() - 16
        name = QFontMetrics(self.font()).elidedText(self._name, Qt.TextElideMode.ElideRight, room)
        box = QRectF(9, 0, room, HEIGHT)
        painter.drawText(box, int(Qt.AlignmentFlag.AlignVCenter), name)
