"""The server and the renderers that it fills: none, a real one, another one."""

import os

import numpy as np
import pytest

from engine.assets.asset_ids import asset_file_name
from engine.assets.cook_manifest import CookManifest
from engine.assets.jobs import JobSystem
from engine.assets.server import AssetServer
from tests.engine.assets.server.server_stage import (
    FAILED,
    LOADING,
    READY,
    FakeRenderer,
    mesh_bytes,
)


def test_what_the_renderer_refuses_fails_the_asset(server, renderer):
    renderer.refuses = True
    index = server.load_mesh("a#mesh0/prim0")
    server.wait_all()
    assert (server.state(index), server.error(index)) == (FAILED, "out of memory")


def test_without_a_renderer_ids_are_minus_one(jobs, folder):
    with AssetServer(jobs, None, folder.path) as server:
        mesh, material = server.load_mesh("a#mesh0/prim0"), server.load_material("a#material0")
        server.wait_all()
        assert (server.mesh_index(mesh), server.material_index(material)) == (-1, -1)


@pytest.mark.gpu
def test_a_real_renderer_draws_a_cooked_file_and_gives_all_memory_back(gltf, make_png, tmp_path):
    from engine.assets import cook_gltf
    from engine.render import Camera, Renderer, RenderInstance, RenderScene

    image = gltf.add("images", bufferView=gltf.view(make_png()), mimeType="image/png")
    gltf.add("textures", source=image)
    gltf.add(
        "materials",
        doubleSided=True,
        emissiveFactor=[1, 1, 1],
        pbrMetallicRoughness={"baseColorTexture": {"index": 0}},
    )
    gltf.node(mesh=gltf.mesh(indices=[0, 1, 2], material=0))
    manifest, out = CookManifest(), tmp_path / "out"
    cook_gltf(gltf.write(), "a", out, manifest)
    manifest.save(out / "manifest.txt")
    renderer = Renderer()
    with JobSystem(2) as jobs, AssetServer(jobs, renderer, out) as server:
        before = renderer._gpu.meshes.used_bytes, renderer.resources.used_bytes
        mesh, material = server.load_mesh("a#mesh0/prim0"), server.load_material("a#material0")
        server.wait_all()
        assert server.error(mesh) == server.error(material) == ""
        scene = RenderScene(Camera.look_at((0.2, 0.2, 2), (0.2, 0.2, 0)))
        ids = server.mesh_index(mesh), server.material_index(material)
        scene.instances.append(RenderInstance(*ids, np.eye(4, dtype=np.float32)))
        picture = renderer.snapshot(scene, 32, 32)
        assert picture[16, 16, :3].min() > picture[0, 0, :3].max()
        path = out / asset_file_name("a#mesh0/prim0", "cmesh")
        path.write_bytes(mesh_bytes(0.001))
        os.utime(path, (1, 1))
        assert server.check_for_changes() == 1
        server.wait_all()
        assert server.mesh_index(mesh) == ids[0]
        assert (renderer.snapshot(scene, 32, 32) != picture).any()
        server.release(mesh)
        server.release(material)
        assert (renderer._gpu.meshes.used_bytes, renderer.resources.used_bytes) == before


def test_another_renderer_gets_everything_and_the_first_keeps_nothing(server, renderer):
    mesh, material = server.load_mesh("a#mesh0/prim0"), server.load_material("a#material0")
    clip = server.load_clip("a#anim0")
    server.wait_all()
    other = FakeRenderer()
    server.use_renderer(other)
    assert renderer.is_empty()
    assert server.state(mesh) is LOADING
    server.wait_all()
    assert [server.state(index) for index in (mesh, material, clip)] == [READY] * 3
    assert other.meshes == {server.mesh_index(mesh): 1.0}
    assert other.bound(server.material_index(material)) == (0.5, [10, 20, 10])
    for index in (mesh, material, clip):
        server.release(index)
    assert other.is_empty()
