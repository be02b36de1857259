"""A level without files: what commands work on, and its text to compare."""

import numpy as np
import pytest

from editor.commands import EditContext
from editor.model.history import CommandHistory
from engine.ecs import World
from engine.reflect import Entity
from engine.scene import (
    LocalTransform,
    Name,
    Parent,
    SceneRegistry,
    children,
    write_text,
)
from engine.scene.components import LEVEL_COMPONENTS
from engine.scene.hierarchy import world_matrix


class Level:
    """A world, a history over it, and ways to look at both."""

    def __init__(self):
        self.world = World()
        self.registry = SceneRegistry(keep_unknown=True)
        for type_ in LEVEL_COMPONENTS:
            self.registry.register(type_)
        self.messages = []
        self.context = EditContext(self.world, self.registry, post=self.messages.append)
        self.history = CommandHistory(self.context, on_change=self.context.report_parked)

    def entity(self, name, parent=None, *components):
        """Spawn an entity directly, as a level that was opened has it."""
        extra = [Parent(parent)] if parent else []
        if not any(isinstance(c, LocalTransform) for c in components):
            extra.append(LocalTransform())
        return self.world.spawn(Name(name), *extra, *components)

    def push(self, command):
        self.history.push(command)
        return command

    def text(self):
        """The level as a document, entities in the order in which they appeared."""
        ordered = sorted(self.world.entities(), key=self.world.serial)
        return write_text(self.registry.to_doc(self.world, ordered))

    def state(self):
        """All that a failed or undone command must restore."""
        tree = {e: children(self.world, e) for e in [Entity.null(), *self.world.entities()]}
        marks = self.context.marks
        return (
            self.text(),
            tree,
            self.context.selection,
            set(marks.hidden),
            set(marks.locked),
        )

    def names(self, parent=None):
        below = children(self.world, parent or Entity.null())
        return [self.world.get(e, Name).text for e in below]

    def matrix(self, entity):
        return np.asarray(world_matrix(self.world, entity))

    def check_laws(self, command):
        """Do, undo, redo, undo: the same states, the same text, byte for byte."""
        before = self.state()
        self.push(command)
        after = self.state()
        for _ in range(2):
            self.history.undo()
            assert self.state() == before
            self.history.redo()
            assert self.state() == after
        return command

    def check_refused(self, command, error, match=None):
        """The push raises, and nothing at all changed."""
        before, index, count = self.state(), self.history.index, self.history.count
        with pytest.raises(error, match=match):
            self.push(command)
        assert self.state() == before
        assert (self.history.index, self.history.count) == (index, count)


@pytest.fixture
def level():
    return Level()


@pytest.fixture(scope="session")
def make_level():
    """The class itself, for tests that need many levels."""
    return Level
