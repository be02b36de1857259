"""STRING that is a material variant: a combo box with what the file offers."""

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
from engine.reflect import ComponentRecord, Kind

__all__ = ["VariantEditor"]

_DEFAULT = "As the file has it"
_NONE = "The file has none"


class VariantEditor(FieldEditor):
    """The names that all shown files offer; another one in the level is shown as it is."""

    def __init__(self, info: FieldInfo, context: EditorContext) -> None:
        super().__init__(info, context)
        self._offered: tuple[str, ...] | None = None
        self._combo = ChoiceCombo()
        self._combo.edited.connect(lambda text: self.edited.emit(FieldEdit.to(text)))
        self.adopt(self._combo)

    @classmethod
    def handles(cls, info: FieldInfo) -> bool:
        return info.kind is Kind.STRING and info.spec is not None and bool(info.spec.variant_of)

    def set_records(self, records: Sequence[ComponentRecord]) -> None:
        source = self.info.spec.variant_of if self.info.spec is not None else ""
        files = {field.text for r in records if (field := r.get(source)) is not None}
        names = [self.context.asset_variants(file) for file in sorted(files)]
        offered = tuple(n for n in names[0] if all(n in other for other in names)) if names else ()
        if offered != self._offered:
            self._offered = offered
            self._combo.set_labelled([("", _DEFAULT), *((name, name) for name in offered)])

    def set_values(self, values: Sequence[Any]) -> None:
        value = shared_value(values)
        self._combo.set_value(None if value is None else str(value))
        self.matters = bool(self._offered) or bool(value) or value is None
        self._combo.setToolTip("" if self._offered else _NONE)
