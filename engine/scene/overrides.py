"""What an instance changes about a node, laid over what the asset gives it.

The level keeps, beside `InstanceNode`, one partial record per changed component: exactly the fields
that a command set. Here they meet the asset's values. Records that nobody can read stay where they
are and change nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from engine.ecs import ComponentType, World
from engine.errors import SceneError
from engine.reflect import (
    ComponentRecord,
    Entity,
    Field,
    SceneComponent,
    from_record,
    to_record,
)
from engine.scene.components import (
    DERIVED_COMPONENTS,
    Enabled,
    GltfInstance,
    InstanceNode,
    KeptRecords,
    MeshRenderer,
    Parent,
    SceneInstance,
)

_FIXED: frozenset[ComponentType] = frozenset(
    {InstanceNode, Parent, *DERIVED_COMPONENTS} - {MeshRenderer}
)
"""Types that say what a node is; no override changes them."""

_INSTANCES: frozenset[ComponentType] = frozenset({GltfInstance, SceneInstance})

Values = dict[ComponentType, SceneComponent]


def overridable(types: Iterable[ComponentType]) -> dict[str, ComponentType]:
    """Return the component types that overrides may name, by scene name."""
    return {type_.scene_name(): type_ for type_ in types if type_ not in _FIXED}


def merged_record(record: ComponentRecord, fields: Iterable[Field]) -> ComponentRecord:
    """Return a copy of a partial record in which `fields` are set, new ones at the end."""
    copy = record.copy()
    for item in fields:
        at = copy.find(item.name)
        if at >= 0:
            copy.fields[at] = item.copy()
        else:
            copy.fields.append(item.copy())
    return copy


def overlaid(
    world: World,
    node: Entity,
    base: Iterable[SceneComponent],
    types: Mapping[str, ComponentType],
) -> tuple[Values, list[str]]:
    """Return the components of a node with its overrides, and what could not be applied.

    Parameters
    ----------
    base : iterable of SceneComponent
        What the asset gives the node; not changed.
    types : mapping of str to component type
        The types that overrides may name.
    """
    values: Values = {type(value): value for value in base}
    if not world.has(node, InstanceNode):
        return values, []
    link = world.get(node, InstanceNode)
    records = kept_records(world, node)
    return values, lay_over(values, records, link.removed_components, link.removed, types)


def lay_over(
    values: Values,
    records: Iterable[ComponentRecord],
    removed_components: str,
    is_removed: bool,
    types: Mapping[str, ComponentType],
) -> list[str]:
    """Lay changes over the components of a node, in place; return what could not be applied.

    What a node is the root of is for its asset to say: it can be given other settings, but a node
    that is no instance does not become one.
    """
    problems = []
    for record in records:
        type_ = types.get(record.name)
        if type_ is None:
            continue
        if type_ in _INSTANCES and type_ not in values:
            problems.append(f"override {record.name}: a node can't become an instance")
            continue
        try:
            values[type_] = _merged(type_, values.get(type_), record)
        except SceneError as error:
            problems.append(f"override {error}")
    for name in removed_components.split(","):
        dropped = types.get(name.strip())
        if dropped is not None:
            values.pop(dropped, None)
    if is_removed:
        values[Enabled] = Enabled(False)
    return problems


def kept_records(world: World, entity: Entity) -> list[ComponentRecord]:
    """Return the records that an entity keeps, in order."""
    if not world.has(entity, KeptRecords):
        return []
    return [record for _, record in world.get(entity, KeptRecords).records]


def stored_records(world: World, entity: Entity) -> list[ComponentRecord]:
    """Return the records that an entity keeps, in order; they are only to be read."""
    tables, rows = world.locate(np.array([entity], np.int64))
    table = world.table(int(tables[0])) if tables[0] >= 0 else None
    if table is None or KeptRecords not in table:
        return []
    kept: KeptRecords = table.objects(KeptRecords)[rows[0]]
    return [record for _, record in kept.records]


def _merged(
    type_: ComponentType, base: SceneComponent | None, partial: ComponentRecord
) -> SceneComponent:
    """Return a value whose fields come from `partial` first, then from `base`, then by default."""
    if base is None:
        return from_record(type_, partial)
    return from_record(type_, merged_record(to_record(base), partial.fields))


def dress(world: World, entity: Entity, values: Values, owned: Iterable[ComponentType]) -> bool:
    """Make an entity carry exactly `values` among the types in `owned`; others stay.

    Returns
    -------
    bool
        Whether anything changed.
    """
    changed = False
    for type_ in world.types(entity):
        if type_ in owned and type_ not in values:
            world.remove(entity, type_)
            changed = True
    differing = [
        value
        for type_, value in values.items()
        if not world.has(entity, type_) or world.get(entity, type_) != value
    ]
    if differing:
        world.add(entity, *differing)
    return changed or bool(differing)
