"""`AdoptDocument`: make the level what a document says, as one step that changes only differences.

This is how a merge with what somebody else saved comes into the open level: entities that are the
same in both stay what they are, handles, selection and history with them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from editor.commands.changes import topmost
from editor.commands.edit import Edit, Transaction
from editor.commands.kept import kept_names
from editor.commands.ownership import Ownership, OwnershipChange
from editor.commands.records import same_bits
from editor.model.change_set import ComponentType
from editor.model.selection import Selection
from engine.ecs import World
from engine.errors import SceneError
from engine.reflect import Entity, SceneComponent
from engine.scene import InstanceNode, KeptRecords, Name, Realised, SceneDoc, SceneRegistry
from engine.scene.document.compare import changed_rows
from engine.scene.hierarchy import repointed
from engine.scene.instance_nodes import find_node
from engine.scene.node_paths import NodePaths
from engine.scene.registry.instantiate import instantiate_columns

Values = dict[ComponentType, SceneComponent]


@dataclass
class Adoption:
    """How a level becomes what a document says; made by `plan_adoption`.

    Attributes
    ----------
    changed : list of int
        The records that differ.
    handles : (m,) int64
        The entity of each record, 0 for none as yet.
    sketch : World
        A world of its own that holds the level as it is wanted; empty where nothing differs.
    drawn : (n,) int64
        The entity in `sketch` of each record.
    """

    changed: list[int]
    handles: NDArray[np.int64]
    sketch: World
    drawn: NDArray[np.int64]


def plan_adoption(
    current: SceneDoc, wanted: SceneDoc, handles: NDArray[np.int64], registry: SceneRegistry
) -> Adoption:
    """Compare two documents and read the wanted one. Touches no level: any thread may do it.

    Parameters
    ----------
    current : SceneDoc
        The level as it is, of the present version.
    wanted : SceneDoc
        What it shall be; an index means the same entity in both.
    handles : (n,) int64
        The entity that each record of `current` is, 0 for none.
    registry : SceneRegistry

    Raises
    ------
    SceneError
        A record of `wanted` can't be read.
    """
    columns = wanted.to_columns()
    changed = np.flatnonzero(changed_rows(current.to_columns(), columns)[1]).tolist()
    known: NDArray[np.int64] = np.zeros(max(len(handles), len(wanted)), np.int64)
    known[: len(handles)] = handles
    sketch, drawn = World(), np.empty(0, np.int64)
    if changed:
        types = {type_.scene_name(): type_ for type_ in registry.types}
        drawn = instantiate_columns(sketch, columns, types, keep_unknown=True, skip_empty=True)
    return Adoption(changed, known, sketch, drawn)


class AdoptDocument(Edit):
    """Change the level from one document to another.

    Parameters
    ----------
    label : str
    adoption : Adoption
        Planned for the level as it is.

    Attributes
    ----------
    handles : (m,) int64
        The entity of each record that was wanted, once applied.
    """

    def __init__(self, label: str, adoption: Adoption) -> None:
        super().__init__(label)
        self._adoption: Adoption | None = adoption
        self.handles: NDArray[np.int64] = adoption.handles.copy()

    def build(self, edit: Transaction) -> None:
        adoption, self._adoption = self._adoption, None
        assert adoption is not None
        if adoption.changed:
            _Run(edit, adoption.sketch, adoption.drawn, self.handles).run(adoption.changed)


class _Run:
    """One run: `sketch` is a world of its own that holds the level as it is wanted."""

    def __init__(
        self,
        edit: Transaction,
        sketch: World,
        drawn: NDArray[np.int64],
        handles: NDArray[np.int64],
    ) -> None:
        self._edit = edit
        self._world = edit.world
        self._sketch = sketch
        self._drawn = drawn
        self._handles = handles
        self._entity_of: dict[int, Entity] = {}

    def run(self, changed: list[int]) -> None:
        wanted = [i for i in changed if i < len(self._drawn) and self._drawn[i]]
        gone = [i for i in changed if i >= len(self._drawn) or not self._drawn[i]]
        new = [i for i in wanted if not self._is_there(i)]
        fresh = self._reserve(new)
        self._link()
        kept = [i for i in wanted if i not in fresh]
        try:
            self._spawn(sorted(fresh))
        except BaseException:
            self._forget(fresh)
            raise
        for index in kept:
            self._change(Entity(self._handles[index]), self._values(index))
        self._remove([i for i in gone if self._is_there(i)])

    def _is_there(self, index: int) -> bool:
        return self._world.alive(Entity(self._handles[index]))

    def _values(self, index: int) -> Values:
        values = self._sketch.values(Entity(self._drawn[index]))
        return {type(value): repointed(value, self._entity_of) for value in values}

    def _link(self) -> None:
        """Note which entity of the level each one of the sketch is."""
        drawn, handles = self._drawn.tolist(), self._handles.tolist()
        pairs = zip(drawn, handles, strict=False)
        self._entity_of = {d: Entity(h) for d, h in pairs if d}

    # -- entities that come ------------------------------------------------------------------

    def _reserve(self, indices: list[int]) -> set[int]:
        """Find entities for records that have none yet; return those that must be made."""
        nodes = [i for i in indices if self._sketch.has(Entity(self._drawn[i]), InstanceNode)]
        own = [i for i in indices if i not in set(nodes)]
        self._handles[own] = self._world.reserve_many(len(own))
        fresh = set(own)
        for index in nodes:
            link = self._sketch.get(Entity(self._drawn[index]), InstanceNode)
            root = np.flatnonzero(self._drawn == link.root)
            entity = Entity.null()
            if len(root) and self._is_there(int(root[0])):
                entity = find_node(self._world, Entity(self._handles[root[0]]), link.path)
            if not entity:
                entity = Entity(self._world.reserve_many(1)[0])
                fresh.add(index)
            self._handles[index] = entity
        return fresh

    def _spawn(self, indices: list[int]) -> None:
        roots = [Entity(self._handles[i]) for i in indices]
        for index, entity in zip(indices, roots, strict=True):
            self._edit.context.restore(entity, list(self._values(index).values()))
        if roots:
            self._edit.spawned(roots)

    def _forget(self, indices: set[int]) -> None:
        for index in indices:
            entity = Entity(self._handles[index])
            if self._world.alive(entity):
                self._edit.context.despawn(entity)
            self._world.forget(entity)

    # -- entities that stay ------------------------------------------------------------------

    def _change(self, entity: Entity, wanted: Values) -> None:
        is_node = self._world.has(entity, Realised)
        if is_node and wanted and InstanceNode not in wanted:
            # Somebody else made the node an entity of the level.
            step = NodePaths.of(self._world).step_to(entity)
            made = Ownership(entity, list(wanted.values()), self._world.values(entity), step)
            self._edit.do(OwnershipChange([made], to_level=True))
            return
        touched = kept_names(self._world, entity) if is_node else set()
        types = (InstanceNode, KeptRecords) if is_node else self._types(entity, wanted)
        for type_ in types:
            before, after = self._edit.context.value(entity, type_), wanted.get(type_)
            if same_bits(before, after) or (after is None and type_ is Name):
                continue
            if after is None:
                self._edit.drop(entity, type_)
            else:
                self._edit.put(entity, after)
        if is_node:
            self._inherit(entity, touched | kept_names(self._world, entity))

    def _types(self, entity: Entity, wanted: Values) -> list[ComponentType]:
        known = {*self._edit.context.registry.types, KeptRecords}
        return [t for t in dict.fromkeys([*self._world.types(entity), *wanted]) if t in known]

    def _inherit(self, node: Entity, names: set[str]) -> None:
        """Let a node show its changed overrides."""
        types = [*self._world.types(node), *self._edit.context.registry.types]
        for type_ in dict.fromkeys(types):
            if type_.scene_name() in names and type_ is not InstanceNode:
                try:
                    self._edit.inherit(node, type_)
                except SceneError:
                    continue

    # -- entities that go --------------------------------------------------------------------

    def _remove(self, indices: list[int]) -> None:
        """Remove what no record stands for any more; a node may have moved to another one."""
        elsewhere = set(np.delete(self._handles, indices).tolist())
        for index in [i for i in indices if int(self._handles[i]) in elsewhere]:
            self._handles[index] = 0
        entities = [Entity(self._handles[i]) for i in indices if self._handles[i]]
        nodes = [e for e in entities if self._world.has(e, Realised)]
        for node in nodes:
            self._change(node, {})
        roots = topmost(self._world, [e for e in entities if not self._world.has(e, Realised)])
        if roots:
            self._edit.despawn(roots)
            self._edit.select(Selection(filter(self._world.alive, self._edit.context.selection)))
