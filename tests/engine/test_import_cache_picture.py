"""A level opened from the import cache draws what it drew when its assets were imported."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from engine.app import App
from engine.assets.cache_folder import CACHE_FOLDER
from engine.render import Renderer
from engine.render.scene import Camera
from engine.scene import GltfInstance, LocalTransform, Name
from tests.engine.assets.conftest import GltfWriter, png
from tests.engine.assets.rich_gltf import richer_file

PROPS = Path(__file__).resolve().parents[2] / "resources/sample/props"
SHARED = (
    "khronos/BoxTextured/glTF-Binary/BoxTextured.glb",
    "khronos/Fox/glTF-Binary/Fox.glb",
    "khronos/BoxVertexColors/glTF-Binary/BoxVertexColors.glb",
    "khronos/TextureTransformTest/glTF/TextureTransformTest.gltf",
    "khronos/MorphStressTest/glTF-Binary/MorphStressTest.glb",
    "khronos/MeshPrimitiveModes/glTF/MeshPrimitiveModes.gltf",
)


@pytest.fixture(scope="module")
def renderer():
    return Renderer()


@pytest.fixture
def project(tmp_path):
    (tmp_path / "project.json").write_text("{}")
    return tmp_path


def picture(project, renderer, name):
    """Open a prop in a session of its own; return what it looks like and whether it was cooked."""
    app = App(project, renderer)
    prop = app.world.spawn(Name("prop"), LocalTransform(), GltfInstance(asset=name))
    app.settle()
    entry = app.assets.get(name)
    assert entry.state == "ready", entry.error
    box = entry.asset.world_bounds(posed=True)
    centre, reach = box.centre(), max(box.radius(), 1e-3) * 2.2
    eye = centre + reach * np.array([0.5, 0.4, 0.75])
    app.scene.camera = Camera.look_at(tuple(eye), tuple(centre), near=reach / 100)
    app.frame(0.0)
    found = app.snapshot(96, 96)
    app.assets.cache.wait()
    app.world.despawn(prop)
    app.attach(None)
    app.close()
    return found


def expect_same(project, renderer, name, monkeypatch):
    first = picture(project, renderer, name)
    assert len(np.unique(first.reshape(-1, 4), axis=0)) > 10
    with monkeypatch.context() as patched:
        patched.setattr("engine.assets.asset_reading.load_gltf", pytest.fail)
        again = picture(project, renderer, name)
    assert np.array_equal(first, again)


@pytest.mark.parametrize("name", ["windmill.glb", "tree_oak.glb", "stream.glb"])
def test_props_look_the_same(project, renderer, name, monkeypatch):
    shutil.copy(PROPS / name, project / name)
    expect_same(project, renderer, name, monkeypatch)


def test_a_file_with_everything_looks_the_same(project, renderer, monkeypatch):
    richer_file(GltfWriter(project), png).write("made.gltf")
    expect_same(project, renderer, "made.gltf", monkeypatch)


@pytest.mark.parametrize("path", SHARED)
def test_shared_files_look_the_same(shared, project, renderer, path, monkeypatch):
    source = shared / "assets" / path
    if not source.exists():
        pytest.skip(f"{path} is not among the shared files")
    shutil.copytree(source.parent, project / "prop")
    expect_same(project, renderer, f"prop/{source.name}", monkeypatch)
    assert list((project / CACHE_FOLDER).glob("*.casset"))
