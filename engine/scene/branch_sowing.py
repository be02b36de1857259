"""Making the nodes of many branches at once, in columns: anew, or going on from those of before."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from engine.reflect import Entity
from engine.scene.blueprint_change import BlueprintChange
from engine.scene.part_columns import Columns, Handles, columns_of, spawn_rows
from engine.scene.registry.file_index import IntArray

if TYPE_CHECKING:
    from engine.scene.instance_branch import InstanceBranch

_NONE: Mapping[int, Entity] = {}


def sow(groups: Collection[Sequence[InstanceBranch]], linked: Mapping[int, Entity] = _NONE) -> None:
    """Make the nodes of branches that have no node yet, all at once.

    Parameters
    ----------
    groups : collection of sequences of InstanceBranch
        The branches of each took one blueprint.
    linked : mapping of int to Entity
        Entities to use for nodes, by position; only for one branch.
    """
    sown: list[tuple[Sequence[InstanceBranch], Handles, list[int]]] = []
    rows: list[tuple[Handles, Columns]] = []
    for branches in groups:
        world, blueprint = branches[0].dresser.world, branches[0].blueprint
        assert blueprint is not None
        columns = columns_of(blueprint)
        handles = world.reserve_many(len(branches) * len(columns)).reshape(len(branches), -1)
        apart = sorted({*columns.single, *linked, *branches[0].changed_parts})
        for at, entity in linked.items():
            world.forget(Entity(handles[0, at]))
            handles[0, at] = entity
        wanted = np.ones(len(columns), np.bool_)
        wanted[apart] = False
        rows += columns.rows(*roots_of(branches), handles, wanted)
        sown.append((branches, handles, apart))
    for (branch, *_), _, _ in sown[:1]:
        spawn_rows(branch.dresser.world, rows)
    for branches, handles, apart in sown:
        for branch, own in zip(branches, handles, strict=True):
            branch.take_nodes(own.tolist(), apart, linked)


def go_on(
    branches: Sequence[InstanceBranch], known: Sequence[InstanceBranch], change: BlueprintChange
) -> None:
    """Let branches that planned to go on from those of before do so, all at once."""
    world, columns = branches[0].dresser.world, columns_of(change.after)
    before = np.array([branch.nodes for branch in known], np.int64).reshape(len(known), -1)
    is_new = change.is_new
    handles = np.zeros((len(branches), len(columns)), np.int64)
    handles[:, ~is_new] = before[:, change.source[~is_new]]
    handles[:, is_new] = world.reserve_many(len(branches) * int(is_new.sum())).reshape(
        len(branches), -1
    )
    roots, hung = roots_of(branches)
    spawn_rows(world, columns.rows(roots, hung, handles, is_new))
    change.write(world, handles, hung, roots_of(known)[1])
    for branch, was, own in zip(branches, known, handles, strict=True):
        branch.follow(was, change, own)


def roots_of(branches: Sequence[InstanceBranch]) -> tuple[IntArray, IntArray]:
    """Return the root of each branch, and how many parts of the level around hang under it."""
    hung = [b.inside.count if b.inside is not None else 0 for b in branches]
    return np.array([b.root for b in branches], np.int64), np.array(hung, np.int64)
