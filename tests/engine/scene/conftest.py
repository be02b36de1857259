"""A world, a picture of it, and the stage that tests of placed props share."""

import numpy as np
import pytest

from engine.ecs import World
from engine.reflect import Entity
from engine.render.scene import Camera, RenderScene
from engine.scene import (
    LocalTransform,
    Parent,
)
from tests.engine.scene.instance_stage import ARM, Stage, write_asset
from tests.engine.scene.level_stage import Project


@pytest.fixture
def world():
    return World()


@pytest.fixture
def stage(tmp_path):
    write_asset(tmp_path / "arm.gltf", ARM)
    made = Stage(tmp_path)
    yield made
    made.library.close()


NULL = Entity.null()


def chain(world, length):
    """A root with one child with one child and so on."""
    handles = world.reserve_many(length)
    above = np.concatenate([[0], handles[:-1]])
    world.restore_many(handles, {LocalTransform: {}, Parent: {"entity": above}})
    return [Entity(e) for e in handles.tolist()]


def empty_scene():
    return RenderScene(Camera.look_at((0, 0, 5), (0, 0, 0)))


@pytest.fixture
def scene():
    return empty_scene()


@pytest.fixture
def project(tmp_path):
    made = Project(tmp_path)
    yield made
    made.app.close()
