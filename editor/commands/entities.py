"""Spawning, despawning and duplicating entities."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from editor.commands.changes import subtree, topmost
from editor.commands.edit import Edit, Transaction
from editor.commands.instances import remove_node
from editor.commands.naming import (
    FreeNames,
    asset_title,
    name_of,
    names_of,
    sibling_names,
    unique_name,
)
from editor.commands.rules import check_movable, check_words
from editor.commands.sibling_ranks import child_handles, ranks_behind, set_rank
from editor.model.selection import Selection
from engine.errors import EntityError
from engine.reflect import Entity, SceneComponent
from engine.scene import (
    CameraComponent,
    GltfInstance,
    LightSource,
    Name,
    Parent,
    Placeholder,
    Realised,
    SceneInstance,
    Shape,
    clone_recursive,
)
from engine.scene.hierarchy import parent_of
from engine.scene.instance_nodes import node_path


class Spawn(Edit):
    """Make one entity of the level.

    Parameters
    ----------
    components : sequence of components
        Without a Name it gets one that no sibling has.
    parent : Entity, optional
    select : bool
        Select it, as part of the step.
    name : str
        What to make its name from; empty: what its components say.

    Attributes
    ----------
    entity : Entity
        The new entity, once applied.
    """

    def __init__(
        self,
        components: Sequence[SceneComponent],
        parent: Entity | None = None,
        select: bool = False,
        name: str = "",
    ) -> None:
        super().__init__("")
        self.name = name
        self.components = list(components)
        self.parent = parent or Entity.null()
        self.select = select
        self.entity = Entity.null()

    def build(self, edit: Transaction) -> None:
        world = edit.world
        components = list(self.components)
        for component in components:
            check_words(lambda: self.name or "new entity", type(component), vars(component))
        if self.parent:
            self.parent = stood_for(edit, self.parent)
            components.append(Parent(self.parent))
        for component in components:
            if isinstance(component, Parent) and not world.alive(component.entity):
                raise EntityError(f"the parent {component.entity} is not in the level")
        if not any(isinstance(component, Name) for component in components):
            taken = sibling_names(world, self.parent)
            wanted = self.name or default_name(components)
            components.insert(0, Name(unique_name(wanted, taken)))
        self.entity = world.spawn(*components)
        edit.context.changes.spawn((self.entity,))
        edit.spawned([self.entity])
        self.label = f"Add {name_of(world, self.entity)}"
        if self.select:
            edit.select(Selection([self.entity]))


def default_name(components: Iterable[SceneComponent]) -> str:
    """Return what an entity of these components is called before anyone named it."""
    for component in components:
        if isinstance(component, GltfInstance):
            return asset_title(component.asset) or "Prop"
        if isinstance(component, SceneInstance):
            return asset_title(component.level) or "Level"
        if isinstance(component, LightSource):
            return f"{str(component.kind).capitalize()} light"
        if isinstance(component, CameraComponent):
            return "Camera"
        if isinstance(component, Shape):
            return component.kind.capitalize()
    return "Entity"


class Despawn(Edit):
    """Remove entities with everything below them; nodes of instances are marked as removed."""

    def __init__(self, entities: Iterable[Entity]) -> None:
        super().__init__("")
        self.entities = list(dict.fromkeys(entities))

    def build(self, edit: Transaction) -> None:
        self.label = f"Delete {names_of(edit.world, self.entities)}"
        roots = topmost(edit.world, [stood_for(edit, entity) for entity in self.entities])
        nodes = [e for e in roots if edit.world.has(e, Realised)]
        own = [e for e in roots if not edit.world.has(e, Realised)]
        gone = set(subtree(edit.world, roots))
        edit.select(edit.context.selection.without(gone))
        for node in nodes:
            remove_node(edit, node)
        if own:
            edit.despawn(own)


def stood_for(edit: Transaction, entity: Entity) -> Entity:
    """Return the instance that a placeholder box stands in for, else the entity itself."""
    if (
        edit.world.alive(entity)
        and edit.world.has(entity, Placeholder)
        and edit.world.has(entity, Realised)
    ):
        return node_path(edit.world, entity)[0]
    return entity


class Duplicate(Edit):
    """Copy entities with everything below them and select the copies.

    In the tree the copies stand right behind the last of their originals there.

    Attributes
    ----------
    copies : list of Entity
        The copies of the topmost entities, once applied.
    """

    def __init__(self, entities: Iterable[Entity]) -> None:
        super().__init__("")
        self.entities = list(dict.fromkeys(entities))
        self.copies: list[Entity] = []

    def build(self, edit: Transaction) -> None:
        self.label = f"Duplicate {names_of(edit.world, self.entities)}"
        roots = topmost(edit.world, self.entities)
        for entity in roots:
            check_movable(edit.context, entity)
        free: dict[Entity, FreeNames] = {}
        for entity in roots:
            parent = parent_of(edit.world, entity)
            if parent not in free:
                free[parent] = FreeNames(sibling_names(edit.world, parent))
            self.copies.append(self._copy(edit, entity, free[parent]))
        _put_behind(edit, roots, self.copies)
        edit.select(Selection(self.copies))

    def _copy(self, edit: Transaction, entity: Entity, free: FreeNames) -> Entity:
        """Copy one subtree under a name that no sibling has."""
        world = edit.world
        copy = clone_recursive(world, entity)
        edit.spawned([copy])
        if world.has(copy, Name):
            world.set(copy, Name(free.take(world.get(copy, Name).text)))
        edit.context.changes.spawn(subtree(edit.world, [copy]))
        return copy


def _put_behind(edit: Transaction, originals: list[Entity], copies: list[Entity]) -> None:
    """Let the copies follow their originals in the tree."""
    families: dict[Entity, list[tuple[Entity, Entity]]] = {}
    for pair in zip(originals, copies, strict=True):
        families.setdefault(parent_of(edit.world, pair[0]), []).append(pair)
    ranks: dict[Entity, int] = {}
    for parent, pairs in families.items():
        siblings = child_handles(edit.world, parent)
        copy_of = dict(pairs)
        handles = np.array([entity for entity, _ in pairs], np.int64)
        ordered = [Entity(handle) for handle in siblings[np.isin(siblings, handles)]]
        newcomers = [copy_of[entity] for entity in ordered]
        ranks |= ranks_behind(edit.world, parent, ordered[-1], newcomers)
    for entity, rank in ranks.items():
        set_rank(edit, entity, rank)
