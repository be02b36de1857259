"""What is placed many times is in GPU memory once, and gone when the program lets go."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from engine.app import App
from engine.assets import CookManifest, cook_gltf
from engine.render import Renderer
from engine.scene import GltfInstance, LocalTransform, Name
from tests.engine.assets.conftest import GltfWriter, png

PROPS = Path(__file__).resolve().parents[2] / "resources/sample/props"
ASSETS, COPIES = 20, 25


@pytest.fixture(scope="module")
def renderer():
    return Renderer()


def held(renderer):
    """Bytes of meshes, and how many textures and materials there are."""
    gpu = renderer._gpu
    materials = sum(gpu.materials.get(number) is not None for number in range(len(gpu.materials)))
    return gpu.meshes.used_bytes, len(renderer.resources.residents()), materials


@pytest.fixture
def project(tmp_path):
    (tmp_path / "project.json").write_text("{}")
    for number in range(ASSETS):
        folder = tmp_path / f"prop{number}"
        folder.mkdir()
        writer = GltfWriter(folder)
        writer.add("images", bufferView=writer.view(png(color=(number, 0, 0, 255))))
        writer.add("textures", source=0)
        writer.add("materials", pbrMetallicRoughness={"baseColorTexture": {"index": 0}})
        corners = np.float32([[0, 0, 0], [1, 0, 0], [0, 1 + number, 0]])
        uv = {"TEXCOORD_0": writer.accessor([[0, 0], [1, 0], [0, 1]])}
        writer.node(mesh=writer.mesh(corners, attributes=uv, material=0))
        writer.write("prop.gltf")
    return tmp_path


def fill(app, copies):
    for number in range(ASSETS * copies):
        place = LocalTransform(translation=(float(number), 0.0, 0.0))
        asset = f"prop{number % ASSETS}/prop.gltf"
        app.world.spawn(Name(f"p{number}"), place, GltfInstance(asset=asset))
    app.settle()
    app.frame(0.0)


def test_500_instances_of_20_assets_hold_the_memory_of_20(project, renderer):
    empty = held(renderer)
    once = App(project, renderer)
    fill(once, 1)
    of_twenty = held(renderer)
    assert of_twenty[1] - empty[1] == ASSETS
    once.attach(None)
    once.close()
    assert held(renderer) == empty
    many = App(project, renderer)
    fill(many, COPIES)
    assert len(many.scene.instances) == ASSETS * COPIES
    assert held(renderer) == of_twenty
    many.attach(None)
    many.close()
    assert held(renderer) == empty


def test_levels_that_were_left_hold_nothing(project, renderer):
    levels = []
    for number in range(4):
        levels.append(project / f"{number}.scene")
        text = f'Name text="p"\n  GltfInstance asset="prop{number}/prop.gltf"\n'
        levels[-1].write_text(f"cinder-scene 2\nentity 0\n  {text}")
    app = App(project, renderer)
    counts = []
    for level in (*levels, levels[0], levels[0], levels[0]):
        app.load(level)
        app.settle()
        app.frame(0.0)
        counts.append(len([e for e in app.assets.entries() if e.uploaded is not None]))
        assert len(app.scene.instances) == 1
    # The last level's stay, as most levels of a project share theirs.
    assert counts == [1, 2, 2, 2, 2, 1, 1]
    textures = held(renderer)[1]
    app.attach(None)
    assert held(renderer)[1] == textures - 1
    app.close()


def test_an_import_given_up_half_way_leaves_nothing(project, renderer):
    empty = held(renderer)
    app = App(project, renderer)
    entry = app.assets.get("prop0/prop.gltf")
    while held(renderer) == empty:
        app.frame(0.0)
    assert entry.state in ("loading", "ready")
    app.attach(None)
    app.close()
    assert held(renderer) == empty


def test_cooked_assets_are_there_once_and_go_with_their_last_reference(tmp_path, renderer):
    shutil.copy(PROPS / "sign.glb", tmp_path)
    manifest = CookManifest()
    cook_gltf(tmp_path / "sign.glb", "Sign", tmp_path / "cooked", manifest)
    manifest.save(tmp_path / "cooked/manifest.txt")
    app = App(tmp_path, renderer)
    app.mount_assets(tmp_path / "cooked")
    empty = held(renderer)
    names = [entry.logical for entry in manifest.entries()]
    meshes = [name for name in names if "#mesh" in name]
    materials = [name for name in names if "#material" in name]
    indices = [app.assets.load_mesh(name) for name in meshes]
    indices += [app.assets.load_material(name) for name in materials]
    app.settle()
    once = held(renderer)
    assert once[0] > empty[0]
    indices += [app.assets.load_mesh(name) for name in meshes * 5]
    indices += [app.assets.load_material(name) for name in materials * 5]
    app.settle()
    assert held(renderer) == once
    for index in indices:
        app.assets.release(index)
    assert held(renderer) == empty
    app.close()
