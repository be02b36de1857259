"""Setting fields by the names of their records: the command behind every edit of a value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from editor.commands.edit import Edit, Transaction
from editor.commands.instances import override_fields
from editor.commands.naming import name_of, names_of
from editor.commands.records import default_of
from editor.commands.rules import check_editable, check_movable, check_parent, check_words
from editor.model.change_set import ComponentType
from engine.errors import SceneError
from engine.reflect import Entity
from engine.scene import Parent, Realised


def set_fields(
    edit: Transaction, entity: Entity, type_: ComponentType, settings: Mapping[str, Any]
) -> None:
    """Set fields of an entity of the level, or override them on a node of an instance."""
    check_editable(type_)
    if type_ is Parent and "entity" in settings:
        check_movable(edit.context, entity)
        check_parent(edit.context, entity, Entity(settings["entity"]))
    check_words(
        lambda: name_of(edit.world, entity),
        type_,
        settings,
        lambda: edit.context.value(entity, type_),
    )
    if edit.world.has(entity, Realised):
        override_fields(edit, entity, type_, dict(settings))
    else:
        edit.set_fields(entity, type_, dict(settings))


class SetFields(Edit):
    """Set fields of one component to the same values on several entities.

    Parameters
    ----------
    entities : iterable of Entity
    type_ : component type
    fields : mapping
        From record field names to values; absent fields stay as they are.
    label : str, optional
    """

    def __init__(
        self,
        entities: Iterable[Entity],
        type_: ComponentType,
        fields: Mapping[str, Any],
        label: str = "",
    ) -> None:
        super().__init__(label)
        self.entities = list(dict.fromkeys(entities))
        self.type_ = type_
        self.fields = dict(fields)

    def build(self, edit: Transaction) -> None:
        if not self.label:
            what = ", ".join(map(_in_words, self.fields))
            self.label = f"Set {what} of {names_of(edit.world, self.entities)}"
        for entity in self.entities:
            set_fields(edit, entity, self.type_, self.fields)


class SetFieldEach(Edit):
    """Set one field to a value of its own on each of several entities."""

    def __init__(
        self,
        entities: Sequence[Entity],
        type_: ComponentType,
        field: str,
        values: Sequence[Any],
    ) -> None:
        if len(entities) != len(values):
            raise SceneError(f"{len(entities)} entities but {len(values)} values for {field}")
        super().__init__("")
        self.entities = list(entities)
        self.type_ = type_
        self.field = field
        self.values = list(values)

    def build(self, edit: Transaction) -> None:
        if not self.label:
            self.label = f"Set {_in_words(self.field)} of {names_of(edit.world, self.entities)}"
        for entity, value in zip(self.entities, self.values, strict=True):
            set_fields(edit, entity, self.type_, {self.field: value})


class ResetField(Edit):
    """Set one field to what a new component has."""

    def __init__(self, entities: Iterable[Entity], type_: ComponentType, field: str) -> None:
        super().__init__("")
        self.entities = list(dict.fromkeys(entities))
        self.type_ = type_
        self.field = field

    def build(self, edit: Transaction) -> None:
        self.label = f"Reset {_in_words(self.field)} of {names_of(edit.world, self.entities)}"
        default = default_of(self.type_, self.field)
        for entity in self.entities:
            set_fields(edit, entity, self.type_, {self.field: default})


def _in_words(field: str) -> str:
    """Return a field's name as an artist reads it in the history."""
    return field.replace("_", " ")
