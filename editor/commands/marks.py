"""Selecting, hiding and locking: steps of the history that never make the level dirty."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from editor.commands.changes import MarkChange
from editor.commands.edit import Edit, Transaction
from editor.commands.naming import names_of
from editor.commands.target import node_addresses
from editor.model.selection import Selection
from engine.errors import SceneError
from engine.reflect import Entity


class SelectEntities(Edit):
    """Select exactly these entities, in this order."""

    def __init__(self, entities: Iterable[Entity]) -> None:
        super().__init__("Select")
        self.selection = Selection(entities)

    def build(self, edit: Transaction) -> None:
        for entity in self.selection:
            if not edit.world.alive(entity):
                raise SceneError(f"entity {entity} is not in the level any more")
        chosen = list(self.selection)
        self.label = f"Select {names_of(edit.world, chosen)}" if chosen else "Deselect"
        edit.select(self.selection)


class _SetMark(Edit):
    """Hide, show, lock or unlock entities; those that are so already are left alone."""

    which: Literal["hidden", "locked"]
    verbs: tuple[str, str]

    def __init__(self, entities: Iterable[Entity], on: bool) -> None:
        super().__init__(self.verbs[0] if on else self.verbs[1])
        self.entities = list(dict.fromkeys(entities))
        self.on = on

    def build(self, edit: Transaction) -> None:
        marked: set[Entity] = getattr(edit.context.marks, self.which)
        changed = [e for e in self.entities if (e in marked) is not self.on]
        for entity in changed:
            if not edit.world.alive(entity):
                raise SceneError(f"entity {entity} is not in the level any more")
        if changed:
            self.label = f"{self.label} {names_of(edit.world, changed)}"
            nodes = node_addresses(edit.context, changed)
            edit.do(MarkChange(self.which, tuple(changed), self.on, nodes))


class SetHidden(_SetMark):
    """Hide entities in the viewport, or show them."""

    which = "hidden"
    verbs = ("Hide", "Show")


class SetLocked(_SetMark):
    """Keep entities from being picked in the viewport, or allow it."""

    which = "locked"
    verbs = ("Lock", "Unlock")
