"""The edits an artist can make to entities, as methods that build commands."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from editor.commands import (
    AddComponent,
    Despawn,
    Duplicate,
    Group,
    RemoveComponent,
    Reorder,
    Reparent,
    ResetField,
    RevertOverride,
    SelectEntities,
    SetFieldEach,
    SetFields,
    SetHidden,
    SetLocked,
    Spawn,
)
from editor.document.base import DocumentBase
from editor.model.change_set import ComponentType
from engine.ecs import QuerySpec
from engine.errors import SceneError
from engine.math import decompose
from engine.reflect import Entity, SceneComponent
from engine.scene import (
    CameraComponent,
    LightSource,
    LocalMatrix,
    LocalTransform,
    Name,
    Shape,
)
from engine.scene.hierarchy import world_matrix

Entities = Entity | Iterable[Entity]
_CAMERAS = QuerySpec(CameraComponent)


class EntityEdits(DocumentBase):
    """Every method is one step of the history, or part of the open gesture."""

    # -- selection and marks -----------------------------------------------------------------

    def select(self, entities: Entities) -> None:
        """Select exactly these entities, the last one active. No step when they are already."""
        self.push(SelectEntities(listed(entities)))

    def set_hidden(self, entities: Entities, on: bool) -> None:
        """Hide entities with what is below them from the viewport, or show them."""
        self.push(SetHidden(listed(entities), on))

    def set_locked(self, entities: Entities, on: bool) -> None:
        """Keep entities from being picked in the viewport, or allow it."""
        self.push(SetLocked(listed(entities), on))

    def hidden(self, entity: Entity) -> bool:
        """Whether the entity itself was hidden (not whether something above it was)."""
        return entity in self.context.marks.hidden

    def locked(self, entity: Entity) -> bool:
        """Whether the entity itself was locked."""
        return entity in self.context.marks.locked

    # -- entities ----------------------------------------------------------------------------

    def spawn(
        self, *components: SceneComponent, parent: Entity | None = None, select: bool = False
    ) -> Entity:
        """Make an entity; without a Name it gets one that no sibling has.

        Raises
        ------
        ComponentError
            Two components of one type.
        EntityError
            The parent is not alive.
        """
        command = Spawn(components, parent, select)
        self.push(command)
        return command.entity

    def add_empty(self, transform: ArrayLike | None = None, parent: Entity | None = None) -> Entity:
        """Make and select an empty entity. `transform` is a (4, 4) world matrix."""
        return self._add([], transform, parent, "Empty")

    def add_shape(
        self, kind: str, transform: ArrayLike | None = None, parent: Entity | None = None
    ) -> Entity:
        """Make and select a plain shape: box, sphere, cylinder, cone, plane or torus."""
        return self._add([Shape(kind=kind)], transform, parent)

    def add_light(
        self, kind: str, transform: ArrayLike | None = None, parent: Entity | None = None
    ) -> Entity:
        """Make and select a light: directional, point or spot."""
        intensity = 3.0 if kind == "directional" else 100.0
        light = LightSource(
            kind=kind,
            intensity=intensity,
            range=0.0 if kind == "directional" else 20.0,
            cast_shadows=kind == "directional",
        )
        return self._add([light], transform, parent)

    def add_camera(
        self, transform: ArrayLike | None = None, parent: Entity | None = None
    ) -> Entity:
        """Make and select a camera; it is active when no other camera is."""
        active = any(
            table.view(CameraComponent, "active").any() for table in _CAMERAS.tables(self.world)
        )
        return self._add([CameraComponent(active=not active)], transform, parent)

    def _add(
        self,
        components: list[SceneComponent],
        transform: ArrayLike | None,
        parent: Entity | None,
        name: str = "",
    ) -> Entity:
        components = [*components, *self.placement(transform, parent)]
        command = Spawn(components, parent, select=True, name=name)
        self.push(command)
        return command.entity

    def placement(
        self, transform: ArrayLike | None, parent: Entity | None = None
    ) -> list[SceneComponent]:
        """Return the components that put an entity at a world matrix.

        Parameters
        ----------
        transform : (4, 4) array, optional
            ``world_from_local``; None is the parent's own place.
        parent : Entity, optional

        Raises
        ------
        SceneError
            The matrix is not finite or of another shape, or the parent is scaled to nothing.
        """
        if transform is None:
            return [LocalTransform()]
        wanted: NDArray[np.floating[Any]] = np.asarray(transform, np.float64)
        if wanted.shape != (4, 4) or not np.isfinite(wanted).all():
            raise SceneError("transform: expected a finite (4, 4) matrix")
        if parent:
            try:
                wanted = np.linalg.solve(world_matrix(self.world, parent), wanted)
            except np.linalg.LinAlgError as error:
                name = self.label(parent)
                raise SceneError(f"{name} is scaled to nothing; nothing fits below it") from error
        local = wanted.astype(np.float32)
        try:
            return [LocalTransform.from_matrix(local)]
        except SceneError:
            return [LocalTransform(*decompose(local)), LocalMatrix(local)]

    def delete(self, entities: Entities | None = None) -> None:
        """Remove entities (the selected ones) with all below them; nodes are left out."""
        chosen = self._chosen(entities)
        if chosen:
            self.push(Despawn(chosen))

    def duplicate(self, entities: Entities | None = None, *, wait: bool = True) -> list[Entity]:
        """Copy entities (the selected ones) with all below them and select the copies.

        Returns
        -------
        list of Entity
            The copies of the topmost ones; in the tree they stand behind their originals.

        Raises
        ------
        SceneError
            One of them is a node of an instance.
        """
        chosen = self._chosen(entities)
        if not chosen:
            return []
        command = Duplicate(chosen)
        self.push(command, wait=wait)
        if wait:
            self.settle()
        return command.copies

    # -- hierarchy ---------------------------------------------------------------------------

    def reparent(self, entities: Entities, parent: Entity | None, keep_world: bool = True) -> None:
        """Put entities under `parent` (None: the top), in place in the world or locally.

        Raises
        ------
        SceneError
            A cycle, or a node of an instance that would leave it.
        """
        self.push(Reparent(listed(entities), parent, keep_world))

    def order(
        self,
        entities: Entities,
        parent: Entity | None,
        before: Entity | None = None,
        keep_world: bool = True,
    ) -> None:
        """Put entities under `parent`, in the given order, before one of its children or last."""
        self.push(Reorder(listed(entities), parent, before, keep_world))

    def group(self, entities: Entities | None = None) -> Entity:
        """Put entities (the selected ones) under a new empty one and select that."""
        command = Group(self._chosen(entities))
        self.push(command)
        return command.entity

    # -- components and fields ---------------------------------------------------------------

    def set_fields(self, entities: Entities, type_: ComponentType, /, **fields: Any) -> None:
        """Set fields of a component, by their record names; others stay as they are.

        On a node of an instance exactly these fields become an override.

        Raises
        ------
        ComponentError
            One of the entities has no such component.
        SceneError
            There is no such field, it can't hold the value, or the component is derived.
        """
        self.push(SetFields(listed(entities), type_, fields))

    def set_field_each(
        self, entities: Sequence[Entity], type_: ComponentType, field: str, values: Sequence[Any]
    ) -> None:
        """Set one field to a value of its own on each entity."""
        self.push(SetFieldEach(entities, type_, field, values))

    def reset_field(self, entities: Entities, type_: ComponentType, field: str) -> None:
        """Set one field to what a new component has."""
        self.push(ResetField(listed(entities), type_, field))

    def rename(self, entity: Entity, text: str) -> None:
        """Give an entity another name."""
        self.push(SetFields([entity], Name, {"text": text}, f"Rename {self.label(entity)}"))

    def add_component(self, entities: Entities, component: SceneComponent | ComponentType) -> None:
        """Give entities a component; those that have one of its type keep theirs.

        Raises
        ------
        ComponentError
            All of them have one.
        """
        value = component() if isinstance(component, type) else component
        self.push(AddComponent(listed(entities), value))

    def remove_component(self, entities: Entities, component: ComponentType | str) -> None:
        """Take a component from entities, by its type or (also an unknown one) its name.

        Raises
        ------
        ComponentError
            None of them has it.
        SceneError
            It is the Name, or derived.
        """
        self.push(RemoveComponent(listed(entities), component))

    def revert_override(
        self, entities: Entities, name: str | None = None, field: str | None = None
    ) -> None:
        """Let nodes of instances inherit again: a field, a component, or everything."""
        self.push(RevertOverride(listed(entities), name, field))

    def _chosen(self, entities: Entities | None) -> list[Entity]:
        return list(self.selection) if entities is None else listed(entities)


def listed(entities: Entities) -> list[Entity]:
    if isinstance(entities, int):
        return [Entity(entities)]
    return [Entity(entity) for entity in entities]
