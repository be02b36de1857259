"""Environment images of a level, from the file to the scene."""

from concurrent.futures import Future

import numpy as np
import pytest

from engine.assets.watch import FileChanges
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
    assert images.check_for_changes() == 0, "read at once, without workers"
    assert images.get("sky.hdr") is first, "the same light"
    (tmp_path / "sky.hdr").write_bytes(SKY.replace(bytes((128, 64)), bytes((64, 128))))
    assert images.check_for_changes() == 0
    assert images.get("sky.hdr") is not first


def test_asking_again_looks_at_no_file(tmp_path):
    """It is asked for at every edit, while a project may lie on a slow disk."""
    (tmp_path / "sky.hdr").write_bytes(SKY)
    looked = []

    def resolve(asset_path):
        looked.append(asset_path)
        return tmp_path / asset_path

    images = EnvironmentImages(resolve)
    for path in ("sky.hdr", "gone.hdr"):
        images.get(path)
        looked.clear()
        for _ in range(3):
            images.get(path)
        assert looked == []
    (tmp_path / "sky.hdr").write_bytes(SKY.replace(b"+X 2", b"+X 1")[:-4])
    (tmp_path / "gone.hdr").write_bytes(SKY)
    here = tuple(str(tmp_path / name) for name in ("sky.hdr", "gone.hdr"))
    assert images.files_changed(FileChanges(here)) == 2
    assert images.get("sky.hdr").pixels.shape[1] == 1
    assert images.get("gone.hdr") is not None


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
    assert scene.environment is images.default


def test_without_an_image_the_sky_says_what_lights_and_what_is_seen(images):
    world = World()
    scene = RenderScene(Camera.look_at((0, 0, 1), (0, 0, 0)))
    bridge = RenderBridge()
    bridge.images = images
    entity = world.spawn(Environment(sky="gradient", background=(0.36, 0.18, 0.1)))
    bridge.build(world, scene)
    assert (scene.sky, scene.environment) == ("gradient", images.default)
    np.testing.assert_allclose(scene.environment_tint, (2.0, 1.0, 0.5), rtol=1e-6)
    assert scene.backdrop.zenith == pytest.approx((0.44, 0.25, 0.15))
    world.set(entity, Environment(sky="daylight", background=(0.36, 0.18, 0.1)))
    bridge.build(world, scene)
    assert (scene.sky, scene.environment, scene.backdrop) == ("gradient", images.default, None)
    assert scene.environment_tint == (1.0, 1.0, 1.0)
    world.set(entity, Environment(sky="plain"))
    bridge.build(world, scene)
    assert (scene.sky, scene.environment, scene.backdrop) == ("plain", None, None)


class Workers:
    """Workers that wait for a sign."""

    def __init__(self):
        self.errands = []

    def submit(self, path, work):
        job = Future()
        self.errands.append((path, job, work))
        return job

    def finish(self):
        for _, job, work in self.errands:
            try:
                job.set_result(work())
            except Exception as problem:  # noqa: BLE001  as any executor
                job.set_exception(problem)
        self.errands.clear()


@pytest.fixture
def workers():
    return Workers()


def test_reading_is_an_errand_and_the_level_is_drawn_meanwhile(tmp_path, workers):
    images = EnvironmentImages(lambda path: tmp_path / path, workers.submit)
    (tmp_path / "sky.hdr").write_bytes(SKY)
    world = World()
    world.spawn(Environment(image="sky.hdr"))
    scene = RenderScene(Camera.look_at((0, 0, 1), (0, 0, 0)))
    bridge = RenderBridge()
    bridge.images = images
    for _ in range(2):
        bridge.build(world, scene)
        assert scene.environment is images.default
    assert [path for path, _, _ in workers.errands] == ["sky.hdr"]
    assert not images.poll()
    workers.finish()
    assert images.poll()
    bridge.build(world, scene)
    assert isinstance(scene.environment, EnvironmentMap)
    assert not images.poll()


def test_a_broken_newer_file_is_named_and_the_last_good_image_stays(tmp_path, workers, caplog):
    images = EnvironmentImages(lambda path: tmp_path / path, workers.submit)
    path = tmp_path / "sky.hdr"
    path.write_bytes(SKY)
    images.get("sky.hdr")
    workers.finish()
    images.poll()
    good = images.get("sky.hdr")
    path.write_bytes(b"half of a f")
    assert images.check_for_changes() == 1
    assert images.get("sky.hdr") is good
    workers.finish()
    assert images.poll()
    assert images.get("sky.hdr") is good
    assert images.problems["sky.hdr"].startswith("environment image sky.hdr: found b'half")
    assert images.check_for_changes() == 0
    path.unlink()
    images.check_for_changes()
    assert images.get("sky.hdr") is good
    assert "No such file" in images.problems["sky.hdr"]
    path.write_bytes(SKY)
    assert images.check_for_changes() == 1
    workers.finish()
    assert images.poll()
    assert not images.problems
    assert images.get("sky.hdr") is good, "the same light"
    caplog.clear()


@pytest.mark.parametrize("name", ["real.hdr", "real.exr", "real.ktx2", "real.png"])
def test_a_broken_file_is_named_as_levels_name_it_once(tmp_path, name, caplog):
    images = EnvironmentImages(lambda path: tmp_path / name)
    (tmp_path / name).write_bytes(b"nothing of use")
    images.get(f"skies/{name}")
    text = images.problems[f"skies/{name}"]
    assert text.startswith(f"environment image skies/{name}: ")
    assert text.count(name) == 1
    caplog.clear()


def test_a_forced_check_reads_again_what_did_not_change(tmp_path, workers):
    images = EnvironmentImages(lambda path: tmp_path / path, workers.submit)
    (tmp_path / "sky.hdr").write_bytes(SKY)
    images.get("sky.hdr")
    workers.finish()
    images.poll()
    assert images.check_for_changes() == 0
    assert images.check_for_changes(force=True) == 1


def told(path):
    return FileChanges((str(path),))


def test_a_change_while_it_is_read_is_read_once_more(tmp_path):
    """Also one that neither time nor size tells of."""
    path, waiting = tmp_path / "sky.hdr", []

    def submit(asset_path, work):
        future = Future()
        waiting.append((future, work()))
        return future

    images = EnvironmentImages(lambda asset_path: tmp_path / asset_path, submit)
    path.write_bytes(SKY)
    images.get("sky.hdr")
    path.write_bytes(SKY.replace(bytes((64, 32)), bytes((64, 96))))
    assert images.files_changed(told(path)) == 1
    assert len(waiting) == 1
    for _ in range(2):
        future, image = waiting.pop(0)
        future.set_result(image)
        images.poll()
    assert images.get("sky.hdr").pixels[0, 0, 2] == np.float32(96.5 / 128)
    assert images.take_news() == {"sky.hdr": True}
    assert images.files_changed(told(tmp_path / "a.glb")) == 0
    assert images.sources() == {str(path)}
