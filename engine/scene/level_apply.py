"""Writing what a level changes on the nodes of a placed level into that level itself.

Only what is changed is written afresh; everything else keeps its lines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from engine.ecs import World
from engine.errors import SceneError
from engine.reflect import (
    ComponentRecord,
    Entity,
    Field,
    Kind,
    from_record,
    to_record,
)
from engine.scene.components import InstanceNode, KeptRecords, Order
from engine.scene.document import SceneDoc
from engine.scene.hierarchy import children, despawn_recursive, parent_of
from engine.scene.instance_links import bind_paths
from engine.scene.level_blueprint import LevelBlueprint, LevelPart, NodeChange, draw_level
from engine.scene.level_library import placed_levels
from engine.scene.levels.level_file import LevelFile
from engine.scene.levels.scene_file import is_binary
from engine.scene.overrides import merged_record
from engine.scene.registry import SceneRegistry
from engine.scene.registry.instantiate import instantiate_columns


@dataclass(eq=False)
class AppliedChange:
    """What the open level changes on one node of the placed one.

    Attributes
    ----------
    path : str
        Of the node, from the placed level's root.
    records : list of ComponentRecord
        Partial. A field that holds a reference is written where `references` has its target.
    """

    path: str
    records: list[ComponentRecord] = field(default_factory=list)
    removed: bool = False
    removed_components: tuple[str, ...] = ()


class LevelEdit:
    """A level's file, read to be changed.

    Parameters
    ----------
    file : Path
    data : bytes
        What it holds.
    registry : SceneRegistry
    """

    def __init__(self, file: Path, data: bytes, registry: SceneRegistry) -> None:
        self._world = World()
        self._level = LevelFile.open(file, self._world, registry, data=data)
        self._types = {type_.scene_name(): type_ for type_ in registry.types}
        self._is_binary = is_binary(file)
        self.blueprint = _drawn(self._world, self._level)
        self._roots = {
            at
            for at, part in enumerate(self.blueprint.parts)
            if isinstance(part, LevelPart) and part.is_instance
        }
        self._made: dict[tuple[int, str], Entity] = {}

    def finds(self, path: str) -> bool:
        """Whether a path means a node of the level, or leads into an instance inside it."""
        return not bind_paths(self.blueprint, [path], self._roots).lost

    def add(self, doc: SceneDoc, paths: Sequence[str]) -> list[Entity]:
        """Write new entities into the level, the last of their siblings.

        Parameters
        ----------
        doc : SceneDoc
            A parent behind its records is a node of the level.
        paths : sequence of str
            Of the nodes that references behind the last record mean; "" for none.

        Returns
        -------
        list of Entity
            The entity of each record, in the world of the level.
        """
        beyond = np.array([int(self._target(path)) if path else 0 for path in paths], np.int64)
        handles = instantiate_columns(
            self._world, doc.to_columns(), self._types, keep_unknown=True, beyond=beyond
        )
        added = [Entity(handle) for handle in handles.tolist()]
        self._put_last(added)
        return added

    def _put_last(self, added: list[Entity]) -> None:
        """Let new entities stand behind what was there, in their own order."""
        world, new = self._world, set(added)
        last: dict[Entity, int] = {}
        for entity in added:
            parent = parent_of(world, entity)
            if world.has(entity, InstanceNode) or parent in new:
                continue
            if parent not in last:
                ranks = (_rank(world, e) for e in children(world, parent) if e not in new)
                last[parent] = max([0, *ranks])
            if last[parent]:
                world.add(entity, Order(last[parent]))
            elif world.has(entity, Order):
                world.remove(entity, Order)

    def levels(self) -> list[str]:
        """Return the levels that it places, also by changes of instances inside."""
        return placed_levels(self._world)

    def redraw(self) -> LevelBlueprint:
        """Return what the level becomes where it is placed, as it is now."""
        return _drawn(self._world, self._level)

    def apply(
        self,
        changes: Iterable[AppliedChange],
        path_of: Mapping[int, str],
        made: Mapping[Entity, Entity] | None = None,
    ) -> None:
        """Write changes into the level.

        Parameters
        ----------
        changes : iterable of AppliedChange
            Of nodes that it has.
        path_of : mapping of int to str
            The paths of the nodes that references in the records hold.
        made : mapping of Entity to Entity, optional
            What other references mean: entities that `add` returned.
        """
        new = made or {}
        removed = []
        for change in changes:
            entity = self._target(change.path)
            records = [self._inward(record, path_of, new) for record in change.records]
            if self._world.has(entity, InstanceNode):
                self._change_node(entity, change, records)
            elif change.removed:
                removed.append(entity)
            else:
                self._change_entity(entity, change, records)
        for entity in removed:
            if self._world.alive(entity):
                despawn_recursive(self._world, entity)

    def to_bytes(self) -> bytes:
        """Return what the file shall hold."""
        return self._level.to_bytes(binary=self._is_binary)

    def _target(self, path: str) -> Entity:
        binding = bind_paths(self.blueprint, [path], self._roots)
        if binding.found:
            part = self.blueprint.parts[next(iter(binding.found))]
            assert isinstance(part, LevelPart)
            return part.handle
        if not binding.handed:
            raise SceneError(f"the level has no node {path!r}")
        at, below = next(iter(binding.handed.items()))
        rest = next(iter(below))
        known = self.blueprint.changes.get(at, {}).get(rest)
        if known is not None:
            return known.handle
        made = self._made.get((at, rest))
        if made is None:
            root = self.blueprint.parts[at]
            assert isinstance(root, LevelPart)
            made = self._made[at, rest] = self._world.spawn(InstanceNode(root.handle, rest))
        return made

    def _inward(
        self, record: ComponentRecord, path_of: Mapping[int, str], made: Mapping[Entity, Entity]
    ) -> ComponentRecord:
        copy = record.copy()
        for item in copy.fields:
            if item.kind is Kind.ENTITY and item.integer:
                new = made.get(Entity(item.integer))
                item.integer = int(self._target(path_of[item.integer]) if new is None else new)
        return copy

    def _change_node(
        self, entity: Entity, change: AppliedChange, records: list[ComponentRecord]
    ) -> None:
        link = self._world.get(entity, InstanceNode)
        names = {record.name for record in records}
        dropped = [n for n in link.removed_components.split(",") if n and n not in names]
        link.removed_components = ",".join(dict.fromkeys([*dropped, *change.removed_components]))
        link.removed = link.removed or change.removed
        self._world.set(entity, link)
        for record in records:
            self._keep(entity, record)
        for name in change.removed_components:
            self._drop_kept(entity, name)

    def _change_entity(
        self, entity: Entity, change: AppliedChange, records: list[ComponentRecord]
    ) -> None:
        world = self._world
        for record in records:
            type_ = self._types.get(record.name)
            if type_ is None:
                self._keep(entity, record)
                continue
            base = to_record(world.get(entity, type_)) if world.has(entity, type_) else None
            whole = record if base is None else merged_record(base, record.fields)
            world.add(entity, from_record(type_, whole))
        for name in change.removed_components:
            type_ = self._types.get(name)
            if type_ is not None and world.has(entity, type_):
                world.remove(entity, type_)
            self._drop_kept(entity, name)

    def _kept(self, entity: Entity) -> list[tuple[int, ComponentRecord]]:
        has = self._world.has(entity, KeptRecords)
        return self._world.get(entity, KeptRecords).records if has else []

    def _keep(self, entity: Entity, record: ComponentRecord) -> None:
        kept = self._kept(entity)
        for i, (place, known) in enumerate(kept):
            if known.name == record.name:
                kept[i] = (place, merged_record(known, record.fields))
                break
        else:
            kept.append((1 + max((place for place, _ in kept), default=0), record.copy()))
        self._world.add(entity, KeptRecords(kept))

    def _drop_kept(self, entity: Entity, name: str) -> None:
        kept = [(place, record) for place, record in self._kept(entity) if record.name != name]
        if kept:
            self._world.add(entity, KeptRecords(kept))
        elif self._world.has(entity, KeptRecords):
            self._world.remove(entity, KeptRecords)


def _drawn(world: World, level: LevelFile) -> LevelBlueprint:
    handles = [int(level.entity_at(index)) for index in range(level.index_count)]
    return draw_level(world, np.array(handles, np.int64))


def _rank(world: World, entity: Entity) -> int:
    return world.get(entity, Order).rank if world.has(entity, Order) else 0


def contradictions(
    before: LevelBlueprint, now: LevelBlueprint, changes: Iterable[AppliedChange]
) -> list[str]:
    """Return the fields that changes set, and that somebody else set otherwise in the file.

    Parameters
    ----------
    before, now : LevelBlueprint
        The level as it was when the changes were made, and as its file has it.
    """
    found = []
    for change in changes:
        for record in change.records:
            for item in record.fields:
                old, new = (_held(b, change.path, record.name, item.name) for b in (before, now))
                if old != new and new != item and item.kind is not Kind.ENTITY:
                    found.append(f"{change.path}: {record.name}.{item.name}")
    return found


def _held(blueprint: LevelBlueprint, path: str, component: str, name: str) -> Field | None:
    at, rest = blueprint.find_deepest(path)
    records: Callable[[], Iterable[ComponentRecord]]
    change: NodeChange | None = blueprint.changes.get(at, {}).get(rest) if rest else None
    if rest:
        records = lambda: change.records if change is not None else ()  # noqa: E731
    else:
        records = lambda: map(to_record, blueprint.parts[at].values)  # noqa: E731
    return next((r.get(name) for r in records() if r.name == component), None)
