"""The asset server with real cooked files and a renderer that keeps strict accounts."""

import pytest

from engine.assets.jobs import JobSystem
from engine.assets.server import AssetServer
from tests.engine.assets.server.server_stage import (
    FakeRenderer,
    Folder,
    clip_bytes,
    material_bytes,
    mesh_bytes,
    texture_bytes,
)


@pytest.fixture
def folder(tmp_path):
    folder = Folder(tmp_path / "cooked")
    folder.write("a#mesh0/prim0", "mesh", mesh_bytes(1))
    folder.write("a#anim0", "clip", clip_bytes(2))
    folder.write("a#image0", "texture", texture_bytes(10))
    folder.write("a#image1", "texture", texture_bytes(20))
    images = ("a#image0", "a#image1", "a#image0")
    folder.write("a#material0", "material", material_bytes(0.5, images))
    folder.write("a#material1", "material", material_bytes(0.25, ("a#image0",)))
    return folder


@pytest.fixture
def jobs():
    with JobSystem(2) as system:
        yield system


@pytest.fixture
def renderer():
    return FakeRenderer()


@pytest.fixture
def server(jobs, renderer, folder):
    server = AssetServer(jobs, renderer, folder.path)
    yield server
    server.close()
    assert renderer.is_empty()
    assert server.live_count() == 0
