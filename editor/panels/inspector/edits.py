"""Turning what the rows report into edits of the document.

An edit is computed per entity from the values before it; a drag remembers the values at its start
and previews from them inside one gesture, so that it is one undo step and Escape restores it.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from editor.document import LevelDocument
from editor.model.history import Gesture
from editor.panels.inspector.field_editors import FieldEdit
from engine.reflect import Entity, SceneComponent

__all__ = ["FieldEdits"]

ComponentType = type[SceneComponent]


class FieldEdits:
    """Applies field edits of a selection."""

    def __init__(self, document: LevelDocument) -> None:
        self._document = document
        self._gesture: Gesture[Any] | None = None
        self._start: list[Any] = []
        self._entities: list[Entity] = []

    def values(self, entities: Sequence[Entity], type_: ComponentType, field: str) -> list[Any]:
        """Return what a field holds on each entity."""
        return [self._value(entity, type_, field) for entity in entities]

    def _value(self, entity: Entity, type_: ComponentType, field: str) -> Any:
        for view in self._document.components(entity):
            if view.type_ is type_:
                found = view.record.get(field)
                return None if found is None else _copied(found.value)
        return None

    def apply(
        self, entities: Sequence[Entity], type_: ComponentType, field: str, edit: FieldEdit
    ) -> None:
        """Carry out a finished edit as one step."""
        self._write(list(entities), type_, field, edit, self.values(entities, type_, field))

    def begin(
        self, entities: Sequence[Entity], type_: ComponentType, field: str, label: str
    ) -> None:
        """Start a drag."""
        self.finish(True)
        self._entities = list(entities)
        self._start = self.values(self._entities, type_, field)
        self._gesture = self._document.begin_gesture(label)

    def preview(self, type_: ComponentType, field: str, edit: FieldEdit) -> None:
        """Show the result of the drag so far."""
        if self._gesture is not None:
            self._write(self._entities, type_, field, edit, self._start)

    def finish(self, keep: bool) -> None:
        """End the drag, keeping or restoring."""
        gesture, self._gesture = self._gesture, None
        if gesture is None:
            return
        if keep:
            gesture.commit()
        else:
            gesture.cancel()

    def _write(
        self,
        entities: list[Entity],
        type_: ComponentType,
        field: str,
        edit: FieldEdit,
        before: list[Any],
    ) -> None:
        count = len(entities)
        after = [edit.apply(old, i, count) for i, old in enumerate(before)]
        if all(np.array_equal(value, after[0]) for value in after[1:]):
            self._document.set_fields(entities, type_, **{field: after[0]})
        else:
            self._document.set_field_each(entities, type_, field, after)


def _copied(value: Any) -> Any:
    return value.copy() if isinstance(value, np.ndarray) else value
