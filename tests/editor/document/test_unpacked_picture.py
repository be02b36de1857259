"""What an instance is unpacked into draws the same picture, also when opened from its file."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from editor.document import LevelDocument
from engine.app import App
from engine.render import Renderer
from engine.render.scene import Camera
from engine.scene import GltfInstance, SceneInstance
from engine.scene.components import MaterialOverride

PROPS = Path(__file__).resolve().parents[3] / "resources/sample/props"
SHARED = (
    "khronos/CesiumMan/glTF-Binary/CesiumMan.glb",
    "khronos/MorphStressTest/glTF-Binary/MorphStressTest.glb",
    "khronos/CesiumMilkTruck/glTF-Binary/CesiumMilkTruck.glb",
)


@pytest.fixture(scope="module")
def renderer():
    return Renderer()


@pytest.fixture
def document(tmp_path, renderer):
    (tmp_path / "project.json").write_text("{}")
    (tmp_path / "level.scene").write_text("cinder-scene 2\n")
    document = LevelDocument(App(tmp_path, renderer))
    document.open(tmp_path / "level.scene")
    yield document
    document.app.attach(None)
    document.close()


def picture(document):
    app = document.app
    app.scene.camera = Camera.look_at((2.2, 1.8, 3.0), (0.0, 0.6, 0.0), near=0.05)
    document.settle()
    app.frame(0.0)
    app.frame(0.0)
    return app.snapshot(96, 96).astype(int)


def check(document, root):
    before = picture(document)
    assert len(np.unique(before.reshape(-1, 4), axis=0)) > 20
    document.unpack(root)
    assert np.abs(picture(document) - before).max() <= 1
    document.undo()
    assert np.abs(picture(document) - before).max() <= 1
    document.redo()
    document.save()
    document.open(document.path)
    assert not any(document.world.has(e, GltfInstance) for e in document.world.entities())
    assert np.abs(picture(document) - before).max() <= 1


@pytest.mark.gpu
def test_a_prop(document, tmp_path):
    shutil.copy(PROPS / "barrel.glb", tmp_path)
    root = document.place("barrel.glb")
    document.add_component(root, MaterialOverride(base_color=(0.1, 0.4, 0.8)))
    check(document, root)


@pytest.mark.gpu
@pytest.mark.parametrize("asset", SHARED)
def test_shared_assets_with_skins_and_morphs(document, tmp_path, shared, asset):
    source = shared / "assets" / asset
    shutil.copy(source, tmp_path)
    check(document, document.place(source.name))


@pytest.mark.gpu
def test_a_level_of_props(document, tmp_path):
    shutil.copy(PROPS / "barrel.glb", tmp_path)
    (tmp_path / "pair.scene").write_text(
        'cinder-scene 2\nentity 0\n  Name text="A"\n  LocalTransform translation=[-0.6,0.0,0.0]\n'
        '  GltfInstance asset="barrel.glb"\n'
        'entity 1\n  Name text="B"\n  LocalTransform translation=[0.6,0.0,0.0]\n'
        '  Shape kind="torus" color=[0.1,0.6,0.2]\n'
    )
    root = document.place("pair.scene")
    document.add_component(root, MaterialOverride(base_color=(0.1, 0.4, 0.8)))
    before = picture(document)
    document.unpack(root)
    assert np.abs(picture(document) - before).max() <= 1
    document.undo()
    assert document.world.has(root, SceneInstance)
    assert np.abs(picture(document) - before).max() <= 1
    document.redo()
    parts = document.children(root)
    document.make_instance("again.scene", parts)
    assert np.abs(picture(document) - before).max() <= 1
