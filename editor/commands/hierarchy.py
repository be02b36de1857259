"""Moving entities in the tree: under another parent, among their siblings, into a new group."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from editor.commands.changes import topmost
from editor.commands.edit import Edit, Transaction
from editor.commands.entities import Spawn, stood_for
from editor.commands.naming import name_of, names_of, sibling_names, unique_name
from editor.commands.rules import check_movable
from editor.commands.sibling_ranks import (
    Handles,
    Ranks,
    child_handles,
    new_ranks,
    ranks_behind,
    set_rank,
)
from editor.model.selection import Selection
from engine.errors import SceneError
from engine.reflect import Entity, SceneComponent
from engine.scene import (
    LocalMatrix,
    LocalTransform,
    Name,
    Parent,
    set_parent,
)
from engine.scene.hierarchy import parent_of, world_matrix


def reparent(edit: Transaction, entity: Entity, parent: Entity, keep_world: bool) -> None:
    """Put `entity` under `parent` (null: the top of the tree)."""
    parent = stood_for(edit, parent) if parent else parent
    check_movable(edit.context, entity)
    if parent_of(edit.world, entity) == parent:
        return
    with edit.capture(entity, Parent, LocalTransform, LocalMatrix):
        set_parent(edit.world, entity, parent or None, keep_world=keep_world)


class Reparent(Edit):
    """Put entities under another parent; what is below a moved one moves with it.

    Parameters
    ----------
    entities : iterable of Entity
    parent : Entity or None
        None: the top of the tree.
    keep_world : bool
        Stay where they are in the world (with a LocalMatrix where that needs shear), rather than
        keep their local transforms.
    """

    def __init__(
        self, entities: Iterable[Entity], parent: Entity | None, keep_world: bool = True
    ) -> None:
        super().__init__("")
        self.entities = list(dict.fromkeys(entities))
        self.parent = parent or Entity.null()
        self.keep_world = keep_world

    def build(self, edit: Transaction) -> None:
        where = name_of(edit.world, self.parent) if self.parent else "the top"
        self.label = f"Move {names_of(edit.world, self.entities)} under {where}"
        for entity in topmost(edit.world, self.entities):
            reparent(edit, entity, self.parent, self.keep_world)


class Reorder(Edit):
    """Put entities under `parent`, in the given order, before one of its children or last."""

    def __init__(
        self,
        entities: Iterable[Entity],
        parent: Entity | None,
        before: Entity | None = None,
        keep_world: bool = True,
    ) -> None:
        super().__init__("")
        self.entities = list(dict.fromkeys(entities))
        self.parent = parent or Entity.null()
        self.before = before or Entity.null()
        self.keep_world = keep_world

    def build(self, edit: Transaction) -> None:
        self.label = f"Reorder {names_of(edit.world, self.entities)}"
        moved = topmost(edit.world, self.entities)
        self.parent = stood_for(edit, self.parent) if self.parent else self.parent
        handles: Handles = np.array(moved, np.int64)
        siblings = child_handles(edit.world, self.parent)
        before = self._first_that_stays(edit, siblings, handles)
        for entity in moved:
            check_movable(edit.context, entity)
            reparent(edit, entity, self.parent, self.keep_world)
        staying = siblings[~np.isin(siblings, handles)]
        place = int(np.flatnonzero(staying == before)[0]) if before else len(staying)
        self._rank(edit, staying[:place], handles, staying[place:])

    def _first_that_stays(self, edit: Transaction, siblings: Handles, moved: Handles) -> Entity:
        if not self.before:
            return Entity.null()
        places = np.flatnonzero(siblings == self.before)
        if not len(places):
            raise SceneError(f"{name_of(edit.world, self.before)} is no child of the new parent")
        after = siblings[places[0] :]
        staying = after[~np.isin(after, moved)]
        return Entity(staying[0]) if len(staying) else Entity.null()

    def _rank(self, edit: Transaction, left: Handles, moved: Handles, right: Handles) -> None:
        siblings = np.concatenate([left, moved, right])
        if np.array_equal(child_handles(edit.world, self.parent), siblings):
            return
        ranks = new_ranks(Ranks(edit.world, left), len(moved), Ranks(edit.world, right))
        for place, rank in ranks.items():
            set_rank(edit, Entity(siblings[place]), rank)


class Group(Edit):
    """Put entities under a new empty one in their middle, and select it.

    In the tree it stands where the first of them stood.

    Attributes
    ----------
    entity : Entity
        The new parent, once applied.
    """

    def __init__(self, entities: Iterable[Entity]) -> None:
        super().__init__("")
        self.entities = list(dict.fromkeys(entities))
        self.entity = Entity.null()

    def build(self, edit: Transaction) -> None:
        world = edit.world
        members = topmost(edit.world, self.entities)
        if not members:
            raise SceneError("nothing is selected to be grouped")
        self.label = f"Group {names_of(world, members)}"
        for member in members:
            check_movable(edit.context, member)
        parent = parent_of(edit.world, members[-1])
        siblings = child_handles(world, parent)
        first = int(np.flatnonzero(np.isin(siblings, np.array(members, np.int64)))[0])
        after = Entity(siblings[first - 1]) if first else Entity.null()
        name = Name(unique_name("Group", sibling_names(world, parent)))
        spawn = Spawn([name, _middle(edit, members)])
        spawn.build(edit)
        self.entity = spawn.entity
        if parent:
            reparent(edit, self.entity, parent, keep_world=True)
        for member in members:
            reparent(edit, member, self.entity, keep_world=True)
        for entity, rank in ranks_behind(world, parent, after, [self.entity]).items():
            set_rank(edit, entity, rank)
        edit.select(Selection([self.entity]))


def _middle(edit: Transaction, entities: Sequence[Entity]) -> SceneComponent:
    places = [world_matrix(edit.world, entity)[:3, 3] for entity in entities]
    return LocalTransform(translation=np.mean(places, axis=0))
