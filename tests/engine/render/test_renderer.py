import subprocess
import sys

import numpy as np
import pytest
import wgpu

from engine.assets import Material
from engine.assets.material import TextureRef
from engine.assets.upload import MeshStore, TextureStore
from engine.errors import EngineError
from engine.render import (
    Camera,
    OverlayBatch,
    Renderer,
    RenderInstance,
    RenderScene,
    RenderSettings,
)
from engine.render.scene_buffers import upload_ranges
from tests.engine.render.conftest import linear, placed, put, quad, sun
from tests.garbage import collect_garbage


def test_importing_the_room_loads_no_gpu_library():
    code = (
        "import sys, engine.render, engine.render.scene;"
        "assert not any(m.split('.')[0] in ('wgpu', 'PySide6') for m in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_settings_refuse_what_cannot_be_drawn():
    with pytest.raises(EngineError, match="msaa"):
        RenderSettings(msaa=3)
    with pytest.raises(EngineError, match="tonemap"):
        RenderSettings(tonemap="filmic")


def test_upload_ranges_cover_every_row_in_a_few_pieces():
    rng = np.random.default_rng(0)
    rows = np.unique(rng.integers(0, 1_000_000, 500))
    ranges = upload_ranges(rows)
    assert len(ranges) <= 24
    covered = np.concatenate([np.arange(a, b) for a, b in ranges])
    assert np.isin(rows, covered).all()
    assert upload_ranges(np.array([9, 3, 4])) == [(3, 10)]


pytest_gpu = pytest.mark.gpu


@pytest_gpu
def test_it_is_the_store_that_importers_upload_to(renderer: Renderer):
    assert isinstance(renderer, MeshStore)
    assert isinstance(renderer.resources, TextureStore)


@pytest_gpu
@pytest.mark.parametrize("size", [(1, 1), (7, 5), (64, 64), (65, 33), (300, 2)])
@pytest.mark.parametrize("msaa", [1, 4])
def test_snapshot_of_any_size_is_whole_and_repeatable(renderer, facing_scene, unlit, size, msaa):
    renderer.settings = RenderSettings(tonemap="none", msaa=msaa)
    facing_scene.camera.aspect = 1.0
    put(facing_scene, renderer.add_mesh(quad(2.0)), unlit(1, 1, 0))
    first = renderer.snapshot(facing_scene, *size)
    assert first.shape == (size[1], size[0], 4)
    assert first.dtype == np.uint8
    assert (first == [255, 255, 0, 255]).all()
    assert np.array_equal(first, renderer.snapshot(facing_scene, *size))


@pytest_gpu
def test_two_renderers_draw_the_same_bytes(renderer, facing_scene):
    def picture(made: Renderer) -> np.ndarray:
        scene = RenderScene(Camera.look_at((1, 2, 3), (0, 0, 0)))
        put(scene, made.add_mesh(quad()), made.add_material(Material(metallic=0.2)))
        sun(scene, (-1, -2, -1))
        scene.sky, scene.grid = "gradient", True
        return made.snapshot(scene, 80, 60)

    assert np.array_equal(picture(Renderer()), picture(Renderer()))


@pytest_gpu
def test_targets_without_pixels_are_left_alone(renderer, facing_scene):
    assert renderer.snapshot(facing_scene, 0, 10).shape == (10, 0, 4)
    renderer.render(facing_scene, None, 0, 0)
    with pytest.raises(EngineError, match="at most"):
        renderer.snapshot(facing_scene, 1_000_000, 1)


@pytest_gpu
@pytest.mark.parametrize("texture_format", ["bgra8unorm", "bgra8unorm-srgb", "rgba8unorm"])
def test_render_fills_a_callers_texture(renderer, facing_scene, unlit, texture_format):
    use = wgpu.TextureUsage
    texture = renderer.device.create_texture(
        size=(32, 32, 1), format=texture_format, usage=use.RENDER_ATTACHMENT | use.COPY_SRC
    )
    put(facing_scene, renderer.add_mesh(quad(2.0)), unlit(1.0, 0.5, 0.0))
    for target in (texture, texture.create_view()):
        renderer.render(facing_scene, target, 32, 32)
        raw = renderer.device.queue.read_texture(
            {"texture": texture}, {"bytes_per_row": 128, "rows_per_image": 32}, (32, 32, 1)
        )
        pixel = np.frombuffer(raw, np.uint8).reshape(32, 32, 4)[16, 16]
        wanted = [255, 188, 0, 255] if texture_format[0] == "r" else [0, 188, 255, 255]
        assert np.abs(pixel.astype(int) - wanted).max() <= 1


@pytest_gpu
def test_unknown_and_removed_ids_draw_nothing(renderer, facing_scene, unlit):
    mesh, material = renderer.add_mesh(quad(2.0)), unlit(1, 1, 1)
    for pair in ((-1, material), (mesh, -1), (10_000, material), (mesh, 10_000)):
        put(facing_scene, *pair)
    put(facing_scene, mesh, material)
    assert renderer.snapshot(facing_scene, 8, 8)[4, 4, 0] == 255
    renderer.remove_mesh(mesh)
    assert renderer.snapshot(facing_scene, 8, 8)[..., :3].max() == 0
    with pytest.raises(EngineError, match=f"mesh {mesh}"):
        renderer.remove_mesh(mesh)
    renderer.remove_material(material)
    with pytest.raises(EngineError, match=f"material {material}"):
        renderer.replace_material(material, Material())


@pytest_gpu
def test_replaced_meshes_and_materials_show_under_their_ids(renderer, facing_scene, unlit):
    mesh, material = renderer.add_mesh(quad(0.1)), unlit(1, 0, 0)
    put(facing_scene, mesh, material)
    assert renderer.snapshot(facing_scene, 32, 32)[4, 4, 0] == 0
    renderer.replace_mesh(mesh, quad(2.0))
    assert renderer.snapshot(facing_scene, 32, 32)[4, 4].tolist() == [255, 0, 0, 255]
    renderer.replace_material(material, Material(unlit=True, base_color=(0, 1, 0, 1)))
    assert renderer.snapshot(facing_scene, 32, 32)[4, 4].tolist() == [0, 255, 0, 255]


@pytest_gpu
def test_freed_memory_is_used_again(renderer):
    before = renderer._gpu.meshes.used_bytes
    ids = [renderer.add_mesh(quad()) for _ in range(20)]
    for mesh in ids:
        renderer.remove_mesh(mesh)
    assert renderer._gpu.meshes.used_bytes == before


@pytest_gpu
def test_a_removed_texture_reads_as_white(renderer, facing_scene):
    texture = renderer.resources.add_texture(np.zeros((4, 4, 4), np.uint8), True, "black")
    material = Material(unlit=True, base_color_texture=TextureRef(texture))
    put(facing_scene, renderer.add_mesh(quad(2.0)), renderer.add_material(material))
    assert renderer.snapshot(facing_scene, 8, 8)[4, 4, 0] == 0
    renderer.resources.remove_texture(texture)
    assert renderer.snapshot(facing_scene, 8, 8)[4, 4, 0] == 255
    with pytest.raises(EngineError, match="texture"):
        renderer.resources.remove_texture(texture)


@pytest_gpu
def test_mip_levels_average_in_linear_light(renderer, facing_scene):
    checker = np.zeros((64, 64, 4), np.uint8)
    checker[..., 3] = 255
    checker[::2, ::2, :3] = checker[1::2, 1::2, :3] = 255
    for srgb in (True, False):
        texture = renderer.resources.add_texture(checker, srgb, "checker")
        material = Material(unlit=True, base_color_texture=TextureRef(texture))
        facing_scene.clear()
        put(facing_scene, renderer.add_mesh(quad(2.0)), renderer.add_material(material))
        got = linear(renderer.snapshot(facing_scene, 8, 8)[4, 4, 0])
        assert got == pytest.approx(0.5, abs=0.01)


@pytest_gpu
def test_an_unchanged_frame_uploads_nothing_and_a_move_only_its_rows(renderer, facing_scene, unlit):
    mesh, material = renderer.add_mesh(quad(0.1)), unlit(1, 1, 1)
    for k in range(100):
        put(facing_scene, mesh, material, k / 50 - 1, 0, 0)
    renderer.snapshot(facing_scene, 16, 16)
    assert (renderer.stats.instances, renderer.stats.batches) == (100, 1)
    assert renderer.stats.triangles == 200
    renderer.snapshot(facing_scene, 16, 16)
    assert renderer.stats.uploaded_bytes == 0
    facing_scene.instances.columns().world_from_local[40:50, 1, 3] = 0.5
    facing_scene.instances.moved(np.arange(40, 50))
    renderer.snapshot(facing_scene, 16, 16)
    assert renderer.stats.uploaded_bytes == 10 * 64


@pytest_gpu
def test_moving_gives_the_picture_of_a_scene_filled_anew(renderer, unlit):
    rng = np.random.default_rng(1)
    mesh = renderer.add_mesh(quad())
    materials = [unlit(*rng.random(3)) for _ in range(3)]

    def filled(matrices: np.ndarray) -> RenderScene:
        scene = RenderScene(Camera.look_at((0, 0, 9), (0, 0, 0)))
        for k, matrix in enumerate(matrices):
            scene.instances.append(RenderInstance(mesh, materials[k % 3], matrix))
        return scene

    matrices = np.stack([placed(*rng.uniform(-3, 3, 3)) for _ in range(30)])
    scene = filled(matrices)
    renderer.snapshot(scene, 64, 64)
    for step in range(5):
        rows = rng.integers(0, 30, 4)
        matrices[rows, 0, 3] += 0.5
        matrices[rows, 0, 0] *= -1.0 if step % 2 else 1.0
        scene.instances.columns().world_from_local[:] = matrices
        scene.instances.moved(rows)
        got = renderer.snapshot(scene, 64, 64)
        assert np.array_equal(got, renderer.snapshot(filled(matrices), 64, 64))


@pytest_gpu
def test_selection_is_outlined_and_dimmer_where_hidden(renderer, facing_scene, unlit):
    mesh = renderer.add_mesh(quad())
    put(facing_scene, mesh, unlit(0, 0, 1), 0, 0, 0, entity=5)
    plain = renderer.snapshot(facing_scene, 64, 64)
    facing_scene.selected = {5}
    for msaa in (1, 4):
        renderer.settings = RenderSettings(tonemap="none", msaa=msaa)
        outlined = renderer.snapshot(facing_scene, 64, 64)
        assert outlined[32, 15].tolist() == [255, 179, 71, 255]
        assert outlined[32, 32].tolist() == plain[32, 32].tolist()
        assert outlined[32, 5].tolist() == plain[32, 5].tolist()
    put(facing_scene, renderer.add_mesh(quad(2.0)), unlit(0, 0, 0), 0, 0, 1, entity=6)
    hidden = linear(renderer.snapshot(facing_scene, 64, 64)[32, 15, 0])
    assert hidden == pytest.approx(0.45, abs=0.02)


@pytest_gpu
def test_overlays_are_drawn_in_depth_or_on_top(renderer, facing_scene, unlit):
    put(facing_scene, renderer.add_mesh(quad()), unlit(0, 0, 1))
    overlay = OverlayBatch()
    overlay.lines([(-1, 0, -1), (1, 0, -1)], (1, 0, 0, 1), width=3.0)
    facing_scene.overlay = overlay
    picture = renderer.snapshot(facing_scene, 64, 64)
    assert picture[32, 32].tolist() == [0, 0, 255, 255]
    assert picture[32, 5].tolist() == [255, 0, 0, 255]
    overlay.triangles([(-1, -1, -2), (1, -1, -2), (0, 1, -2)], (0, 1, 0, 1), on_top=True)
    assert renderer.snapshot(facing_scene, 64, 64)[32, 32].tolist() == [0, 255, 0, 255]
    overlay.clear()
    assert renderer.snapshot(facing_scene, 64, 64)[32, 5].tolist() == [0, 0, 0, 255]


@pytest_gpu
def test_the_grid_has_coloured_axes_and_hides_behind_things(renderer, unlit):
    scene = RenderScene(Camera.look_at((3, 3, 3), (0, 0, 0)))
    scene.background, scene.grid = (0, 0, 0), True
    picture = renderer.snapshot(scene, 200, 200).astype(int)
    red = (picture[..., 0] > 100) & (picture[..., 2] < 100)
    blue = (picture[..., 2] > 150) & (picture[..., 0] < 100)
    assert red.sum() > 50
    assert blue.sum() > 50
    scene.instances.append(
        RenderInstance(renderer.add_mesh(quad(40.0)), unlit(0, 0, 0), _lying(0.5))
    )
    assert renderer.snapshot(scene, 200, 200)[..., :3].max() == 0


def _lying(height: float) -> np.ndarray:
    matrix = placed(0, height, 0)
    matrix[:3, :3] = [[1, 0, 0], [0, 0, 1], [0, -1, 0]]
    return matrix


@pytest_gpu
@pytest.mark.parametrize("mode", ["unlit", "normals", "wireframe", "tangents", "uv", "lod"])
def test_inspection_modes_draw_without_lights(renderer, facing_scene, mode):
    put(facing_scene, renderer.add_mesh(quad()), renderer.add_material(Material()))
    renderer.settings = RenderSettings(tonemap="none", msaa=1, mode=mode)
    picture = renderer.snapshot(facing_scene, 32, 32)
    filled = (picture[..., :3].max(axis=2) > 0).mean()
    assert (0.02 < filled < 0.2) if mode == "wireframe" else filled == pytest.approx(0.25, abs=0.01)


@pytest_gpu
def test_hostile_numbers_do_not_break_the_frame(renderer, facing_scene, unlit):
    mesh, material = renderer.add_mesh(quad()), unlit(1, 1, 1)
    put(facing_scene, mesh, material, entity=1)
    for value in (np.nan, np.inf, 0.0):
        facing_scene.instances.append(
            RenderInstance(mesh, material, np.full((4, 4), value, np.float32), joint_offset=99)
        )
    sun(facing_scene, (0, 0, -1), lux=np.inf)
    renderer.settings = RenderSettings()
    facing_scene.selected = {1}
    assert renderer.snapshot(facing_scene, 32, 32).shape == (32, 32, 4)
    assert renderer.pick(16, 16) == 1


@pytest_gpu
def test_unrelated_uploads_leave_a_scene_as_it_is(renderer, facing_scene, unlit):
    put(facing_scene, renderer.add_mesh(quad()), unlit(1, 1, 1))
    before = renderer.snapshot(facing_scene, 16, 16)
    renderer.remove_mesh(renderer.add_mesh(quad(3.0)))
    unlit(0, 0, 0)
    assert np.array_equal(renderer.snapshot(facing_scene, 16, 16), before)
    assert renderer.stats.uploaded_bytes == 0


@pytest_gpu
def test_surfaces_in_one_plane_look_the_same_in_whatever_order_they_were_loaded():
    shapes = [quad(0.5 + 0.25 * k) for k in range(5)]
    colors = [(k / 5, 1 - k / 5, 0.5, 1.0) for k in range(5)]

    def picture(order: list[int]) -> np.ndarray:
        renderer = Renderer()
        scene = RenderScene(Camera.look_at((0.3, 0.4, 5), (0, 0, 0)))
        meshes = {k: renderer.add_mesh(shapes[k]) for k in order}
        for k in reversed(order):
            material = renderer.add_material(Material(unlit=True, base_color=colors[k]))
            put(scene, meshes[k], material)
        return renderer.snapshot(scene, 64, 64)

    first = picture([0, 1, 2, 3, 4])
    assert np.array_equal(first, picture([3, 1, 4, 0, 2]))


@pytest_gpu
def test_a_scene_that_is_gone_takes_its_buffers_along(renderer, unlit):
    mesh, material = renderer.add_mesh(quad()), unlit(1, 1, 1)
    for _ in range(3):
        scene = RenderScene(Camera.look_at((0, 0, 5), (0, 0, 0)))
        put(scene, mesh, material)
        renderer.snapshot(scene, 8, 8)
        del scene
    collect_garbage()
    assert len(renderer._states) <= 2


@pytest_gpu
def test_the_adapter_is_named(renderer):
    assert renderer.adapter
    assert renderer.software in (True, False)
