"""Levels as glTF: what stands in the world comes back by import, where it stands."""

import os
import shutil

import numpy as np
import pytest

from engine.app import App
from engine.assets import load_gltf
from engine.cli.scene import main
from engine.errors import SceneError
from engine.math import compose
from engine.reflect import Kind
from engine.scene import (
    CameraComponent,
    Enabled,
    GltfInstance,
    GltfMesh,
    LightSource,
    LocalMatrix,
    LocalTransform,
    Name,
    Parent,
    Shape,
    children,
    propagate_transforms,
)
from engine.scene.export import export_level, write_glb
from engine.scene.hierarchy import world_matrix
from tests.engine.scene.instance_stage import write_asset

TURN = (0, np.sin(np.pi / 4), 0, np.cos(np.pi / 4))


@pytest.fixture
def export(stage):
    """Export a stage's world, or some entities, and import the file."""

    def run(entities=None):
        propagate_transforms(stage.world)
        path = stage.folder / "out.glb"
        run.warnings = write_glb(path, stage.world, stage.library, entities)
        return load_gltf(path)

    return run


def named(asset, name):
    return next(node for node in asset.nodes if node.name == name)


def test_props_come_with_their_nodes_under_their_own_names(stage, export):
    root = stage.place()
    stage.world.add(root, LocalTransform((5, 0, 0), TURN, (2, 2, 2)))
    found = export()
    assert [n.name for n in found.nodes] == ["prop", "Body", "Arm", "Arm", ""]
    assert [n.mesh for n in found.nodes] == [None, 0, 0, None, 0]
    assert len(found.meshes) == 1
    arm = stage.node(root, "Body/Arm")
    assert np.allclose(found.nodes[2].world, world_matrix(stage.world, arm), atol=1e-6)
    assert export.warnings == []


def test_instances_share_meshes_and_materials(stage, export):
    write_asset(stage.folder / "arm.gltf", [{"mesh": 0}], materials=[{"name": "m"}])
    for _ in range(3):
        stage.place()
    found = export()
    assert (len(found.nodes), len(found.meshes), len(found.materials)) == (6, 1, 1)


def test_changes_of_the_level_are_exported(stage, export):
    root = stage.place()
    arm = stage.node(root, "Body/Arm")
    values = np.float32([0, 7, 0])
    stage.override(arm, "LocalTransform", translation=(Kind.FLOATS, values))
    stage.override(stage.node(root, "Body/Arm[2]"), "Enabled", on=(Kind.BOOL, False))
    stage.realiser.sync()
    stage.world.spawn(Name("hat"), Parent(arm), Shape("cone", (1, 0, 0)))
    found = export()
    assert named(found, "Arm").translation.tolist() == [0, 7, 0]
    assert found.nodes[named(found, "hat").parent].name == "Arm"
    assert [n.visible for n in found.nodes if n.name == "Arm"] == [True, False]


def multi_part(stage):
    attributes = {"attributes": {"POSITION": 0}}
    write_asset(
        stage.folder / "arm.gltf",
        [{"name": "two", "mesh": 0}],
        meshes=[{"primitives": [attributes, {**attributes, "material": 0}]}],
        materials=[{"name": "lid"}],
    )
    return stage.place()


def test_a_mesh_of_several_parts_stays_one_until_a_part_is_changed(stage, export):
    root = multi_part(stage)
    found = export()
    assert [(n.name, n.mesh) for n in found.nodes] == [("prop", None), ("two", 0)]
    assert len(found.meshes[0].primitives) == 2
    lid = stage.node(root, "two/#primitive1")
    stage.override(lid, "LocalTransform", translation=(Kind.FLOATS, np.float32([0, 1, 0])))
    stage.realiser.sync()
    found = export()
    assert named(found, "two").mesh is None
    part = named(found, "lid")
    assert part.translation.tolist() == [0, 1, 0]
    assert found.meshes[part.mesh].primitives[0].material == 0


def test_single_meshes_of_a_file_are_exported_as_its_nodes_have_them(stage, export):
    root = multi_part(stage)
    stage.world.remove(root, GltfInstance)
    stage.realiser.sync()
    stage.world.spawn(Name("whole"), LocalTransform(), GltfMesh("arm.gltf", "two"))
    stage.world.spawn(Name("lid"), LocalTransform(), GltfMesh("arm.gltf", "two/#primitive1"))
    stage.world.spawn(Name("gone"), LocalTransform(), GltfMesh("arm.gltf", "three"))
    stage.realiser.settle()
    found = export()
    meshes = {n.name: n.mesh for n in found.nodes}
    assert [len(found.meshes[meshes[n]].primitives) for n in ("whole", "lid")] == [2, 1]
    assert meshes["gone"] is None
    assert export.warnings == ["arm.gltf has no mesh at node 'three'; it is left out"]


def test_gpu_instances_stay_instances(stage, export):
    body = {"EXT_mesh_gpu_instancing": {"attributes": {"TRANSLATION": 0}}}
    nodes = [{"name": "grass", "mesh": 0, "extensions": body}]
    write_asset(stage.folder / "arm.gltf", nodes, extensionsUsed=[*body])
    stage.place()
    found = export()
    assert len(found.nodes) == 2
    assert found.nodes[1].instances.shape == (3, 4, 4)


def test_shapes_lights_cameras_and_shear_are_exported(stage, export):
    world = stage.world
    world.spawn(Name("box"), Shape("box", (1, 0.5, 0)))
    world.spawn(Name("ball"), Shape("sphere", (1, 0.5, 0)), LocalTransform((0, 3, 0)))
    world.spawn(Name("another"), Shape("box", (1, 0.5, 0)))
    world.spawn(Name("odd"), Shape("dodecahedron"))
    world.spawn(Name("lamp"), LightSource("spot", (1, 0.5, 0.25), 7, 9, 0.25, 0.5, True))
    world.spawn(Name("eye"), CameraComponent(0.5, 0.25))
    sheared = np.eye(4, dtype=np.float32)
    sheared[0, 1] = 0.5
    world.spawn(Name("leaning"), LocalMatrix(sheared), Shape("box", (1, 0.5, 0)))
    found = export()
    assert named(found, "box").mesh == named(found, "another").mesh != named(found, "ball").mesh
    lamp, eye = found.lights[0], found.cameras[0]
    assert (lamp.kind, lamp.intensity, lamp.range, lamp.name) == ("spot", 7, 9, "lamp")
    assert lamp.cast_shadows
    assert (eye.fov_y, eye.near) == (0.5, 0.25)
    assert np.allclose(named(found, "leaning").world, sheared, atol=1e-6)
    assert any("sheared" in text for text in export.warnings)


def test_the_cameras_and_lights_of_props_keep_what_components_do_not_hold(stage, export):
    lens = {"type": "orthographic", "orthographic": {"xmag": 2, "ymag": 3, "znear": 0, "zfar": 9}}
    light = {"KHR_lights_punctual": {"lights": [{"type": "point", "name": "bulb"}]}}
    on_node = {"KHR_lights_punctual": {"light": 0}}
    nodes = [{"camera": 0, "extensions": on_node}, {"camera": 0, "extensions": on_node}]
    write_asset(
        stage.folder / "arm.gltf",
        nodes, roots=[0, 1], cameras=[lens], extensions=light, extensionsUsed=[*light],
    )  # fmt: skip
    stage.place()
    found = export()
    assert [(c.kind, c.x_mag) for c in found.cameras] == [("orthographic", 2)]
    assert [light.name for light in found.lights] == ["bulb"]


def test_a_selection_stands_where_it_stood_with_only_what_it_needs(stage, export):
    root = stage.place()
    stage.world.add(root, LocalTransform((5, 1, 0), TURN))
    other = stage.world.spawn(Name("box"), Shape(), LocalTransform((1, 2, 3)))
    arm = stage.node(root, "Body/Arm[2]")
    found = export([arm, other, *children(stage.world, arm)])
    assert [n.name for n in found.nodes] == ["Arm", "", "box"]
    assert np.allclose(found.nodes[0].world, world_matrix(stage.world, arm), atol=1e-6)
    assert found.roots == [0, 2]


def test_props_that_are_not_there_are_told(stage, export):
    stage.place("gone.glb")
    found = export()
    assert [n.name for n in found.nodes] == ["prop"]
    assert any("gone.glb" in text for text in export.warnings)


def test_entities_that_are_switched_off_are_hidden(stage, export):
    stage.world.spawn(Name("off"), Enabled(False), Shape())
    assert not named(export(), "off").visible


def place_in_app(folder, source):
    """Return an app whose world holds one prop, settled."""
    for file in source.parent.iterdir():
        if file.is_file():
            shutil.copy(file, folder / file.name)
    app = App(folder)
    app.world.spawn(Name("prop"), LocalTransform((1, 0, 0)), GltfInstance(source.name))
    app.settle()
    return app


@pytest.mark.parametrize(
    "name",
    [
        "khronos/Fox/glTF-Binary/Fox.glb",
        "props/kaykit_adventurers/Characters/gltf/Knight.glb",
        "khronos/MorphStressTest/glTF-Binary/MorphStressTest.glb",
        "khronos/CesiumMilkTruck/glTF-Binary/CesiumMilkTruck.glb",
    ],
)
def test_a_placed_prop_comes_back_with_its_facts(shared, tmp_path, name):
    source = load_gltf(shared / "assets" / name)
    app = place_in_app(tmp_path, shared / "assets" / name)
    write_glb(tmp_path / "out.glb", app.world, app.assets)
    app.close()
    found = load_gltf(tmp_path / "out.glb")
    for kind in ("meshes", "materials", "textures", "images", "skins", "animations"):
        assert len(getattr(found, kind)) == len(getattr(source, kind)), kind
    assert len(found.nodes) == len(source.nodes) + 1
    assert [a.duration for a in found.animations] == [a.duration for a in source.animations]
    moved = np.float32([1, 0, 0])
    for posed in (False, True):
        ours, theirs = found.world_bounds(posed), source.world_bounds(posed)
        assert np.allclose(ours.min - moved, theirs.min, atol=1e-3)
        assert np.allclose(ours.max - moved, theirs.max, atol=1e-3)


def test_bones_outside_the_selection_leave_the_mesh_unskinned(shared, tmp_path):
    path = shared / "assets/props/kaykit_adventurers/Characters/gltf/Knight.glb"
    app = place_in_app(tmp_path, path)
    skinned = next(
        e for e in map(int, app.world.entities())
        if app.world.has(e, Name) and app.world.get(e, Name).text == "Knight_Body"
    )  # fmt: skip
    export = export_level(app.world, app.assets, [skinned])
    app.close()
    assert export.asset.skins == []
    assert len(export.asset.meshes) == 1
    assert any("bones" in text for text in export.warnings)


LEVEL = """cinder-scene 2
entity 0
  Name text="crate"
  LocalTransform translation=[1,2,3]
  GltfInstance asset="arm.gltf"
"""


def test_the_command_writes_a_file(stage, monkeypatch, capsys):
    monkeypatch.chdir(stage.folder)
    (stage.folder / "yard.scene").write_text(LEVEL)
    assert main(["export", "yard.scene", "yard.glb"]) == 0
    found = load_gltf(stage.folder / "yard.glb")
    assert [n.name for n in found.nodes][:2] == ["crate", "Body"]
    assert np.allclose(found.nodes[0].world, compose((1, 2, 3), (0, 0, 0, 1), (1, 1, 1)))
    assert capsys.readouterr().err == ""


def test_the_command_tells_what_is_missing_and_what_it_cannot_do(stage, monkeypatch, capsys):
    monkeypatch.chdir(stage.folder)
    (stage.folder / "yard.scene").write_text(LEVEL.replace("arm", "gone"))
    assert main(["export", "yard.scene", "yard.glb"]) == 1
    assert "gone.gltf" in capsys.readouterr().err
    assert main(["export", "yard.scene", "yard.obj"]) == 2
    assert main(["export", "nowhere.scene", "yard.glb"]) == 2
    assert main(["export", "yard.scene", f"no{os.sep}folder.glb"]) == 2


def test_a_file_that_cannot_be_written_raises_and_leaves_nothing(stage, tmp_path):
    with pytest.raises(SceneError):
        write_glb(tmp_path / "no" / "out.glb", stage.world, stage.library)
    assert not (tmp_path / "no").exists()
