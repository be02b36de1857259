"""Environment images of a level, from the file to the scene."""

import numpy as np
import pytest

from engine.ecs import World
from engine.errors import AssetError
from engine.render.scene import Camera, EnvironmentMap, RenderScene
from engine.scene import RenderBridge
from engine.scene.components import Environment
from engine.scene.environment_images import EnvironmentImages

SKY = b"#?RADIANCE\n\n-Y 1 +X 2\n" + bytes((128, 64, 32, 129) * 2)


@pytest.fixture
def images(tmp_path):
    def resolve(asset_path: str):
        if ".." in asset_path:
            raise AssetError(f"{asset_path}: leaves the project folder")
        return tmp_path / asset_path

    return EnvironmentImages(resolve)


def test_an_image_is_read_once_per_version(images, tmp_path):
    (tmp_path / "sky.hdr").write_bytes(SKY)
    first = images.get("sky.hdr")
    assert images.get("sky.hdr") is first
    np.testing.assert_allclose(first.pixels[0, 0], [1.00390625, 0.50390625, 0.25390625])
    (tmp_path / "sky.hdr").write_bytes(SKY + b"\n")
    assert images.get("sky.hdr") is not first


@pytest.mark.parametrize("path", ["none.hdr", "../sky.hdr", "bad.hdr"])
def test_what_cannot_be_read_is_told_once(images, tmp_path, caplog, path):
    (tmp_path / "bad.hdr").write_bytes(b"not light")
    assert images.get(path) is None
    assert images.get(path) is None
    assert len(caplog.records) == 1


def test_the_bridge_puts_the_image_into_the_scene(images, tmp_path):
    (tmp_path / "sky.hdr").write_bytes(SKY)
    world = World()
    entity = world.spawn(Environment(image="sky.hdr"))
    scene = RenderScene(Camera.look_at((0, 0, 1), (0, 0, 0)))
    bridge = RenderBridge()
    bridge.images = images
    bridge.build(world, scene)
    assert isinstance(scene.environment, EnvironmentMap)
    kept = scene.environment
    bridge.build(world, scene)
    assert scene.environment is kept
    world.set(entity, Environment(image=""))
    bridge.build(world, scene)
    assert scene.environment is None
