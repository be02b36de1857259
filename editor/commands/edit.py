"""`Edit`: the base of every command, and the `Transaction` in which its first `apply` runs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable
from typing import Any

from editor.commands.changes import (
    Change,
    DespawnChange,
    FieldsChange,
    Presence,
    SelectionChange,
    SpawnChange,
    Stored,
    ValueChange,
    subtree,
)
from editor.commands.context import EditContext
from editor.commands.lost_references import hold, hold_fields
from editor.commands.records import fields_of, new_fields, same_bits
from editor.commands.rules import refuse_loops
from editor.commands.target import Target, node_addresses
from editor.model.change_set import ComponentType
from editor.model.history import Command
from editor.model.selection import Selection
from engine.reflect import Entity, SceneComponent


class Transaction:
    """Carries out changes one by one and remembers them; `roll_back` takes all of them back."""

    def __init__(self, context: EditContext) -> None:
        self.context = context
        self.world = context.world
        self.changes: list[Change] = []

    def do(self, change: Change) -> None:
        """Carry out `change`."""
        change.apply(self.context)
        self.done(change)

    def done(self, change: Change) -> None:
        """Remember a change that was carried out already."""
        if isinstance(change, ValueChange):
            hold(self.world, (v for v in (change.before, change.after) if v is not None))
        elif isinstance(change, FieldsChange):
            hold_fields(self.world, (*change.before, *change.after))
        self.changes.append(change)

    def put(self, entity: Entity, component: SceneComponent) -> None:
        """Add or replace a component."""
        type_ = type(component)
        target = Target.of(self.context, entity)
        before = self.context.value(entity, type_)
        self.do(ValueChange(target, type_, before, component))

    def drop(self, entity: Entity, type_: ComponentType) -> None:
        """Remove a component that is there."""
        target = Target.of(self.context, entity)
        self.do(ValueChange(target, type_, self.context.value(entity, type_), None))

    def set_fields(self, entity: Entity, type_: ComponentType, settings: dict[str, Any]) -> None:
        """Set some fields of a component that is there, by their record names."""
        value = self.world.get(entity, type_)
        after = new_fields(value, settings)
        before = fields_of(value, settings)
        self.do(FieldsChange(Target.of(self.context, entity), type_, before, after))

    def capture(self, entity: Entity, *types: ComponentType) -> _Capture:
        """Return a context manager: what the engine does to `types` of `entity` inside it."""
        return _Capture(self, entity, types)

    def inherit(self, node: Entity, type_: ComponentType) -> None:
        """Let a component of a node hold what its asset gives it, its overrides on top."""
        value = self.context.inherited(node, type_)
        before = self.context.value(node, type_)
        if value is not None or before is not None:
            self.do(ValueChange(Target.of(self.context, node), type_, before, value))

    def spawned(self, roots: list[Entity]) -> None:
        """Remember subtrees that were spawned already."""
        stored: Stored = [(entity, []) for entity in subtree(self.world, roots)]
        self.done(SpawnChange(tuple(roots), stored))

    def despawn(self, roots: list[Entity]) -> None:
        """Remove subtrees."""
        self.do(DespawnChange(tuple(roots)))

    def select(self, selection: Selection) -> None:
        """Select exactly these entities."""
        before = self.context.selection
        nodes = node_addresses(self.context, [*before, *selection])
        self.do(SelectionChange(before, selection, nodes))

    def roll_back(self) -> None:
        """Take everything back, the latest first."""
        while self.changes:
            self.changes.pop().revert(self.context)


class _Capture:
    """Turns writes made by the engine into changes of the transaction."""

    def __init__(self, edit: Transaction, entity: Entity, types: tuple[ComponentType, ...]) -> None:
        self._edit = edit
        self._entity = entity
        self._types = types

    def __enter__(self) -> None:
        self._before = [self._edit.context.value(self._entity, type_) for type_ in self._types]

    def __exit__(self, *_: object) -> None:
        context = self._edit.context
        target = Target.of(context, self._entity)
        for type_, before in zip(self._types, self._before, strict=True):
            after = context.value(self._entity, type_)
            if not same_bits(before, after):
                context.note(self._entity, type_)
                self._edit.done(ValueChange(target, type_, before, after))


class Edit(ABC):
    """A command that works out its changes when it is first applied.

    Attributes
    ----------
    label : str
        What the step is called.
    """

    def __init__(self, label: str) -> None:
        self.label = label
        self._changes: list[Change] | None = None

    @abstractmethod
    def build(self, edit: Transaction) -> None:
        """Carry the command out through `edit`; an exception takes back what was done so far."""

    @property
    def changes(self) -> tuple[Change, ...]:
        return tuple(self._changes or ())

    @property
    def affects_level(self) -> bool:
        return any(c.affects_level and not c.is_empty for c in self.changes)

    @property
    def is_empty(self) -> bool:
        return all(change.is_empty for change in self.changes)

    @property
    def cost(self) -> int:
        return 200 + sum(change.cost for change in self.changes)

    def apply(self, context: EditContext) -> None:
        edit = Transaction(context)
        try:
            if self._changes is None:
                self.build(edit)
                refuse_loops(edit.context, edit.changes)
            else:
                for change in self._changes:
                    edit.do(change)
        except BaseException:
            edit.roll_back()
            raise
        self._changes = edit.changes

    def revert(self, context: EditContext) -> None:
        reverted: list[Change] = []
        try:
            for change in reversed(self._changes or ()):
                change.revert(context)
                reverted.append(change)
        except BaseException:
            for change in reversed(reverted):
                change.apply(context)
            raise

    def absorb(self, later: Command[EditContext]) -> bool:
        """Join with a later command of the same kind whose changes commute with these."""
        if type(later) is not type(self) or not isinstance(later, Edit):
            return False
        joined: dict[Hashable, Change] = {}
        for change in (*self.changes, *later.changes):
            if change.key is None:
                return False
            earlier = joined.get(change.key)
            joined[change.key] = earlier.joined(change) if earlier is not None else change
        self._changes = list(joined.values())
        return True

    def forget(self, context: EditContext, was_applied: bool) -> None:
        for change in self.changes:
            if isinstance(change, Presence):
                change.forget(context, was_applied)
