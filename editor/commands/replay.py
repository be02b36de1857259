"""`Replay`: a step that another session made, carried out again from its records."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal

from editor.commands.changes import FieldsChange, MarkChange, ValueChange
from editor.commands.edit import Edit, Transaction
from editor.commands.entity_keys import EntityKeys
from editor.commands.files import FilesChange
from editor.commands.paste import point_at
from editor.commands.records import fields_of
from editor.commands.step_codec import EFFECT, NODE, STEP
from editor.commands.step_reading import (
    integer_in,
    integers_in,
    number_in,
    split_documents,
    text_in,
)
from editor.commands.target import Target, node_addresses
from editor.model.change_set import ComponentType
from editor.model.clipboard import split_outside
from editor.model.file_moves import FileMoves
from editor.model.selection import Selection
from engine.errors import SceneError
from engine.reflect import ComponentRecord, Entity, Kind, from_record
from engine.scene import EntityRecord, InstanceNode, KeptRecords, SceneDoc
from engine.scene.instance_nodes import find_node
from engine.scene.registry.kept import UnknownFields

_PLACE = re.compile(r"(\d{1,9})(\+?)")


class Replay(Edit):
    """What `encode_step` wrote, as a step with the same label.

    Parameters
    ----------
    payload : bytes
    keys : EntityKeys
        What the keys in it mean; entities that appear are added.
    settle : callable
        Makes the nodes of instances that are not there yet.

    Raises
    ------
    SceneError
        The payload is no step. From `apply`: it doesn't fit the level; nothing changed.
    """

    def __init__(self, payload: bytes, keys: EntityKeys, settle: Callable[[], object]) -> None:
        documents = split_documents(payload)
        if not documents or not len(documents[0]):
            raise SceneError("step: expected a script, found nothing")
        self._script, *self._documents = documents
        self._keys = keys
        self._settle = settle
        head = self._script.entities[0].get(STEP)
        if head is None:
            raise SceneError("step: expected what it is called")
        super().__init__(text_in(head, "label"))
        self._references = text_in(head, "refs").split()
        self._nodes: list[tuple[int, str]] = []

    @property
    def is_empty(self) -> bool:
        """A step stays one even where nothing of it could be found: later ones count on it."""
        return False

    def build(self, edit: Transaction) -> None:
        for doc in (self._script, *self._documents):
            edit.context.registry.migrate(doc)
        documents = iter(self._documents)
        for record in self._script.entities[1:]:
            node = record.get(NODE)
            if node is not None:
                self._nodes.append((integer_in(node, "root"), text_in(node, "path")))
                continue
            effect = record.get(EFFECT)
            if effect is None:
                raise SceneError("step: expected an effect")
            if text_in(effect, "do") == "appear":
                self._appear(edit, effect, next(documents, None))
            else:
                self._carry_out(edit, effect, record)
        self._documents.clear()
        self._script = SceneDoc()

    def _carry_out(self, edit: Transaction, effect: ComponentRecord, record: EntityRecord) -> None:
        what, on = text_in(effect, "do"), text_in(effect, "on")
        if what in ("set", "put", "keep", "drop"):
            self._change(edit, what, self._target(on), effect, record.components)
            return
        entities = [e for address in on.split() if (e := self._entity(edit, address))]
        living = [e for e in entities if edit.world.alive(e)]
        if what == "select":
            edit.select(Selection(living))
        elif what == "vanish":
            if living:
                edit.despawn(living)
        elif what == "files":
            edit.do(FilesChange(_moves(text_in(effect, "moves"))))
        elif what in ("hidden", "locked"):
            state = effect.get("state")
            self._mark(edit, what, living, bool(state is not None and state.value))
        else:
            raise SceneError(f"step: {what!r} is no effect")

    def _mark(self, edit: Transaction, which: str, entities: list[Entity], on: bool) -> None:
        """Mark what the step marked, also where the kept marks hold that: undo takes it back."""
        if entities:
            nodes = node_addresses(edit.context, entities)
            name: Literal["hidden", "locked"] = "hidden" if which == "hidden" else "locked"
            edit.do(MarkChange(name, tuple(entities), on, nodes))

    def _change(
        self,
        edit: Transaction,
        what: str,
        target: Target | None,
        effect: ComponentRecord,
        components: list[ComponentRecord],
    ) -> None:
        """Change a component of one entity; one that is not there is passed over."""
        records = [self._inward(edit, r) for r in components if r.name != EFFECT]
        if what == "keep":
            value = KeptRecords(_kept(records, text_in(effect, "places")))
            entity = self._resolved(edit, target, KeptRecords, value)
            if entity:
                edit.put(entity, value)
            return
        name = text_in(effect, "type") if what == "drop" else records[0].name if records else ""
        type_ = self._type(edit, name)
        if what == "put":
            put = from_record(type_, records[0])
            entity = self._resolved(edit, target, type_, put)
            if entity:
                edit.put(entity, put)
            return
        entity = self._resolved(edit, target, type_, None)
        if not entity or not edit.world.has(entity, type_):
            return
        if what == "drop":
            edit.drop(entity, type_)
        else:
            from_record(type_, records[0])
            before = fields_of(edit.world.get(entity, type_), [f.name for f in records[0].fields])
            after = tuple(records[0].fields)
            edit.do(FieldsChange(Target.of(edit.context, entity), type_, before, after))

    def _resolved(
        self, edit: Transaction, target: Target | None, type_: ComponentType, value: object
    ) -> Entity:
        """Return the living entity of a target; the link to a node that is gone is parked."""
        if target is None:
            return Entity.null()
        entity = self._find(edit, target)
        if not entity and type_ is InstanceNode and isinstance(value, InstanceNode):
            _park(edit, target, value)
        return entity if entity and edit.world.alive(entity) else Entity.null()

    def _appear(self, edit: Transaction, effect: ComponentRecord, doc: SceneDoc | None) -> None:
        keys = integers_in(text_in(effect, "on"))
        if doc is None:
            raise SceneError("step: expected the entities that appear")
        outward = split_outside(doc)
        if len(doc) != len(keys):
            raise SceneError(f"step: expected {len(keys)} entities, found {len(doc)}")
        spawned = edit.context.registry.instantiate(edit.world, doc)
        edit.context.changes.spawn(spawned)
        edit.spawned(spawned)
        for key, entity in zip(keys, spawned, strict=True):
            self._keys.claim(key, entity)
        for reference in outward:
            target = self._referred(edit, int(reference.target.entity))
            if target:
                point_at(edit, spawned[reference.record], reference, target)

    # -- what entities are called ------------------------------------------------------------

    def _target(self, address: str) -> Target | None:
        if address.startswith("n"):
            place = number_in(address[1:])
            if not 0 <= place < len(self._nodes):
                raise SceneError(f"step: there is no node {address!r}")
            root = self._keys.entity_of(self._nodes[place][0])
            return Target(root, self._nodes[place][1]) if root else None
        entity = self._keys.entity_of(number_in(address))
        return Target(entity) if entity else None

    def _entity(self, edit: Transaction, address: str) -> Entity:
        target = self._target(address)
        return self._find(edit, target) if target is not None else Entity.null()

    def _find(self, edit: Transaction, target: Target) -> Entity:
        if target.path is None:
            return target.entity
        found = find_node(edit.world, target.entity, target.path)
        if not found:
            self._settle()
            found = find_node(edit.world, target.entity, target.path)
        return found

    def _referred(self, edit: Transaction, place: int) -> Entity:
        if not 0 <= place < len(self._references):
            return Entity.null()
        return self._entity(edit, self._references[place])

    def _inward(self, edit: Transaction, record: ComponentRecord) -> ComponentRecord:
        """Return a copy whose references are handles."""
        fields = [field.copy() for field in record.fields]
        for field in fields:
            if field.kind is Kind.ENTITY:
                field.integer = int(self._referred(edit, field.integer))
        return ComponentRecord(record.name, fields)

    def _type(self, edit: Transaction, name: str) -> ComponentType:
        type_ = edit.context.registry.type_named(name)
        if type_ is None and name == KeptRecords.scene_name():
            return KeptRecords
        if type_ is None:
            raise SceneError(f"step: unknown component: {name}")
        return type_


def _park(edit: Transaction, target: Target, link: InstanceNode) -> None:
    """Let an entity keep the link to a node that is gone, as long as there is one."""
    parked = edit.context.park(target.entity, target.path or "")
    if parked:
        edit.context.changes.spawn((parked,))
        edit.do(ValueChange(Target.of(edit.context, parked), InstanceNode, None, link))


def _moves(text: str) -> FileMoves:
    try:
        return FileMoves.from_text(text)
    except ValueError as error:
        raise SceneError(f"step: expected files that moved ({error})") from error


def _kept(records: list[ComponentRecord], places: str) -> list[tuple[int, ComponentRecord]]:
    matches = [_PLACE.fullmatch(place) for place in places.split()]
    if len(matches) != len(records):
        raise SceneError("step: expected a place for every kept record")
    kept = []
    for match, record in zip(matches, records, strict=True):
        if match is None:
            raise SceneError("step: expected the place of a kept record")
        is_part = bool(match[2])
        kept.append(
            (int(match[1]), UnknownFields(record.name, record.fields) if is_part else record)
        )
    return kept
