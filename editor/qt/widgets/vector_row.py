"""A row of numbers with axis-coloured edges: a point, a rotation in degrees, a scale."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from editor.qt.expression import NumberEdit
from editor.qt.widgets.number_field import NumberField

__all__ = ["VectorRow"]


class VectorRow(QWidget):
    """Two to four number fields side by side.

    Signals
    -------
    edited(int, NumberEdit), scrubbed(int, NumberEdit)
        The axis, or -1 for all of them, and the edit.
    scrub_started(), scrub_finished(bool)
    """

    edited = Signal(int, object)
    scrub_started = Signal()
    scrubbed = Signal(int, object)
    scrub_finished = Signal(bool)

    def __init__(self, count: int, parent: QWidget | None = None, *, unit: str = "") -> None:
        super().__init__(parent)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        self.fields = [NumberField(self, unit=unit, axis=i) for i in range(count)]
        for axis, field in enumerate(self.fields):
            field.setAccessibleName("xyzw"[axis])
            field.edited.connect(lambda edit, axis=axis: self.edited.emit(axis, edit))
            field.scrub_started.connect(self.scrub_started)
            field.scrubbed.connect(lambda edit, axis=axis: self.scrubbed.emit(axis, edit))
            field.scrub_finished.connect(self.scrub_finished)
            layout.addWidget(field, 1)
        if self.fields:
            self.setFocusProxy(self.fields[0])

    def set_values(self, values: Sequence[float | None]) -> None:
        """Show one value per axis, None where the selection's values differ."""
        for field, value in zip(self.fields, values, strict=True):
            field.set_value(value)

    def scrub_all(self, pixels: float, modifiers: Qt.KeyboardModifier) -> NumberEdit:
        """Return the edit that a drag of the row's label means."""
        return self.fields[0].scrub_by(pixels, modifiers)
