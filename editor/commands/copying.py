"""Copying: the selected subtrees as a document that stands on its own."""

from __future__ import annotations

from editor.commands.changes import subtree, topmost
from editor.commands.context import EditContext
from editor.commands.kept import kept_records
from editor.commands.rules import check_movable
from editor.model.clipboard import append_outside
from engine.errors import SceneError
from engine.math import decompose
from engine.reflect import ComponentRecord, Entity, Kind, SceneComponent, to_record
from engine.scene import (
    EntityRecord,
    InstanceNode,
    LocalMatrix,
    LocalTransform,
    Parent,
    Realised,
    SceneDoc,
)
from engine.scene.hierarchy import world_matrix
from engine.scene.instance_nodes import node_path

_PLACEMENT = tuple(t.scene_name() for t in (LocalTransform, LocalMatrix))


def clipboard_document(context: EditContext, level: str) -> SceneDoc:
    """Return the document of the selected subtrees.

    Nodes of instances are in it only where they carry overrides. The roots carry their world
    transforms and have no parent. References that lead out point at `Outside` records at the end.

    Raises
    ------
    SceneError
        A node of an instance is selected on its own.
    """
    world = context.world
    roots = topmost(world, [e for e in context.selection if world.alive(e)])
    for root in roots:
        check_movable(context, root)
    tops = set(roots)
    inside = _inside(context, subtree(world, roots), tops)
    places = {entity: place for place, entity in enumerate(inside)}
    outside = [e for e in _targets(context, inside, tops) if e not in places]
    doc = context.registry.to_doc(world, [*inside, *outside])
    doc.entities = doc.entities[: len(inside)]
    for index, (entity, record) in enumerate(zip(inside, doc.entities, strict=True)):
        if entity in tops:
            _place_in_world(context, entity, record)
        elif world.has(entity, Realised) and not world.has(entity, InstanceNode):
            root, path = node_path(world, entity)
            link = to_record(InstanceNode(path=path))
            link.fields[link.find("root")].integer = places[root]
            doc.entities[index] = EntityRecord([link])
    append_outside(doc, level, outside)
    return doc


def _inside(context: EditContext, below: list[Entity], roots: set[Entity]) -> list[Entity]:
    """Leave out the nodes of instances that carry no override and that nothing refers to."""
    world = context.world
    own = [e for e in below if not world.has(e, Realised) or world.has(e, InstanceNode)]
    kept = {*own, *set(below).intersection(_targets(context, own, roots))}
    return [e for e in below if e in kept]


def _targets(context: EditContext, entities: list[Entity], roots: set[Entity]) -> list[Entity]:
    """Return the living entities that `entities` refer to, but for the parents of `roots`."""
    found: dict[Entity, None] = {}
    for entity in entities:
        for record in _records(context, entity):
            if entity in roots and record.name == Parent.scene_name():
                continue
            for field in record.fields:
                target = Entity(field.integer) if field.kind is Kind.ENTITY else Entity.null()
                if target > 0 and context.world.alive(target):
                    found[target] = None
    return list(found)


def _records(context: EditContext, entity: Entity) -> list[ComponentRecord]:
    """Return what the level stores of an entity; the rest of a node follows from its asset."""
    values = context.world.values(entity)
    if context.world.has(entity, Realised):
        values = [value for value in values if isinstance(value, InstanceNode)]
    kept = [record for _, record in kept_records(context.world, entity)]
    return [*map(to_record, values), *kept]


def _place_in_world(context: EditContext, entity: Entity, record: EntityRecord) -> None:
    parent = record.find(Parent.scene_name())
    if parent < 0:
        return
    del record.components[parent]
    place = min((i for i in map(record.find, _PLACEMENT) if i >= 0), default=-1)
    if place < 0:
        return
    record.components = [c for c in record.components if c.name not in _PLACEMENT]
    matrix = world_matrix(context.world, entity).astype("float32")
    values: list[SceneComponent]
    try:
        values = [LocalTransform.from_matrix(matrix)]
    except SceneError:
        values = [LocalTransform(*decompose(matrix)), LocalMatrix(matrix)]
    record.components[place:place] = [to_record(value) for value in values]
