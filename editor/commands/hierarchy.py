"""Moving entities in the tree: under another parent, among their siblings, into a new group."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import overload

import numpy as np
from numpy.typing import NDArray

from editor.commands.changes import topmost
from editor.commands.edit import Edit, Transaction
from editor.commands.entities import Spawn, stood_for
from editor.commands.instances import add_to_node, override_fields
from editor.commands.naming import name_of, names_of, sibling_names, unique_name
from editor.commands.rules import check_movable
from editor.model.selection import Selection
from engine.ecs import World
from engine.errors import SceneError
from engine.reflect import Entity, SceneComponent
from engine.scene import (
    LocalMatrix,
    LocalTransform,
    Name,
    Order,
    Parent,
    Placeholder,
    Realised,
    set_parent,
)
from engine.scene.hierarchy import parent_of, world_matrix
from engine.scene.hierarchy_index import ROOT, HierarchyIndex

RANK_GAP = 1024
Handles = NDArray[np.int64]


def reparent(edit: Transaction, entity: Entity, parent: Entity, keep_world: bool) -> None:
    """Put `entity` under `parent` (null: the top of the tree)."""
    parent = stood_for(edit, parent) if parent else parent
    check_movable(edit.context, entity)
    if parent_of(edit.world, entity) == parent:
        return
    with edit.capture(entity, Parent, LocalTransform, LocalMatrix):
        set_parent(edit.world, entity, parent or None, keep_world=keep_world)


class Reparent(Edit):
    """Put entities under another parent; what is below a moved one moves with it.

    Parameters
    ----------
    entities : iterable of Entity
    parent : Entity or None
        None: the top of the tree.
    keep_world : bool
        Stay where they are in the world (with a LocalMatrix where that needs shear), rather than
        keep their local transforms.
    """

    def __init__(
        self, entities: Iterable[Entity], parent: Entity | None, keep_world: bool = True
    ) -> None:
        super().__init__("")
        self.entities = list(dict.fromkeys(entities))
        self.parent = parent or Entity.null()
        self.keep_world = keep_world

    def build(self, edit: Transaction) -> None:
        where = name_of(edit.world, self.parent) if self.parent else "the top"
        self.label = f"Move {names_of(edit.world, self.entities)} under {where}"
        for entity in topmost(edit.world, self.entities):
            reparent(edit, entity, self.parent, self.keep_world)


class Reorder(Edit):
    """Put entities under `parent`, in the given order, before one of its children or last."""

    def __init__(
        self,
        entities: Iterable[Entity],
        parent: Entity | None,
        before: Entity | None = None,
        keep_world: bool = True,
    ) -> None:
        super().__init__("")
        self.entities = list(dict.fromkeys(entities))
        self.parent = parent or Entity.null()
        self.before = before or Entity.null()
        self.keep_world = keep_world

    def build(self, edit: Transaction) -> None:
        self.label = f"Reorder {names_of(edit.world, self.entities)}"
        moved = topmost(edit.world, self.entities)
        self.parent = stood_for(edit, self.parent) if self.parent else self.parent
        handles: Handles = np.array(moved, np.int64)
        siblings = child_handles(edit.world, self.parent)
        before = self._first_that_stays(edit, siblings, handles)
        for entity in moved:
            check_movable(edit.context, entity)
            reparent(edit, entity, self.parent, self.keep_world)
        staying = siblings[~np.isin(siblings, handles)]
        place = int(np.flatnonzero(staying == before)[0]) if before else len(staying)
        self._rank(edit, staying[:place], handles, staying[place:])

    def _first_that_stays(self, edit: Transaction, siblings: Handles, moved: Handles) -> Entity:
        if not self.before:
            return Entity.null()
        places = np.flatnonzero(siblings == self.before)
        if not len(places):
            raise SceneError(f"{name_of(edit.world, self.before)} is no child of the new parent")
        after = siblings[places[0] :]
        staying = after[~np.isin(after, moved)]
        return Entity(staying[0]) if len(staying) else Entity.null()

    def _rank(self, edit: Transaction, left: Handles, moved: Handles, right: Handles) -> None:
        siblings = np.concatenate([left, moved, right])
        if np.array_equal(child_handles(edit.world, self.parent), siblings):
            return
        ranks = new_ranks(_Ranks(edit.world, left), len(moved), _Ranks(edit.world, right))
        for place, rank in ranks.items():
            _set_rank(edit, Entity(siblings[place]), rank)


def _set_rank(edit: Transaction, entity: Entity, rank: int) -> None:
    """Give an entity its place; on a node that is a change of what its asset says."""
    if not edit.world.has(entity, Realised):
        edit.put(entity, Order(rank))
    elif edit.world.has(entity, Placeholder):
        return
    elif edit.world.has(entity, Order):
        override_fields(edit, entity, Order, {"rank": rank})
    else:
        add_to_node(edit, entity, Order(rank))


def child_handles(world: World, parent: Entity) -> Handles:
    """Return the handles of the children of an entity, or of the roots for null, in order."""
    index = HierarchyIndex.of(world)
    slot = index.slot(parent)
    if parent and slot == ROOT:
        return np.empty(0, np.int64)
    handles: Handles = index.handle[index.child_slots(slot)]
    return handles


class _Ranks(Sequence[int]):
    """The ranks of entities, looked up when they are asked for: few of a long row are."""

    def __init__(self, world: World, entities: Handles) -> None:
        self._world = world
        self._entities = entities

    @overload
    def __getitem__(self, place: int) -> int: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[int]: ...
    def __getitem__(self, place: int | slice) -> int | Sequence[int]:
        if isinstance(place, slice):
            return _Ranks(self._world, self._entities[place])
        entity = Entity(self._entities[place])
        return self._world.get(entity, Order).rank if self._world.has(entity, Order) else 0

    def __len__(self) -> int:
        return len(self._entities)


def new_ranks(left: Sequence[int], n: int, right: Sequence[int]) -> dict[int, int]:
    """Return ranks that put `n` entities strictly between two runs of siblings.

    Parameters
    ----------
    left, right : sequence of int
        The ranks of those before and after, each in ascending order.
    n : int

    Returns
    -------
    dict
        From places in ``left + moved + right`` to new ranks. Siblings keep theirs where there is
        a gap; otherwise the shorter run makes room.
    """
    ranks: dict[int, int] = {}
    low = left[-1] if left else None
    high = right[0] if right else None
    if low is None or high is None:
        start = _open_end(low, high, n)
        return {len(left) + i: start + (i + 1) * RANK_GAP for i in range(n)}
    if high - low > n:
        step = (high - low) // (n + 1)
        return {len(left) + i: low + (i + 1) * step for i in range(n)}
    if len(left) <= len(right):
        for i in range(n):
            ranks[len(left) + i] = high - (n - i) * RANK_GAP
        bound = high - n * RANK_GAP
        for i in range(len(left) - 1, -1, -1):
            if left[i] < bound:
                break
            bound -= RANK_GAP
            ranks[i] = bound
    else:
        for i in range(n):
            ranks[len(left) + i] = low + (i + 1) * RANK_GAP
        bound = low + n * RANK_GAP
        for i, rank in enumerate(right):
            if rank > bound:
                break
            bound += RANK_GAP
            ranks[len(left) + n + i] = bound
    return ranks


def _open_end(low: int | None, high: int | None, n: int) -> int:
    if low is not None:
        return low
    return (high if high is not None else 0) - (n + 1) * RANK_GAP


class Group(Edit):
    """Put entities under a new empty one in their middle, and select it.

    Attributes
    ----------
    entity : Entity
        The new parent, once applied.
    """

    def __init__(self, entities: Iterable[Entity]) -> None:
        super().__init__("")
        self.entities = list(dict.fromkeys(entities))
        self.entity = Entity.null()

    def build(self, edit: Transaction) -> None:
        world = edit.world
        members = topmost(edit.world, self.entities)
        if not members:
            raise SceneError("nothing is selected to be grouped")
        self.label = f"Group {names_of(world, members)}"
        for member in members:
            check_movable(edit.context, member)
        parent = parent_of(edit.world, members[-1])
        name = Name(unique_name("Group", sibling_names(world, parent)))
        spawn = Spawn([name, _middle(edit, members)])
        spawn.build(edit)
        self.entity = spawn.entity
        if parent:
            reparent(edit, self.entity, parent, keep_world=True)
        for member in members:
            reparent(edit, member, self.entity, keep_world=True)
        edit.select(Selection([self.entity]))


def _middle(edit: Transaction, entities: Sequence[Entity]) -> SceneComponent:
    places = [world_matrix(edit.world, entity)[:3, 3] for entity in entities]
    return LocalTransform(translation=np.mean(places, axis=0))
