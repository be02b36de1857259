"""FLOATS of a 4x4 matrix: rows of numbers as they are written on paper (the file's are columns)."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from PySide6.QtWidgets import QGridLayout, QWidget

from editor.panels.inspector.field_editors.axes import edited_axes, shared_axes
from editor.panels.inspector.field_editors.base import (
    EditorContext,
    FieldEdit,
    FieldEditor,
    FieldInfo,
)
from editor.qt.expression import NumberEdit
from editor.qt.widgets.number_field import NumberField
from engine.reflect import Kind

__all__ = ["MatrixEditor"]


class MatrixEditor(FieldEditor):
    """Sixteen numbers; the record keeps them column by column."""

    def __init__(self, info: FieldInfo, context: EditorContext) -> None:
        super().__init__(info, context)
        grid_widget = QWidget()
        grid = QGridLayout(grid_widget)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(3)
        self._cells: list[NumberField] = []
        for i in range(16):
            cell = NumberField()
            cell.step = 0.01
            cell.setMinimumWidth(30)
            cell.edited.connect(lambda edit, i=i: self.edited.emit(self._field_edit(i, edit)))
            cell.scrub_started.connect(self.preview_started)
            cell.scrubbed.connect(lambda edit, i=i: self.previewed.emit(self._field_edit(i, edit)))
            cell.scrub_finished.connect(self.preview_finished)
            grid.addWidget(cell, i % 4, i // 4)
            self._cells.append(cell)
        self.adopt(grid_widget)

    @classmethod
    def handles(cls, info: FieldInfo) -> bool:
        declared = info.spec is not None and info.spec.kind.shape == (4, 4)
        return info.kind is Kind.FLOATS and (declared or (info.spec is None and info.size == 16))

    def _field_edit(self, cell: int, edit: NumberEdit) -> FieldEdit:
        declared = self.info.spec is not None

        def apply(old: Any, index: int, count: int) -> Any:
            flat = edited_axes(old, cell, edit, index, count).astype(np.float32)
            return flat.reshape(4, 4).T if declared else flat

        return FieldEdit(apply)

    def set_values(self, values: Sequence[Any]) -> None:
        for cell, value in zip(self._cells, shared_axes(values, 16), strict=True):
            cell.set_value(value)
