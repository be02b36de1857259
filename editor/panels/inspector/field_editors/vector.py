"""FLOATS of two to four values: a row with axis-coloured edges."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from PySide6.QtCore import Qt

from editor.panels.inspector.field_editors.axes import edited_axes, shared_axes
from editor.panels.inspector.field_editors.base import (
    EditorContext,
    FieldEdit,
    FieldEditor,
    FieldInfo,
)
from editor.qt.expression import NumberEdit
from editor.qt.widgets.vector_row import VectorRow
from engine.reflect import Kind

__all__ = ["VectorEditor"]


class VectorEditor(FieldEditor):
    """A point, a direction or a scale."""

    scrubs = True

    def __init__(self, info: FieldInfo, context: EditorContext) -> None:
        super().__init__(info, context)
        self._vector = VectorRow(info.size, unit=info.unit)
        for field in self._vector.fields:
            field.step = 0.02
        self.adopt_scrubbed(self._vector, self._field_edit)

    @classmethod
    def handles(cls, info: FieldInfo) -> bool:
        return info.kind is Kind.FLOATS and 2 <= info.size <= 4 and _is_fixed(info)

    def _field_edit(self, axis: int, edit: NumberEdit) -> FieldEdit:
        return FieldEdit(
            lambda old, index, count: edited_axes(old, axis, edit, index, count).astype(np.float32)
        )

    def set_values(self, values: Sequence[Any]) -> None:
        self._vector.set_values(shared_axes(values, self.info.size))

    def scrub(self, pixels: float, modifiers: Qt.KeyboardModifier) -> FieldEdit:
        return self._field_edit(-1, self._vector.scrub_all(pixels, modifiers))


def _is_fixed(info: FieldInfo) -> bool:
    """Whether the field always has this many values, so far as anyone declared it."""
    return info.spec is None or info.spec.kind.shape == (info.size,)
