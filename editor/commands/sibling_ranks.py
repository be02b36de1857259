"""Which place entities have among their siblings, as the ranks of `Order` components."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, overload

import numpy as np
from numpy.typing import NDArray

from editor.commands.edit import Transaction
from editor.commands.instances import add_to_node, override_fields
from engine.ecs import World
from engine.reflect import Entity
from engine.scene import Order, Placeholder, Realised
from engine.scene.hierarchy_index import ROOT, HierarchyIndex

RANK_GAP: Final = 1024
Handles = NDArray[np.int64]


def ranks_behind(
    world: World, parent: Entity, after: Entity, newcomers: Sequence[Entity]
) -> dict[Entity, int]:
    """Return the ranks that put children of `parent` right behind one of their siblings.

    Siblings keep theirs: what is added to a level changes no line of anything else.

    Parameters
    ----------
    after : Entity
        Null: before all siblings.
    newcomers : sequence of Entity
        In their order; own entities of the level.

    Returns
    -------
    dict
        Empty when they stand there already, and when there is no room between the siblings, as
        between those without an `Order`: then newcomers stay last.
    """
    siblings = child_handles(world, parent)
    handles: Handles = np.array(newcomers, np.int64)
    staying = siblings[~np.isin(siblings, handles)]
    place = int(np.flatnonzero(staying == after)[0]) + 1 if after else 0
    left, right = staying[max(place - 1, 0) : place], staying[place : place + 1]
    wanted = np.concatenate([left, handles, right])
    if np.array_equal(siblings[np.isin(siblings, wanted)], wanted):
        return {}
    places = new_ranks(Ranks(world, left), len(handles), Ranks(world, right))
    ranks = {Entity(wanted[place]): rank for place, rank in places.items()}
    return ranks if ranks.keys() <= set(newcomers) else {}


def set_rank(edit: Transaction, entity: Entity, rank: int) -> None:
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


class Ranks(Sequence[int]):
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
            return Ranks(self._world, self._entities[place])
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
