"""One import per asset, beside the program's work."""

import os
import threading

import numpy as np
import pytest

from engine.assets import AssetError
from engine.assets.library import AssetLibrary
from tests.engine.assets.library.conftest import loaded, name_of, write


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


@pytest.mark.skipif(os.name != "posix", reason="links need a right of their own")
def test_a_broken_file_is_told_of_by_the_path_that_levels_write(folder, library):
    write(folder / "real.gltf", text="{")
    (folder / "props").mkdir()
    (folder / "props/link.gltf").symlink_to("../real.gltf")
    entry = loaded(library, "props/link.gltf")
    assert entry.error.startswith("props/link.gltf: parse failed")
    assert "real" not in entry.error


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
