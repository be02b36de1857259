"""The clipboard document: scene text that also says what its references lead out to.

A copied subtree is an ordinary `cinder-scene` document. References to entities that were not
copied point at records behind all others; each of these holds only
``Outside(level="<id of the open document>", index=<handle>)``. Pasting into that open document
finds the same entities again; anywhere else such references become null.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.reflect import ComponentRecord, Entity, Field, Kind
from engine.scene import EntityRecord, SceneDoc

OUTSIDE = "Outside"


@dataclass(frozen=True)
class OutsideTarget:
    """What a reference led to: an entity of the open document called `level`."""

    level: str
    entity: Entity


@dataclass(frozen=True)
class OutwardReference:
    """A field that refers to an outside target.

    Attributes
    ----------
    record : int
        Index of the entity record.
    component, field : str
    target : OutsideTarget
    """

    record: int
    component: str
    field: str
    target: OutsideTarget


def append_outside(doc: SceneDoc, level: str, entities: Sequence[Entity]) -> None:
    """Append one record per outside entity to `doc`."""
    for entity in entities:
        fields = [
            Field.of("level", Kind.STRING, level),
            Field.of("index", Kind.INT, int(entity)),
        ]
        doc.entities.append(EntityRecord([ComponentRecord(OUTSIDE, fields)]))


def split_outside(doc: SceneDoc) -> list[OutwardReference]:
    """Take the outside records off `doc` and return the references to them, now null there."""
    targets: dict[int, OutsideTarget] = {}
    for index, record in enumerate(doc.entities):
        target = _target(record)
        if target is not None:
            targets[index] = target
    first = len(doc)
    while first - 1 in targets:
        first -= 1
    references = [
        reference
        for index in range(first)
        for reference in _references(index, doc.entities[index], first, targets)
    ]
    doc.entities = doc.entities[:first]
    return references


def _target(record: EntityRecord) -> OutsideTarget | None:
    if len(record.components) != 1 or record.components[0].name != OUTSIDE:
        return None
    level, index = record.components[0].get("level"), record.components[0].get("index")
    if level is None or index is None or index.integer < 0:
        return OutsideTarget("", Entity.null())
    return OutsideTarget(level.text, Entity(index.integer))


def _references(
    index: int, record: EntityRecord, first: int, targets: dict[int, OutsideTarget]
) -> list[OutwardReference]:
    found = []
    for component in record.components:
        for field in component.fields:
            if field.kind is Kind.ENTITY and field.integer >= first:
                target = targets.get(field.integer)
                field.integer = -1
                if target is not None:
                    found.append(OutwardReference(index, component.name, field.name, target))
    return found
