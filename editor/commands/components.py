"""Adding and removing components, known and unknown."""

from __future__ import annotations

from collections.abc import Iterable

from editor.commands.edit import Edit, Transaction
from editor.commands.instances import add_to_node, remove_from_node
from editor.commands.kept import kept_names, without_kept
from editor.commands.naming import names_of
from editor.commands.rules import check_editable, check_parent, check_words
from editor.model.change_set import ComponentType
from engine.errors import ComponentError, SceneError
from engine.reflect import Entity, SceneComponent
from engine.scene import Name, Parent, Realised


class AddComponent(Edit):
    """Give entities a component; those that have one of its type keep theirs.

    Raises (from `apply`)
    ---------------------
    ComponentError
        All of them have one already.
    """

    def __init__(self, entities: Iterable[Entity], component: SceneComponent) -> None:
        super().__init__("")
        self.entities = list(dict.fromkeys(entities))
        self.component = component

    def build(self, edit: Transaction) -> None:
        type_ = type(self.component)
        name = type_.scene_name()
        check_editable(type_)
        who = names_of(edit.world, self.entities)
        self.label = f"Add {name} to {who}"
        check_words(lambda: who, type_, vars(self.component))
        lacking = [e for e in self.entities if type_ not in edit.world.types(e)]
        if self.entities and not lacking:
            raise ComponentError(f"{who} already has {name}")
        for entity in lacking:
            if isinstance(self.component, Parent):
                check_parent(edit.context, entity, self.component.entity)
            if edit.world.has(entity, Realised):
                add_to_node(edit, entity, self.component)
            else:
                edit.put(entity, self.component)


class RemoveComponent(Edit):
    """Take a component from entities, by its type or, also where it is unknown, by its name.

    Raises (from `apply`)
    ---------------------
    ComponentError
        None of them has it.
    SceneError
        It is the Name, which every entity of a level keeps, or a derived component.
    """

    def __init__(self, entities: Iterable[Entity], component: ComponentType | str) -> None:
        super().__init__("")
        self.entities = list(dict.fromkeys(entities))
        self.name = component if isinstance(component, str) else component.scene_name()

    def build(self, edit: Transaction) -> None:
        self.label = f"Remove {self.name} from {names_of(edit.world, self.entities)}"
        if self.name == Name.scene_name():
            raise SceneError("every entity of a level keeps its Name")
        removed = [self._remove(edit, entity) for entity in self.entities]
        if self.entities and not any(removed):
            who = names_of(edit.world, self.entities)
            raise ComponentError(f"{who} has no component {self.name!r}")

    def _remove(self, edit: Transaction, entity: Entity) -> bool:
        type_ = next((t for t in edit.world.types(entity) if t.scene_name() == self.name), None)
        if type_ is not None:
            check_editable(type_)
        if edit.world.has(entity, Realised):
            return remove_from_node(edit, entity, self.name, type_)
        is_kept = self.name in kept_names(edit.world, entity)
        if is_kept:
            without_kept(edit, entity, self.name)
        if type_ is not None:
            edit.drop(entity, type_)
        return is_kept or type_ is not None
