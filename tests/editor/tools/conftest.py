"""A tiny level for tool tests: a real world, and a document that records gestures as steps."""

from types import SimpleNamespace

import numpy as np
import pytest

from editor.tools.projection import ViewFrame
from editor.tools.raycast import RaycastScene, RayMesh
from editor.tools.state import ToolState
from editor.tools.surface import surface_under
from editor.tools.view_camera import CameraPose
from engine.ecs import World
from engine.reflect import Entity
from engine.scene.components import LocalTransform, Name, Parent
from engine.scene.hierarchy import world_matrix

BOX_FACES = np.array(
    [
        (0, 2, 1), (1, 2, 3), (4, 5, 6), (5, 7, 6), (0, 1, 4), (1, 5, 4),
        (2, 6, 3), (3, 6, 7), (0, 4, 2), (2, 4, 6), (1, 3, 5), (3, 7, 5),
    ]
)  # fmt: skip


def box_mesh(lo=(-0.5, -0.5, -0.5), hi=(0.5, 0.5, 0.5)) -> RayMesh:
    pick = (np.arange(8)[:, None] >> np.arange(3)) & 1
    return RayMesh.build(np.where(pick == 1, hi, lo), BOX_FACES)


class FakeGesture:
    def __init__(self, level, label):
        self.level = level
        self.label = label
        self.before = level.snapshot()

    def commit(self):
        self.level.open_gesture = None
        self.level.steps.append(self.label)

    def reopen(self):
        if self.level.steps[-1:] != [self.label]:
            return False
        self.level.steps.pop()
        self.level.open_gesture = self
        return True

    def cancel(self):
        self.level.open_gesture = None
        self.level.restore(self.before)


class FakeLevel:
    """Just enough of a document: fields, gestures, selection."""

    def __init__(self):
        self.world = World()
        self.selection = ()
        self.steps = []
        self.roots = {}
        self.locked_entities = set()
        self.open_gesture = None
        self.arriving = set()

    def spawn(self, translation=(0, 0, 0), rotation=(0, 0, 0, 1), scale=(1, 1, 1), parent=None):
        parts = [Name("thing"), LocalTransform(translation, rotation, scale)]
        if parent is not None:
            parts.append(Parent(parent))
        return self.world.spawn(*parts)

    def snapshot(self):
        return {
            Entity(e): [self.world.get(Entity(e), t) for t in self.world.types(Entity(e))]
            for e in self.world.entities()
        }

    def restore(self, before):
        for entity in self.world.entities():
            if entity not in before:
                self.world.despawn(entity)
        for entity, values in before.items():
            for value in values:
                self.world.set(entity, value)

    def select(self, entities):
        self.selection = tuple(entities)

    def begin_gesture(self, label):
        assert self.open_gesture is None, "a gesture is already open"
        self.open_gesture = FakeGesture(self, label)
        return self.open_gesture

    def set_field_each(self, entities, type_, field, values):
        for entity, value in zip(entities, values, strict=True):
            component = self.world.get(entity, type_)
            setattr(component, field, value)
            self.world.set(entity, component)

    def duplicate(self, *, wait=True):
        copies = [
            self.world.spawn(*(self.world.get(e, t) for t in self.world.types(e)))
            for e in self.selection
        ]
        self.selection = tuple(copies)
        return copies

    def roots_of(self, entity):
        root = self.root_of(entity)
        return [root] if root != entity else []

    def root_of(self, entity):
        return self.roots.get(entity, entity)

    def locked(self, entity):
        return entity in self.locked_entities

    def place(self, path, transform=None, parent=None, *, wait=True):
        matrix = np.eye(4) if transform is None else transform
        if parent is not None:
            return self.spawn(parent=parent)
        return self.spawn(translation=matrix[:3, 3])

    def is_arriving(self, entity):
        return entity in self.arriving


class FakeContext:
    def __init__(self, level):
        self.document = level
        self.state = ToolState()
        self.pose = CameraPose(pivot=(0, 0, 0), yaw=0.6, pitch=-0.5, distance=10)
        self.size = (800, 600)
        self.drawn = []
        self.picker = SimpleNamespace(
            pick=lambda x, y: 0, pick_all=lambda x, y: [], pick_rect=lambda *r: set()
        )
        self.icon_list = []
        self.extents = {}

    def frame(self) -> ViewFrame:
        return self.pose.frame(*self.size)

    def raycaster(self):
        meshes = {k: mesh for k, (_, mesh) in enumerate(self.drawn)}
        matrices = [world_matrix(self.document.world, e) for e, _ in self.drawn]
        return RaycastScene(
            np.arange(len(self.drawn), dtype=np.int32),
            np.array(matrices, np.float32).reshape(-1, 4, 4),
            np.array([int(e) for e, _ in self.drawn], np.int64),
            meshes.get,
        )

    def surface(self, x, y, ignore=()):
        return surface_under(self.raycaster(), self.frame().ray(x, y), ignore)

    def extent(self, asset):
        return self.extents.get(asset)

    def icons(self):
        return self.icon_list

    def subtree(self, entities):
        return {int(e) for e in entities}


@pytest.fixture(scope="session")
def make_level():
    return FakeLevel


@pytest.fixture
def level():
    return FakeLevel()


@pytest.fixture
def context(level):
    return FakeContext(level)


@pytest.fixture
def box():
    return box_mesh
