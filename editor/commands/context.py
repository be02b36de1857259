"""`EditContext`: what a command may touch, and the one place where every write is noted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from editor.model.change_set import ChangeRecorder, ComponentType
from editor.model.file_moves import FileMover
from editor.model.messages import Message
from editor.model.selection import Selection
from engine.ecs import World
from engine.errors import SceneError
from engine.reflect import Entity, SceneComponent
from engine.scene import Order, Parent, SceneRegistry

if TYPE_CHECKING:
    from editor.commands.target import Target

_PLACES: tuple[ComponentType, ...] = (Parent, Order)


@dataclass
class Marks:
    """Entities that the artist hid or locked: their own state, never part of the level."""

    hidden: set[Entity] = field(default_factory=set)
    locked: set[Entity] = field(default_factory=set)


@dataclass
class EditContext:
    """An open level as commands see it.

    Attributes
    ----------
    world : World
    registry : SceneRegistry
        What the level can store.
    selection : Selection
    selected_nodes : mapping of Entity to Target
        Where those of them are that are nodes of instances, which an asset makes anew.
    marks : Marks
    changes : ChangeRecorder
        Every write is noted here.
    post : callable
        Tells the artist something.
    forgotten : callable
        Told of entities that no step can bring back any more.
    parked : dict of (Entity, str) to None
        Nodes, as instance and path, that a change was made to while the asset lacks them.
    park : callable
        Makes what keeps the records of such a node, by instance and path.
    stand_in : callable
        What a node is by now that went while only steps referred to it; null where nobody knows.
    inherited : callable
        What the asset and its overrides together give a node of an instance for a component type;
        None when they give it none.
    files : FileMover or None
        Who moves files of the project; None where there is no project.
    loop : callable
        Why a level can't be placed by an entity: it would hold itself; empty where it can.
    write_level : callable
        Replaces what the file of another level holds: its path in the project, what it must hold
        now (None: there is no such file), and what it shall hold. Raises SceneError where it
        holds something else, or can't be written.
    """

    world: World
    registry: SceneRegistry
    selection: Selection = field(default_factory=Selection)
    selected_nodes: Mapping[Entity, Target] = field(default_factory=dict)
    marks: Marks = field(default_factory=Marks)
    changes: ChangeRecorder = field(default_factory=ChangeRecorder)
    post: Callable[[Message], None] = lambda _message: None
    forgotten: Callable[[Entity], None] = lambda _entity: None
    parked: dict[tuple[Entity, str], None] = field(default_factory=dict)
    park: Callable[[Entity, str], Entity] = lambda _root, _path: Entity.null()
    stand_in: Callable[[Entity], Entity] = lambda _node: Entity.null()
    inherited: Callable[[Entity, ComponentType], SceneComponent | None] = lambda _node, _type: None
    files: FileMover | None = None
    loop: Callable[[Entity, str], str] = lambda _entity, _level: ""
    write_level: Callable[[str, bytes | None, bytes], None] = lambda _level, _before, _after: None

    def mover(self) -> FileMover:
        """Return who moves files; raises SceneError where nobody does."""
        if self.files is None:
            raise SceneError("there is no project whose files could be moved")
        return self.files

    def report_parked(self) -> None:
        """Say once what nodes the step before could not be shown on."""
        found, self.parked = list(self.parked), {}
        if found:
            root, path = found[0]
            nodes = f"node {path!r}" if len(found) == 1 else f"{len(found)} nodes, {path!r} first"
            text = f"the asset lacks {nodes} at present; the step is parked until it is back"
            self.post(Message("warning", text, entity=root))

    def put(self, entity: Entity, component: SceneComponent) -> None:
        """Add `component`, or replace the value of its type."""
        self.world.add(entity, component)
        self.note(entity, type(component))

    def drop(self, entity: Entity, type_: ComponentType) -> None:
        """Remove the component of `type_`."""
        self.world.remove(entity, type_)
        self.note(entity, type_)

    def note(self, entity: Entity, type_: ComponentType) -> None:
        """Note a write that was made by the engine on behalf of a command."""
        self.changes.touch(entity, type_)
        if type_ in _PLACES:
            self.changes.reparent(entity)

    def value(self, entity: Entity, type_: ComponentType) -> SceneComponent | None:
        """Return a copy of the component, None when the entity has none of that type."""
        return self.world.get(entity, type_) if self.world.has(entity, type_) else None

    def restore(self, entity: Entity, values: Iterable[SceneComponent]) -> None:
        """Revive a reserved handle with `values`."""
        self.world.restore(entity, *values)
        self.changes.spawn((entity,))

    def despawn(self, entity: Entity) -> None:
        """Remove an entity so that `restore` can bring back the same handle."""
        self.world.despawn(entity, reserve=True)
        self.changes.despawn((entity,))
