"""STRING: a line of text."""

from collections.abc import Sequence
from typing import Any

from editor.panels.inspector.field_editors.base import (
    EditorContext,
    FieldEdit,
    FieldEditor,
    FieldInfo,
    shared_value,
)
from editor.qt.widgets.text_line import TextLine
from engine.reflect import Kind

__all__ = ["TextEditor"]


class TextEditor(FieldEditor):
    """One string; line breaks show as spaces and stay unless the text is changed."""

    def __init__(self, info: FieldInfo, context: EditorContext) -> None:
        super().__init__(info, context)
        self._line = TextLine()
        self._line.editingFinished.connect(self._on_finished)
        self._line.returnPressed.connect(self._line.clearFocus)
        self.adopt(self._line)

    @classmethod
    def handles(cls, info: FieldInfo) -> bool:
        return info.kind is Kind.STRING

    def set_values(self, values: Sequence[Any]) -> None:
        value = shared_value(values)
        self._line.setPlaceholderText("mixed" if value is None else "")
        self._line.show_text("" if value is None else str(value))

    def _on_finished(self) -> None:
        text = self._line.take_edited()
        if text is not None:
            self.edited.emit(FieldEdit.to(text))
