"""A colour with its hex code; a click opens the picker.

Values are linear RGB. A colour brighter than white shows its hue at full brightness and its
strength beside it.
"""

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QSizePolicy, QWidget

from editor.qt.color_space import hex_from_linear, linear_from_hex
from editor.qt.fonts import tabular_font
from editor.qt.number_format import display_number
from editor.qt.theme import color
from editor.qt.widgets.color_picker import ColorPicker

__all__ = ["ColorSwatch"]


class _Chip(QWidget):
    clicked = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.tint: QColor | None = None
        self.setFixedSize(44, 18)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setToolTip("Choose a colour")
        self.setAccessibleName("Choose a colour")

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.clicked.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in {Qt.Key.Key_Space, Qt.Key.Key_Return}:
            self.clicked.emit()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rect = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        focused = self.hasFocus() or self.underMouse()
        painter.setPen(QPen(color("accent" if focused else "line_strong"), 1))
        painter.setBrush(self.tint if self.tint is not None else color("sunken"))
        painter.drawRoundedRect(rect, 4, 4)
        if self.tint is None:
            painter.setPen(color("quiet"))
            painter.drawText(self.rect(), int(Qt.AlignmentFlag.AlignCenter), "—")
        painter.end()


class ColorSwatch(QWidget):
    """A linear colour of three or four values, or None for a mixed selection.

    Signals
    -------
    edited(object)
        A finished choice: a tuple of three linear values.
    preview_started(), previewed(object), preview_finished(bool)
        The same while the picker is dragged.
    """

    edited = Signal(object)
    preview_started = Signal()
    previewed = Signal(object)
    preview_finished = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._value: tuple[float, ...] | None = None
        self._picker: ColorPicker | None = None
        self._chip = _Chip(self)
        self._chip.clicked.connect(self.open_picker)
        self._hex = QLineEdit(self)
        self._hex.setFont(tabular_font())
        self._hex.setAccessibleName("Colour code")
        self._hex.setMinimumWidth(60)
        self._hex.editingFinished.connect(self._on_hex_edited)
        self._hex.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        row.addWidget(self._chip)
        row.addWidget(self._hex, 1)

    def set_value(self, value: Sequence[float] | None, instead: str = "mixed") -> None:
        """Show a linear colour, or `instead` for None."""
        self._value = None if value is None else tuple(float(v) for v in value)
        self._chip.tint = None if self._value is None else QColor(hex_from_linear(self._value))
        self._chip.update()
        if not (self._hex.hasFocus() and self._hex.isModified()):
            self._hex.setText(self._code())
        self._hex.setPlaceholderText(instead if self._value is None else "")
        if self._picker is not None and self._value is not None:
            self._picker.show_color(self._value)

    def _code(self) -> str:
        if self._value is None:
            return ""
        peak = max(self._value[:3])
        code = hex_from_linear(self._value)
        return f"{code}  × {display_number(peak)}" if peak > 1.0005 else code

    def _on_hex_edited(self) -> None:
        if not self._hex.isModified():
            return
        self._hex.setModified(False)
        value = linear_from_hex(self._hex.text().split("×")[0])
        if value is None:
            self._hex.setText(self._code())
        else:
            self.edited.emit(tuple(float(np.float32(v)) for v in value))

    def open_picker(self) -> None:
        """Open the picker below the swatch."""
        picker = ColorPicker(self._value or (1.0, 1.0, 1.0), self)
        self._picker = picker
        picker.started.connect(self.preview_started)
        picker.changed.connect(self.previewed)
        picker.finished.connect(self.preview_finished)
        picker.chosen.connect(self.edited)
        picker.destroyed.connect(self._on_picker_gone)
        picker.open_at(self.mapToGlobal(QPoint(0, self.height() + 4)))

    def _on_picker_gone(self) -> None:
        self._picker = None

    def sizeHint(self) -> QSize:
        return QSize(120, 22)
