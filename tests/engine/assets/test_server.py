"""The asset server with real cooked files and a renderer that keeps strict accounts."""

import os
import random
import threading

import numpy as np
import pytest

from engine.assets import AssetError
from engine.assets.asset_ids import asset_file_name
from engine.assets.asset_records import AssetState
from engine.assets.cook_manifest import CookManifest
from engine.assets.jobs import JobSystem
from engine.assets.server import AssetServer
from tests.engine.assets.server_stage import (
    SUFFIX,
    FakeRenderer,
    Folder,
    clip_bytes,
    material_bytes,
    mesh_bytes,
    texture_bytes,
)

READY, FAILED, LOADING = AssetState.READY, AssetState.FAILED, AssetState.LOADING


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


def test_a_mesh_is_loaded_once_and_counted(server, renderer):
    first = server.load_mesh("a#mesh0/prim0")
    assert server.load_mesh("a#mesh0/prim0") == first
    assert server.state(first) == LOADING
    with pytest.raises(AssetError, match="not ready"):
        server.mesh_index(first)
    server.wait_all()
    assert server.state(first) == AssetState.ready()
    assert server.error(first) == ""
    assert renderer.meshes == {server.mesh_index(first): 1.0}
    server.release(first)
    assert renderer.meshes
    server.release(first)
    assert not renderer.meshes
    assert (server.state(first), server.error(first)) == (FAILED, "released")
    assert server.live_count() == 0
    with pytest.raises(AssetError, match="released too often"):
        server.release(first)
    with pytest.raises(AssetError, match="released"):
        server.mesh_index(first)


def test_indices_are_never_reused(server):
    first = server.load_mesh("a#mesh0/prim0")
    server.release(first)
    second = server.load_mesh("a#mesh0/prim0")
    server.wait_all()
    assert second != first
    assert (server.state(first), server.state(second)) == (FAILED, READY)


def test_a_clip_is_a_copy(server):
    index = server.load_clip("a#anim0")
    server.wait_all()
    server.clip(index).channels[0].values[0] = 9
    assert server.clip(index).duration == 2.0
    assert server.clip(index).channels[0].values[0] == 2.0


def test_paths_and_kinds_are_checked_at_once(server, folder):
    with pytest.raises(AssetError) as caught:
        server.load_mesh("b#mesh0/prim0")
    assert f"not in {folder.path}/manifest.txt (run cinder-cook)" in str(caught.value)
    for _ in range(2):
        with pytest.raises(AssetError, match="a#mesh0/prim0 is a mesh, not a clip"):
            server.load_clip("a#mesh0/prim0")
        assert not server.records or len(server.records) == 1
        index = server.load_mesh("a#mesh0/prim0")
    with pytest.raises(AssetError, match="is a mesh, not a texture"):
        server.texture_view(index)
    for wrong in (-1, 5):
        with pytest.raises(AssetError, match=f"asset {wrong}: out of range of 1"):
            server.state(wrong)


def test_a_path_that_was_cooked_later_is_found(server, folder):
    with pytest.raises(AssetError, match="not in"):
        server.load_mesh("b#mesh0/prim0")
    folder.write("b#mesh0/prim0", "mesh", mesh_bytes(3))
    server.load_mesh("b#mesh0/prim0")


@pytest.mark.parametrize("kind", SUFFIX)
def test_a_damaged_file_fails_and_is_tried_again(server, folder, kind):
    logical = {"mesh": "a#mesh0/prim0", "clip": "a#anim0", "texture": "a#image0"}.get(
        kind, "a#material0"
    )
    path = folder.file(logical, kind)
    good, load = path.read_bytes(), getattr(server, f"load_{kind}")
    path.write_bytes(good[:20])
    index = load(logical)
    server.wait_all()
    assert server.state(index) == FAILED
    assert server.error(index).startswith(f"cooked {kind}")
    assert logical in server.error(index)
    path.unlink()
    assert load(logical) == index
    server.wait_all()
    assert "cannot be read" in server.error(index)
    path.write_bytes(good)
    assert load(logical) == index
    assert server.state(index) == LOADING
    server.wait_all()
    assert (server.state(index), server.error(index)) == (READY, "")
    assert server.records[index].refs == 3


def test_a_material_pulls_in_its_textures_and_lets_them_go(server, renderer):
    first, second = server.load_material("a#material0"), server.load_material("a#material1")
    server.wait_all()
    assert renderer.bound(server.material_index(first)) == (0.5, [10, 20, 10])
    assert renderer.bound(server.material_index(second)) == (0.25, [10])
    shared = server.load_texture("a#image0")
    assert server.records[shared].refs == 3
    assert server.live_count() == 4
    assert len(renderer.resources.textures) == 2
    server.release(shared)
    server.release(first)
    assert list(renderer.resources.textures.values()) == [10]
    server.release(second)
    assert renderer.is_empty()
    assert server.live_count() == 0


def test_a_texture_that_fails_fails_its_material(server, folder, renderer):
    path = folder.file("a#image1", "texture")
    good = path.read_bytes()
    path.write_bytes(b"no")
    index = server.load_material("a#material0")
    server.wait_all()
    assert server.state(index) == FAILED
    assert "a#image1: cooked texture" in server.error(index)
    assert renderer.is_empty()
    assert server.live_count() == 1
    path.write_bytes(good)
    server.load_material("a#material0")
    server.wait_all()
    assert server.state(index) == READY


def test_a_texture_that_the_manifest_lacks_fails_its_material(server, folder, renderer):
    folder.write("a#material2", "material", material_bytes(1, ("a#image0", "a#image9")))
    index = server.load_material("a#material2")
    server.wait_all()
    assert "a#image9 is not in" in server.error(index)
    assert server.live_count() == 1
    server.wait_all()
    assert renderer.is_empty()


def test_releasing_while_loading_waits_and_uploads_nothing(folder, renderer):
    begun, go = threading.Event(), threading.Event()

    def hold():
        begun.set()
        go.wait()

    with JobSystem(1) as jobs, AssetServer(jobs, renderer, folder.path) as server:
        jobs.submit(hold)
        begun.wait()
        index = server.load_mesh("a#mesh0/prim0")
        threading.Timer(0, go.set).start()
        server.release(index)
        server.update()
        assert (server.error(index), renderer.is_empty()) == ("released", True)


def test_a_material_that_waits_for_textures_is_released_at_once(folder, renderer):
    with JobSystem(0) as jobs, AssetServer(jobs, renderer, folder.path) as server:
        index = server.load_material("a#material0")
        slot = server._slots[0]
        jobs.wait(slot.counter)
        server.update()
        assert server.live_count() == 3
        server.release(index)
        assert server.live_count() == 0
        server.wait_all()
        assert renderer.is_empty()


def test_a_full_job_table_loads_on_the_calling_thread(folder, renderer):
    with JobSystem(1, job_capacity=0) as jobs, AssetServer(jobs, renderer, folder.path) as server:
        index = server.load_mesh("a#mesh0/prim0")
        server.update()
        assert server.state(index) == READY


def test_a_mesh_reloads_in_place(server, folder, renderer):
    index = server.load_mesh("a#mesh0/prim0")
    server.wait_all()
    mesh = server.mesh_index(index)
    assert server.check_for_changes() == 0
    folder.write("a#mesh0/prim0", "mesh", mesh_bytes(7))
    assert server.check_for_changes() == 1
    assert server.mesh_index(index) == mesh
    assert server.check_for_changes() == 0
    server.wait_all()
    assert server.mesh_index(index) == mesh
    assert renderer.meshes == {mesh: 7.0}
    assert server.records[index].reloads == 1


def test_a_broken_reload_keeps_what_was_good_until_it_is_mended(server, folder, renderer):
    index = server.load_mesh("a#mesh0/prim0")
    server.wait_all()
    mesh = server.mesh_index(index)
    folder.write("a#mesh0/prim0", "mesh", b"broken")
    server.check_for_changes()
    server.wait_all()
    assert (server.state(index), renderer.meshes) == (READY, {mesh: 1.0})
    assert server.error(index).startswith("cooked mesh")
    folder.file("a#mesh0/prim0", "mesh").unlink()
    assert server.check_for_changes() == 0
    folder.write("a#mesh0/prim0", "mesh", mesh_bytes(4))
    assert server.check_for_changes() == 1
    server.wait_all()
    assert (server.error(index), renderer.meshes) == ("", {mesh: 4.0})


def test_the_newest_of_overlapping_reloads_wins(folder, renderer):
    with JobSystem(0) as jobs, AssetServer(jobs, renderer, folder.path) as server:
        index = server.load_mesh("a#mesh0/prim0")
        server.wait_all()
        folder.write("a#mesh0/prim0", "mesh", mesh_bytes(2))
        server.check_for_changes()
        folder.write("a#mesh0/prim0", "mesh", mesh_bytes(3))
        server.check_for_changes()
        older, newer = server._slots
        older.payload, older.done = "what an older job would bring late", True
        jobs.wait(newer.counter)
        older.payload = "what an older job would bring late"
        server.update()
        assert renderer.meshes == {server.mesh_index(index): 3.0}
        server.wait_all()
        assert renderer.meshes == {server.mesh_index(index): 3.0}


def test_a_texture_reload_rebinds_materials_before_the_old_one_goes(server, folder, renderer):
    index = server.load_material("a#material0")
    texture = server.load_texture("a#image0")
    server.wait_all()
    material, view = server.material_index(index), server.texture_view(texture)
    folder.write("a#image0", "texture", texture_bytes(99))
    assert server.check_for_changes() == 1
    server.wait_all()
    assert server.material_index(index) == material
    assert server.texture_view(texture) != view
    assert renderer.bound(material) == (0.5, [99, 20, 99])
    assert len(renderer.resources.textures) == 2


def test_a_material_reload_keeps_textures_that_stay(server, folder, renderer):
    index = server.load_material("a#material0")
    server.wait_all()
    material, textures = server.material_index(index), dict(renderer.resources.textures)
    folder.write("a#material0", "material", material_bytes(0.75, ("a#image1",)))
    assert server.check_for_changes() == 1
    server.update()
    server.wait_all()
    assert server.material_index(index) == material
    assert renderer.bound(material) == (0.75, [20])
    kept = {key: value for key, value in textures.items() if value == 20}
    assert renderer.resources.textures == kept
    folder.write("a#material0", "material", material_bytes(0.5, ("a#image1", "a#image9")))
    server.check_for_changes()
    server.wait_all()
    assert renderer.bound(material) == (0.75, [20])
    assert "a#image9" in server.error(index)
    assert server.live_count() == 2


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


@pytest.mark.parametrize("seed", range(4))
def test_random_operations_agree_with_a_model(folder, seed):
    run_model(folder, seed, 250)


@pytest.mark.full
def test_ten_thousand_random_operations_agree_with_a_model(folder):
    run_model(folder, 99, 10_000)


PATHS = {
    "a#mesh0/prim0": "mesh",
    "a#mesh1/prim0": "mesh",
    "a#anim0": "clip",
    "a#image0": "texture",
    "a#image1": "texture",
    "a#material0": "material",
    "a#material1": "material",
}


class Model:
    """What each path's file holds (None: damaged), what is loaded of it, and who holds it."""

    def __init__(self, folder, server, renderer):
        self.folder, self.server, self.renderer = folder, server, renderer
        self.on_disk, self.held, self.loaded, self.fresh = {}, {}, {}, {}
        for logical in PATHS:
            self.change(logical, 1)

    def change(self, logical, value):
        kind = PATHS[logical]
        images = [] if kind != "material" else ["a#image0", "a#image1"][: 1 + value % 2]
        make = {"mesh": mesh_bytes, "clip": clip_bytes, "texture": texture_bytes}.get(kind)
        data = make(value) if make else material_bytes(value, images)
        self.on_disk[logical] = value
        self.folder.write(logical, kind, data)

    def damage(self, logical):
        self.on_disk[logical] = None
        self.folder.write(logical, PATHS[logical], b"damaged")

    def check(self):
        """Compare after everything has settled."""
        counts = {"mesh": 0, "material": 0}
        for logical, (index, refs) in self.held.items():
            record = self.server.records[index]
            assert record.refs >= refs, logical
            if record.kind not in ("material", "texture"):
                assert record.refs == refs, logical
            if record.state is READY:
                counts[record.kind] = counts.get(record.kind, 0) + 1
        assert len(self.renderer.meshes) == counts["mesh"]
        assert len(self.renderer.materials) == counts["material"]
        live = [r for r in self.server.records if r.refs > 0]
        textures = [r for r in live if r.kind == "texture" and r.texture is not None]
        assert len(self.renderer.resources.textures) == len(textures)
        users = [r.current.textures for r in live if r.current is not None]
        for record in live:
            if record.kind == "texture":
                pulled = sum(record.logical in textures for textures in users)
                mine = self.held.get(record.logical, (0, 0))[1]
                assert record.refs == pulled + mine, record.logical
            assert record.state is not LOADING
            assert (record.state is FAILED) <= bool(record.error)
            assert record.pending is None

    def check_contents(self):
        """After a look for changes has settled, what is good on disk is what is in use."""
        for record in self.server.records:
            value = self.on_disk.get(record.logical)
            if record.refs <= 0 or record.state is not READY or value is None or record.error:
                continue
            if record.kind == "mesh":
                assert self.renderer.meshes[record.mesh] == float(value)
            elif record.kind == "clip":
                assert record.clip.duration == float(value)
            elif record.kind == "texture":
                assert self.renderer.resources.textures[record.texture] == value
            else:
                assert self.renderer.bound(record.material)[0] == float(value)


def run_model(folder, seed, count):
    dice, renderer = random.Random(seed), FakeRenderer()
    with JobSystem(2, job_capacity=3) as jobs, AssetServer(jobs, renderer, folder.path) as server:
        model = Model(folder, server, renderer)
        for _ in range(count):
            step(model, server, dice)
        server.wait_all()
        model.check()
        for index, refs in list(model.held.values()):
            for _ in range(refs):
                server.release(index)
        assert server.live_count() == 0
        assert model.renderer.is_empty()
        assert not server._slots


def step(model, server, dice):
    logical = dice.choice(list(PATHS))
    actions = ("load", "load", "release", "change", "break", "look", "update", "wait", "attach")
    action = dice.choices(actions, (3,) * (len(actions) - 1) + (1,))[0]
    if action == "load":
        index = getattr(server, f"load_{PATHS[logical]}")(logical)
        before = model.held.get(logical)
        assert before is None or before[0] == index
        model.held[logical] = (index, (before[1] if before else 0) + 1)
    elif action == "release" and logical in model.held:
        index, refs = model.held.pop(logical)
        server.release(index)
        if refs > 1:
            model.held[logical] = (index, refs - 1)
        elif PATHS[logical] != "texture":
            assert server.error(index) == "released"
    elif action == "change":
        model.change(logical, dice.randint(1, 200))
    elif action == "break":
        model.damage(logical)
    elif action == "look":
        server.check_for_changes()
    elif action == "attach":
        old, model.renderer = model.renderer, FakeRenderer()
        server.use_renderer(model.renderer)
        assert old.is_empty()
    elif action == "update":
        server.update()
    elif action == "wait":
        server.wait_all()
        server.check_for_changes()
        server.wait_all()
        model.check()
        model.check_contents()


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
