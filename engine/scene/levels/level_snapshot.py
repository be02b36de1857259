"""The records that a level stores of a world.

Nodes of placed props follow from their assets and are not stored, but for those that something
stored refers to: they get an `InstanceNode` record that says which node they are, so that the
reference finds them again.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from engine.ecs import World
from engine.reflect import Entity, Kind
from engine.scene.components.instance_node import InstanceNode
from engine.scene.components.realised import Realised
from engine.scene.document.columns import Columns, PlacedRecord, pack
from engine.scene.registry import SceneRegistry
from engine.scene.registry.file_index import FileIndex, IntArray
from engine.scene.registry.snapshot import snapshot
from engine.scene.registry.value_codec import write_value

NodePath = Callable[[World, Entity], tuple[Entity, str] | None]


def snapshot_level(
    world: World, registry: SceneRegistry, handles: IntArray, node_path: NodePath
) -> tuple[Columns, IntArray]:
    """Return the records of `handles`, by file index; 0 gives an empty record.

    Nodes of instances may be among the handles; they have a record only while something refers
    to them or while they carry an InstanceNode.

    Returns
    -------
    columns : Columns
    added : (m,) int64
        Nodes that are referred to and were not among the handles; they got the next indices.
    """
    nodes = realised_nodes(world)
    missing = nodes[~np.isin(nodes, handles)]
    count = len(handles)
    columns, bare = _records(world, registry, np.concatenate([handles, missing]))
    referenced = bare[np.isin(bare, _references(columns))]
    added = missing[referenced[referenced >= count] - count]
    if len(added):
        handles = np.concatenate([handles, added])
        columns, bare = _records(world, registry, handles)
        referenced = bare[np.isin(bare, _references(columns))]
    file_index = FileIndex(handles)
    placed: list[PlacedRecord] = []
    for index in referenced.tolist():
        place = node_path(world, Entity(int(handles[index])))
        if place is not None:
            record = write_value(InstanceNode(*place), InstanceNode.scene_name(), file_index)
            placed.append((index, 0, record))
    return Columns(len(handles), columns.tables + pack(placed)), added


def _records(world: World, registry: SceneRegistry, handles: IntArray) -> tuple[Columns, IntArray]:
    """Return the records of `handles`, and the indices of the bare nodes among them."""
    bare = _bare_nodes(world, handles)
    return snapshot(world, registry.types, handles, left_empty=bare), bare


def realised_nodes(world: World) -> IntArray:
    """Return the nodes of placed props that carry no InstanceNode, in spawn order."""
    parts = [t.entities for t in world.tables if Realised in t and InstanceNode not in t]
    handles: IntArray = np.concatenate(parts) if parts else np.empty(0, np.int64)
    in_order: IntArray = handles[np.argsort(world.serials(handles), kind="stable")]
    return in_order


def _bare_nodes(world: World, handles: IntArray) -> IntArray:
    """Return the indices of the realised nodes among `handles` that carry no InstanceNode."""
    table_ids, _ = world.locate(handles)
    bare_tables = [t.id for t in world.tables if Realised in t and InstanceNode not in t]
    return np.flatnonzero(np.isin(table_ids, bare_tables))


def _references(columns: Columns) -> IntArray:
    """Return every file index that some record refers to."""
    found = [
        np.unique(field.values)
        for table in columns.tables
        for field in table.fields
        if field.kind is Kind.ENTITY
    ]
    return np.unique(np.concatenate(found)) if found else np.empty(0, np.int64)
