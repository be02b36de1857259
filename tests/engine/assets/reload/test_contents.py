"""What the library makes of files that are other ones now."""

import os
import shutil
import threading

import numpy as np
import pytest

from engine.assets import load_gltf
from tests.engine.assets.reload.conftest import (
    change,
    color_of,
    finish,
    height_of,
    loaded,
    prop,
    put,
)
from tests.patience import PATIENCE_S


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
        assert may_go_on.wait(PATIENCE_S)
        return asset

    path = prop(tmp_path)
    entry = loaded(library, "a.gltf")
    monkeypatch.setattr("engine.assets.asset_reading.load_gltf", slow)
    prop(tmp_path, height=2.0)
    change(library, path)
    assert read.wait(PATIENCE_S)
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
