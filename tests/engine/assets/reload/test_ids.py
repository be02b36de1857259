"""What a reload uploads anew, and which ids it keeps."""

import json

import pytest

from tests.engine.assets.reload.conftest import change, finish, height_of, loaded, prop, put


def ids_of(entry):
    return entry.uploaded.mesh_ids, entry.uploaded.material_ids


def test_the_same_structure_keeps_its_ids(tmp_path, library, store):
    path = prop(tmp_path)
    entry = loaded(library, "a.gltf")
    ids, count = ids_of(entry), store.count()
    prop(tmp_path, height=2.0, color=(1, 2, 3, 255))
    change(library, path)
    finish(library)
    assert ids_of(entry) == ids
    assert store.count() == count
    assert store.meshes[ids[0][0][0]].positions[2, 1] == 2.0
    texture = store.materials[ids[1][0]].base_color_texture.texture
    assert store.textures[texture][0, 0].tolist() == [1, 2, 3, 255]


def test_what_did_not_change_is_not_uploaded_again(tmp_path, library, store):
    path = prop(tmp_path, meshes=3)
    entry = loaded(library, "a.gltf")
    store.uploads.clear()
    prop(tmp_path, meshes=3, color=(1, 2, 3, 255))
    change(library, path)
    finish(library)
    assert store.uploads == ["textures", "materials"]
    document = json.loads(path.read_text())
    document["materials"][0]["pbrMetallicRoughness"]["roughnessFactor"] = 0.25
    put(path, json.dumps(document))
    change(library, path)
    finish(library)
    assert store.uploads == ["textures", "materials", "materials"]
    assert store.materials[entry.uploaded.material_ids[0]].roughness == 0.25


def test_another_structure_gets_ids_of_its_own_and_the_old_ones_are_freed(tmp_path, library, store):
    path = prop(tmp_path)
    entry = loaded(library, "a.gltf")
    prop(tmp_path, meshes=3)
    change(library, path)
    finish(library)
    assert len(entry.uploaded.mesh_ids) == 3
    assert store.count() == (3, 2, 1)
    library.attach(None)
    assert store.count() == (0, 0, 0)


@pytest.mark.parametrize("kind", ["textures", "materials", "meshes"])
def test_a_renderer_that_refuses_leaves_nothing_behind(tmp_path, library, store, kind):
    path = prop(tmp_path)
    entry = loaded(library, "a.gltf")
    store.refuses = kind
    prop(tmp_path, height=2.0, color=(1, 2, 3, 255))
    change(library, path)
    finish(library)
    assert "no memory" in entry.error
    if kind == "textures":
        # They go first, so that the older version is whole still.
        assert (entry.state, height_of(entry), store.count()) == ("ready", 1.0, (1, 2, 1))
    else:
        assert (entry.state, store.count()) == ("failed", (0, 0, 0))
    store.refuses = ""
    change(library, path)
    finish(library)
    assert (entry.state, height_of(entry)) == ("ready", 2.0)
    assert store.count() == (1, 2, 1)


def test_a_hundred_reloads_leave_nothing_behind(tmp_path, library, store):
    path = prop(tmp_path)
    loaded(library, "a.gltf")
    for number in range(100):
        prop(tmp_path, height=1 + number, meshes=1 + number % 2, color=(number, 0, 0, 255))
        change(library, path)
        finish(library)
    assert store.count() == (2, 2, 1)
