"""The records that a level stores of a world.

Nodes of placed props follow from their assets and are not stored, but for those that the level
changes, and those that something stored refers to: they get an `InstanceNode` record that says
which node they are, so that the reference finds them again. Which records there are follows from
what the level says, and not from the steps that led there.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator

import numpy as np
from numpy.typing import NDArray

from engine.ecs import Table, World
from engine.reflect import Entity, Kind
from engine.scene.components.instance_node import InstanceNode
from engine.scene.components.kept_records import KeptRecords
from engine.scene.components.realised import Realised
from engine.scene.document.columns import Columns, PlacedRecord, pack
from engine.scene.levels.indices import EntityIndices, Place
from engine.scene.registry import SceneRegistry
from engine.scene.registry.file_index import FileIndex, IntArray
from engine.scene.registry.snapshot import snapshot
from engine.scene.registry.value_codec import write_value

NodePath = Callable[[World, Entity], tuple[Entity, str] | None]


def snapshot_level(
    world: World,
    registry: SceneRegistry,
    indices: EntityIndices,
    node_path: NodePath,
    as_opened: Container[Place] = (),
) -> Columns:
    """Return the records of a level by file index; what has none yet gets the next ones.

    The level's own entities come first, in spawn order, then nodes by their places: those that the
    level changes, then those that it refers to.

    Parameters
    ----------
    as_opened : container of (Entity, str)
        The places whose links are written although they say nothing: the file was opened so.
    """
    records = _LevelRecords(world, node_path, as_opened)
    indices.extend(world, records.own)
    taken: set[int] = set()
    indices.place(world, records.places_of(records.changed), taken)
    handles = indices.living(world)
    missing = records.bare[~np.isin(records.bare, handles)]
    everything = np.concatenate([handles, missing])
    columns, bare = records.write(registry, everything)
    found = bare[np.isin(bare, _references(columns))]
    referenced = records.places_of(everything[found])
    if indices.place(world, referenced, taken) or (found >= len(handles)).any():
        handles = indices.living(world)
        columns, _ = records.write(registry, handles)
    file_index = FileIndex(handles)
    placed: list[PlacedRecord] = []
    for node, place in referenced.items():
        record = write_value(InstanceNode(*place), InstanceNode.scene_name(), file_index)
        placed.append((file_index.of(node), 0, record))
    return Columns(len(handles), columns.tables + pack(placed))


class _LevelRecords:
    """What a level may store of a world.

    Attributes
    ----------
    own, changed, bare : (n,) int64
        The level's own entities, the nodes that it changes, and all other nodes, in spawn order.
    """

    def __init__(self, world: World, node_path: NodePath, as_opened: Container[Place]) -> None:
        self._world = world
        self._node_path = node_path
        self._links: dict[int, Place] = {}
        own: list[IntArray] = []
        changed: list[IntArray] = []
        bare: list[IntArray] = []
        for table in world.tables:
            if InstanceNode not in table:
                (bare if Realised in table else own).append(table.entities)
                continue
            links = list(_links_of(table))
            self._links.update(zip(table.entities.tolist(), links, strict=True))
            is_bare = _are_bare(table)
            for row in np.flatnonzero(is_bare).tolist() if as_opened else ():
                is_bare[row] = links[row] not in as_opened
            changed.append(table.entities[~is_bare])
            bare.append(table.entities[is_bare])
        self.own, self.changed, self.bare = map(self._in_order, (own, changed, bare))

    def _in_order(self, parts: list[IntArray]) -> IntArray:
        handles: IntArray = np.concatenate(parts) if parts else np.empty(0, np.int64)
        in_order: IntArray = handles[np.argsort(self._world.serials(handles), kind="stable")]
        return in_order

    def places_of(self, nodes: IntArray) -> dict[int, Place]:
        """Return the place of each node, but for those that have none."""
        found: dict[int, Place] = {}
        for node in nodes.tolist():
            place = self._links.get(node) or self._node_path(self._world, Entity(node))
            if place is not None:
                found[node] = place
        return found

    def write(self, registry: SceneRegistry, handles: IntArray) -> tuple[Columns, IntArray]:
        """Return the records of `handles`, and the indices of the bare nodes, left empty."""
        bare = np.flatnonzero(np.isin(handles, self.bare))
        return snapshot(self._world, registry.types, handles, left_empty=bare), bare


def _are_bare(table: Table) -> NDArray[np.bool_]:
    """Return which nodes of a table the level changes nothing about."""
    if KeptRecords in table:
        return np.zeros(len(table), np.bool_)
    dropped = np.array([bool(names) for names in table.view(InstanceNode, "removed_components")])
    is_removed = np.asarray(table.view(InstanceNode, "removed"), np.bool_)
    return ~(is_removed | dropped.astype(np.bool_))


def bare_places(world: World) -> frozenset[Place]:
    """Return the places whose links say nothing of their nodes."""
    found: list[Place] = []
    for table in world.tables:
        if InstanceNode in table:
            links = list(_links_of(table))
            found += [links[row] for row in np.flatnonzero(_are_bare(table)).tolist()]
    return frozenset(found)


def _links_of(table: Table) -> Iterator[Place]:
    """Yield the places that the links of a table name."""
    roots = map(Entity, table.view(InstanceNode, "root").tolist())
    return zip(roots, table.view(InstanceNode, "path"), strict=True)


def _references(columns: Columns) -> IntArray:
    """Return every file index that some record refers to."""
    found = [
        np.unique(field.values)
        for table in columns.tables
        for field in table.fields
        if field.kind is Kind.ENTITY
    ]
    return np.unique(np.concatenate(found)) if found else np.empty(0, np.int64)
