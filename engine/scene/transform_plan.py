"""`TransformPlan`: one batch of entities whose world placement is computed together.

A plan lists slots with parents before children, cut into levels of equal depth, and remembers where
each entity's columns are. Running it composes the local placements table by table, brings them into
level order, multiplies level by level, and writes the results back table by table. The plan of a
whole world is kept and run again until entities move between tables.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from engine.ecs import Table, World
from engine.reflect.entity import INDEX_MASK
from engine.scene.components import LocalMatrix, LocalTransform, WorldTransform
from engine.scene.hierarchy_index import ROOT, HierarchyIndex, Slots
from engine.scene.transform_kernel import (
    Planes,
    multiply_planes,
    planes_from_matrices,
    planes_from_trs,
)


class Placement(IntEnum):
    """Where an entity's own placement comes from."""

    NONE = 0  # takes its parent's place
    TRANSFORM = 1
    MATRIX = 2
    GIVEN = 3  # a WorldTransform that somebody else wrote


def placement_of(table: Table) -> Placement:
    """Return the placement that the entities of a table have."""
    if LocalMatrix in table:
        return Placement.MATRIX
    if LocalTransform in table:
        return Placement.TRANSFORM
    return Placement.GIVEN if WorldTransform in table else Placement.NONE


@dataclass(frozen=True, slots=True)
class _Part:
    """The entities of a plan that live in one table; `rows` None means every row in order."""

    table: Table
    rows: Slots | None
    start: int
    stop: int

    def column(self, type_: type, field: str) -> NDArray[np.float32]:
        view = self.table.view(type_, field)
        found: NDArray[np.float32] = view if self.rows is None else view[self.rows]
        return found

    def transform_field(self, name: str) -> NDArray[np.float32]:
        """Return a field of the local transforms; that of an identity where there are none."""
        if placement_of(self.table) is Placement.TRANSFORM:
            return self.column(LocalTransform, name)
        nothing = np.array(_IDENTITY[name], np.float32)
        return np.broadcast_to(nothing, (self.stop - self.start, len(nothing)))

    def matrix_planes(self) -> Planes | None:
        """Return the planes of placements that are matrices, None where they are not."""
        placement = placement_of(self.table)
        if placement is Placement.MATRIX:
            return planes_from_matrices(self.column(LocalMatrix, "matrix"))
        if placement is Placement.GIVEN:
            return planes_from_matrices(self.column(WorldTransform, "matrix"))
        return None

    def store(self, matrices: NDArray[np.float32], positions: Slots) -> int:
        """Write the world matrices at `positions` back; return how many."""
        if placement_of(self.table) not in (Placement.TRANSFORM, Placement.MATRIX):
            return 0
        if self.rows is None:
            column = self.table.column(WorldTransform, "matrix")
            np.take(matrices, positions, axis=0, out=column, mode="clip")
            self.table.touch(WorldTransform, slice(None))
        else:
            found = np.take(matrices, positions, axis=0, mode="clip")
            self.table.write(WorldTransform, "matrix", self.rows, found)
        return self.stop - self.start


_IDENTITY = {"translation": (0, 0, 0), "rotation": (0, 0, 0, 1), "scale": (1, 1, 1)}


class TransformPlan:
    """How to compute the world placements of `slots`.

    Parameters
    ----------
    world : World
    index : HierarchyIndex
        Up to date.
    slots : (n,) int64
        Live slots, each once, closed under descendants.
    position : (m + 1,) int64
        Scratch over all slots, filled with -1; it is left so.
    """

    def __init__(self, world: World, index: HierarchyIndex, slots: Slots, position: Slots) -> None:
        depths = index.depths(slots)
        order = np.argsort(depths, kind="stable")
        slots, depths = slots[order], depths[order]
        self._parts, to_plan = _parts(world, index.handle[slots])
        self._to_plan = to_plan
        self._to_parts = np.empty_like(to_plan)
        self._to_parts[to_plan] = np.arange(len(to_plan))
        self._bounds = _level_bounds(depths)
        position[slots] = np.arange(len(slots))
        above = index.parent[slots]
        for part in self._parts:
            if placement_of(part.table) is Placement.GIVEN:
                above[to_plan[part.start : part.stop]] = ROOT
        self._above = position[above]
        position[slots] = -1
        is_outside = (self._above < 0) & (above != ROOT)
        self._outside = above[is_outside]
        if len(self._outside) > 1:
            self._outside, inverse = np.unique(self._outside, return_inverse=True)
            self._above[is_outside] = len(slots) + inverse
        else:
            self._above[is_outside] = len(slots)
        # Roots are multiplied with the identity that ends the world planes.
        self._above[self._above < 0] = len(slots) + len(self._outside)
        self._planes = np.zeros((3, 4, len(slots) + len(self._outside) + 1), np.float32)
        self._planes[(0, 1, 2), (0, 1, 2), -1] = 1.0
        self._matrices = np.zeros((len(slots), 4, 4), np.float32)
        self._matrices[:, 3, 3] = 1.0

    def run(self, world: World, index: HierarchyIndex) -> int:
        """Compute and write; return the number of world matrices written."""
        count, planes = len(self._to_plan), self._planes
        locals_ = self._local_planes()
        if len(self._outside):
            planes[:, :, count:-1] = _outside_planes(world, index, self._outside)
        start = 0
        for stop in self._bounds:
            parents = np.take(planes, self._above[start:stop], axis=2, mode="clip")
            multiply_planes(parents, locals_[:, :, start:stop], planes[:, :, start:stop])
            start = stop
        self._matrices[:, :3] = planes[:, :, :count].transpose(2, 0, 1)
        return sum(
            part.store(self._matrices, self._to_plan[part.start : part.stop])
            for part in self._parts
        )

    def _local_planes(self) -> Planes:
        """Return the planes of all local placements, in level order."""
        planes = planes_from_trs(*(self._in_level_order(name) for name in _IDENTITY))
        for part in self._parts:
            matrices = part.matrix_planes()
            if matrices is not None:
                planes[:, :, self._to_plan[part.start : part.stop]] = matrices
        return planes

    def _in_level_order(self, name: str) -> NDArray[np.float32]:
        columns = [part.transform_field(name) for part in self._parts]
        column = columns[0] if len(columns) == 1 else np.concatenate(columns)
        return np.take(column, self._to_parts, axis=0, mode="clip")


def _parts(world: World, handles: Slots) -> tuple[list[_Part], Slots]:
    """Group live entities by table; also return, table after table, their positions."""
    tables, rows = world.locate(handles)
    parts: list[_Part] = []
    positions: list[Slots] = []
    start = 0
    for table_id in np.flatnonzero(np.bincount(tables)).tolist():
        where = np.flatnonzero(tables == table_id)
        table = world.table(table_id)
        table_rows: Slots | None = rows[where].astype(np.int64)
        if len(where) == len(table) and len(where) > 1:
            assert table_rows is not None
            where = where[np.argsort(table_rows)]
            table_rows = None
        parts.append(_Part(table, table_rows, start, start + len(where)))
        positions.append(where)
        start += len(where)
    return parts, np.concatenate(positions)


def _level_bounds(depth: NDArray[np.int32]) -> list[int]:
    """Return the end of each level in depths that ascend."""
    ends: list[int] = (np.flatnonzero(np.diff(depth)) + 1).tolist()
    return [*ends, len(depth)]


def _outside_planes(world: World, index: HierarchyIndex, slots: Slots) -> Planes:
    """Return the world planes of parents that are not computed now.

    One that has no placement of its own stands where its nearest placed ancestor does.
    """
    matrices = np.tile(np.eye(4, dtype=np.float32), (len(slots), 1, 1))
    slots = slots.copy()
    todo = np.arange(len(slots))
    while len(todo):
        tables, rows = world.locate(index.handle[slots[todo]])
        is_open = np.zeros(len(todo), np.bool_)
        for table_id in np.flatnonzero(np.bincount(tables)).tolist():
            here = tables == table_id
            table = world.table(table_id)
            if WorldTransform in table:
                matrices[todo[here]] = table.view(WorldTransform, "matrix")[rows[here]]
            else:
                is_open |= here
        slots[todo] = index.parent[slots[todo]]
        todo = todo[is_open & (slots[todo] != ROOT)]
    return planes_from_matrices(matrices)


def slots_of(table: Table) -> Slots:
    """Return the slots of a table's entities, in row order."""
    return table.entities & INDEX_MASK
