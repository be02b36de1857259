"""STRING: a line of text."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit

from editor.panels.inspector.field_editors.base import (
    EditorContext,
    FieldEdit,
    FieldEditor,
    FieldInfo,
    shared_value,
)
from engine.reflect import Kind

__all__ = ["TextEditor"]


class _Line(QLineEdit):
    """A line edit that takes its text back on Escape."""

    shown = ""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.setText(self.shown)
            self.setModified(False)
            self.clearFocus()
            return
        super().keyPressEvent(event)


class TextEditor(FieldEditor):
    """One string; line breaks show as spaces and stay unless the text is changed."""

    def __init__(self, info: FieldInfo, context: EditorContext) -> None:
        super().__init__(info, context)
        self._line = _Line()
        self._line.editingFinished.connect(self._on_finished)
        self._line.returnPressed.connect(self._line.clearFocus)
        self.adopt(self._line)

    @classmethod
    def handles(cls, info: FieldInfo) -> bool:
        return info.kind is Kind.STRING

    def set_values(self, values: Sequence[Any]) -> None:
        value = shared_value(values)
        self._line.setPlaceholderText("mixed" if value is None else "")
        shown = "" if value is None else str(value)
        if shown == self._line.shown and self._line.isModified():
            return
        self._line.shown = shown
        if self._line.text() != shown:
            self._line.setText(shown)
            self._line.setCursorPosition(0)
        self._line.setModified(False)

    def _on_finished(self) -> None:
        if self._line.isModified() and self._line.text() != self._line.shown:
            self._line.setModified(False)
            self._line.shown = self._line.text()
            self.edited.emit(FieldEdit.to(self._line.text()))
