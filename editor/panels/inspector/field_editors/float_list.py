"""FLOATS of any length: numbers in one line, separated by spaces or commas."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from PySide6.QtWidgets import QLineEdit

from editor.panels.inspector.field_editors.base import (
    EditorContext,
    FieldEdit,
    FieldEditor,
    FieldInfo,
    shared_value,
)
from editor.qt.expression import ExpressionError, evaluate
from editor.qt.fonts import tabular_font
from editor.qt.number_format import exact_number
from engine.reflect import Kind

__all__ = ["FloatListEditor"]


class FloatListEditor(FieldEditor):
    """A list of float32."""

    def __init__(self, info: FieldInfo, context: EditorContext) -> None:
        super().__init__(info, context)
        self._line = QLineEdit()
        self._line.setFont(tabular_font())
        self._line.setToolTip("Numbers, separated by spaces")
        self._line.editingFinished.connect(self._on_finished)
        self._shown = ""
        self.adopt(self._line)

    @classmethod
    def handles(cls, info: FieldInfo) -> bool:
        return info.kind is Kind.FLOATS

    def set_values(self, values: Sequence[Any]) -> None:
        value = shared_value(values)
        self._line.setPlaceholderText("mixed" if value is None else "empty")
        if self._line.isModified() and self._line.hasFocus():
            return
        numbers = [] if value is None else [float(v) for v in value]
        self._shown = "  ".join(exact_number(number) for number in numbers)
        self._line.setText(self._shown)
        self._line.setCursorPosition(0)

    def _on_finished(self) -> None:
        if self._line.text() == self._shown:
            return
        words = self._line.text().replace(",", " ").replace(";", " ").split()
        count = self.info.spec.kind.shape if self.info.spec is not None else ()
        try:
            numbers = np.array([evaluate(word) for word in words], np.float32)
        except ExpressionError as error:
            self._refuse(str(error))
            return
        if count and numbers.shape != count:
            self._refuse(f"expected {count[0]} numbers, found {len(numbers)}")
            return
        self._line.setModified(False)
        self._line.setToolTip("Numbers, separated by spaces")
        self._shown = self._line.text()
        self.edited.emit(FieldEdit.to(numbers))

    def _refuse(self, reason: str) -> None:
        self._line.setToolTip(reason)
        self._line.setText(self._shown)
        self._line.setModified(False)
