"""References of an entity to others: those that lead nowhere, and clearing them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from editor.commands.edit import Edit, Transaction
from editor.commands.kept import keep, kept_record, kept_records
from editor.commands.naming import names_of
from editor.model.change_set import ComponentType
from engine.ecs import World
from engine.reflect import Entity, Kind, component_fields, has_derived_codec
from engine.scene import InstanceNode, KeptRecords, Parent

_TOLD_ELSEWHERE: tuple[ComponentType, ...] = (Parent, InstanceNode, KeptRecords)


class Reference(NamedTuple):
    """A field that refers to an entity; `type_` is None where it stands in a kept record."""

    type_: ComponentType | None
    component: str
    field: str
    target: Entity


def reference_fields(type_: ComponentType) -> list[str]:
    """Return the fields of a component that refer to entities, the tree's own left out."""
    if type_ in _TOLD_ELSEWHERE or not has_derived_codec(type_):
        return []
    return [spec.name for spec in component_fields(type_) if spec.record_kind is Kind.ENTITY]


def references_of(world: World, entity: Entity) -> Iterator[Reference]:
    """Yield what an entity refers to, in components and in records that it keeps."""
    for type_ in world.types(entity):
        for name in reference_fields(type_):
            target = Entity(getattr(world.get(entity, type_), name))
            if target:
                yield Reference(type_, type_.scene_name(), name, target)
    for _, record in kept_records(world, entity):
        for field in record.fields:
            if field.kind is Kind.ENTITY and field.integer > 0:
                yield Reference(None, record.name, field.name, Entity(field.integer))


class ClearReferences(Edit):
    """Let the fields of an entity refer to nothing that refer to what is not in the level."""

    def __init__(self, entity: Entity) -> None:
        super().__init__("")
        self.entity = entity

    def build(self, edit: Transaction) -> None:
        self.label = f"Clear references of {names_of(edit.world, [self.entity])}"
        for reference in list(references_of(edit.world, self.entity)):
            if edit.world.alive(reference.target):
                continue
            if reference.type_ is not None:
                edit.set_fields(self.entity, reference.type_, {reference.field: Entity.null()})
                continue
            record = kept_record(edit.world, self.entity, reference.component)
            field = record.get(reference.field) if record is not None else None
            if record is not None and field is not None:
                field.integer = int(Entity.null())
                keep(edit, self.entity, record)
