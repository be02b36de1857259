"""FLOATS marked as a colour: a swatch with its code; a fourth value, the opacity, stays."""

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
from editor.qt.widgets.color_swatch import ColorSwatch
from engine.reflect import Kind

__all__ = ["ColorEditor"]


def _to(color: Sequence[float]) -> FieldEdit:
    def apply(old: Any, index: int, count: int) -> Any:
        value = np.array(old, np.float32).reshape(-1)
        value[:3] = color[:3]
        return value

    return FieldEdit(apply)


class ColorEditor(FieldEditor):
    """A linear colour."""

    def __init__(self, info: FieldInfo, context: EditorContext) -> None:
        super().__init__(info, context)
        self._swatch = ColorSwatch()
        self._swatch.edited.connect(lambda color: self.edited.emit(_to(color)))
        self._swatch.preview_started.connect(self.preview_started)
        self._swatch.previewed.connect(lambda color: self.previewed.emit(_to(color)))
        self._swatch.preview_finished.connect(self.preview_finished)
        self.adopt(self._swatch)

    @classmethod
    def handles(cls, info: FieldInfo) -> bool:
        is_color = info.spec is not None and info.spec.color
        return info.kind is Kind.FLOATS and is_color and info.size in {3, 4}

    def set_values(self, values: Sequence[Any]) -> None:
        value = shared_value(values)
        unset = self.info.spec.unset if self.info.spec is not None else None
        if value is None:
            self._swatch.set_value(None)
        elif unset is not None and all(float(v) == unset.value for v in value):
            self._swatch.set_value(None, unset.text)
        else:
            self._swatch.set_value([float(v) for v in value])
