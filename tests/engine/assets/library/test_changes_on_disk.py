"""What the library makes of changes that it is told to look for."""

import json
import os
import shutil

import pytest

from engine.assets import AssetState
from engine.assets.library import AssetLibrary
from tests.engine.assets.library.conftest import loaded, name_of, touch, write
from tests.engine.assets.server.server_stage import Folder, mesh_bytes


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


@pytest.mark.skipif(os.name != "posix", reason="links need a right of their own")
@pytest.mark.parametrize("target", ["a.gltf", "../outside.gltf", "nowhere.gltf"])
def test_a_link_that_led_to_no_file_of_the_project_is_tried_again(folder, library, target):
    path = folder / "a.gltf"
    path.symlink_to(target)
    entry = loaded(library)
    assert entry.state == "failed"
    path.unlink()
    write(path)
    assert library.check_for_changes() == [entry]
    library.wait()
    library.poll()
    assert (entry.state, entry.error) == ("ready", "")


def test_a_cooked_file_that_could_not_be_read_at_first_is_tried_again(tmp_path):
    cooked = Folder(tmp_path / "cooked")
    cooked.write("a#mesh0/prim0", "mesh", b"broken")
    library = AssetLibrary(cooked.path)
    index = library.load_mesh("a#mesh0/prim0")
    library.wait_all()
    assert library.state(index) == AssetState.FAILED
    library.check_for_changes()
    assert not library.is_reading_cooked
    cooked.write("a#mesh0/prim0", "mesh", mesh_bytes(2))
    library.check_for_changes()
    library.wait_all()
    assert (library.state(index), library.error(index)) == (AssetState.READY, "")
    library.close()
