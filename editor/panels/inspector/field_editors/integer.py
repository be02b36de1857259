"""INT: one whole number."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import Qt

from editor.panels.inspector.field_editors.base import (
    EditorContext,
    FieldEdit,
    FieldEditor,
    FieldInfo,
    shared_value,
)
from editor.qt.expression import NumberEdit
from editor.qt.widgets.number_field import NumberField
from engine.reflect import Kind

__all__ = ["IntegerEditor"]

_LARGEST = (1 << 53) - 1


class IntegerEditor(FieldEditor):
    """One int64; values beyond 2**53 are shown exactly and edited by typing plain digits."""

    scrubs = True

    def __init__(self, info: FieldInfo, context: EditorContext) -> None:
        super().__init__(info, context)
        self._field = NumberField(unit=info.unit)
        self._field.whole = True
        self._field.step = 0.2
        self.adopt_scrubbed(self._field, self._field_edit)

    @classmethod
    def handles(cls, info: FieldInfo) -> bool:
        return info.kind is Kind.INT

    def _field_edit(self, edit: NumberEdit) -> FieldEdit:
        limits = self.info.spec.range if self.info.spec is not None else None

        def apply(old: Any, index: int, count: int) -> int:
            value = round(edit.apply(int(old), index, count))
            value = min(_LARGEST, max(-_LARGEST, value))
            if limits is not None:
                value = int(min(limits.high, max(limits.low, value)))
            return value

        return FieldEdit(apply)

    def set_values(self, values: Sequence[Any]) -> None:
        value = shared_value(values)
        self._field.set_value(None if value is None else int(value))

    def scrub(self, pixels: float, modifiers: Qt.KeyboardModifier) -> FieldEdit:
        return self._field_edit(self._field.scrub_by(pixels, modifiers))
