"""What an artist's edit may not do to a level, whichever command it comes by."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from typing import Any

from editor.commands.changes import Change, FieldsChange, SpawnChange, ValueChange
from editor.commands.context import EditContext
from editor.commands.naming import name_of
from editor.model.change_set import ComponentType
from engine.errors import SceneError
from engine.reflect import Entity, SceneComponent, component_fields, has_derived_codec
from engine.scene import (
    Realised,
    SceneInstance,
)
from engine.scene.components import DERIVED_COMPONENTS
from engine.scene.hierarchy import ancestors
from engine.scene.instance_nodes import node_path


def check_editable(type_: ComponentType) -> None:
    """Refuse what follows from other components and is never stored.

    Raises
    ------
    SceneError
        `type_` is derived.
    """
    if type_ in DERIVED_COMPONENTS:
        raise SceneError(f"{type_.scene_name()} is derived from other components, not edited")


def check_words(
    who: Callable[[], str],
    type_: ComponentType,
    wanted: Mapping[str, Any],
    held: Callable[[], SceneComponent | None] = lambda: None,
) -> None:
    """Refuse a text that is none of the words which its field offers.

    A file may hold any: what is held already stays as it is.

    Parameters
    ----------
    who : callable
        Returns what the entity is called.
    type_ : component type
    wanted : mapping
        From record field names to values.
    held : callable
        Returns the component as it is.

    Raises
    ------
    SceneError
        A value is not among the choices of its field.
    """
    for name, words in _offered(type_, wanted).items():
        word = wanted[name]
        if word in words:
            continue
        present = held()
        if present is not None and word == getattr(present, name):
            continue
        where = f"{who()}: {type_.scene_name()}.{name}"
        expected = ", ".join(map(repr, words))
        raise SceneError(f"{where}: found {str(word)[:80]!r}, expected one of {expected}")


def _offered(type_: ComponentType, names: Container[str]) -> dict[str, tuple[str, ...]]:
    """Return those of some fields that offer words, with the words."""
    if not has_derived_codec(type_):
        return {}
    specs = [spec for spec in component_fields(type_) if spec.name in names]
    return {spec.name: spec.choices for spec in specs if spec.choices}


def check_parent(context: EditContext, entity: Entity, parent: Entity) -> None:
    """Refuse a parent that is the entity itself, below it, or gone; null is none.

    Raises
    ------
    SceneError
        It would make a cycle.
    EntityError
        `parent` is not in the level.
    """
    if parent and (parent == entity or entity in ancestors(context.world, parent)):
        raise SceneError(
            f"{name_of(context.world, entity)} can't be put under "
            f"{name_of(context.world, parent)}: that is a cycle"
        )


class PartOfInstance(SceneError):
    """A node of an instance can't leave its place.

    Attributes
    ----------
    root : Entity
        The instance; unpacking it lets the node be moved.
    """

    def __init__(self, text: str, root: Entity) -> None:
        super().__init__(text)
        self.root = root


def check_movable(context: EditContext, entity: Entity) -> None:
    """Refuse to take a node out of the instance that it is part of.

    Raises
    ------
    PartOfInstance
        `entity` is a realised node.
    """
    if context.world.has(entity, Realised):
        raise PartOfInstance(
            f"{name_of(context.world, entity)} is part of an instance and can't leave its place; "
            "unpack the instance first",
            node_path(context.world, entity)[0],
        )


def refuse_loops(context: EditContext, changes: Iterable[Change]) -> None:
    """Refuse changes that let a level place itself, be it through others.

    Raises
    ------
    SceneError
        One of the entities that were changed does; it says by which way.
    """
    for entity in _that_place_levels(context, changes):
        world = context.world
        if entity and world.alive(entity) and world.has(entity, SceneInstance):
            level = world.get(entity, SceneInstance).level
            loop = context.loop(entity, level) if level else ""
            if loop:
                raise SceneError(f"{name_of(world, entity)}: {loop}")


def _that_place_levels(context: EditContext, changes: Iterable[Change]) -> list[Entity]:
    found: dict[Entity, None] = {}
    for change in changes:
        if isinstance(change, SpawnChange):
            found.update(dict.fromkeys(entity for entity, _ in change.stored))
        elif isinstance(change, (FieldsChange, ValueChange)) and change.type_ is SceneInstance:
            found[change.target.resolve(context)] = None
    return list(found)
