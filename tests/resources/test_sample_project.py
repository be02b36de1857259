"""What ships is whole: props that load, a level that names them, code that makes them again."""

import json
from pathlib import Path

import numpy as np
import pytest

from engine.app import App
from engine.assets import load_gltf
from engine.ecs import QuerySpec
from engine.project import first_level
from engine.scene import CameraComponent, Environment, GltfInstance, LightSource
from engine.scene.document import read_text, write_text
from resources import make_level, make_props
from resources.modelling.village import village

SAMPLE = Path(make_props.__file__).parent / "sample"
PROPS = sorted((SAMPLE / "props").glob("*.glb"))
GROUND = {"island", "stream"}
QUICK = ("barrel", "crate", "fence", "flag", "grass", "lantern", "sign", "stream")


@pytest.fixture(scope="module")
def app():
    app = App()
    app.load(first_level(SAMPLE))
    app.settle()
    yield app
    app.close()


def test_every_prop_has_a_maker_and_every_maker_a_prop():
    assert [path.stem for path in PROPS] == sorted(make.__name__ for make in make_props.PROPS)


@pytest.mark.parametrize("path", PROPS, ids=lambda path: path.stem)
def test_a_prop_loads_and_stands_on_the_ground(path):
    asset = load_gltf(path)
    assert asset.warnings == []
    bounds = asset.world_bounds()
    assert 0.1 < bounds.radius() < 25
    if path.stem not in GROUND:
        assert -0.9 < bounds.min[1] < 0.06
        assert np.all(np.abs(bounds.centre()[[0, 2]]) < 1.3)
    for mesh in asset.meshes:
        for primitive in mesh.primitives:
            lengths = np.linalg.norm(primitive.mesh.normals, axis=1)
            np.testing.assert_allclose(lengths, 1, atol=1e-3)


def test_the_sample_shows_what_props_can_hold():
    assets = {path.stem: load_gltf(path) for path in PROPS}
    assert assets["windmill"].animations
    assert len(assets["flag"].animations[0].channels) == 4
    assert any(max(m.material.emissive) > 0 for m in assets["lantern"].materials)
    assert any(m.material.alpha_mode == "blend" for m in assets["stream"].materials)
    assert assets["sign"].images


@pytest.mark.parametrize("name", QUICK)
def test_a_prop_is_written_again_byte_for_byte(name, tmp_path):
    make_props.main([str(tmp_path), name])
    made, shipped = load_gltf(tmp_path / f"{name}.glb"), load_gltf(SAMPLE / "props" / f"{name}.glb")
    assert [node.name for node in made.nodes] == [node.name for node in shipped.nodes]
    for ours, theirs in zip(made.meshes, shipped.meshes, strict=True):
        for a, b in zip(ours.primitives, theirs.primitives, strict=True):
            np.testing.assert_allclose(a.mesh.positions, b.mesh.positions, atol=2e-5)
            np.testing.assert_array_equal(a.mesh.indices, b.mesh.indices)
    again = tmp_path / "again"
    make_props.main([str(again), name])
    assert (again / f"{name}.glb").read_bytes() == (tmp_path / f"{name}.glb").read_bytes()


def test_the_level_is_what_its_code_writes():
    shipped = first_level(SAMPLE).read_bytes().decode()
    assert write_text(read_text(shipped)) == shipped
    made = make_level.level_document(village())
    assert len(made) == len(read_text(shipped))
    assert [e.get("Name") for e in made.entities] == [
        e.get("Name") for e in read_text(shipped).entities
    ]


def test_the_level_opens_without_a_complaint(app):
    assert app.realiser.issues == {}
    assets = [instance.asset for _, instance in QuerySpec(GltfInstance).each(app.world)]
    assert len(set(assets)) == len(PROPS)


def test_the_level_is_lit_and_seen(app):
    lights = [light for _, light in QuerySpec(LightSource).each(app.world)]
    suns = [light for light in lights if light.kind == "directional"]
    assert [sun.cast_shadows for sun in suns] == [True]
    assert sum(light.kind == "point" for light in lights) >= 4
    assert sum(camera.active for _, camera in QuerySpec(CameraComponent).each(app.world)) == 1
    assert len(list(QuerySpec(Environment).each(app.world))) == 1


def test_the_project_names_its_first_level():
    described = json.loads((SAMPLE / "project.json").read_text())
    assert set(described) >= {"name", "root_scene_path"}
    assert (SAMPLE / described["root_scene_path"]).is_file()
