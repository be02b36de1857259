"""Components of a pretend project: every kind of field, hand-written codecs, a tag."""

import numpy as np

from engine.ecs import Entity
from engine.reflect import FloatList, Mat4, SceneComponent, Vec3, component


@component(id=20)
class Position(SceneComponent):
    x: float = 0.0
    layer: int = 0
    visible: bool = True
    text: str = ""
    target: Entity = Entity.null()
    offset: Vec3 = (0, 0, 0)
    frame: Mat4 = np.eye(4)


@component(id=21)
class Inventory(SceneComponent):
    """Kept as objects; a list of references as numbered fields."""

    def __init__(self, items=(), note=""):
        self.items = list(items)
        self.note = note

    def write_scene(self, w):
        w.int("count", len(self.items))
        for i, item in enumerate(self.items):
            w.entity(f"item.{i}", item)
        w.string("note", self.note)

    @classmethod
    def read_scene(cls, r):
        items = [r.entity(f"item.{i}") for i in range(r.int("count", 0))]
        return cls(items, r.string("note", ""))


@component(id=22, name="Speed")
class Velocity(SceneComponent):
    """Kept in columns, but with a record of its own making."""

    metres_per_second: float = 1.0

    def write_scene(self, w):
        w.float("kmh", self.metres_per_second * np.float32(4))

    @classmethod
    def read_scene(cls, r):
        return cls(r.float("kmh", 4.0) / np.float32(4))


@component(id=23)
class Curve(SceneComponent):
    keys: FloatList = ()


@component(id=24)
class Marked(SceneComponent):
    pass


GAME_COMPONENTS = (Position, Inventory, Velocity, Curve, Marked)
