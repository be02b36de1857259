"""`LevelBlueprint`: what a level becomes when it is placed in another one.

Its entities are the parts, under the same names; what it changes on the instances inside it is kept
as changes by path, to be laid over their nodes. The look of a level is its own: the `Environment`
of a placed level does not come along, and its cameras are there but not active. A part that hangs
below a node of an instance inside the level is addressed right below the level's root, since that
node comes and goes with its asset.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from engine.ecs import World
from engine.reflect import (
    ComponentRecord,
    Entity,
    Kind,
    SceneComponent,
    component_fields,
    from_record,
    has_derived_codec,
    to_record,
)
from engine.scene.components import (
    LEVEL_COMPONENTS,
    CameraComponent,
    Environment,
    GltfInstance,
    InstanceNode,
    KeptRecords,
    Name,
    Order,
    Parent,
    SceneInstance,
)
from engine.scene.gltf_blueprint import ROOT, Blueprint, BlueprintPart
from engine.scene.hierarchy_index import HierarchyIndex
from engine.scene.node_paths import ANCHORED, OWN_CHILD, sibling_segments
from engine.scene.registry.file_index import IntArray

_NONE = Entity(0)
INSTANCE_TYPES: tuple[type[SceneComponent], ...] = (GltfInstance, SceneInstance)


@dataclass(eq=False, slots=True)
class NodeChange:
    """What a level changes on one node of an instance inside it.

    Attributes
    ----------
    handle : Entity
        The entity of the change in the level's own world; references to the node hold it.
    records : list of ComponentRecord
        Partial; their references hold handles of the level's own world.
    """

    handle: Entity
    records: list[ComponentRecord]
    removed: bool = False
    removed_components: str = ""


@dataclass(eq=False, slots=True)
class LevelPart(BlueprintPart):
    """One entity of the level.

    Attributes
    ----------
    handle : Entity
        The entity in the level's own world.
    anchor : Entity
        The changed node that it hangs under, null for none.
    refers : bool
        Whether some value holds a reference.
    kept : list of (int, ComponentRecord)
        What no class stands for.
    """

    handle: Entity = _NONE
    anchor: Entity = _NONE
    refers: bool = False
    kept: list[tuple[int, ComponentRecord]] = field(default_factory=list)

    @property
    def is_instance(self) -> bool:
        """Whether a prop or a level is placed here."""
        return any(isinstance(value, INSTANCE_TYPES) for value in self.values)


@dataclass(eq=False, slots=True)
class LevelBlueprint(Blueprint):
    """The parts of a level, parents first.

    Attributes
    ----------
    changes : dict of int to dict of str to NodeChange
        Per part that is an instance: what the level changes on its nodes, by path.
    levels : dict of str to int
        The levels that it places, and how often, also by changes of instances inside.
    files : tuple of str
        Every file that it names, levels among them, each once.
    has_look : bool
        Whether it has an `Environment`.
    """

    changes: dict[int, dict[str, NodeChange]] = field(default_factory=dict)
    levels: Mapping[str, int] = field(default_factory=dict)
    files: tuple[str, ...] = ()
    has_look: bool = False

    def paths(self) -> list[str]:
        """Return the path of every part."""
        found: list[str] = []
        for part in self.parts:
            prefix = "" if part.parent == ROOT else f"{found[part.parent]}/"
            found.append(prefix + part.segment)
        return found

    def names_beside(self, path: str) -> set[str]:
        """Return the names that a new entity can't have without changing the paths of others.

        Parameters
        ----------
        path : str
            Of what it hangs under; "" for the root.
        """
        at, rest = self.find_deepest(path) if path else (ROOT, "")
        parts = (part for part in self.parts if isinstance(part, LevelPart))
        if rest:
            beside = [part for part in parts if part.anchor]
        else:
            beside = [part for part in parts if part.parent == at and not part.anchor]
        return {v.text for part in beside for v in part.values if isinstance(v, Name)}


def draw_level(world: World, handles: IntArray) -> LevelBlueprint:
    """Plan the entities of a level.

    Parameters
    ----------
    world : World
        Holds the level and nothing else; nothing in it is realised.
    handles : (n,) int64
        The entity of each record, 0 for none.
    """
    return _LevelDraft(world, handles).finish()


class _LevelDraft:
    """A level's blueprint under construction."""

    def __init__(self, world: World, handles: IntArray) -> None:
        self._world = world
        self._index = {Entity(h): i for i, h in enumerate(handles.tolist()) if h}
        self._links = {e: world.get(e, InstanceNode) for e in self._index if self._is_link(e)}
        self._blueprint = LevelBlueprint()
        self._position: dict[Entity, int] = {}

    def _is_link(self, entity: Entity) -> bool:
        return self._world.has(entity, InstanceNode)

    def finish(self) -> LevelBlueprint:
        for entity in self._parents_first():
            self._add(entity)
        self._name_steps()
        for entity, link in self._links.items():
            self._add_change(entity, link)
        self._blueprint.position = {int(entity): at for entity, at in self._position.items()}
        self._blueprint.levels = Counter(self._named(SceneInstance, ["level"]))
        named = (f for type_, names in _file_fields() for f in self._named(type_, names))
        self._blueprint.has_look = any(len(t) and Environment in t for t in self._world.tables)
        self._blueprint.files = tuple(dict.fromkeys(named))
        return self._blueprint

    def _parents_first(self) -> list[Entity]:
        """Return the level's own entities, parents before children, siblings in their order."""
        index = HierarchyIndex.of(self._world)
        found: list[Entity] = []
        todo = [Entity(0)]
        while todo:
            entity = todo.pop()
            if entity and not self._is_link(entity):
                found.append(entity)
            slot = index.slot(entity)
            todo.extend(reversed(index.entities(index.child_slots(slot))))
        return found

    def _parent(self, entity: Entity) -> Entity:
        index = HierarchyIndex.of(self._world)
        parent = index.parent[index.slot(entity)]
        return Entity(index.handle[parent]) if parent != ROOT else Entity(0)

    def _add(self, entity: Entity) -> None:
        parent = self._parent(entity)
        values = [_placed(value) for value in self._world.values(entity)]
        kept = [r for v in values if isinstance(v, KeptRecords) for r in v.records]
        shown = [v for v in values if not isinstance(v, (Parent, Order, KeptRecords, Environment))]
        if not any(isinstance(value, Name) for value in shown):
            shown.insert(0, Name(f"#{self._index[entity]}"))
        part = LevelPart(
            self._index[entity],
            self._position.get(parent, ROOT),
            True,
            shown,
            handle=entity,
            anchor=parent if parent in self._links else Entity(0),
            refers=any(map(_has_reference, shown)),
            kept=kept,
        )
        self._position[entity] = len(self._blueprint.parts)
        self._blueprint.parts.append(part)

    def _name_steps(self) -> None:
        blueprint = self._blueprint
        siblings: dict[int, list[int]] = {}
        for at, part in enumerate(blueprint.parts):
            siblings.setdefault(part.parent, []).append(at)
        for parent, parts in siblings.items():
            for rank, at in enumerate(parts, -len(parts)):
                blueprint.parts[at].rank = rank
            marks = [self._mark(parent, blueprint.parts[at]) for at in parts]
            for mark in dict.fromkeys(marks):
                chosen = [at for at, m in zip(parts, marks, strict=True) if m == mark]
                names = ((self._step_name(at), blueprint.parts[at].node) for at in chosen)
                for at, segment in zip(chosen, sibling_segments(names), strict=True):
                    blueprint.parts[at].segment = mark + segment
                    blueprint.note_step(parent, mark + segment, at)

    def _mark(self, parent: int, part: BlueprintPart) -> str:
        """Return what keeps a step apart from those of an instance's own nodes."""
        assert isinstance(part, LevelPart)
        if part.anchor:
            return ANCHORED
        above = None if parent == ROOT else self._blueprint.parts[parent]
        return OWN_CHILD if isinstance(above, LevelPart) and above.is_instance else ""

    def _step_name(self, at: int) -> str:
        entity = self._level_part(at).handle
        return self._world.get(entity, Name).text if self._world.has(entity, Name) else ""

    def _level_part(self, at: int) -> LevelPart:
        part = self._blueprint.parts[at]
        assert isinstance(part, LevelPart)
        return part

    def _add_change(self, entity: Entity, link: InstanceNode) -> None:
        at = self._position.get(link.root)
        if at is None:
            return
        kept = (
            self._world.get(entity, KeptRecords) if self._world.has(entity, KeptRecords) else None
        )
        records = [record for _, record in kept.records] if kept is not None else []
        change = NodeChange(entity, records, link.removed, link.removed_components)
        self._blueprint.changes.setdefault(at, {}).setdefault(link.path, change)

    def _named(self, type_: type[SceneComponent], fields: list[str]) -> Iterable[str]:
        """Yield the texts of some fields of a component, also where they are changes."""
        for table in self._world.tables:
            if type_ in table:
                yield from (text for name in fields for text in table.view(type_, name) if text)
            kept: list[KeptRecords] = table.objects(KeptRecords) if KeptRecords in table else []
            for record in (r for value in kept for _, r in value.records):
                if record.name == type_.scene_name():
                    found = (item for item in record.fields if item.name in fields)
                    yield from (item.text for item in found if item.kind is Kind.STRING)


def _file_fields() -> Iterable[tuple[type[SceneComponent], list[str]]]:
    """Yield the components that name files, and the fields that do."""
    for type_ in LEVEL_COMPONENTS:
        names = [spec.name for spec in component_fields(type_) if spec.asset]
        if names:
            yield type_, names


def _placed(value: SceneComponent) -> SceneComponent:
    """Return a component of a level as it is where the level is placed."""
    if isinstance(value, CameraComponent):
        value.active = False
    return value


def _has_reference(value: SceneComponent) -> bool:
    if is_recorded(type(value)):
        return is_referring(to_record(value))
    return any(spec.record_kind is Kind.ENTITY for spec in component_fields(type(value)))


def is_referring(record: ComponentRecord) -> bool:
    """Whether a record holds a reference."""
    return any(field.kind is Kind.ENTITY for field in record.fields)


def resolved_value(value: SceneComponent, entity_of: Mapping[int, Entity]) -> SceneComponent:
    """Return a copy of a value whose references are turned by `entity_of`, else null."""
    if not is_recorded(type(value)):
        copy = value.copy()
        for spec in component_fields(type(value)):
            if spec.record_kind is Kind.ENTITY:
                setattr(copy, spec.name, entity_of.get(getattr(value, spec.name), Entity(0)))
        return copy
    return from_record(type(value), resolved_record(to_record(value), entity_of))


def is_recorded(type_: type[SceneComponent]) -> bool:
    """Whether only its record tells what a component refers to."""
    return not component_fields(type_) and not has_derived_codec(type_)


def resolved_record(record: ComponentRecord, entity_of: Mapping[int, Entity]) -> ComponentRecord:
    """Return a copy of a record whose references are turned by `entity_of`, else null."""
    copy = record.copy()
    for item in copy.fields:
        if item.kind is Kind.ENTITY:
            item.integer = int(entity_of.get(item.integer, Entity(0)))
    return copy
