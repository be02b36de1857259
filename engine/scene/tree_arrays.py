"""Trees as arrays of parent slots: depths, cycles, and all of it without recursion.

Every array has one element per slot and an empty one at the end, which `ROOT` selects.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.reflect.entity import INDEX_MASK
from engine.scene.child_lists import ROOT, Slots


def valid_parents(handle: Slots, linked: Slots) -> Slots:
    """Return parent slots; `ROOT` where the link is null, dead or the entity itself."""
    above = linked & INDEX_MASK
    above[(linked <= 0) | (above >= len(handle) - 1)] = ROOT
    dead = (handle[above] != linked) | (linked == handle)
    above[dead] = ROOT
    return above


def measure_depths(parent: Slots) -> tuple[NDArray[np.int32], list[Slots]]:
    """Return the depths and the ancestors 1, 2, 4, ... steps above, by pointer doubling."""
    depth = (parent != ROOT).astype(np.int32)
    jumps: list[Slots] = []
    above = parent
    while len(jumps) <= len(parent).bit_length() and (above != ROOT).any():
        jumps.append(above)
        depth += depth[above]
        above = above[above]
    return depth, jumps


def cycle_slots(jumps: list[Slots]) -> Slots:
    """Return the slots that lie on cycles, given the ancestors far enough above."""
    if not jumps or len(jumps) <= len(jumps[0]).bit_length():
        return np.zeros(0, np.int64)
    last = jumps[-1]
    return np.unique(last[last != ROOT])


def break_cycles(parent: Slots, stuck: Slots, serial: Slots) -> None:
    """Make the first in file order of each cycle a root."""
    unseen = set(stuck.tolist())
    for start in stuck[np.argsort(serial[stuck], kind="stable")].tolist():
        if start not in unseen:
            continue
        slot = start
        while slot in unseen:
            unseen.discard(slot)
            slot = int(parent[slot])
        parent[start] = ROOT


def walked_depths(parent: Slots, slots: Slots) -> NDArray[np.int32]:
    """Return the depths of a few slots of a tree, each step walked once."""
    known: dict[int, int] = {ROOT: -1}
    for slot in slots.tolist():
        path = []
        while slot not in known:
            path.append(slot)
            slot = int(parent[slot])
        depth = known[slot]
        for step in reversed(path):
            depth += 1
            known[step] = depth
    return np.array([known[slot] for slot in slots.tolist()], np.int32)
