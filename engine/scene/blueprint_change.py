"""`BlueprintChange`: how the nodes of one blueprint become those of the next.

Worked out once for all instances of an asset that is another one now: most parts are as they were,
and what differs is written for all instances at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.ecs import ComponentType, World
from engine.reflect import Entity, SceneComponent, component_fields
from engine.scene.components import GltfMesh, JointPalette, MeshRenderer, Order, Shape
from engine.scene.gltf_blueprint import ROOT, Blueprint, BlueprintPart
from engine.scene.level_blueprint import LevelPart
from engine.scene.part_columns import columns_of
from engine.scene.registry.file_index import IntArray
from engine.scene.registry.value_codec import stack_values

Handles = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class _Written:
    """What is written of one component: the parts, their values, and these as columns."""

    type_: ComponentType
    at: IntArray
    values: list[SceneComponent]
    columns: Mapping[str, Any]


@dataclass(eq=False, slots=True)
class BlueprintChange:
    """What differs between two blueprints.

    Attributes
    ----------
    before, after : Blueprint
    source : (n,) int64
        Per part of `after`: which part of `before` it was, `ROOT` for a new one.
    gone : list of int
        The parts of `before` that are no more.
    written : list of (int, list of SceneComponent)
        Parts of `after` that carry other values of the same components, and those values.
    ranked : list of int
        Parts of `after` that stand elsewhere among their siblings.
    dressed : list of int
        Parts of `after` that carry other components.
    """

    before: Blueprint
    after: Blueprint
    source: IntArray
    gone: list[int] = field(default_factory=list)
    written: list[tuple[int, list[SceneComponent]]] = field(default_factory=list)
    ranked: list[int] = field(default_factory=list)
    dressed: list[int] = field(default_factory=list)
    _grouped: list[_Written] | None = None

    @property
    def is_new(self) -> NDArray[np.bool_]:
        """Which parts of `after` were not there, (n,) bool."""
        is_new: NDArray[np.bool_] = self.source == ROOT
        return is_new

    def write(self, world: World, handles: Handles, hung: IntArray, hung_before: IntArray) -> None:
        """Write what differs into nodes that nothing else changes.

        Parameters
        ----------
        handles : (k, n) int64
            The nodes of each instance, in the order of the parts of `after`.
        hung, hung_before : (k,) int64
            How many parts of the level around hang under each root, now and before.
        """
        for own in self._by_type():
            nodes = handles[:, own.at].ravel()
            _write(world, nodes, own.type_, own.values * len(handles), own.columns)
        parts = self.after.parts
        moved = hung != hung_before
        top = np.array([at for at, part in enumerate(parts) if part.parent == ROOT], np.int64)
        ranked = np.zeros((len(handles), len(parts)), np.bool_)
        ranked[:, self.ranked] = True
        ranked[np.ix_(moved, top)] = True
        if ranked.any():
            ranks = np.tile([part.rank for part in parts], (len(handles), 1))
            ranks[:, top] -= hung[:, None]
            _write(world, handles[ranked], Order, [], {"rank": ranks[ranked]})

    def _by_type(self) -> list[_Written]:
        """Return what is written, per component."""
        if self._grouped is None:
            found: dict[ComponentType, list[tuple[int, SceneComponent]]] = {}
            for at, values in self.written:
                for value in values:
                    found.setdefault(type(value), []).append((at, value))
            self._grouped = []
            for type_, pairs in found.items():
                positions = np.array([at for at, _ in pairs], np.int64)
                values = [value for _, value in pairs]
                columns = stack_values(type_, values)
                self._grouped.append(_Written(type_, positions, values, columns))
        return self._grouped


def prepare_change(before: Blueprint, after: Blueprint) -> None:
    """Work out ahead, on any thread, what `change_between` will be asked for."""
    # The one of before that has not been taken would keep its own predecessor.
    before.change = None
    change = change_between(before, after)
    change._by_type()
    after.change = change


def change_between(before: Blueprint, after: Blueprint) -> BlueprintChange:
    """Find out what differs."""
    if before is after:
        return BlueprintChange(before, after, np.arange(len(after.parts)))
    prepared, after.change = after.change, None
    if prepared is not None and prepared.before is before:
        return prepared
    source = np.full(len(after.parts), ROOT, np.int64)
    change = BlueprintChange(before, after, source)
    for at, part in enumerate(after.parts):
        above = ROOT if part.parent == ROOT else int(source[part.parent])
        if part.parent != ROOT and above == ROOT:
            continue
        found = before.step(above, part.segment)
        if found is not None:
            source[at] = found
    is_same = columns_of(after).matches(columns_of(before), source)
    for at in np.flatnonzero(source != ROOT).tolist():
        old, new = before.parts[source[at]], after.parts[at]
        if not is_same[at] or old.rank != new.rank or _refers(old) or _refers(new):
            _compare(change, at, old, new)
    kept = set(source.tolist())
    change.gone = [at for at in range(len(before.parts)) if at not in kept]
    return change


def _compare(change: BlueprintChange, at: int, old: BlueprintPart, new: BlueprintPart) -> None:
    if old.rank != new.rank:
        change.ranked.append(at)
    if _refers(old) or _refers(new):
        # Their references are turned in any case.
        change.dressed.append(at)
        return
    values = {type(value): value for value in old.values}
    if values.keys() != {type(value) for value in new.values}:
        change.dressed.append(at)
        return
    differing = [value for value in new.values if values[type(value)] != value]
    if Shape in values or GltfMesh in values:
        # What these draw is derived from them.
        differing = [v for v in differing if not isinstance(v, (MeshRenderer, JointPalette))]
    if differing:
        change.written.append((at, differing))


def _refers(part: BlueprintPart) -> bool:
    return isinstance(part, LevelPart) and bool(part.refers or part.anchor)


def _write(
    world: World,
    nodes: Handles,
    type_: ComponentType,
    values: Sequence[SceneComponent],
    columns: Mapping[str, Any],
) -> None:
    """Write a component of many nodes.

    Parameters
    ----------
    values : sequence of SceneComponent
        Of each node; what a node that lacks the component gets.
    columns : mapping of str to column
        The values, of the first nodes; those of the others repeat them.
    """
    tables, rows = world.locate(nodes)
    for id_ in np.unique(tables).tolist():
        table = world.table(id_)
        chosen = np.flatnonzero(tables == id_)
        here = rows[chosen]
        if type_ not in table:
            for i in chosen.tolist():
                world.add(Entity(nodes[i]), values[i])
            continue
        kinds = {spec.name: spec.kind for spec in component_fields(type_)}
        for name, column in columns.items():
            if not isinstance(column, list):
                table.write(type_, name, here, column[chosen % len(column)])
            elif name:
                copies = [kinds[name].copy(column[i % len(column)]) for i in chosen.tolist()]
                table.write(type_, name, here, copies)
            else:
                table.write(type_, name, here, [values[i].copy() for i in chosen.tolist()])
