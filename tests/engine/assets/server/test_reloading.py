"""Cooked files that are other ones now: taken in place, or refused without a loss."""

from engine.assets.jobs import JobSystem
from engine.assets.server import AssetServer
from tests.engine.assets.server.server_stage import (
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
