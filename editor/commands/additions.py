"""What the open level hung under an instance, on its way into the level that is placed."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from editor.commands.copying import Branches, branches_document
from editor.commands.edit import Transaction
from editor.commands.naming import name_of, unique_name
from editor.commands.node_entries import (
    Kept,
    cut_references,
    linked_entries,
    node_values,
    overrides_of,
)
from editor.commands.ownership import Ownership
from engine.ecs import QuerySpec, World
from engine.errors import SceneError
from engine.reflect import Entity, Field, Kind
from engine.scene import Environment, InstanceNode, KeptRecords, Name, Parent, Realised
from engine.scene.gltf_blueprint import ROOT
from engine.scene.hierarchy import children, parent_of
from engine.scene.instance_nodes import find_node, node_path
from engine.scene.level_apply import LevelEdit
from engine.scene.level_blueprint import LevelBlueprint, LevelPart
from engine.scene.node_references import referenced_nodes

_HUNG = QuerySpec(Parent, without=(Realised,))


def hung_under(world: World, root: Entity) -> list[Entity]:
    """Return the level's own entities right below an instance or its nodes, not deeper ones.

    Those below one node stand in their order.
    """
    columns = [table.view(Parent, "entity") for table in _HUNG.tables(world)]
    parents = np.unique(np.concatenate([*columns, np.empty(0, np.int64)]))
    # Hardly any of them is a node: only those are looked at one by one.
    nodes = dict.fromkeys((root, *map(Entity, parents[_are_nodes(world, parents)].tolist())))
    places = ((path_below(world, node, root), node) for node in nodes)
    found = sorted((path, parent) for path, parent in places if path is not None)
    own = (child for _, parent in found for child in children(world, parent))
    return [child for child in own if not world.has(child, Realised)]


def _are_nodes(world: World, entities: NDArray[np.int64]) -> NDArray[np.bool_]:
    tables, _ = world.locate(entities)
    of_nodes = [at for at, table in enumerate(world.tables) if Realised in table]
    return np.isin(tables, of_nodes)


def path_below(world: World, entity: Entity, root: Entity) -> str | None:
    """Return the path of a node of an instance, "" for its root, None for anything else."""
    if entity == root:
        return ""
    if not world.alive(entity) or not world.has(entity, Realised):
        return None
    try:
        found, path = node_path(world, entity)
    except SceneError:
        return None
    return path if found == root else None


@dataclass(eq=False)
class Additions:
    """Entities that become part of a placed level.

    Attributes
    ----------
    root : Entity
        The instance.
    tops : list of Entity
        What hangs under it or its nodes.
    branches : Branches
        With all below, as a document; the tops have their parents in it.
    outward : Kept
        References that the placed level can't have.
    made : dict of Entity to Entity
        What each is in the world of the placed level, once written.
    """

    root: Entity
    tops: list[Entity]
    branches: Branches
    outward: Kept = field(default_factory=dict)
    made: dict[Entity, Entity] = field(default_factory=dict)
    names: dict[Entity, str] = field(default_factory=dict)

    @classmethod
    def collect(
        cls,
        edit: Transaction,
        root: Entity,
        level: LevelEdit,
        nodes: Collection[Entity] | None,
        removed: Iterable[str],
    ) -> Additions:
        """Find what hangs under an instance.

        Parameters
        ----------
        nodes : collection of Entity, optional
            Only what hangs under these.
        removed : iterable of str
            Nodes that go from the level; what hangs under them stays where it is.

        Raises
        ------
        SceneError
            The look of the level is among it.
        """
        world = edit.world
        gone = tuple(removed)
        tops = []
        for entity in hung_under(world, root):
            parent = parent_of(world, entity)
            path = path_below(world, parent, root) or ""
            is_gone = any(path == step or path.startswith(f"{step}/") for step in gone)
            is_wanted = nodes is None or parent in nodes
            if is_wanted and not is_gone and (not path or level.finds(path)):
                tops.append(entity)
        found = cls(root, tops, branches_document(edit.context, tops, keeps_parents=True))
        found._refuse_look(world)
        found._cut(world, level)
        found._rename(world, level)
        return found

    def _refuse_look(self, world: World) -> None:
        for entity in self.branches.inside:
            if world.has(entity, Environment):
                raise SceneError(
                    f"{name_of(world, entity)} is the look of this level; a placed level can't "
                    "bring one, so take it out from under the instance first"
                )

    def _cut(self, world: World, level: LevelEdit) -> None:
        """Leave to the open level what refers to anything else than nodes of the instance."""
        count, tops = len(self.branches.inside), set(self.tops)
        for entity, record in zip(self.branches.inside, self.branches.doc.entities, strict=True):
            at = record.find(Parent.scene_name()) if entity in tops else -1
            if at >= 0 and self._target_of(record.components[at].fields[0], count) == self.root:
                del record.components[at]
        self.outward = cut_references(
            self.branches, lambda target: not self._inner_path(world, level, target)
        )

    def _target_of(self, item: Field, count: int) -> Entity:
        is_out = item.kind is Kind.ENTITY and item.integer >= count
        return self.branches.outside[item.integer - count] if is_out else Entity.null()

    def _inner_path(self, world: World, level: LevelEdit, target: Entity) -> str:
        path = path_below(world, target, self.root)
        return path if path and level.finds(path) else ""

    def _rename(self, world: World, level: LevelEdit) -> None:
        """Give no name that another part has there: the paths of those shall stay what they are."""
        taken: dict[str, set[str]] = {}
        records = dict(zip(self.branches.inside, self.branches.doc.entities, strict=True))
        for entity in self.tops:
            path = path_below(world, parent_of(world, entity), self.root) or ""
            beside = taken.setdefault(path, level.blueprint.names_beside(path))
            self.names[entity] = unique_name(world.get(entity, Name).text, beside)
            beside.add(self.names[entity])
            record = records[entity].get(Name.scene_name())
            if record is not None:
                record.fields[record.find("text")].text = self.names[entity]

    # -- into the level ----------------------------------------------------------------------

    def write(self, world: World, level: LevelEdit) -> None:
        """Put the entities into the placed level."""
        paths = [self._inner_path(world, level, target) for target in self.branches.outside]
        made = level.add(self.branches.doc, paths)
        self.made = dict(zip(self.branches.inside, made, strict=True))

    def entries(
        self, world: World, before: LevelBlueprint, after: LevelBlueprint
    ) -> list[Ownership]:
        """Return what becomes of every entity in the open level, parents first.

        Parameters
        ----------
        before, after : LevelBlueprint
            The placed level, without and with them.
        """
        entity_of = {int(made): entity for entity, made in self.made.items()}
        place_of = {entity: place for place, entity in enumerate(self.branches.inside)}
        handles = (int(_part(before, at).handle) for at in range(len(before.parts)))
        old_path = dict(zip(handles, before.paths(), strict=True))
        path_of: dict[Entity, str] = {}
        entries = []
        for at, path in enumerate(after.paths()):
            part = _part(after, at)
            entity = entity_of.get(int(part.handle))
            if entity is None:
                continue
            path_of[entity] = path
            above = self._above(world, after, part, entity_of, old_path)
            parent = world.get(entity, Parent).entity if part.anchor else above
            values = node_values(world, entity, (Name,), part.rank)
            kept = overrides_of(self.root, path, self.outward.get(place_of[entity]))
            name = self.names.get(entity) or world.get(entity, Name).text
            as_node = [Name(name), Parent(parent), *values, *kept]
            step = (above, part.segment)
            entries.append(Ownership(entity, world.values(entity), as_node, step))
        linked = linked_entries(world, self.root, self.branches, self.outward, path_of)
        return [*entries, *linked]

    def _above(
        self,
        world: World,
        after: LevelBlueprint,
        part: LevelPart,
        entity_of: dict[int, Entity],
        old_path: dict[int, str],
    ) -> Entity:
        if part.parent == ROOT:
            return self.root
        handle = int(_part(after, part.parent).handle)
        known = entity_of.get(handle)
        return known if known is not None else find_node(world, self.root, old_path[handle])

    def bare_parents(self, world: World, parents: Iterable[Entity]) -> list[Entity]:
        """Return the nodes that have a record for nothing but what hung under them."""
        linked = [e for e in dict.fromkeys(parents) if world.has(e, InstanceNode)]
        held = referenced_nodes(world, linked)
        return [e for e in linked if e not in held and _is_bare(world, e)]


def _is_bare(world: World, node: Entity) -> bool:
    link = world.get(node, InstanceNode)
    return not (link.removed or link.removed_components or world.has(node, KeptRecords))


def _part(blueprint: LevelBlueprint, at: int) -> LevelPart:
    part = blueprint.parts[at]
    assert isinstance(part, LevelPart)
    return part
