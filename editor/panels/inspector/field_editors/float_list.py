"""FLOATS of any length: numbers in one line, separated by spaces or commas."""

from collections.abc import Sequence
from typing import Any

import numpy as np

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
from editor.qt.widgets.text_line import MOST_EDITED, TextLine
from engine.reflect import Kind

__all__ = ["FloatListEditor"]


class FloatListEditor(FieldEditor):
    """A list of float32."""

    def __init__(self, info: FieldInfo, context: EditorContext) -> None:
        super().__init__(info, context)
        self._line = TextLine()
        self._line.setFont(tabular_font())
        self._line.editingFinished.connect(self._on_finished)
        self._show("")
        self.adopt(self._line)

    @classmethod
    def handles(cls, info: FieldInfo) -> bool:
        return info.kind is Kind.FLOATS

    def set_values(self, values: Sequence[Any]) -> None:
        value = shared_value(values)
        self._line.setPlaceholderText("mixed" if value is None else "empty")
        if self._line.isModified() and self._line.hasFocus():
            return
        # More than this are never all shown.
        numbers = [] if value is None else [float(v) for v in value[:MOST_EDITED]]
        self._show("  ".join(exact_number(number) for number in numbers))

    def _show(self, text: str, tip: str = "Numbers, separated by spaces") -> None:
        self._line.setModified(False)
        self._line.show_text(text, tip=tip)

    def _on_finished(self) -> None:
        shown = self._line.shown
        text = self._line.take_edited()
        if text is None:
            return
        words = text.replace(",", " ").replace(";", " ").split()
        count = self.info.spec.kind.shape if self.info.spec is not None else ()
        try:
            numbers = np.array([evaluate(word) for word in words], np.float32)
        except ExpressionError as error:
            self._show(shown, str(error))
            return
        if count and numbers.shape != count:
            self._show(shown, f"expected {count[0]} numbers, found {len(numbers)}")
            return
        self._show(text)
        self.edited.emit(FieldEdit.to(numbers))
