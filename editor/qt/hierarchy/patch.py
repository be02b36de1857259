"""Row arithmetic for patching a list of rows into another without rebuilding it."""

from collections.abc import Sequence
from typing import TypeVar

__all__ = ["insertion_runs", "next_move", "removal_runs"]

T = TypeVar("T")


def removal_runs(current: Sequence[T], wanted: Sequence[T]) -> list[tuple[int, int]]:
    """Return inclusive row ranges of what is not wanted, last first, so rows stay valid."""
    keep = set(wanted)
    runs: list[tuple[int, int]] = []
    for row in range(len(current) - 1, -1, -1):
        if current[row] in keep:
            continue
        if runs and runs[-1][0] == row + 1:
            runs[-1] = (row, runs[-1][1])
        else:
            runs.append((row, row))
    return runs


def insertion_runs(current: Sequence[T], wanted: Sequence[T]) -> list[tuple[int, list[T]]]:
    """Return (row in the wanted list, values) of what is new, first to last.

    Applied in order each run lands at its final row when the others are in their wanted order.
    """
    have = set(current)
    runs: list[tuple[int, list[T]]] = []
    for row, value in enumerate(wanted):
        if value in have:
            continue
        if runs and runs[-1][0] + len(runs[-1][1]) == row:
            runs[-1][1].append(value)
        else:
            runs.append((row, [value]))
    return runs


def next_move(current: Sequence[T], wanted: Sequence[T]) -> tuple[int, int] | None:
    """Return (from row, to row) of one move that brings the order closer, None when it is right.

    Of the two ways to fix the first difference, moving the stray value out or the wanted one in,
    it takes the one that fits more neighbours; so one dragged row is one move.
    """
    for row, (have, want) in enumerate(zip(current, wanted, strict=True)):
        if have == want:
            continue
        if row + 1 < len(current) and current[row + 1] == want:
            return row, wanted.index(have)
        return current.index(want), row
    return None
