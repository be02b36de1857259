"""STRING with a list of choices: a combo box."""

from collections.abc import Sequence
from typing import Any

from editor.panels.inspector.field_editors.base import (
    EditorContext,
    FieldEdit,
    FieldEditor,
    FieldInfo,
    shared_value,
)
from editor.qt.widgets.choice_combo import ChoiceCombo
from engine.reflect import Kind

__all__ = ["ChoiceEditor"]


class ChoiceEditor(FieldEditor):
    """One of the declared choices; another value in the file is shown as it is."""

    def __init__(self, info: FieldInfo, context: EditorContext) -> None:
        super().__init__(info, context)
        self._combo = ChoiceCombo(info.spec.choices if info.spec is not None else ())
        self._combo.edited.connect(lambda text: self.edited.emit(FieldEdit.to(text)))
        self.adopt(self._combo)

    @classmethod
    def handles(cls, info: FieldInfo) -> bool:
        return info.kind is Kind.STRING and info.spec is not None and bool(info.spec.choices)

    def set_values(self, values: Sequence[Any]) -> None:
        value = shared_value(values)
        self._combo.set_value(None if value is None else str(value))
