"""Entities of the level on their way to be nodes of an instance: what becomes of each.

They stay the same entities. What of them leads out of the instance can't be part of the level that
is placed, and stays in the open level as an override of the new node.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from editor.commands.copying import Branches
from editor.commands.ownership import Ownership
from engine.ecs import World
from engine.reflect import ComponentRecord, Entity, Kind, SceneComponent
from engine.scene import InstanceNode, KeptRecords, Order, Parent, Realised

Kept = dict[int, dict[str, ComponentRecord]]
"""Partial records by place in a document and component, with handles as references."""


def cut_references(found: Branches, leads_out: Callable[[Entity], bool]) -> Kept:
    """Empty the references of branches that lead out; return them as handles."""
    outward: Kept = {}
    count = len(found.inside)
    for place, entity in enumerate(found.doc.entities):
        for record in entity.components:
            for item in record.fields:
                if item.kind is not Kind.ENTITY or item.integer < count:
                    continue
                target = found.outside[item.integer - count]
                if leads_out(target):
                    kept = item.copy()
                    kept.integer = int(target)
                    records = outward.setdefault(place, {})
                    records.setdefault(record.name, ComponentRecord(record.name)).fields.append(
                        kept
                    )
                    item.integer = -1
    return outward


def node_values(
    world: World, entity: Entity, left_out: tuple[type[SceneComponent], ...], rank: int
) -> list[SceneComponent]:
    """Return what an entity carries as a node, but for its parent.

    Parameters
    ----------
    left_out : tuple of component types
        What it does not take along, beside what a node has of its own.
    rank : int
        Its place among its siblings.
    """
    own = (Parent, Order, KeptRecords, *left_out)
    values = [value for value in world.values(entity) if not isinstance(value, own)]
    return [*values, Order(rank), Realised()]


def linked_entries(
    world: World, root: Entity, found: Branches, outward: Kept, path_of: Mapping[Entity, str]
) -> list[Ownership]:
    """Let the changes of nodes inside go: the level that is placed has them.

    Parameters
    ----------
    root : Entity
        The instance.
    path_of : mapping of Entity to str
        The paths of the entities that become its nodes.
    """
    entries = []
    for place, entity in enumerate(found.inside):
        if not world.has(entity, InstanceNode):
            continue
        link = world.get(entity, InstanceNode)
        path = f"{path_of[link.root]}/{link.path}" if link.root in path_of else link.path
        kept = overrides_of(root, path, outward.get(place))
        values = world.values(entity)
        bare = [value for value in values if not isinstance(value, (InstanceNode, KeptRecords))]
        entries.append(Ownership(entity, values, [*bare, *kept]))
    return entries


def overrides_of(
    root: Entity, path: str, records: Mapping[str, ComponentRecord] | None
) -> list[SceneComponent]:
    """Return what makes records the overrides of a node; nothing where there are none."""
    if not records:
        return []
    kept = [(i + 1, record) for i, record in enumerate(records.values())]
    return [InstanceNode(root, path), KeptRecords(kept)]
