"""The parts of a blueprint as columns, worked out once, from which instances are spawned.

All parts with the same components stand in one group, so that an instance, or many of them, costs a
few bulk calls. References among the parts are kept as positions and turned to handles when they
are known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.ecs import ComponentType, World
from engine.reflect import Kind, SceneComponent, component_fields, is_object_stored
from engine.scene.components import Order, Parent, Realised
from engine.scene.gltf_blueprint import ROOT, Blueprint
from engine.scene.level_blueprint import LevelPart, is_recorded
from engine.scene.registry.file_index import IntArray
from engine.scene.registry.value_codec import stack_values

Handles = NDArray[np.int64]
Columns = dict[ComponentType, dict[str, Any]]


@dataclass(eq=False, slots=True)
class _Group:
    """The parts that carry the same components.

    Attributes
    ----------
    at : (n,) int64
        Their positions.
    columns : dict
        Of one instance, without what hangs and orders them.
    references : list of (ComponentType, str, (n,) int64)
        Fields that refer to parts: the position of each, `ROOT` for none.
    """

    at: IntArray
    columns: dict[ComponentType, dict[str, Any]]
    references: list[tuple[ComponentType, str, IntArray]]


class PartColumns:
    """What every instance of one blueprint has in common.

    Attributes
    ----------
    parents, ranks : (n,) int64
        Of each part.
    above : list of int
        The parents, as a list.
    segments : list of str
        The step to each part from its parent.
    children : list of (int, list of str, list of int)
        Per part that others hang under: its position, their steps and their positions.
    instances : list of int
        The parts that are instances themselves.
    hung : dict of int to int
        Per part that is an instance: how many parts of the level hang under it.
    referring : list of int
        The parts that may refer to other entities when nodes come and go.
    single : list of int
        The parts that are made one by one: only a record tells what they refer to.
    """

    def __init__(self, blueprint: Blueprint) -> None:
        parts = blueprint.parts
        self.parents: IntArray = np.array([part.parent for part in parts], np.int64)
        self.above = [part.parent for part in parts]
        self.ranks: IntArray = np.array([part.rank for part in parts], np.int64)
        self._position = blueprint.position
        self.segments = [part.segment for part in parts]
        self.instances = [
            at for at, part in enumerate(parts) if isinstance(part, LevelPart) and part.is_instance
        ]
        self.children = self._steps(blueprint)
        roots = set(self.instances)
        self.hung = {at: len(below) for at, _, below in self.children if at in roots}
        self.referring = [
            at
            for at, part in enumerate(parts)
            if isinstance(part, LevelPart) and (part.refers or part.anchor)
        ]
        single: set[int] = set()
        groups: dict[frozenset[ComponentType], list[int]] = {}
        for at, part in enumerate(parts):
            refers = isinstance(part, LevelPart) and part.refers
            if refers and any(is_recorded(type(value)) for value in part.values):
                single.add(at)
                continue
            groups.setdefault(frozenset(map(type, part.values)), []).append(at)
        self.single = sorted(single)
        self._groups = [self._group(blueprint, at) for at in groups.values()]
        self._group_of = np.full(len(parts), -1, np.int64)
        self._row_of = np.full(len(parts), -1, np.int64)
        for i, group in enumerate(self._groups):
            self._group_of[group.at] = i
            self._row_of[group.at] = np.arange(len(group.at))

    def __len__(self) -> int:
        return len(self.parents)

    def _steps(self, blueprint: Blueprint) -> list[tuple[int, list[str], list[int]]]:
        below: dict[int, list[int]] = {}
        for at, part in enumerate(blueprint.parts):
            below.setdefault(part.parent, []).append(at)
        below.pop(ROOT, None)
        return [(at, [self.segments[c] for c in own], own) for at, own in below.items()]

    def _group(self, blueprint: Blueprint, at: list[int]) -> _Group:
        parts = [blueprint.parts[i] for i in at]
        columns: dict[ComponentType, dict[str, Any]] = {}
        references = []
        by_type = [{type(value): value for value in part.values} for part in parts]
        for type_ in by_type[0]:
            columns[type_] = stack_values(type_, [values[type_] for values in by_type])
            for spec in component_fields(type_):
                if spec.record_kind is Kind.ENTITY and spec.name in columns[type_]:
                    handles = columns[type_].pop(spec.name)
                    found = [self._position.get(int(handle), ROOT) for handle in handles]
                    references.append((type_, spec.name, np.array(found, np.int64)))
        return _Group(np.array(at, np.int64), columns, references)

    def matches(self, other: PartColumns, source: IntArray) -> NDArray[np.bool_]:
        """Which parts carry exactly what parts of another blueprint do, references aside.

        Parameters
        ----------
        source : (n,) int64
            The part of the other blueprint that each is compared with, `ROOT` for none.

        Returns
        -------
        (n,) bool
            False also where it would take a closer look.
        """
        found = np.zeros(len(self), np.bool_)
        for group in self._groups if len(other) else ():
            groups = np.where(source[group.at] == ROOT, -1, other._group_of[source[group.at]])
            for i in np.unique(groups[groups >= 0]).tolist():
                rows = np.flatnonzero(groups == i)
                theirs = other._row_of[source[group.at[rows]]]
                found[group.at[rows]] = _equal_rows(
                    group.columns, rows, other._groups[i].columns, theirs
                )
        return found

    def rows(
        self, roots: Handles, hung: IntArray, handles: Handles, wanted: NDArray[np.bool_]
    ) -> Iterator[tuple[Handles, Columns]]:
        """Yield the nodes of some instances as rows for `spawn_rows`.

        Parameters
        ----------
        roots : (k,) int64
            The root of each instance.
        hung : (k,) int64
            How many parts of the level around hang under each root.
        handles : (k, n) int64
            Reserved ones, of each part of each instance.
        wanted : (n,) bool
            Which parts to spawn.
        """
        for group in self._groups:
            rows = np.flatnonzero(wanted[group.at])
            at = group.at[rows]
            if not len(at):
                continue
            above = self.parents[at]
            is_top = above == ROOT
            parents = np.where(is_top, roots[:, None], handles[:, np.where(is_top, 0, above)])
            ranks = self.ranks[at] - np.where(is_top, hung[:, None], 0)
            columns: Columns = {
                Parent: {"entity": parents.ravel()},
                **_copies(group.columns, rows, len(roots)),
                Order: {"rank": ranks.ravel()},
                Realised: {},
            }
            for type_, name, source in group.references:
                to = source[rows]
                found = np.where(to == ROOT, 0, handles[:, np.where(to == ROOT, 0, to)])
                columns[type_][name] = found.ravel()
            yield handles[:, at].ravel(), columns


def spawn_rows(world: World, rows: Iterable[tuple[Handles, Columns]]) -> None:
    """Bring reserved handles into the world, those with the same components all at once."""
    alike: dict[frozenset[ComponentType], list[tuple[Handles, Columns]]] = {}
    for handles, columns in rows:
        alike.setdefault(frozenset(columns), []).append((handles, columns))
    for batch in alike.values():
        world.restore_many(
            np.concatenate([handles for handles, _ in batch]),
            _joined([columns for _, columns in batch]),
        )


def _joined(parts: list[Columns]) -> Columns:
    """Return columns that go on with those of the next part."""
    first = parts[0]
    if len(parts) == 1:
        return first
    return {
        type_: {
            name: list(chain.from_iterable(part[type_][name] for part in parts))
            if isinstance(column, list)
            else np.concatenate([part[type_][name] for part in parts])
            for name, column in given.items()
        }
        for type_, given in first.items()
    }


def columns_of(blueprint: Blueprint) -> PartColumns:
    """Return the columns of a blueprint, made at the first call."""
    if blueprint.columns is None:
        blueprint.columns = PartColumns(blueprint)
    return blueprint.columns


def _copies(
    columns: dict[ComponentType, dict[str, Any]], rows: IntArray, count: int
) -> dict[ComponentType, dict[str, Any]]:
    """Return columns for `count` instances, of those rows."""
    copies: dict[ComponentType, dict[str, Any]] = {}
    for type_, given in columns.items():
        own = copies[type_] = {}
        for name, column in given.items():
            if isinstance(column, list):
                own[name] = _copied(type_, name, [column[row] for row in rows.tolist()], count)
                continue
            taken = column if len(rows) == len(column) else column[rows]
            many = np.broadcast_to(taken, (count, *taken.shape))
            own[name] = many.reshape(count * len(taken), *taken.shape[1:])
    return copies


def _copied(type_: ComponentType, name: str, values: list[Any], count: int) -> list[Any]:
    if is_object_stored(type_):
        stored: list[SceneComponent] = values
        return [value.copy() for _ in range(count) for value in stored]
    kind = next(spec.kind for spec in component_fields(type_) if spec.name == name)
    if all(isinstance(value, str) for value in values):
        return values * count
    return [kind.copy(value) for _ in range(count) for value in values]


def _equal_rows(
    columns: dict[ComponentType, dict[str, Any]],
    rows: IntArray,
    others: dict[ComponentType, dict[str, Any]],
    other_rows: IntArray,
) -> NDArray[np.bool_]:
    equal = np.full(len(rows), columns.keys() == others.keys())
    for type_, given in columns.items() if equal.all() else ():
        for name, column in given.items():
            other = others[type_].get(name)
            if isinstance(column, list) and isinstance(other, list):
                pairs = zip(rows.tolist(), other_rows.tolist(), strict=True)
                equal &= [isinstance(column[i], str) and column[i] == other[j] for i, j in pairs]
            elif other is not None and not isinstance(column, list):
                same = column[rows] == other[other_rows]
                equal &= same.reshape(len(rows), -1).all(axis=1)
            else:
                equal[:] = False
    return equal
