"""FLOAT: one number with its unit; radians marked as an angle are shown as degrees."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from PySide6.QtCore import Qt

from editor.panels.inspector.field_editors.base import (
    EditorContext,
    FieldEdit,
    FieldEditor,
    FieldInfo,
    shared_value,
)
from editor.qt.expression import NumberEdit
from editor.qt.number_format import display_number
from editor.qt.widgets.number_field import NumberField
from engine.reflect import ComponentRecord, Kind

__all__ = ["NumberEditor"]


class NumberEditor(FieldEditor):
    """One float32."""

    scrubs = True

    def __init__(self, info: FieldInfo, context: EditorContext) -> None:
        super().__init__(info, context)
        self._scale = 180 / math.pi if info.spec is not None and info.spec.angle else 1.0
        self._limits = info.spec.range if info.spec is not None else None
        self._unset = info.spec.unset if info.spec is not None else None
        self._field = NumberField(unit=info.unit)
        self._field.step = self._step()
        if self._limits is not None:
            low, high = self._limits.low * self._scale, self._limits.high * self._scale
            self._field.set_limits(low, high)
        self._say_limits()
        self.adopt_scrubbed(self._field, self._field_edit)

    @classmethod
    def handles(cls, info: FieldInfo) -> bool:
        return info.kind is Kind.FLOAT

    def _say_limits(self) -> None:
        if self._limits is None:
            return
        low, high = (
            display_number(end * self._scale) for end in (self._limits.low, self._limits.high)
        )
        joint = "" if self._field.unit in ("", "°") else " "
        self._field.setToolTip(f"{low} to {high}{joint}{self._field.unit}")

    def _step(self) -> float:
        if self._scale != 1.0:
            return 0.5
        if self._limits is not None:
            span = self._limits.high - self._limits.low
            return float(min(0.1, max(0.001, span / 400)))
        return 0.05

    def _field_edit(self, edit: NumberEdit) -> FieldEdit:
        scale, limits, unset = self._scale, self._limits, self._unset

        def apply(old: Any, index: int, count: int) -> np.float32:
            if unset is not None and float(old) == unset.value:
                old = unset.start
            value = edit.apply(float(old) * scale, index, count) / scale
            if limits is not None:
                value = min(limits.high, max(limits.low, value))
            return np.float32(value)

        return FieldEdit(apply)

    def set_records(self, records: Sequence[ComponentRecord]) -> None:
        unit_by = self.info.spec.unit_by if self.info.spec is not None else None
        if unit_by is None:
            return
        others = [field.value for r in records if (field := r.get(unit_by.field)) is not None]
        units = {unit_by.units.get(str(other), "") for other in others}
        self._field.set_unit(units.pop() if len(units) == 1 else "")
        self._say_limits()

    def set_values(self, values: Sequence[Any]) -> None:
        value = shared_value(values)
        if value is None:
            self._field.set_value(None)
        elif self._unset is not None and float(value) == self._unset.value:
            self._field.set_value(None, self._unset.text)
        else:
            self._field.set_value(_rounded(float(value) * self._scale))

    def scrub(self, pixels: float, modifiers: Qt.KeyboardModifier) -> FieldEdit:
        return self._field_edit(self._field.scrub_by(pixels, modifiers))


def _rounded(value: float) -> float:
    """Drop what only float32 adds, so that 45 degrees read as 45."""
    return float(f"{value:.7g}") if math.isfinite(value) else value
