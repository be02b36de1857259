"""The library: one import per asset, beside the program's work, and what a change on disk does."""

import base64
import json
import os
import shutil
import threading

import numpy as np
import pytest

from engine.assets import AssetError
from engine.assets.library import AssetLibrary
from tests.engine.assets.conftest import png

_stamp = [1_700_000_000]


def touch(path):
    """Give a file a modification time that no file had before."""
    _stamp[0] += 10
    os.utime(path, (_stamp[0], _stamp[0]))


def write(path, name="a", text=None):
    document = {"asset": {"version": "2.0"}, "nodes": [{"name": name}]}
    path.write_text(json.dumps(document) if text is None else text)
    touch(path)
    return path


@pytest.fixture
def folder(tmp_path):
    return tmp_path


@pytest.fixture
def library(folder):
    made = AssetLibrary(folder)
    yield made
    made.close()


def loaded(library, path="a.gltf"):
    entry = library.get(path)
    library.wait()
    library.poll()
    return entry


def name_of(entry):
    return entry.asset.nodes[0].name


def test_an_asset_is_loading_until_poll_takes_it_in(folder, library):
    write(folder / "a.gltf")
    entry = library.get("a.gltf")
    assert entry.state == "loading"
    assert library.loading() == [entry]
    library.wait()
    assert entry.state == "loading"
    assert library.poll() == [entry]
    assert (entry.state, entry.error, name_of(entry)) == ("ready", "", "a")
    assert library.poll() == []
    assert library.loading() == []


def test_one_path_is_one_entry(folder, library):
    write(folder / "a.gltf")
    assert library.get("a.gltf") is library.get("a.gltf")
    assert library.entries() == [library.get("a.gltf")]


def test_loading_happens_on_another_thread(folder, library, monkeypatch):
    seen = []
    monkeypatch.setattr(
        "engine.assets.asset_reading.load_gltf",
        lambda path, root: seen.append(threading.current_thread()) or _fail(path),
    )
    loaded(library)
    assert seen[0] is not threading.main_thread()


def _fail(path):
    raise AssetError(f"{path}: no")


@pytest.mark.parametrize(
    "path", ["", "../a.gltf", "/etc/hostname", "sub/../../a.gltf", "a\0.gltf", "x" * 5000]
)
def test_a_path_outside_the_project_is_not_read(folder, library, path):
    write(folder.parent / "a.gltf")
    entry = loaded(library, path)
    assert entry.state == "failed"
    assert entry.error
    assert entry.asset is None


def test_a_link_out_of_the_project_is_not_followed(folder, library, tmp_path_factory):
    outside = write(tmp_path_factory.mktemp("outside") / "a.gltf")
    (folder / "link.gltf").symlink_to(outside)
    assert "leaves the project" in loaded(library, "link.gltf").error


@pytest.mark.parametrize("text", ["", "{", "[]", '{"asset": 5}'])
def test_a_broken_file_fails_with_words(folder, library, text):
    write(folder / "a.gltf", text=text)
    entry = loaded(library)
    assert entry.state == "failed"
    assert "a.gltf" in entry.error


def test_a_fault_of_the_importer_fails_the_entry_and_is_logged(
    folder, library, monkeypatch, caplog
):
    def broken(path, root):
        raise KeyError("oops")

    monkeypatch.setattr("engine.assets.asset_reading.load_gltf", broken)
    write(folder / "a.gltf")
    entry = loaded(library)
    assert entry.state == "failed"
    assert "oops" in entry.error
    assert "a.gltf" in caplog.text


def test_a_missing_file_fails_and_is_taken_when_it_appears(folder, library):
    entry = loaded(library)
    assert entry.state == "failed"
    assert library.check_for_changes() == []
    write(folder / "a.gltf")
    assert library.check_for_changes() == [entry]
    library.wait()
    assert library.poll() == [entry]
    assert (entry.state, entry.error) == ("ready", "")


def test_an_unchanged_file_is_not_loaded_again(folder, library):
    write(folder / "a.gltf")
    entry = loaded(library)
    assert library.check_for_changes() == []
    assert library.check_for_changes(force=True) == [entry]


def test_a_changed_file_is_loaded_again_and_the_old_asset_stays_until_then(folder, library):
    path = write(folder / "a.gltf")
    entry = loaded(library)
    version = entry.version
    write(path, "b")
    assert library.check_for_changes() == [entry]
    assert (entry.state, name_of(entry)) == ("ready", "a")
    library.wait()
    assert library.poll() == [entry]
    assert name_of(entry) == "b"
    assert entry.version == version + 1


def test_a_file_replaced_by_renaming_is_seen_each_time(folder, library):
    """Known bug: watching stops after the first save by renaming (bevyengine/bevy#3359)."""
    path = write(folder / "a.gltf")
    entry = loaded(library)
    for name in ("b", "c", "d"):
        os.replace(write(folder / "a.tmp", name), path)
        assert library.check_for_changes() == [entry]
        library.wait()
        library.poll()
        assert name_of(entry) == name
        assert library.check_for_changes() == []


def test_a_half_written_file_takes_nothing_away(folder, library):
    path = write(folder / "a.gltf")
    entry = loaded(library)
    whole = path.read_text()
    write(path, text=whole[:20])
    library.check_for_changes()
    library.wait()
    assert library.poll() == [entry]
    assert (entry.state, name_of(entry)) == ("ready", "a")
    assert entry.error
    write(path, "b")
    library.check_for_changes()
    library.wait()
    library.poll()
    assert (entry.state, entry.error, name_of(entry)) == ("ready", "", "b")


def test_the_gap_of_a_replacing_save_is_no_error(folder, library):
    path = write(folder / "a.gltf")
    entry = loaded(library)
    path.unlink()
    assert library.check_for_changes() == []
    assert library.poll() == []
    assert (entry.state, entry.error) == ("ready", "")
    write(path, "b")
    assert library.check_for_changes() == [entry]
    library.wait()
    library.poll()
    assert name_of(entry) == "b"


def test_a_file_that_stays_away_is_reported_once(folder, library):
    path = write(folder / "a.gltf")
    entry = loaded(library)
    path.unlink()
    library.check_for_changes()
    library.check_for_changes()
    assert library.poll() == [entry]
    assert "gone" in entry.error
    assert name_of(entry) == "a"
    library.check_for_changes()
    assert library.poll() == []


def test_a_texture_beside_the_file_counts_as_part_of_it(folder, library, shared):
    """Known bug: editing a texture used by a model changes nothing (bevyengine/bevy#18267)."""
    source = shared / "bugcases"
    shutil.copy(source / "45_external_texture_reload.gltf", folder / "a.gltf")
    shutil.copy(source / "45_tex.png", folder / "45_tex.png")
    for name in ("a.gltf", "45_tex.png"):
        os.chmod(folder / name, 0o644)
        touch(folder / name)
    entry = loaded(library)
    assert entry.asset.images[0].pixels[..., :3].mean(axis=(0, 1)).tolist() == [255, 0, 0]
    shutil.copyfile(source / "45_tex_v2.png", folder / "new.tmp")
    touch(folder / "new.tmp")
    os.replace(folder / "new.tmp", folder / "45_tex.png")
    assert library.check_for_changes() == [entry]
    library.wait()
    library.poll()
    assert entry.asset.images[0].pixels[..., :3].mean(axis=(0, 1)).tolist() == [0, 255, 0]


def test_a_broken_asset_is_tried_again_when_only_a_file_beside_it_came(folder, library):
    document = {
        "asset": {"version": "2.0"},
        "buffers": [{"uri": "a.bin", "byteLength": 4}],
        "nodes": [{"name": "a"}],
    }
    write(folder / "a.gltf", text=json.dumps(document))
    entry = loaded(library)
    assert entry.state == "failed"
    library.check_for_changes()
    library.wait()
    assert library.poll() == []
    (folder / "a.bin").write_bytes(bytes(4))
    library.check_for_changes()
    library.wait()
    assert library.poll() == [entry]
    assert entry.state == "ready"


def test_a_reload_that_failed_for_a_file_beside_it_is_tried_again(folder, library):
    document = {
        "asset": {"version": "2.0"},
        "buffers": [{"uri": "a.bin", "byteLength": 4}],
        "nodes": [{"name": "a"}],
    }
    (folder / "a.bin").write_bytes(bytes(4))
    write(folder / "a.gltf", text=json.dumps(document))
    entry = loaded(library)
    (folder / "a.bin").write_bytes(bytes(1))
    touch(folder / "a.bin")
    assert library.check_for_changes() == [entry]
    library.wait()
    library.poll()
    assert entry.error
    (folder / "a.bin").write_bytes(bytes(4))
    touch(folder / "a.bin")
    assert library.check_for_changes() == [entry]
    library.wait()
    library.poll()
    assert (entry.state, entry.error) == ("ready", "")


class Store:
    def __init__(self):
        self.live = set()
        self.broken, self.given = False, 0

    @property
    def resources(self):
        return self

    def _give(self, *_):
        if self.broken:
            raise AssetError("out of memory")
        self.given += 1
        self.live.add(self.given)
        return self.given

    add_mesh = add_material = add_texture = _give

    def add_sampler(self, sampler):
        return 0

    def _take(self, number):
        self.live.remove(number)

    remove_mesh = remove_material = remove_texture = _take


def test_without_a_renderer_ids_are_minus_one_and_attach_uploads_what_is_ready(folder, library):
    write(folder / "a.gltf")
    entry = loaded(library)
    assert entry.uploaded.default_material == -1
    store = Store()
    library.attach(store)
    assert library.poll() == [entry]
    assert entry.uploaded.default_material in store.live
    library.attach(store)
    assert library.poll() == []
    library.attach(None)
    assert store.live == set()
    assert entry.uploaded.default_material == -1


def test_old_uploads_live_until_they_are_released(folder, library):
    store = Store()
    library.attach(store)
    path = write(folder / "a.gltf")
    entry = loaded(library)
    old = entry.uploaded.default_material
    write(path, "b")
    library.check_for_changes()
    library.wait()
    library.poll()
    assert old in store.live
    library.release_retired()
    assert old not in store.live
    assert entry.uploaded.default_material in store.live


def test_a_renderer_that_refuses_an_asset_fails_the_entry_not_the_program(folder, library):
    store = Store()
    store.broken = True
    library.attach(store)
    write(folder / "a.gltf")
    entry = loaded(library)
    assert entry.state == "failed"
    assert "out of memory" in entry.error


DOT = base64.b64encode(png()).decode()
MANY = json.dumps(
    {
        "asset": {"version": "2.0"},
        "images": [{"uri": f"data:image/png;base64,{DOT}"}],
        "textures": [{"source": 0}],
        "materials": [{"emissiveTexture": {"index": 0}} for _ in range(5)],
    }
)


def begun(folder, library, monkeypatch, store):
    """Return an entry that is half way to the renderer."""
    monkeypatch.setattr("engine.assets.library._UPLOAD_SECONDS", 0.0)
    library.attach(store)
    write(folder / "a.gltf", text=MANY)
    entry = library.get("a.gltf")
    while not store.live:
        library.poll()
    assert entry.state == "loading"
    assert library.loading() == [entry]
    return entry


def test_an_upload_goes_on_from_poll_to_poll(folder, library, monkeypatch):
    store = Store()
    entry = begun(folder, library, monkeypatch, store)
    counts = [len(store.live)]
    while library.loading():
        assert library.is_uploading
        news = library.poll()
        counts.append(len(store.live))
    assert counts == [*range(1, len(counts)), counts[-1]]
    assert (news, entry.state) == ([entry], "ready")
    assert not library.is_uploading
    uploaded = entry.uploaded
    ids = [*uploaded.material_ids, uploaded.default_material, *uploaded.texture_ids]
    assert {*ids} == store.live


def test_who_waits_gets_an_upload_at_once(folder, library, monkeypatch):
    store = Store()
    entry = begun(folder, library, monkeypatch, store)
    library.wait()
    assert library.poll() == [entry]
    assert library.loading() == []


def test_a_newer_file_takes_the_place_of_an_upload_under_way(folder, library, monkeypatch):
    store = Store()
    entry = begun(folder, library, monkeypatch, store)
    write(folder / "a.gltf", "newer")
    library.check_for_changes(force=True)
    library.wait()
    library.poll()
    assert (entry.state, entry.version, name_of(entry)) == ("ready", 1, "newer")
    assert store.live == {entry.uploaded.default_material}


def test_another_renderer_begins_an_upload_anew(folder, library, monkeypatch):
    first, second = Store(), Store()
    entry = begun(folder, library, monkeypatch, first)
    library.attach(second)
    assert first.live == set()
    library.wait()
    assert library.poll() == [entry]
    assert len(second.live) == 7


@pytest.mark.parametrize("end", [lambda library: library.close(), lambda lib: lib.attach(None)])
def test_an_upload_given_up_leaves_nothing(folder, library, monkeypatch, end):
    store = Store()
    begun(folder, library, monkeypatch, store)
    end(library)
    assert store.live == set()


def test_closing_while_assets_load_waits_for_nothing(folder):
    library = AssetLibrary(folder)
    for i in range(20):
        write(folder / f"{i}.gltf")
        library.get(f"{i}.gltf")
    library.close()
    assert library.loading() == []
    assert library.poll() == []


def test_arrays_of_an_asset_are_what_the_importer_gives(folder, library):
    write(folder / "a.gltf")
    assert loaded(library).asset.nodes[0].local.dtype == np.float32
