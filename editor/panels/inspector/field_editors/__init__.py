"""Field editors: one file per kind of field, and the order in which they are asked.

The first editor that handles a field edits it, refined ones (a colour, a choice) before plain ones.
A new field kind is one file here and one line in `FIELD_EDITORS`.
"""

from typing import Final

from editor.panels.inspector.field_editors.asset import AssetEditor
from editor.panels.inspector.field_editors.base import (
    EditorContext,
    FieldEdit,
    FieldEditor,
    FieldInfo,
)
from editor.panels.inspector.field_editors.boolean import BooleanEditor
from editor.panels.inspector.field_editors.choice import ChoiceEditor
from editor.panels.inspector.field_editors.color import ColorEditor
from editor.panels.inspector.field_editors.entity import EntityEditor
from editor.panels.inspector.field_editors.float_list import FloatListEditor
from editor.panels.inspector.field_editors.integer import IntegerEditor
from editor.panels.inspector.field_editors.matrix import MatrixEditor
from editor.panels.inspector.field_editors.number import NumberEditor
from editor.panels.inspector.field_editors.rotation import RotationEditor
from editor.panels.inspector.field_editors.text import TextEditor
from editor.panels.inspector.field_editors.variant import VariantEditor
from editor.panels.inspector.field_editors.vector import VectorEditor

__all__ = ["FIELD_EDITORS", "EditorContext", "FieldEdit", "FieldEditor", "FieldInfo", "make_editor"]

FIELD_EDITORS: Final[tuple[type[FieldEditor], ...]] = (
    AssetEditor,
    ChoiceEditor,
    VariantEditor,
    ColorEditor,
    RotationEditor,
    MatrixEditor,
    VectorEditor,
    BooleanEditor,
    EntityEditor,
    IntegerEditor,
    NumberEditor,
    TextEditor,
    FloatListEditor,
)


def make_editor(info: FieldInfo, context: EditorContext) -> FieldEditor:
    """Return the editor of a field.

    Raises
    ------
    TypeError
        No editor handles the field; every record kind has one.
    """
    for editor in FIELD_EDITORS:
        if editor.handles(info):
            return editor(info, context)
    raise TypeError(f"no field editor for {info.name} of kind {info.kind!r}")
