"""The few kinds of change that every command is made of, each with its exact inverse."""

from __future__ import annotations

import contextlib
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal, Protocol, Self

from editor.commands.context import EditContext
from editor.commands.lost_references import hold, of_level, reconnect, reconnected
from editor.commands.records import record_cost, same_bits, value_cost, with_fields
from editor.commands.stand_ins import holder_of, take_over
from editor.commands.target import Nodes, Target, present
from editor.model.change_set import ComponentType
from editor.model.selection import Selection
from engine.ecs import World
from engine.errors import EntityError
from engine.reflect import Entity, Field, SceneComponent
from engine.scene import InstanceNode, KeptRecords
from engine.scene.hierarchy import ancestors, descendants
from engine.scene.instance_nodes import NodeAliases
from engine.scene.node_addresses import NodeAddresses
from engine.scene.node_paths import NodePaths
from engine.scene.parked_nodes import HeldNodes, keep_node

Stored = list[tuple[Entity, list[SceneComponent]]]


class Change(Protocol):
    """One reversible step on an `EditContext`."""

    @property
    def affects_level(self) -> bool: ...

    @property
    def is_empty(self) -> bool: ...

    @property
    def cost(self) -> int: ...

    @property
    def key(self) -> Hashable | None:
        """What it changes, where it commutes with changes of other keys; None where it doesn't."""

    def apply(self, context: EditContext) -> None: ...

    def revert(self, context: EditContext) -> None: ...

    def joined(self, later: Self) -> Self:
        """Return this change followed by `later`, one with the same key."""


@dataclass(frozen=True)
class FieldsChange:
    """Some fields of one component; other fields keep what they hold at the time."""

    target: Target
    type_: ComponentType
    before: tuple[Field, ...]
    after: tuple[Field, ...]
    affects_level: bool = True

    @property
    def is_empty(self) -> bool:
        return self.before == self.after

    @property
    def cost(self) -> int:
        return 300 + record_cost(self.before) + record_cost(self.after)

    @property
    def key(self) -> Hashable:
        return (FieldsChange, self.target, self.type_)

    def apply(self, context: EditContext) -> None:
        self._write(context, self.after)

    def revert(self, context: EditContext) -> None:
        self._write(context, self.before)

    def _write(self, context: EditContext, fields: tuple[Field, ...]) -> None:
        entity = self.target.resolve(context)
        if not entity or (self.target.is_node and not context.world.has(entity, self.type_)):
            return
        value = with_fields(context.world.get(entity, self.type_), fields)
        context.world.set(entity, reconnected(context, value))
        context.note(entity, self.type_)

    def joined(self, later: FieldsChange) -> FieldsChange:
        before = {field.name: field for field in (*later.before, *self.before)}
        after = {field.name: field for field in (*self.after, *later.after)}
        names = dict.fromkeys([*after, *before])
        return replace(
            self,
            before=tuple(before[name] for name in names if name in before),
            after=tuple(after[name] for name in names if name in after),
        )


@dataclass(frozen=True)
class ValueChange:
    """One whole component: added (`before` None), removed (`after` None) or replaced."""

    target: Target
    type_: ComponentType
    before: SceneComponent | None
    after: SceneComponent | None
    affects_level: bool = True

    @property
    def is_empty(self) -> bool:
        return same_bits(self.before, self.after)

    @property
    def cost(self) -> int:
        return 300 + value_cost(self.before) + value_cost(self.after)

    @property
    def key(self) -> Hashable:
        return (ValueChange, self.target, self.type_)

    def apply(self, context: EditContext) -> None:
        self._put(context, self.after)

    def revert(self, context: EditContext) -> None:
        self._put(context, self.before)

    def _put(self, context: EditContext, value: SceneComponent | None) -> None:
        is_kept = value is not None and self.type_ in (InstanceNode, KeptRecords)
        target = self.target
        entity = target.resolve_or_park(context) if is_kept else target.resolve(context)
        if not entity:
            return
        if value is not None:
            if target.path is not None and isinstance(value, KeptRecords):
                _bind(context, entity, target.entity, target.path)
            context.put(entity, reconnected(context, value.copy()))
        elif context.world.has(entity, self.type_):
            if self.type_ is InstanceNode:
                _let_loose(context.world, entity)
            context.drop(entity, self.type_)

    def joined(self, later: ValueChange) -> ValueChange:
        return replace(self, after=later.after)


@dataclass
class Presence:
    """Subtrees of the level that are there or not; the base of spawning and despawning.

    What goes is remembered as it is at that moment, realised nodes included, and comes back as
    the same handles at the same places among its siblings.

    Attributes
    ----------
    roots : tuple of Entity
    stored : list of (Entity, components)
        What was there when it was last taken away, or was spawned first, then without values.
    records : list of ValueChange
        What went from nodes that stay, since their asset has them.
    """

    roots: tuple[Entity, ...]
    stored: Stored = field(default_factory=list)
    records: list[ValueChange] = field(default_factory=list)
    affects_level: bool = True
    brings_when_applied: ClassVar[bool]

    @property
    def is_empty(self) -> bool:
        return not self.roots

    @property
    def key(self) -> None:
        return None

    @property
    def cost(self) -> int:
        return 200 + sum(200 + sum(map(value_cost, values)) for _, values in self.stored)

    def joined(self, later: Self) -> Self:
        raise AssertionError("changes without a key are never joined")

    def take_away(self, context: EditContext) -> None:
        world = context.world
        going = ((holder_of(world, values), e) for e, values in self.stored if not world.alive(e))
        take_over(context, {holder: e for holder, e in going if holder})
        self.records = [
            change for root in self._nodes_that_stay(world) for change in _records(context, root)
        ]
        bare = {change.target.node for change in self.records}
        there = [root for root in self.roots if world.alive(root) and root not in bare]
        entities = _going(world, there)
        stored = [(entity, world.values(entity)) for entity in entities]
        hold(world, (value for _, values in stored for value in of_level(values)))
        for change in self.records:
            HeldNodes.of(world).add(change.target.node)
            change.apply(context)
        for entity in reversed(entities):
            context.despawn(entity)
        self.stored = stored

    def _nodes_that_stay(self, world: World) -> list[Entity]:
        """Return what was a record without a node, and is a node that its asset has by now."""
        return []

    def forget(self, context: EditContext, was_applied: bool) -> None:
        """Give the handles free that only this change could have brought back."""
        if self.brings_when_applied is not was_applied:
            for entity, _ in self.stored:
                with contextlib.suppress(EntityError):
                    context.world.forget(entity)
                context.forgotten(entity)

    def bring_back(self, context: EditContext) -> None:
        done = []
        try:
            for entity, values in self.stored:
                if context.world.alive(entity):
                    # Another part of the level needed it meanwhile; the rest follows its asset.
                    for value in values:
                        if isinstance(value, (InstanceNode, KeptRecords)):
                            context.put(entity, value.copy())
                    continue
                context.restore(entity, values)
                done.append(entity)
            for entity, values in self.stored:
                reconnect(context, entity, of_level(values))
        except BaseException:
            for entity in reversed(done):
                context.despawn(entity)
            raise
        for change in reversed(self.records):
            change.revert(context)


class SpawnChange(Presence):
    """Subtrees that appear; made once they are there."""

    brings_when_applied = True

    def apply(self, context: EditContext) -> None:
        self.bring_back(context)

    def revert(self, context: EditContext) -> None:
        self.take_away(context)

    def _nodes_that_stay(self, world: World) -> list[Entity]:
        paths, roots = NodePaths.of(world), set(self.roots)
        linked = (e for e in self.roots if world.alive(e) and world.has(e, InstanceNode))
        return [
            e
            for e in linked
            if paths.step_to(e) is not None and world.get(e, InstanceNode).root not in roots
        ]


class DespawnChange(Presence):
    """Subtrees that go."""

    brings_when_applied = False

    def apply(self, context: EditContext) -> None:
        self.take_away(context)

    def revert(self, context: EditContext) -> None:
        self.bring_back(context)


@dataclass(frozen=True)
class SelectionChange:
    """What is selected; a step of the history that never makes the level dirty."""

    before: Selection
    after: Selection
    nodes: Nodes = field(default_factory=dict)
    affects_level: bool = False

    @property
    def is_empty(self) -> bool:
        return self.before == self.after

    @property
    def cost(self) -> int:
        return 100 + 16 * (len(self.before) + len(self.after))

    @property
    def key(self) -> Hashable:
        return SelectionChange

    def apply(self, context: EditContext) -> None:
        self._select(context, self.after)

    def revert(self, context: EditContext) -> None:
        self._select(context, self.before)

    def _select(self, context: EditContext, entities: Selection) -> None:
        context.selection = Selection(present(context, entities, self.nodes))
        context.selected_nodes = self.nodes

    def joined(self, later: SelectionChange) -> SelectionChange:
        return replace(self, after=later.after, nodes={**self.nodes, **later.nodes})


@dataclass(frozen=True)
class MarkChange:
    """Entities hidden, shown, locked or unlocked."""

    which: Literal["hidden", "locked"]
    entities: tuple[Entity, ...]
    on: bool
    nodes: Nodes = field(default_factory=dict)
    affects_level: bool = False

    @property
    def is_empty(self) -> bool:
        return not self.entities

    @property
    def cost(self) -> int:
        return 100 + 8 * len(self.entities)

    @property
    def key(self) -> None:
        return None

    def apply(self, context: EditContext) -> None:
        self._mark(context, self.on)

    def revert(self, context: EditContext) -> None:
        self._mark(context, not self.on)

    def _mark(self, context: EditContext, on: bool) -> None:
        marked: set[Entity] = getattr(context.marks, self.which)
        entities = present(context, self.entities, self.nodes)
        if on:
            marked.update(entities)
        else:
            marked.difference_update(entities)
        context.changes.mark(entities)

    def joined(self, later: MarkChange) -> MarkChange:
        raise AssertionError("changes without a key are never joined")


def _going(world: World, roots: Sequence[Entity]) -> list[Entity]:
    """Return what goes with `roots`, parents before children.

    A node that only hangs here for now, since its asset lacks it, belongs to its instance.
    """
    meant, found = set(roots), subtree(world, roots)
    inside = set(found)
    linked = (e for e in found if e not in meant and world.has(e, InstanceNode))
    others = [e for e in linked if _is_elsewhere(world, world.get(e, InstanceNode).root, inside)]
    staying = set(subtree(world, others))
    return [e for e in found if e not in staying]


def _is_elsewhere(world: World, root: Entity, inside: set[Entity]) -> bool:
    return root not in inside and world.alive(root)


def _bind(context: EditContext, node: Entity, root: Entity, path: str) -> None:
    """Give a node a link: when the step was made it had one because something held on to it."""
    if not context.world.has(node, InstanceNode):
        keep_node(context.world, node, InstanceNode(root, path))
        context.note(node, InstanceNode)


def _let_loose(world: World, node: Entity) -> None:
    """Know a node by the path of the link that it loses: whoever puts that back finds it again."""
    # Should its asset lose the node, that brings the same entity back.
    HeldNodes.of(world).add(node)
    NodeAddresses.of(world).hold(world, (node,))
    link = world.get(node, InstanceNode)
    NodeAliases.of(world)[link.root, link.path] = node


def _records(context: EditContext, node: Entity) -> list[ValueChange]:
    """Return what takes all that the level keeps of a node away from it."""
    target = Target.of(context, node)
    types: tuple[ComponentType, ...] = (KeptRecords, InstanceNode)
    values = [(type_, context.value(node, type_)) for type_ in types]
    return [ValueChange(target, type_, v, None) for type_, v in values if v is not None]


def subtree(world: World, roots: Iterable[Entity]) -> list[Entity]:
    """Return `roots` and everything below them, parents before children."""
    found: dict[Entity, None] = {}
    for root in roots:
        if root not in found:
            found[root] = None
            found.update(dict.fromkeys(descendants(world, root)))
    return list(found)


def topmost(world: World, entities: Sequence[Entity]) -> list[Entity]:
    """Return those of `entities` that no other of them is above, in their order.

    Raises
    ------
    EntityError
        One of them is not alive.
    """
    chosen = dict.fromkeys(entities)
    return [e for e in chosen if not any(above in chosen for above in ancestors(world, e))]
