"""Records that an entity keeps as they are: unknown components, and overrides of a node."""

from __future__ import annotations

from editor.commands.edit import Transaction
from engine.ecs import World
from engine.reflect import ComponentRecord, Entity
from engine.scene import KeptRecords

Kept = list[tuple[int, ComponentRecord]]


def kept_records(world: World, entity: Entity) -> Kept:
    """Return copies of the kept records of `entity`, each with its place among the components."""
    if not world.has(entity, KeptRecords):
        return []
    return [(place, record.copy()) for place, record in world.get(entity, KeptRecords).records]


def kept_record(world: World, entity: Entity, name: str) -> ComponentRecord | None:
    """Return a copy of the kept record called `name`, or None."""
    return next((r for _, r in kept_records(world, entity) if r.name == name), None)


def kept_names(world: World, entity: Entity) -> set[str]:
    """Return the names of the kept records of `entity`."""
    return {record.name for _, record in kept_records(world, entity)}


def keep(edit: Transaction, entity: Entity, record: ComponentRecord) -> None:
    """Keep `record` in the place of the one of its name, or after all others."""
    kept = kept_records(edit.world, entity)
    for i, (place, earlier) in enumerate(kept):
        if earlier.name == record.name:
            kept[i] = (place, record)
            break
    else:
        kept.append((1 + max((place for place, _ in kept), default=0), record))
    edit.put(entity, KeptRecords(kept))


def without_kept(edit: Transaction, entity: Entity, name: str) -> None:
    """Drop the kept record called `name`."""
    kept = [(p, r) for p, r in kept_records(edit.world, entity) if r.name != name]
    if kept:
        edit.put(entity, KeptRecords(kept))
    elif edit.world.has(entity, KeptRecords):
        edit.drop(entity, KeptRecords)
