"""A library that draws with a store which refuses ids that hold nothing."""

import itertools
import json
import os

import pytest

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
