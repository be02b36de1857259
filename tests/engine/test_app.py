"""The app without a window, and with a renderer that only counts."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from engine.app import App
from engine.assets import AssetError, AssetState, CookManifest, cook_gltf
from engine.errors import SceneError
from engine.project import first_level, project_root
from engine.scene import (
    Environment,
    GltfInstance,
    LocalTransform,
    MeshRenderer,
    Name,
    Parent,
    Shape,
    WorldTransform,
    children,
)
from tests.editor.document.props import write_prop
from tests.patience import PATIENCE_S

PROPS = Path(__file__).resolve().parents[2] / "resources/sample/props"


class CountingRenderer:
    """Gives out ids and remembers what was drawn."""

    def __init__(self):
        self.meshes, self.materials, self.drawn = {}, {}, []
        self._next = 0

    @property
    def resources(self):
        return self

    def _add(self, store, value):
        self._next += 1
        store[self._next] = value
        return self._next

    def add_mesh(self, mesh):
        return self._add(self.meshes, mesh)

    def remove_mesh(self, mesh):
        del self.meshes[mesh]

    def add_material(self, material):
        return self._add(self.materials, material)

    def remove_material(self, material):
        del self.materials[material]

    def add_texture(self, pixels, srgb, label):
        return self._add({}, pixels)

    def remove_texture(self, texture):
        pass

    def add_sampler(self, sampler):
        return self._add({}, sampler)

    def render(self, scene, target, width, height):
        self.drawn.append((target, width, height, len(scene.instances)))

    def snapshot(self, scene, width, height):
        return np.zeros((height, width, 4), np.uint8)


@pytest.fixture
def app():
    app = App()
    yield app
    app.close()


def level(folder, asset="props/crate.gltf"):
    """A project with one level in which one prop is placed."""
    write_prop(folder / "props")
    (folder / "project.json").write_text(json.dumps({"root_scene_path": "levels/a.scene"}))
    (folder / "levels").mkdir()
    path = folder / "levels" / "a.scene"
    path.write_text(
        "cinder-scene 2\n"
        'entity 0\n  Name text="crate"\n  LocalTransform translation=[1.0,2.0,3.0]\n'
        f'  GltfInstance asset="{asset}"\n'
    )
    return path


def test_a_level_is_opened_with_its_project(app, tmp_path):
    app.load(level(tmp_path))
    assert app.root == tmp_path
    app.settle()
    [crate] = children(app.world, 0)
    [body] = children(app.world, crate)
    assert app.world.get(body, Name).text == "Body"


def test_a_level_may_be_named_relative_to_the_project(tmp_path):
    level(tmp_path)
    app = App(tmp_path / "project.json")
    app.load("levels/a.scene")
    assert [app.world.get(e, Name).text for e in children(app.world, 0)] == ["crate"]
    assert first_level(tmp_path) == tmp_path / "levels" / "a.scene"
    app.close()


def test_a_level_that_can_not_be_opened_changes_nothing(app, tmp_path):
    app.load(level(tmp_path))
    before = (app.world, app.level_file, app.realiser, app.assets)
    bad = tmp_path / "bad.scene"
    bad.write_text("cinder-scene 2\nentity 5\n")
    for path in (bad, tmp_path / "missing.scene"):
        with pytest.raises(SceneError):
            app.load(path)
    assert (app.world, app.level_file, app.realiser, app.assets) == before


def test_saving_writes_what_was_opened(app, tmp_path):
    path = level(tmp_path)
    before = path.read_bytes()
    app.load(path)
    app.settle()
    app.save()
    assert path.read_bytes() == before
    app.world.spawn(Name("new"))
    app.save(tmp_path / "levels" / "b.scene")
    assert path.read_bytes() == before
    assert 'Name text="new"' in (tmp_path / "levels" / "b.scene").read_text()


def test_a_frame_brings_assets_transforms_and_picture_up_to_date(tmp_path):
    app = App(renderer=CountingRenderer())
    heard, frames = [], []
    app.on_realised = heard.append
    app.on_frame = lambda: frames.append(1)
    app.load(level(tmp_path))
    app.frame(0.0)
    app.assets.wait()
    stats = app.frame(1 / 60)
    [crate] = children(app.world, 0)
    assert stats.realised == (crate,)
    assert stats.instances == 2
    assert (crate,) in heard
    assert len(frames) == 2
    assert list(app.world.get(crate, WorldTransform).matrix[:3, 3]) == [1, 2, 3]
    quiet = app.frame(1 / 60)
    assert (quiet.realised, quiet.moved, quiet.instances) == ((), 0, 2)
    app.close()


def test_direct_writes_and_deferred_operations_show_at_the_next_frame(app):
    entity = app.world.spawn(Name("a"), LocalTransform())
    app.frame(0.0)
    app.world.set(entity, LocalTransform((7, 0, 0)))
    app.world.deferred.add(entity, Shape())
    app.frame(0.0)
    assert app.world.get(entity, WorldTransform).matrix[0, 3] == 7
    assert app.world.has(entity, Shape)


def test_a_renderer_that_comes_later_gets_what_is_pending(app, tmp_path):
    app.load(level(tmp_path))
    app.settle()
    assert app.frame(0.0).instances == 0
    renderer = CountingRenderer()
    app.attach(renderer)
    assert app.frame(0.0).instances == 2
    assert renderer.meshes
    app.attach(None)
    assert app.frame(0.0).instances == 0


def test_what_is_hidden_is_left_out_with_all_below(tmp_path):
    app = App(renderer=CountingRenderer())
    top = app.world.spawn(Name("top"), LocalTransform(), Shape())
    app.world.spawn(Name("below"), LocalTransform(), Shape(), Parent(top))
    other = app.world.spawn(Name("other"), LocalTransform(), Shape())
    app.frame(0.0)
    assert app.frame(0.0).instances == 3
    app.hidden = frozenset([top])
    assert app.frame(0.0).instances == 1
    assert app.scene.instances.columns().entity.tolist() == [other]
    assert app.world.has(top, MeshRenderer)
    app.world.despawn(other)
    assert app.frame(0.0).instances == 0
    app.hidden = frozenset()
    assert app.frame(0.0).instances == 2
    app.close()


def test_mounting_other_assets_realises_anew(app, tmp_path):
    crate = app.world.spawn(Name("c"), LocalTransform(), GltfInstance(asset="crate.gltf"))
    app.mount_assets(tmp_path / "empty")
    app.settle()
    assert crate in app.realiser.issues
    write_prop(tmp_path / "full")
    app.mount_assets(tmp_path / "full")
    app.settle()
    assert app.realiser.issues == {}
    assert [app.world.get(e, Name).text for e in children(app.world, crate)] == ["Body"]


def test_pictures_need_a_renderer(app):
    with pytest.raises(AssetError, match="no renderer"):
        app.render(None, 4, 4)
    with pytest.raises(AssetError, match="no renderer"):
        app.snapshot(4, 4)
    renderer = CountingRenderer()
    app.attach(renderer)
    app.render("target", 4, 2)
    assert renderer.drawn == [("target", 4, 2, 0)]
    assert app.snapshot(4, 2).shape == (2, 4, 4)


def test_the_project_is_the_nearest_folder_with_a_project_file(tmp_path):
    path = level(tmp_path)
    assert project_root(path) == tmp_path
    (tmp_path / "levels" / "project.json").write_text("{}")
    assert project_root(path) == tmp_path / "levels"


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"root_scene_path": 3}', "[" * 100_000])
def test_a_project_without_a_first_level_says_so(tmp_path, text):
    (tmp_path / "project.json").write_text(text)
    with pytest.raises(SceneError, match=r"project\.json"):
        first_level(tmp_path)


@pytest.mark.parametrize(
    "module", ["engine.app", "editor.commands", "editor.model.history", "editor.document"]
)
def test_neither_qt_nor_a_gpu_library_is_loaded(module):
    code = (
        f"import sys, {module}\n"
        "found = {'wgpu', 'PySide6', 'pyqtgraph', 'rendercanvas'} & set(sys.modules)\n"
        "sys.exit(str(found) if found else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_level_does_not_inherit_the_look_of_the_one_before(app):
    app.world.spawn(Environment(background=(1, 0, 0), exposure=3.0, tonemap="none", sky="plain"))
    app.frame(0.0)
    assert app.scene.exposure == 3.0
    app.new()
    app.frame(0.0)
    fresh = App()
    fresh.frame(0.0)
    for name in ("ambient", "background", "environment", "exposure", "tonemap", "sky"):
        assert getattr(app.scene, name) == getattr(fresh.scene, name)


def test_opening_another_level_frees_what_the_last_one_had_uploaded(tmp_path):
    renderer = CountingRenderer()
    app = App(renderer=renderer)
    path = level(tmp_path)
    counts = []
    for _ in range(3):
        app.load(path)
        app.world.spawn(Name("s"), LocalTransform(), Shape())
        app.settle()
        app.frame(0.0)
        counts.append((len(renderer.meshes), len(renderer.materials)))
    assert counts[1] == counts[2]
    app.mount_assets(tmp_path / "levels")
    app.mount_assets(tmp_path)
    app.settle()
    app.frame(0.0)
    assert (len(renderer.meshes), len(renderer.materials)) <= counts[0]
    app.close()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_in_place_of_the_project_file_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "project.json")
    with pytest.raises(SceneError, match="not a file"):
        first_level(tmp_path)


def test_cooked_files_are_read_by_logical_path(tmp_path):
    prop = PROPS / "crate.glb"
    manifest = CookManifest()
    cook_gltf(prop, "Crate", tmp_path / "cooked", manifest)
    manifest.save(tmp_path / "cooked/manifest.txt")
    app = App(tmp_path)
    app.mount_assets(tmp_path / "cooked")
    mesh = app.assets.load_mesh("Crate#mesh0/prim0")
    assert app.assets.load_mesh("Crate#mesh0/prim0") == mesh
    material = app.assets.load_material("Crate#material0")
    app.settle()
    assert app.assets.state(mesh) == AssetState.ready()
    assert app.assets.material_index(material) == -1
    with pytest.raises(AssetError, match="is a mesh, not a clip"):
        app.assets.load_clip("Crate#mesh0/prim0")
    with pytest.raises(AssetError, match=r"manifest.txt .run cinder-cook."):
        app.assets.load_mesh("Nothing#mesh0/prim0")
    app.assets.release(mesh)
    app.assets.release(mesh)
    assert app.assets.live_count() == 1
    app.close()
    assert app.assets.live_count() == 0


def test_cooked_files_are_taken_in_frame_by_frame(tmp_path):
    manifest = CookManifest()
    cook_gltf(PROPS / "crate.glb", "Crate", tmp_path, manifest)
    manifest.save(tmp_path / "manifest.txt")
    app = App(tmp_path)
    mesh = app.assets.load_mesh("Crate#mesh0/prim0")
    deadline = time.monotonic() + PATIENCE_S
    while app.assets.state(mesh) == AssetState.loading():
        assert time.monotonic() < deadline
        app.frame(0.0)
    assert app.assets.state(mesh) == AssetState.ready()
    app.close()


def test_a_file_called_manifest_that_is_none_disturbs_nobody(tmp_path):
    (tmp_path / "manifest.txt").write_bytes(b"\xff\xfe what is in the pack")
    app = App(tmp_path)
    with pytest.raises(AssetError, match="cooked manifest"):
        app.assets.load_mesh("Crate#mesh0/prim0")
    app.close()


def test_an_environment_image_is_waited_for_and_a_broken_one_is_an_issue(tmp_path, caplog):
    pixel = bytes((128, 64, 32, 129))
    (tmp_path / "sky.hdr").write_bytes(b"#?RADIANCE\n\n-Y 1 +X 2\n" + pixel * 2)
    (tmp_path / "bad.hdr").write_bytes(b"no light")
    app = App(tmp_path)
    heard = []
    app.on_realised = heard.append
    look = app.world.spawn(Environment(image="sky.hdr"))
    app.settle()
    app.frame(0.0)
    assert app.scene.environment.name == "sky.hdr"
    assert heard == [()]
    assert app.problems() == []
    app.world.set(look, Environment(image="bad.hdr"))
    app.settle()
    app.frame(0.0)
    assert app.scene.environment is app.images.default
    assert "bad.hdr: found" in app.problems()[0]
    (tmp_path / "bad.hdr").write_bytes(b"#?RADIANCE\n\n-Y 1 +X 2\n" + pixel * 2)
    assert app.check_for_changes() == 1
    assert app.assets.loading()
    app.settle()
    app.frame(0.0)
    assert app.scene.environment.name == "bad.hdr"
    assert app.problems() == []
    app.close()
    caplog.clear()


def test_a_level_without_an_environment_is_lit_by_the_one_that_ships(tmp_path):
    app = App(tmp_path)
    app.frame(0.0)
    assert app.scene.environment is app.images.default
    assert app.scene.backdrop is not None
    assert app.scene.ambient == (0.5, 0.5, 0.5)
    app.close()
