"""Importing again what somebody asks for, past the cache: what is shown, kept and told."""

import json
import os

import pytest

from engine.app import App
from engine.assets import load_gltf
from engine.assets.cache_folder import CACHE_FOLDER
from engine.scene import Environment, GltfInstance
from tests.engine.assets.library.conftest import name_of, touch, write

GOOD = '{"asset":{"version":"2.0"},"nodes":[{"name":"a"}]}'


class Desk:
    """A project in which every real import is counted, and what the app told of them."""

    def __init__(self, folder, monkeypatch):
        self.imports = []
        self.news = []

        def counted(path, root):
            self.imports.append(path.rpartition("/")[2])
            return load_gltf(path, root=root)

        monkeypatch.setattr("engine.assets.asset_reading.load_gltf", counted)
        self.app = App(folder)
        self.app.on_assets = self.news.append

    def told(self):
        told = [done for news in self.news for done in news.reimports]
        self.news.clear()
        return told


@pytest.fixture
def desk(tmp_path, monkeypatch):
    (tmp_path / "project.json").write_text("{}")
    for name in ("a", "b"):
        write(tmp_path / f"{name}.gltf", name)
    made = Desk(tmp_path, monkeypatch)
    yield made
    made.app.close()


def shown(desk, *assets):
    for asset in assets:
        desk.app.world.spawn(GltfInstance(asset=asset))
    desk.app.settle()
    desk.app.assets.cache.wait()
    desk.imports.clear()


def test_only_the_file_that_was_asked_for_is_imported_and_past_the_cache(desk, tmp_path):
    shown(desk, "a.gltf", "b.gltf")
    kept = sorted((tmp_path / CACHE_FOLDER).glob("*.casset"))
    assert len(kept) == 2
    assert desk.app.import_again(["a.gltf"]) == ["a.gltf"]
    assert desk.app.importing_again == {"a.gltf"}
    assert len(list((tmp_path / CACHE_FOLDER).glob("*.casset"))) == 1
    desk.app.settle()
    assert desk.imports == ["a.gltf"]
    (done,) = desk.told()
    assert (done.path, done.error, done.asset.nodes[0].name) == ("a.gltf", "", "a")
    assert desk.app.importing_again == frozenset()
    desk.app.assets.cache.wait()
    assert sorted((tmp_path / CACHE_FOLDER).glob("*.casset")) == kept


def test_an_import_that_was_under_way_is_followed_by_the_one_asked_for(desk):
    entry = desk.app.assets.get("a.gltf")
    desk.app.import_again(["a.gltf"])
    desk.app.import_again(["a.gltf"])
    desk.app.settle()
    assert desk.imports == ["a.gltf", "a.gltf"]
    assert len(desk.told()) == 1
    assert name_of(entry) == "a"


def test_a_broken_file_leaves_what_it_was_and_says_so_until_it_is_mended(desk, tmp_path):
    shown(desk, "a.gltf")
    entry = desk.app.assets.get("a.gltf")
    write(tmp_path / "a.gltf", text='{"asset":')
    desk.app.import_again(["a.gltf"])
    desk.app.settle()
    (done,) = desk.told()
    assert "parse failed" in done.error
    assert done.is_shown
    assert (entry.state, name_of(entry)) == ("ready", "a")
    (tmp_path / "a.gltf").write_text(json.dumps(json.loads(GOOD)))
    touch(tmp_path / "a.gltf")
    desk.app.import_again(["a.gltf"])
    desk.app.settle()
    assert [done.error for done in desk.told()] == [""]
    assert entry.error == ""


def test_a_file_that_nobody_shows_is_read_for_the_cache(desk, tmp_path):
    desk.app.import_again(["b.gltf", "gone.gltf"])
    assert {task.path for task in desk.app.assets.loading()} == {"b.gltf", "gone.gltf"}
    desk.app.settle()
    good, gone = sorted(desk.told(), key=lambda done: done.path)
    assert (good.path, good.error) == ("b.gltf", "")
    assert gone.error.startswith("gone.gltf")
    assert desk.app.assets.entries() == []
    desk.app.assets.cache.wait()
    assert len(list((tmp_path / CACHE_FOLDER).glob("*.casset"))) == 1


def test_an_environment_image_is_decoded_again(desk, tmp_path, monkeypatch):
    (tmp_path / "sky.hdr").write_bytes(
        b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 1 +X 2\n" + bytes((128, 128, 128, 129)) * 2
    )
    desk.app.world.spawn(Environment(image="sky.hdr"))
    desk.app.settle()
    desk.told()
    (kept,) = (tmp_path / CACHE_FOLDER).glob("*.light.ktx2")
    os.utime(kept, (1, 1))
    assert desk.app.import_again(["sky.hdr", "other.png"]) == ["sky.hdr"]
    desk.app.settle()
    assert [(done.path, done.error) for done in desk.told()] == [("sky.hdr", "")]
    assert kept.stat().st_mtime > 1, "it was written again"
    (tmp_path / "sky.hdr").write_bytes(b"#?RADIANCE\n")
    desk.app.import_again(["sky.hdr"])
    desk.app.settle()
    (done,) = desk.told()
    assert "sky.hdr" in done.error
    assert done.is_shown
