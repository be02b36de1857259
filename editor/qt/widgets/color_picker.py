"""The colour picker: a square of saturation and value, a hue bar, and strength for HDR colours."""

import colorsys
from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QBrush,
    QColor,
    QGuiApplication,
    QLinearGradient,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from editor.qt.color_space import linear_from_srgb, srgb_from_linear
from editor.qt.expression import NumberEdit
from editor.qt.widgets.number_field import NumberField
from editor.qt.widgets.popup import paint_popup

__all__ = ["ColorPicker"]


class _Drag(QWidget):
    """A painted area that reports the pointer as two fractions while it is dragged."""

    started = Signal()
    moved = Signal(float, float)
    ended = Signal()

    def _report(self, event: QMouseEvent) -> None:
        x = event.position().x() / max(1, self.width())
        y = event.position().y() / max(1, self.height())
        self.moved.emit(min(1.0, max(0.0, x)), min(1.0, max(0.0, y)))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.started.emit()
        self._report(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._report(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self.ended.emit()


class _Square(_Drag):
    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.hue, self.saturation, self.level = 0.0, 0.0, 1.0
        self.setFixedSize(204, 140)
        self.setCursor(Qt.CursorShape.CrossCursor)
        self.setAccessibleName("Saturation and value")

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        rect = QRectF(self.rect())
        across = QLinearGradient(rect.topLeft(), rect.topRight())
        across.setColorAt(0, QColor("white"))
        across.setColorAt(1, QColor.fromHsvF(min(self.hue, 0.9999), 1, 1))
        down = QLinearGradient(rect.topLeft(), rect.bottomLeft())
        down.setColorAt(0, QColor(0, 0, 0, 0))
        down.setColorAt(1, QColor(0, 0, 0))
        for gradient in (across, down):
            painter.setBrush(QBrush(gradient))
            painter.drawRoundedRect(rect, 4, 4)
        dot = QPointF(self.saturation * self.width(), (1 - self.level) * self.height())
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for tint, radius in ((QColor(0, 0, 0, 160), 6.5), (QColor("white"), 5.5)):
            painter.setPen(QPen(tint, 1.5))
            painter.drawEllipse(dot, radius, radius)
        painter.end()


class _HueBar(_Drag):
    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.hue = 0.0
        self.setFixedSize(204, 14)
        self.setAccessibleName("Hue")

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        gradient = QLinearGradient(0, 0, self.width(), 0)
        for step in range(7):
            gradient.setColorAt(step / 6, QColor.fromHsvF(step / 6 % 1.0, 1, 1))
        painter.setBrush(QBrush(gradient))
        painter.drawRoundedRect(QRectF(self.rect()), 4, 4)
        x = min(self.width() - 3.0, max(3.0, self.hue * self.width()))
        painter.setBrush(QColor("white"))
        painter.setPen(QPen(QColor(0, 0, 0, 160), 1))
        painter.drawRoundedRect(QRectF(x - 2.5, 0.5, 5, self.height() - 1), 2, 2)
        painter.end()


class ColorPicker(QWidget):
    """A popup that edits one linear colour.

    Signals
    -------
    started(), changed(tuple), finished(bool)
        A drag inside it.
    chosen(tuple)
        A single change, such as a typed strength.
    """

    started = Signal()
    changed = Signal(object)
    finished = Signal(bool)
    chosen = Signal(object)

    def __init__(self, value: Sequence[float], parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Popup | Qt.WindowType.FramelessWindowHint)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)
        self._square = _Square(self)
        self._bar = _HueBar(self)
        self._strength = NumberField(self)
        self._strength.step = 0.02
        self._strength.setAccessibleName("Strength")
        self._dragging = False
        column = QVBoxLayout(self)
        column.setContentsMargins(10, 10, 10, 10)
        column.setSpacing(8)
        column.addWidget(self._square)
        column.addWidget(self._bar)
        row = QHBoxLayout()
        label = QLabel("Strength", self)
        label.setProperty("role", "quiet")
        row.addWidget(label)
        row.addStretch(1)
        self._strength.setFixedWidth(84)
        row.addWidget(self._strength)
        column.addLayout(row)
        self._power = 1.0
        self._square.moved.connect(self._on_square_moved)
        self._bar.moved.connect(self._on_hue_moved)
        for area in (self._square, self._bar):
            area.started.connect(self._on_started)
            area.ended.connect(self._on_ended)
        self._strength.edited.connect(self._on_strength_edited)
        self.show_color(value)

    def open_at(self, position: QPoint) -> None:
        """Show the popup, kept inside the screen."""
        self.adjustSize()
        screen = QGuiApplication.screenAt(position) or QGuiApplication.primaryScreen()
        area = screen.availableGeometry()
        x = min(position.x(), area.right() - self.width())
        y = min(position.y(), area.bottom() - self.height())
        self.move(max(area.left(), x), max(area.top(), y))
        self.show()

    def show_color(self, value: Sequence[float]) -> None:
        """Show a colour that changed elsewhere; a drag in progress keeps its own."""
        if self._dragging:
            return
        linear = np.asarray(value[:3], np.float64)
        self._power = max(1.0, float(linear.max()))
        red, green, blue = (float(v) for v in srgb_from_linear(linear / self._power))
        hue, saturation, level = colorsys.rgb_to_hsv(red, green, blue)
        if saturation > 0 and level > 0:
            self._square.hue = self._bar.hue = hue
        self._square.saturation, self._square.level = saturation, level
        self._strength.set_value(self._power)
        self._square.update()
        self._bar.update()

    def value(self) -> tuple[float, float, float]:
        """Return the linear colour shown."""
        square = self._square
        srgb = colorsys.hsv_to_rgb(square.hue, square.saturation, square.level)
        red, green, blue = (float(np.float32(v * self._power)) for v in linear_from_srgb(srgb))
        return red, green, blue

    def _on_started(self) -> None:
        self._dragging = True
        self.started.emit()

    def _on_ended(self) -> None:
        self._dragging = False
        self.finished.emit(True)

    def _on_square_moved(self, x: float, y: float) -> None:
        self._square.saturation, self._square.level = x, 1 - y
        self._square.update()
        self.changed.emit(self.value())

    def _on_hue_moved(self, x: float, y: float) -> None:
        self._bar.hue = self._square.hue = x
        self._bar.update()
        self._square.update()
        self.changed.emit(self.value())

    def _on_strength_edited(self, edit: NumberEdit) -> None:
        self._power = max(0.0, edit.apply(self._power, 0, 1))
        self._strength.set_value(self._power)
        self.chosen.emit(self.value())

    def paintEvent(self, event: QPaintEvent) -> None:
        paint_popup(self)
