"""ENTITY: a reference with drop, eyedropper and follow."""

from collections.abc import Sequence
from typing import Any

from editor.panels.inspector.field_editors.base import (
    EditorContext,
    FieldEdit,
    FieldEditor,
    FieldInfo,
    shared_value,
)
from editor.qt.widgets.entity_field import EntityField
from engine.reflect import Entity, Kind

__all__ = ["EntityEditor"]


class EntityEditor(FieldEditor):
    """One entity of the level, or none."""

    def __init__(self, info: FieldInfo, context: EditorContext) -> None:
        super().__init__(info, context)
        self._entity = Entity.null()
        self._field = EntityField()
        self._field.edited.connect(self._on_chosen)
        self._field.followed.connect(self._on_followed)
        self._field.pick_requested.connect(lambda: context.pick_entity(self._on_chosen))
        self.adopt(self._field)

    @classmethod
    def handles(cls, info: FieldInfo) -> bool:
        return info.kind is Kind.ENTITY

    def set_values(self, values: Sequence[Any]) -> None:
        value = shared_value(values)
        if value is None:
            self._entity = Entity.null()
            self._field.set_entity(None)
            return
        self._entity = Entity(max(0, int(value)))
        label = self.context.entity_label(self._entity) if self._entity else ""
        glyph = self.context.entity_glyph(self._entity) if label else ("link-simple", "faint")
        self._field.set_entity(self._entity, label, glyph)

    def _on_chosen(self, entity: Entity) -> None:
        self.edited.emit(FieldEdit.to(Entity(entity)))

    def _on_followed(self) -> None:
        if self._entity and self.context.entity_label(self._entity):
            self.context.select_entity(self._entity)
