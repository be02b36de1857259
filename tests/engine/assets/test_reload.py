"""What the library makes of files that are other ones now."""

import itertools
import json
import os
import shutil
import threading

import numpy as np
import pytest

from engine.assets import load_gltf
from engine.assets.library import AssetLibrary
from engine.assets.watch import FileChanges
from engine.errors import EngineError
from tests.engine.assets.conftest import GltfWriter, png

_stamp = itertools.count(1_700_000_000, 10)


class Store:
    """A renderer that knows what lives under which id, and refuses ids that hold nothing."""

    def __init__(self):
        self.meshes, self.materials, self.textures = {}, {}, {}
        self.uploads, self.refuses = [], ""
        self._ids = itertools.count(1)

    @property
    def resources(self):
        return self

    def _add(self, kind, value):
        self._count(kind)
        at = next(self._ids)
        getattr(self, kind)[at] = value
        return at

    def _replace(self, kind, at, value):
        assert at in getattr(self, kind)
        self._count(kind)
        getattr(self, kind)[at] = value

    def _count(self, kind):
        if self.refuses == kind:
            raise EngineError(f"no memory for {kind}")
        self.uploads.append(kind)

    def add_mesh(self, mesh):
        return self._add("meshes", mesh)

    def replace_mesh(self, mesh, data):
        self._replace("meshes", mesh, data)

    def remove_mesh(self, mesh):
        del self.meshes[mesh]

    def add_material(self, material):
        return self._add("materials", material)

    def replace_material(self, material, source):
        self._replace("materials", material, source)

    def remove_material(self, material):
        del self.materials[material]

    def add_texture(self, pixels, srgb, label):
        return self._add("textures", pixels)

    def remove_texture(self, texture):
        del self.textures[texture]

    def add_sampler(self, sampler):
        return 0

    def count(self):
        return len(self.meshes), len(self.materials), len(self.textures)


@pytest.fixture
def store():
    return Store()


@pytest.fixture
def library(tmp_path, store):
    made = AssetLibrary(tmp_path)
    made.attach(store)
    yield made
    made.close()


def change(library, *paths, removed=()):
    return library.files_changed(FileChanges(tuple(map(str, paths)), tuple(map(str, removed))))


def finish(library):
    while library.loading():
        library.wait()
        library.poll()
    library.poll()
    library.release_retired()


def loaded(library, path):
    entry = library.get(path)
    finish(library)
    library.take_changed()
    library.take_reloaded()
    return entry


def put(path, data):
    """Write a file over by renaming, with a time that no file had before."""
    beside = path.with_name(".beside")
    beside.write_bytes(data if isinstance(data, bytes) else data.encode())
    stamp = next(_stamp)
    os.utime(beside, (stamp, stamp))
    os.replace(beside, path)
    return path


def prop(folder, *, name="a.gltf", height=1.0, color=(9, 9, 9, 255), meshes=1, outside=False):
    """Write a textured prop; with `outside` its bytes and picture are files beside it."""
    writer = GltfWriter(folder)
    image = png(color)
    if outside:
        writer.add("images", uri="wood.png", name="wood")
    else:
        writer.add("images", bufferView=writer.view(image), name="wood")
    writer.add("textures", source=0)
    writer.add("materials", pbrMetallicRoughness={"baseColorTexture": {"index": 0}})
    for index in range(meshes):
        corner = [[0, 0, 0], [1, 0, 0], [0, height + index, 0]]
        writer.node(mesh=writer.mesh(corner, [0, 1, 2], material=0), name=f"node {index}")
    document = writer.document()
    if outside:
        document["buffers"] = [{"byteLength": len(writer.blob), "uri": "a.bin"}]
        put(folder / "a.bin", bytes(writer.blob))
        put(folder / "wood.png", image)
    return put(folder / name, json.dumps(document))


def height_of(entry):
    return float(entry.asset.meshes[0].primitives[0].mesh.positions[2, 1])


def color_of(entry):
    return entry.asset.images[0].pixels[0, 0].tolist()


def test_a_changed_file_shows_its_new_contents(tmp_path, library):
    path = prop(tmp_path)
    entry = loaded(library, "a.gltf")
    prop(tmp_path, height=2.0)
    assert change(library, path) == [entry]
    finish(library)
    assert height_of(entry) == 2.0
    assert library.take_reloaded() == [entry]
    assert library.take_reloaded() == []


def test_other_files_are_nothing_to_it(tmp_path, library):
    prop(tmp_path)
    loaded(library, "a.gltf")
    assert change(library, tmp_path / "b.gltf", removed=[tmp_path / "c.png"]) == []


@pytest.mark.parametrize("side", ["a.bin", "wood.png", "a.gltf"])
def test_files_beside_it_are_part_of_it(tmp_path, library, side):
    prop(tmp_path, outside=True)
    entry = loaded(library, "a.gltf")
    aside = tmp_path / "aside"
    aside.mkdir()
    prop(aside, height=3.0, color=(200, 0, 0, 255), meshes=1, outside=True)
    new = (aside / side).read_bytes()
    put(tmp_path / side, new + b"\n" if side == "a.gltf" else new)
    assert change(library, tmp_path / side) == [entry]
    finish(library)
    assert height_of(entry) == (3.0 if side == "a.bin" else 1.0)
    assert color_of(entry) == ([200, 0, 0, 255] if side == "wood.png" else [9, 9, 9, 255])


def test_a_file_that_was_only_touched_is_not_news(tmp_path, library, store):
    path = prop(tmp_path, outside=True)
    entry = loaded(library, "a.gltf")
    version, uploads = entry.version, len(store.uploads)
    for file in (path, tmp_path / "a.bin", tmp_path / "wood.png"):
        put(file, file.read_bytes())
        change(library, file)
        finish(library)
    assert (entry.version, len(store.uploads)) == (version, uploads)
    assert library.take_changed() == library.take_reloaded() == []
    assert library.check_for_changes() == []


def test_of_overlapping_changes_the_newest_wins(tmp_path, library):
    path = prop(tmp_path)
    entry = loaded(library, "a.gltf")
    for height in (2.0, 3.0, 4.0, 5.0):
        prop(tmp_path, height=height)
        change(library, path)
    finish(library)
    assert height_of(entry) == 5.0


def test_what_changes_after_it_was_read_is_read_once_more(tmp_path, library, monkeypatch):
    read, may_go_on = threading.Event(), threading.Event()

    def slow(*arguments, **options):
        asset = load_gltf(*arguments, **options)
        read.set()
        assert may_go_on.wait(30)
        return asset

    path = prop(tmp_path)
    entry = loaded(library, "a.gltf")
    monkeypatch.setattr("engine.assets.asset_reading.load_gltf", slow)
    prop(tmp_path, height=2.0)
    change(library, path)
    assert read.wait(30)
    prop(tmp_path, height=3.0)
    assert change(library, path) == [entry]
    may_go_on.set()
    finish(library)
    assert height_of(entry) == 3.0


def test_a_change_while_it_loads_for_the_first_time_is_not_lost(tmp_path, library):
    path = prop(tmp_path)
    entry = library.get("a.gltf")
    prop(tmp_path, height=2.0)
    change(library, path)
    finish(library)
    assert height_of(entry) == 2.0


def test_a_half_file_that_was_read_before_it_was_whole_leaves_no_error(tmp_path, library):
    path = prop(tmp_path)
    entry = loaded(library, "a.gltf")
    put(path, '{"asset": ')
    change(library, path)
    prop(tmp_path, height=2.0)
    change(library, path)
    errors = set()
    while library.loading():
        library.wait()
        library.poll()
        errors.add(entry.error)
    assert errors == {""}
    assert height_of(entry) == 2.0


def test_good_to_broken_keeps_what_was_good_and_says_where_it_is_broken(tmp_path, library):
    path = prop(tmp_path)
    entry = loaded(library, "a.gltf")
    document = json.loads(path.read_text())
    document["nodes"][0]["mesh"] = 99
    put(path, json.dumps(document))
    change(library, path)
    finish(library)
    assert entry.state == "ready"
    assert height_of(entry) == 1.0
    assert "a.gltf" in entry.error
    assert "/nodes/0/mesh" in entry.error
    assert library.take_changed() == [entry]
    assert library.take_reloaded() == []
    prop(tmp_path)
    change(library, path)
    finish(library)
    assert entry.error == ""
    assert library.take_changed() == [entry]


def test_a_picture_that_breaks_keeps_the_good_one(tmp_path, library):
    prop(tmp_path, outside=True)
    entry = loaded(library, "a.gltf")
    picture = tmp_path / "wood.png"
    whole = picture.read_bytes()
    for broken in (whole[:20], b"", None):
        if broken is None:
            picture.unlink()
            change(library, removed=[picture])
        else:
            put(picture, broken)
            change(library, picture)
        finish(library)
        assert color_of(entry) == [9, 9, 9, 255]
        assert "/images/0" in entry.error
        assert "wood.png" in entry.error
    put(picture, png((1, 2, 3, 255)))
    change(library, picture)
    finish(library)
    assert (entry.error, color_of(entry)) == ("", [1, 2, 3, 255])


def test_a_picture_that_was_missing_is_taken_when_it_comes(tmp_path, library):
    prop(tmp_path, outside=True)
    picture = tmp_path / "wood.png"
    (tmp_path / "wood.png").rename(tmp_path / "away.png")
    entry = loaded(library, "a.gltf")
    assert entry.asset.images[0].missing
    (tmp_path / "away.png").rename(picture)
    assert change(library, picture) == [entry]
    finish(library)
    assert color_of(entry) == [9, 9, 9, 255]


def test_missing_to_there(tmp_path, library):
    entry = loaded(library, "a.gltf")
    assert entry.state == "failed"
    path = prop(tmp_path)
    assert change(library, path) == [entry]
    finish(library)
    assert (entry.state, entry.error) == ("ready", "")
    assert library.take_reloaded() == [entry]


def test_a_broken_asset_is_tried_again_whatever_file_comes(tmp_path, library):
    prop(tmp_path, outside=True)
    (tmp_path / "a.bin").rename(tmp_path / "away.bin")
    entry = loaded(library, "a.gltf")
    assert entry.state == "failed"
    (tmp_path / "away.bin").rename(tmp_path / "a.bin")
    assert change(library, tmp_path / "a.bin") == [entry]
    finish(library)
    assert entry.state == "ready"


def test_a_file_that_is_gone_is_told_of_and_what_was_read_stays(tmp_path, library):
    path = prop(tmp_path)
    entry = loaded(library, "a.gltf")
    path.unlink()
    change(library, removed=[path])
    finish(library)
    assert entry.state == "ready"
    assert "gone" in entry.error
    assert library.take_changed() == [entry]
    prop(tmp_path)
    change(library, path)
    finish(library)
    assert entry.error == ""


@pytest.mark.skipif(os.name == "nt", reason="links need a right there")
def test_links_are_followed_both_ways(tmp_path, library):
    """A file behind a link changes, and a link is led elsewhere."""
    for name, height in (("one", 1.0), ("two", 2.0)):
        (tmp_path / name).mkdir()
        prop(tmp_path / name, height=height)
    (tmp_path / "link").symlink_to("one")
    entry = loaded(library, "link/a.gltf")
    prop(tmp_path / "one", height=4.0)
    change(library, tmp_path / "one" / "a.gltf")
    finish(library)
    assert height_of(entry) == 4.0
    (tmp_path / "new").symlink_to("two")
    os.replace(tmp_path / "new", tmp_path / "link")
    change(library, tmp_path / "link")
    finish(library)
    assert height_of(entry) == 2.0


def test_held_versions_wait_and_first_ones_do_not(tmp_path, library):
    path = prop(tmp_path)
    entry = loaded(library, "a.gltf")
    library.holds_reloads = True
    prop(tmp_path, height=2.0)
    change(library, path)
    prop(tmp_path, name="b.gltf", height=3.0)
    other = library.get("b.gltf")
    finish(library)
    assert height_of(other) == 3.0
    assert height_of(entry) == 1.0
    prop(tmp_path, height=4.0)
    change(library, path)
    finish(library)
    assert height_of(entry) == 1.0
    library.holds_reloads = False
    library.poll()
    finish(library)
    assert height_of(entry) == 4.0


# -- in the renderer -------------------------------------------------------------------------


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


def test_case_45_by_a_change_that_is_told_of(tmp_path, library, shared):
    """Known bug: editing a texture used by a model changes nothing (bevyengine/bevy#18267)."""
    source = shared / "bugcases"
    for name in ("45_external_texture_reload.gltf", "45_tex.png"):
        shutil.copyfile(source / name, tmp_path / name)
    entry = loaded(library, "45_external_texture_reload.gltf")
    assert entry.asset.images[0].pixels[..., :3].mean(axis=(0, 1)).tolist() == [255, 0, 0]
    put(tmp_path / "45_tex.png", (source / "45_tex_v2.png").read_bytes())
    change(library, tmp_path / "45_tex.png")
    finish(library)
    assert np.mean(entry.asset.images[0].pixels[..., 1]) == 255
