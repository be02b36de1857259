"""A field for one number: type, calculate, scrub, step.

It shows a rounded value with its unit; while it has the focus it shows the exact one. Nothing is
written unless the artist changed the text, so rounding never alters a value. A press that moves
sideways scrubs (Shift is precise, Ctrl coarse); a click edits. Changes leave as `NumberEdit`
objects, in the units that are shown.
"""

import math
from typing import Final

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QLineEdit, QWidget

from editor.qt.expression import ExpressionError, NumberEdit, parse_edit
from editor.qt.fonts import tabular_font
from editor.qt.number_format import display_number, exact_number
from editor.qt.theme import tokens
from editor.qt.widgets.scrub import Scrub

__all__ = ["NumberField"]

_DRAG_PX: Final = 4
_LEAST: Final = {"m": 1e-5, "°": 1e-4}
"""What is less is what arithmetic left over, and shows as none."""
_EDGE_PX: Final = 3
_INSET_PX: Final = 15


class NumberField(QLineEdit):
    """One number, or the mixed value of a selection.

    Signals
    -------
    edited(NumberEdit)
        A finished edit.
    scrub_started(), scrubbed(NumberEdit), scrub_finished(bool)
        A drag: a preview relative to the values at its start; ``False`` means cancelled.
    """

    edited = Signal(object)
    scrub_started = Signal()
    scrubbed = Signal(object)
    scrub_finished = Signal(bool)

    def __init__(self, parent: QWidget | None = None, *, unit: str = "", axis: int = -1) -> None:
        super().__init__(parent)
        self.unit = unit
        self.axis = axis
        self.decimals = 3
        self.step = 0.1
        self.whole = False
        self._value: float | None = 0.0
        self._instead = "mixed"
        self._shown = ""
        self._scrub = Scrub(self)
        self._press: QPointF | None = None
        self._limits: tuple[float, float] | None = None
        self.setProperty("axis", axis >= 0)
        self.setFont(tabular_font())
        self.setMinimumWidth(36)
        self.setCursor(Qt.CursorShape.SizeHorCursor)
        # A press may begin a drag; only a click takes the focus, when it is over.
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)
        self.returnPressed.connect(self._on_return)
        self._scrub.started.connect(self.scrub_started)
        self._scrub.moved.connect(self._on_scrub_moved)
        self._scrub.finished.connect(self.scrub_finished)
        self._show_value()

    @property
    def value(self) -> float | None:
        """The value shown, None while the selection's values differ."""
        return self._value

    def set_value(self, value: float | None, instead: str = "mixed") -> None:
        """Show a value, or `instead` for None; an edit in progress keeps its text."""
        same = value == self._value and instead == self._instead
        self._value, self._instead = value, instead
        if not (self.hasFocus() and self.isModified()) and not (same and self.hasFocus()):
            self._show_value()

    def set_unit(self, unit: str) -> None:
        """Show another unit behind the number, and take it where it is typed."""
        if unit != self.unit:
            self.unit = unit
            if not self.hasFocus():
                self._show_value()

    def set_limits(self, low: float, high: float) -> None:
        """Say which values make sense: a thin bar then shows where the value lies between."""
        self._limits = (low, high)
        self.update()

    def scrub_by(self, pixels: float, modifiers: Qt.KeyboardModifier) -> NumberEdit:
        """Return the edit that a drag of so many pixels means."""
        factor = 1.0
        if modifiers & Qt.KeyboardModifier.ShiftModifier:
            factor = 0.1
        elif modifiers & Qt.KeyboardModifier.ControlModifier:
            factor = 10.0
        delta = pixels * self.step * factor
        return NumberEdit.by(round(delta) if self.whole else round(delta, 6))

    def _text_for(self, value: float | None) -> str:
        if value is None:
            return ""
        if self.hasFocus():
            return exact_number(value)
        joint = "" if self.unit in {"", "°"} else " "
        unit = f"{joint}{self.unit}"
        most = 0 if self.whole else self.decimals
        least = _LEAST.get(self.unit, 0.0)
        texts = [display_number(value, d, least) for d in range(most, -1, -1)]
        # A number without its unit says more than one that is rounded to hardly anything.
        choices = [text + unit for text in texts[:2]] + texts
        room = self.width() - _INSET_PX
        width = self.fontMetrics().horizontalAdvance
        fitting = (c for c in choices if width(c) <= room)
        return choices[0] if self.whole else next(fitting, choices[-1])

    def _show_value(self) -> None:
        is_none = self._value is None
        font = self.font()
        if font.italic() != is_none:
            font.setItalic(is_none)
            self.setFont(font)
        self.setPlaceholderText(self._instead if is_none else "")
        self._shown = self._text_for(self._value)
        self.setText(self._shown)
        if not self.hasFocus():
            self.setCursorPosition(0)
        self._mark_invalid(False)

    def _mark_invalid(self, invalid: bool) -> None:
        if bool(self.property("invalid")) != invalid:
            self.setProperty("invalid", invalid)
            self.style().unpolish(self)
            self.style().polish(self)

    def _commit(self) -> bool:
        """Send an edit if the text was changed; return False if it cannot be read."""
        if self.text() == self._shown:
            return True
        try:
            edit = parse_edit(self.text(), self.unit)
        except ExpressionError as error:
            self.setToolTip(str(error))
            self._mark_invalid(True)
            return False
        self._shown = self.text()
        self.setModified(False)
        self._mark_invalid(False)
        self.edited.emit(edit)
        return True

    def _on_return(self) -> None:
        """Hand over the edit, and the keys back to the window: Ctrl+Z then undoes the edit."""
        if self._commit():
            self.clearFocus()

    def _on_scrub_moved(self, pixels: float, modifiers: Qt.KeyboardModifier) -> None:
        self.scrubbed.emit(self.scrub_by(pixels, modifiers))

    def _step_by(self, steps: float, modifiers: Qt.KeyboardModifier) -> None:
        if not self._commit():
            return
        self.edited.emit(self.scrub_by(steps, modifiers))
        self._show_value()
        self.selectAll()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if not self.hasFocus():
            self._show_value()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.setCursor(Qt.CursorShape.IBeamCursor)
        self._show_value()
        self.selectAll()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if event.reason() == Qt.FocusReason.PopupFocusReason:
            return
        self.setCursor(Qt.CursorShape.SizeHorCursor)
        self._commit()
        self._show_value()
        self.deselect()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        if self._scrub.active and key == Qt.Key.Key_Escape:
            self._scrub.cancel()
        elif key == Qt.Key.Key_Escape:
            self.setModified(False)
            self._show_value()
            self.clearFocus()
        elif key in {Qt.Key.Key_Up, Qt.Key.Key_Down}:
            self._step_by(1 if key == Qt.Key.Key_Up else -1, event.modifiers())
        else:
            super().keyPressEvent(event)
            if key in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
                event.accept()  # in a dialog it would also press the default button

    def wheelEvent(self, event: QWheelEvent) -> None:
        if not self.hasFocus():
            event.ignore()
            return
        self._step_by(1 if event.angleDelta().y() > 0 else -1, event.modifiers())
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        left = event.button() == Qt.MouseButton.LeftButton
        if left and not self.hasFocus() and not self.isReadOnly():
            self._press = event.position()
            event.accept()
            return
        super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._scrub.active:
            self._scrub.move(event)
        elif self._press is not None:
            if abs(event.position().x() - self._press.x()) >= _DRAG_PX:
                self._scrub.begin(event)
        else:
            super().mouseMoveEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        pressed, self._press = self._press, None
        if self._scrub.active:
            self._scrub.end()
        elif pressed is not None:
            self.setFocus(Qt.FocusReason.MouseFocusReason)
        else:
            super().mouseReleaseEvent(event)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and self._scrub.active:
            event.accept()
            return True
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        path = QPainterPath()
        path.addRoundedRect(QRectF(self.rect()), 4, 4)
        painter.setClipPath(path)
        if self.axis >= 0:
            tint = QColor(tokens().axis(self.axis))
            if not self.isEnabled():
                tint.setAlphaF(0.4)
            painter.fillRect(0, 0, _EDGE_PX, self.height(), tint)
        if self._limits is not None and self._value is not None and not self.hasFocus():
            self._paint_level(painter, *self._limits, self._value)
        painter.end()

    def _paint_level(self, painter: QPainter, low: float, high: float, value: float) -> None:
        if not (math.isfinite(high - low) and high > low and math.isfinite(value)):
            return
        share = min(1.0, max(0.0, (value - low) / (high - low)))
        tint = QColor(tokens().accent)
        tint.setAlphaF(0.75 if self.isEnabled() else 0.3)
        painter.fillRect(QRectF(0, self.height() - 2, self.width() * share, 2), tint)
