import pytest

from engine.ecs import World
from engine.errors import SceneError
from engine.reflect import Entity
from engine.scene.components import (
    Environment,
    GltfInstance,
    InstanceNode,
    MeshRenderer,
    Name,
    Parent,
    Realised,
)
from engine.scene.document import read_text
from engine.scene.levels import (
    Scene,
    deserialize_scene_binary,
    level_registry,
    load_scene,
    save_scene,
    serialize_scene_binary,
    spawn_scene,
    world_to_scene,
)


@pytest.fixture
def scene():
    world = World()
    root = world.spawn(Name("root"), GltfInstance("props/crate.glb"), MeshRenderer())
    world.spawn(Name("child.png"), Parent(root), GltfInstance("props/crate.glb"))
    world.spawn(Environment(image="sky/day.HDR"))
    node = world.spawn(Name("node"), Parent(root), Realised())
    world.spawn(Name("kept"), Realised(), InstanceNode(root, "kept"))
    world.spawn(Name("hung"), Parent(node))
    return world_to_scene(world, level_registry(), "yard")


def test_what_is_derived_from_the_document(scene):
    assert scene.name == "yard"
    assert scene.hierarchy == [(0, 1)]
    assert scene.hierarchy[0].child == 1
    assert scene.assets.meshes == ("props/crate.glb",)
    assert scene.assets.textures == ("sky/day.HDR",)
    assert scene.assets.materials == ()


def test_realised_nodes_and_derived_components_stay_out(scene):
    names = [[c.name for c in e.components] for e in scene.doc.entities]
    assert names == [
        ["Name", "GltfInstance"],
        ["Name", "Parent", "GltfInstance"],
        ["Environment"],
        ["InstanceNode"],
        ["Name", "Parent"],
    ]
    assert scene.doc.entities[4].components[1].get("entity").value == -1


@pytest.mark.parametrize("name", ["yard.scene", "yard.cscn"])
def test_files_of_both_kinds(scene, tmp_path, name):
    save_scene(scene, tmp_path / name)
    assert load_scene(tmp_path / name) == scene
    assert (tmp_path / name).read_bytes().startswith(b"CSCN" if "cscn" in name else b"cinder")


def test_the_binary_form_in_memory(scene):
    assert deserialize_scene_binary(serialize_scene_binary(scene)).doc == scene.doc


def test_two_copies_in_a_world_that_holds_things(scene):
    world, registry = World(), level_registry()
    world.spawn(Name("there"))
    first, second = spawn_scene(world, registry, scene), spawn_scene(world, registry, scene)
    assert len(world) == 1 + 2 * 5
    assert not set(first) & set(second)
    assert world.get(second[1], Parent).entity == second[0]
    assert world.get(second[4], Parent).entity == Entity.null()


def test_spawning_migrates_a_copy():
    scene = Scene("old", read_text("cinder-scene 1\nentity 0\n  Health hp=1\n"))
    world = World()
    spawn_scene(world, level_registry(), scene)
    assert scene.doc.version == 1
    with pytest.raises(SceneError, match="newer"):
        spawn_scene(world, level_registry(), Scene("new", read_text("cinder-scene 9\n")))
    assert len(world) == 1


def test_messages_name_the_file(tmp_path):
    path = tmp_path / "bad.scene"
    path.write_text("cinder-scene 2\nentity 1\n")
    with pytest.raises(SceneError, match=r"bad\.scene: line 2: entity out of order"):
        load_scene(path)
    (tmp_path / "bad.cscn").write_bytes(b"CSCN")
    with pytest.raises(SceneError, match=r"bad\.cscn: byte 4: unexpected end of data"):
        load_scene(tmp_path / "bad.cscn")
