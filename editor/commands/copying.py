"""Copying: the selected subtrees as a document that stands on its own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

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
from engine.scene.hierarchy import Float64Matrix, world_matrix
from engine.scene.instance_nodes import node_path

_PLACEMENT = tuple(t.scene_name() for t in (LocalTransform, LocalMatrix))


@dataclass(eq=False)
class Branches:
    """Subtrees of a level as a document of their own.

    Attributes
    ----------
    doc : SceneDoc
        One record per entity of `inside`; references that lead out are indices behind them.
    inside, outside : list of Entity
        What the document holds, and what it refers to beyond that.
    """

    doc: SceneDoc
    inside: list[Entity]
    outside: list[Entity]


def clipboard_document(context: EditContext, level: str) -> SceneDoc:
    """Return the document of the selected subtrees.

    Nodes of instances are in it only where they carry overrides. The roots carry their world
    transforms and have no parent. References that lead out point at `Outside` records at the end.

    Raises
    ------
    SceneError
        A node of an instance is selected on its own.
    """
    roots = topmost(context.world, [e for e in context.selection if context.world.alive(e)])
    found = branches_document(context, roots)
    append_outside(found.doc, level, found.outside)
    return found.doc


def branches_document(
    context: EditContext,
    roots: list[Entity],
    space: Float64Matrix | None = None,
    *,
    keeps_parents: bool = False,
) -> Branches:
    """Return the subtrees of `roots` as a document; the roots have no parent there.

    Parameters
    ----------
    space : (4, 4) float64, optional
        ``world_from_document``: where the document stands; None keeps world transforms.
    keeps_parents : bool
        The roots keep their places below their parents, which are outside.

    Raises
    ------
    SceneError
        A root is a node of an instance.
    """
    world = context.world
    for root in roots:
        check_movable(context, root)
    tops = set() if keeps_parents else set(roots)
    inside = _inside(context, subtree(world, roots), tops)
    places = {entity: place for place, entity in enumerate(inside)}
    outside = [e for e in _targets(context, inside, tops) if e not in places]
    doc = context.registry.to_doc(world, [*inside, *outside])
    doc.entities = doc.entities[: len(inside)]
    for index, (entity, record) in enumerate(zip(inside, doc.entities, strict=True)):
        if entity in tops:
            _place_in(context, entity, record, space)
        elif world.has(entity, Realised) and not world.has(entity, InstanceNode):
            root, path = node_path(world, entity)
            link = to_record(InstanceNode(path=path))
            link.fields[link.find("root")].integer = places[root]
            doc.entities[index] = EntityRecord([link])
    return Branches(doc, inside, outside)


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


def _place_in(
    context: EditContext, entity: Entity, record: EntityRecord, space: Float64Matrix | None
) -> None:
    parent = record.find(Parent.scene_name())
    if parent < 0 and space is None:
        return
    if parent >= 0:
        del record.components[parent]
    place = min((i for i in map(record.find, _PLACEMENT) if i >= 0), default=-1)
    matrix: Float64Matrix = world_matrix(context.world, entity)
    if space is not None:
        matrix = np.asarray(np.linalg.solve(space, matrix), np.float64)
        matrix[3] = (0.0, 0.0, 0.0, 1.0)
        if place < 0 and not np.allclose(matrix, np.eye(4)):
            place = len(record.components)
    if place < 0:
        return
    record.components = [c for c in record.components if c.name not in _PLACEMENT]
    exact = matrix.astype(np.float32)
    values: list[SceneComponent]
    try:
        values = [LocalTransform.from_matrix(exact)]
    except SceneError:
        values = [LocalTransform(*decompose(exact)), LocalMatrix(exact)]
    record.components[place:place] = [to_record(value) for value in values]
