"""BOOL: a check box."""

from collections.abc import Sequence
from typing import Any

from editor.panels.inspector.field_editors.base import (
    EditorContext,
    FieldEdit,
    FieldEditor,
    FieldInfo,
    shared_value,
)
from editor.qt.widgets.check_box import CheckBox
from engine.reflect import Kind

__all__ = ["BooleanEditor"]


class BooleanEditor(FieldEditor):
    """On, off or mixed."""

    def __init__(self, info: FieldInfo, context: EditorContext) -> None:
        super().__init__(info, context)
        self._box = CheckBox()
        self._box.edited.connect(lambda on: self.edited.emit(FieldEdit.to(on)))
        self.row.addSpacing(1)
        self.adopt(self._box)
        self.row.setStretchFactor(self._box, 0)
        self.row.addStretch(1)

    @classmethod
    def handles(cls, info: FieldInfo) -> bool:
        return info.kind is Kind.BOOL

    def set_values(self, values: Sequence[Any]) -> None:
        value = shared_value(values)
        self._box.set_state(None if value is None else bool(value))
