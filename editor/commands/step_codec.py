"""How a step of the history is written for another session: as scene documents of field records.

The first document is the script: one record says what the step is called and what its references
mean, then come the nodes of instances that it speaks of, then one entity per effect, which holds
what the effect is and, behind that, the component records that it puts. Whole entities that appear
are documents of their own, written and read by columns. Only effects are stored, never what was
there before: who carries a script out finds that in the level.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence

from editor.commands.changes import (
    Change,
    FieldsChange,
    MarkChange,
    Presence,
    SelectionChange,
    ValueChange,
)
from editor.commands.context import EditContext
from editor.commands.edit import Edit
from editor.commands.entity_keys import EntityKeys
from editor.commands.files import FilesChange
from editor.commands.outward import outward_references
from editor.commands.ownership import OwnershipChange
from editor.commands.target import Target
from editor.model.change_set import ComponentType
from editor.model.clipboard import append_outside
from editor.model.history import Command, CommandGroup
from engine.errors import SceneError
from engine.reflect import ComponentRecord, Entity, Field, Kind, SceneComponent, to_record
from engine.scene import EntityRecord, InstanceNode, KeptRecords, Realised, SceneDoc, write_binary
from engine.scene.instance_nodes import node_path
from engine.scene.registry.kept import UnknownFields

STEP = "~step"
NODE = "~node"
EFFECT = "~effect"
_SIZE = struct.Struct("<I")


def encode_step(
    context: EditContext, keys: EntityKeys, step: Command[EditContext], *, undone: bool = False
) -> bytes:
    """Return what a step did, or what taking it back did, on the level as it is just after that.

    Raises
    ------
    SceneError
        A record can't be stored.
    """
    writer = _StepWriter(context, keys, step.label)
    for change, forward in _effects(step, not undone):
        writer.add(change, forward)
    return writer.to_bytes()


def _effects(step: Command[EditContext], forward: bool) -> list[tuple[Change, bool]]:
    """Return the changes of a step in the order in which they happened, and their direction."""
    if isinstance(step, CommandGroup):
        found = [effect for command in step.commands for effect in _effects(command, True)]
    elif isinstance(step, Edit):
        found = [(change, True) for change in step.changes]
    else:
        raise SceneError(f"{step.label}: is no step that can be stored")
    return found if forward else [(change, False) for change, _ in reversed(found)]


def is_storable(step: Command[EditContext]) -> bool:
    """Whether `encode_step` can write what a step did; of others only the result can be stored."""
    return not any(isinstance(change, OwnershipChange) for change, _ in _effects(step, True))


def join_documents(documents: Iterable[SceneDoc]) -> bytes:
    """Return several documents as one run of bytes."""
    written = [write_binary(doc) for doc in documents]
    return b"".join(_SIZE.pack(len(data)) + data for data in written)


class _StepWriter:
    """Collects the effects of one step."""

    def __init__(self, context: EditContext, keys: EntityKeys, label: str) -> None:
        self._context = context
        self._world = context.world
        self._keys = keys
        self._label = label
        self._references: dict[str, int] = {}
        self._nodes: dict[tuple[int, str], int] = {}
        self._effects: list[EntityRecord] = []
        self._documents: list[SceneDoc] = []
        self._arriving: list[Entity] = []
        # Entities that came in this step and went again.
        self._passing: set[Entity] = set()

    def to_bytes(self) -> bytes:
        self._receive()
        script = SceneDoc()
        head = [_string("label", self._label), _string("refs", " ".join(self._references))]
        script.entities.append(EntityRecord([ComponentRecord(STEP, head)]))
        for root, path in self._nodes:
            fields = [Field.of("root", Kind.INT, root), _string("path", path)]
            script.entities.append(EntityRecord([ComponentRecord(NODE, fields)]))
        script.entities.extend(self._effects)
        return join_documents([script, *self._documents])

    def add(self, change: Change, forward: bool) -> None:
        """Write what a change did, forwards or backwards."""
        if isinstance(change, FieldsChange):
            self._set(change.target, change.type_, change.after if forward else change.before)
        elif isinstance(change, ValueChange):
            self._put(change.target, change.type_, change.after if forward else change.before)
        elif isinstance(change, SelectionChange):
            chosen = change.after if forward else change.before
            self._effect("select", self._addresses(chosen))
        elif isinstance(change, MarkChange):
            state = Field.of("state", Kind.BOOL, change.on is forward)
            self._effect(change.which, self._addresses(change.entities), [state])
        elif isinstance(change, FilesChange):
            moves = change.moves if forward else change.moves.reversed()
            self._effect("files", "", [_string("moves", moves.to_text())])
        elif isinstance(change, Presence):
            if change.brings_when_applied is forward:
                self._arriving.extend(entity for entity, _ in change.stored)
            else:
                self._vanish(change)

    def _vanish(self, change: Presence) -> None:
        """Write what went; where some of it came in this step, whatever hung under that by name."""
        self._receive()
        going = [root for root in change.roots if root not in self._passing]
        if any(entity in self._passing for entity, _ in change.stored):
            below = (e for e, values in change.stored if not _follows_from_asset(values))
            going = list(dict.fromkeys([*going, *(e for e in below if e not in self._passing)]))
        self._effect("vanish", self._addresses(going))

    def _effect(
        self,
        what: str,
        entities: str,
        more: Sequence[Field] = (),
        records: Iterable[ComponentRecord] = (),
    ) -> None:
        self._receive()
        fields = [_string("do", what), _string("on", entities), *more]
        self._effects.append(EntityRecord([ComponentRecord(EFFECT, fields), *records]))

    def _is_stored(self, type_: ComponentType) -> bool:
        return self._context.registry.type_named(type_.scene_name()) is type_

    def _set(self, target: Target, type_: ComponentType, fields: Sequence[Field]) -> None:
        if self._is_stored(type_):
            record = self._outward(ComponentRecord(type_.scene_name(), list(fields)))
            self._effect("set", self._target(target), records=[record])

    def _put(self, target: Target, type_: ComponentType, value: SceneComponent | None) -> None:
        if isinstance(value, KeptRecords):
            places = " ".join(
                f"{place}{'+' if isinstance(record, UnknownFields) else ''}"
                for place, record in value.records
            )
            kept = [self._outward(record) for _, record in value.records]
            self._effect("keep", self._target(target), [_string("places", places)], kept)
        elif type_ is KeptRecords or self._is_stored(type_):
            if value is None:
                name = _string("type", type_.scene_name())
                self._effect("drop", self._target(target), [name])
            else:
                self._effect("put", self._target(target), (), [self._outward(to_record(value))])

    def _receive(self) -> None:
        """Write the entities that appeared since the last effect, all in one document."""
        arriving, self._arriving = self._arriving, []
        if arriving:
            self._appear(arriving)

    def _appear(self, entities: Sequence[Entity]) -> None:
        """Write entities that are there now; nodes only where the level keeps something there."""
        world, registry = self._world, self._context.registry
        living = [e for e in entities if world.alive(e)]
        self._passing.update(e for e in entities if not world.alive(e))
        own = [e for e in living if not world.has(e, Realised) or world.has(e, InstanceNode)]
        if not own:
            return
        outside = outward_references(world, own, registry.types)
        doc = registry.to_doc(world, [*own, *outside])
        if outside:
            doc.entities = doc.entities[: len(own)]
            places = [Entity(self._reference(entity)) for entity in outside]
            append_outside(doc, "", places)
        self._documents.append(doc)
        # A node that carries overrides comes as the record that binds to it, like an own entity.
        keys = " ".join(str(self._keys.key_of(entity)) for entity in own)
        self._effect("appear", keys)

    # -- what entities are called ------------------------------------------------------------

    def _addresses(self, entities: Iterable[Entity]) -> str:
        return " ".join(map(self._address, entities))

    def _address(self, entity: Entity) -> str:
        if self._world.alive(entity) and self._world.has(entity, Realised):
            try:
                return self._node(*node_path(self._world, entity))
            except SceneError:
                pass
        return str(self._keys.key_of(entity))

    def _target(self, target: Target) -> str:
        if target.path is not None:
            return self._node(target.entity, target.path)
        return str(self._keys.key_of(target.entity))

    def _node(self, root: Entity, path: str) -> str:
        node = (self._keys.key_of(root), path)
        return f"n{self._nodes.setdefault(node, len(self._nodes))}"

    def _reference(self, entity: Entity) -> int:
        return self._references.setdefault(self._address(entity), len(self._references))

    def _outward(self, record: ComponentRecord) -> ComponentRecord:
        """Return a copy whose references are places in the step's list of them."""
        fields = [field.copy() for field in record.fields]
        for field in fields:
            if field.kind is Kind.ENTITY:
                is_none = field.integer <= 0
                field.integer = -1 if is_none else self._reference(Entity(field.integer))
        return ComponentRecord(record.name, fields)


def _follows_from_asset(values: Iterable[SceneComponent]) -> bool:
    types = set(map(type, values))
    return Realised in types and InstanceNode not in types


def _string(name: str, text: str) -> Field:
    return Field.of(name, Kind.STRING, text)
