"""Cooked files that are other ones now: taken in place, or refused without a loss."""

import pytest

from engine.assets.jobs import JobSystem
from engine.assets.server import AssetServer
from engine.assets.watch.changes import FileChanges
from tests.engine.assets.server.server_stage import (
    FAILED,
    READY,
    material_bytes,
    mesh_bytes,
    texture_bytes,
)


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


@pytest.mark.parametrize("told", [False, True])
def test_a_reload_that_failed_by_a_texture_succeeds_with_another_one(
    server, folder, renderer, told
):
    """The texture is released with the version that failed; its file is followed nevertheless."""
    index = server.load_material("a#material0")
    server.wait_all()
    folder.write("a#image2", "texture", b"broken")
    folder.write("a#material0", "material", material_bytes(0.75, ("a#image2",)))
    assert server.check_for_changes() == 1
    server.wait_all()
    assert "a#image2: cooked texture" in server.error(index)
    assert server.check_for_changes() == 0
    folder.write("a#image2", "texture", texture_bytes(30))
    path = str(folder.file("a#image2", "texture"))
    assert path in server.cooked_sources()
    changes = FileChanges(changed=(path,))
    assert (server.cooked_changed(changes) if told else server.check_for_changes()) == 1
    server.wait_all()
    assert server.error(index) == ""
    assert renderer.bound(server.material_index(index)) == (0.75, [30])
    assert server.check_for_changes() == 0


@pytest.mark.parametrize("is_first", [True, False])
def test_a_texture_that_the_manifest_gets_later_is_taken_then(server, folder, renderer, is_first):
    """The manifest is written last of all, when its materials may have been read already."""
    index = None if is_first else server.load_material("a#material0")
    server.wait_all()
    folder.write("a#material0", "material", material_bytes(0.75, ("a#image2",)))
    if is_first:
        index = server.load_material("a#material0")
    server.check_for_changes()
    server.wait_all()
    assert "a#image2 is not in" in server.error(index)
    folder.write("a#image2", "texture", texture_bytes(30))
    changes = FileChanges(changed=(str(folder.path / "manifest.txt"),))
    assert server.cooked_changed(changes) == 1
    server.wait_all()
    assert (server.state(index), server.error(index)) == (READY, "")
    assert renderer.bound(server.material_index(index)) == (0.75, [30])


@pytest.mark.parametrize(
    ("kind", "logical"),
    [
        ("mesh", "a#mesh0/prim0"),
        ("clip", "a#anim0"),
        ("texture", "a#image0"),
        ("material", "a#material0"),
    ],
)
def test_files_that_are_told_of_are_loaded_anew_whatever_their_state(server, folder, kind, logical):
    data, path = folder.file(logical, kind).read_bytes(), folder.file(logical, kind)
    changes = FileChanges(changed=(str(path),))
    folder.write(logical, kind, b"broken")
    index = getattr(server, f"load_{kind}")(logical)
    server.wait_all()
    assert server.state(index) == FAILED
    folder.write(logical, kind, data)
    assert server.cooked_changed(FileChanges(changed=(str(folder.path / "other"),))) == 0
    assert server.cooked_changed(changes) == 1
    server.wait_all()
    assert (server.state(index), server.error(index)) == (READY, "")
    assert server.cooked_changed(changes) == 0
    path.unlink()
    assert server.cooked_changed(FileChanges(removed=(str(path),))) == 0
    assert server.state(index) == READY
