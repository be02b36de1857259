"""Sessions over one project, which keep what they import."""

import pytest

from engine.assets import load_gltf
from engine.assets.cache_folder import CACHE_FOLDER
from engine.assets.library import AssetLibrary
from tests.engine.assets.rich_gltf import richer_file

ASSET = "props/sub dir/ü%made.gltf"


@pytest.fixture
def project(tmp_path):
    (tmp_path / "project.json").write_text("{}")
    (tmp_path / "props/sub dir").mkdir(parents=True)
    return tmp_path


@pytest.fixture
def asset_file(project, gltf, make_png):
    gltf.folder = project / "props/sub dir"
    richer_file(gltf, make_png)
    (gltf.folder / "side.bin").write_bytes(bytes(gltf.blob))
    gltf.json["buffers"] = [{"byteLength": len(gltf.blob), "uri": "side.bin"}]
    return gltf.write("ü%made.gltf")


class Session:
    """One program: opens an asset, keeps it, and tells whether it was imported."""

    def __init__(self, project, monkeypatch, **options):
        self.imports = []

        def counted(path, root):
            self.imports.append(path)
            return load_gltf(path, root=root)

        monkeypatch.setattr("engine.assets.asset_reading.load_gltf", counted)
        self.library = AssetLibrary(project, **options)

    def open(self, path=ASSET):
        entry = self.library.get(path)
        self.library.wait()
        self.library.poll()
        self.library.cache.wait()
        return entry

    def end(self):
        self.library.close()


@pytest.fixture
def session(project, monkeypatch):
    made = []

    def begin(project=project, **options):
        made.append(Session(project, monkeypatch, **options))
        return made[-1]

    yield begin
    for one in made:
        one.end()


def kept(project):
    return sorted((project / CACHE_FOLDER).glob("*.casset"))


def change_source(asset_file):
    asset_file.write_text(asset_file.read_text() + "\n")


def change_side_file(asset_file):
    side = asset_file.with_name("side.bin")
    data = bytearray(side.read_bytes())
    data[-1] ^= 1
    side.write_bytes(bytes(data))
