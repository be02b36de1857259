"""What the asset server loads, counts, refuses and lets go."""

import threading
import time

import pytest

from engine.assets import AssetError, asset_loading
from engine.assets.asset_records import AssetState
from engine.assets.jobs import JobSystem
from engine.assets.server import AssetServer
from tests.engine.assets.server.server_stage import (
    FAILED,
    LOADING,
    READY,
    SUFFIX,
    material_bytes,
    mesh_bytes,
)
from tests.patience import PATIENCE_S


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


def test_releasing_while_loading_waits_and_uploads_nothing(folder, renderer, monkeypatch):
    begun, go, read = threading.Event(), threading.Event(), []
    read_plain = asset_loading.read_plain

    def noted(path):
        data = read_plain(path)
        read.append(path)
        return data

    monkeypatch.setattr(asset_loading, "read_plain", noted)

    def hold():
        begun.set()
        go.wait()

    with JobSystem(1) as jobs, AssetServer(jobs, renderer, folder.path) as server:
        jobs.submit(hold)
        begun.wait()
        index = server.load_mesh("a#mesh0/prim0")
        threading.Timer(0, go.set).start()
        server.release(index)
        assert read == [folder.file("a#mesh0/prim0", "mesh")]
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


def test_an_interrupt_while_it_reads_here_is_no_load_without_end(folder, monkeypatch):
    real = asset_loading.read_plain

    def interrupted(path):
        raise KeyboardInterrupt

    with JobSystem(0, job_capacity=0) as jobs, AssetServer(jobs, None, folder.path) as server:
        monkeypatch.setattr(asset_loading, "read_plain", interrupted)
        with pytest.raises(KeyboardInterrupt):
            server.load_mesh("a#mesh0/prim0")
        monkeypatch.setattr(asset_loading, "read_plain", real)
        server.wait_all()
        index = server.load_mesh("a#mesh0/prim0")
        server.wait_all()
        assert server.state(index) is READY
        server.release(index)
        server.release(index)
        assert server.live_count() == 0


def test_files_are_read_by_jobs_and_not_by_whoever_asks(folder, renderer, monkeypatch):
    threads, read_plain = [], asset_loading.read_plain

    def noted(path):
        threads.append(threading.current_thread())
        return read_plain(path)

    monkeypatch.setattr(asset_loading, "read_plain", noted)
    with JobSystem(1) as jobs, AssetServer(jobs, renderer, folder.path) as server:
        loads = (server.load_mesh, "a#mesh0/prim0"), (server.load_material, "a#material0")
        asked = [load(logical) for load, logical in loads]
        deadline = time.monotonic() + PATIENCE_S
        while any(server.state(index) == LOADING for index in asked):
            assert time.monotonic() < deadline
            server.update()
    assert len(threads) == 2
    assert threading.main_thread() not in threads
