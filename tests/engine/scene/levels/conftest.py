"""Levels that are open, each in a world of its own."""

import difflib

import pytest

from engine.ecs import World
from engine.scene.components import (
    LocalTransform,
)
from engine.scene.levels import LevelFile, level_registry
from tests.engine.scene.registry.game_components import Inventory

BY_HAND = """\ufeffcinder-scene 2
# the yard

# where it all starts
entity 0
  Name   text="crate"
  # half as high
  LocalTransform scale=[1,.5,1] translation=[1,2,0x40400000]
  acme.Loot a=+1 b=#2

entity 1
entity 2
\tName text="lid"
  Parent entity=#0
# the last one
  entity   3
""".replace("\n", "\r\n")


CANONICAL = """cinder-scene 2
entity 0
  Name text="a"
  LocalTransform translation=[0.0,0.0,0.0] rotation=[0.0,0.0,0.0,1.0] scale=[1.0,1.0,1.0]
entity 1
  Name text="b"
  Parent entity=#0
entity 2
  Name text="c"
"""


class Session:
    """A level that is open in a world of its own."""

    def __init__(self, path, content=None):
        self.path = path
        if content is not None:
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        self.world = World()
        self.level = LevelFile.open(path, self.world, level_registry(Inventory))

    def __getitem__(self, index):
        return self.level.entity_at(index)

    def move(self, index, x):
        value = self.world.get(self[index], LocalTransform)
        value.translation[0] = x
        self.world.set(self[index], value)

    def text(self):
        return self.level.to_bytes().decode()

    def diff(self, before):
        lines = difflib.ndiff(before.splitlines(True), self.text().splitlines(True))
        return [line.rstrip("\r\n") for line in lines if line[0] in "+-"]


@pytest.fixture
def open_level(tmp_path):
    return lambda content, name="a.scene": Session(tmp_path / name, content)
