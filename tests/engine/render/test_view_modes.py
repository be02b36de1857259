"""What the views for inspection show."""

from types import SimpleNamespace

import numpy as np
import pytest

from engine.assets import Material
from engine.errors import EngineError
from engine.render import Camera, Renderer, RenderScene, RenderSettings
from engine.render.settings import DISPLAY_MODES
from tests.engine.render.conftest import linear, put, quad, sun

pytestmark = pytest.mark.gpu


def shown(renderer: Renderer, scene: RenderScene, mode: str, msaa: int = 1) -> np.ndarray:
    renderer.settings = RenderSettings(tonemap="none", msaa=msaa, mode=mode)
    return renderer.snapshot(scene, 32, 32)[..., :3].astype(int)


@pytest.mark.parametrize("msaa", [1, 4])
@pytest.mark.parametrize("mode", DISPLAY_MODES)
def test_every_mode_draws_with_and_without_samples(renderer, facing_scene, mode, msaa):
    facing_scene.sky, facing_scene.grid = "gradient", True
    put(facing_scene, renderer.add_mesh(quad()), renderer.add_material(Material()))
    assert shown(renderer, facing_scene, mode, msaa).any()


def test_overdraw_is_brighter_where_more_is_drawn(renderer, facing_scene, unlit):
    mesh, material = renderer.add_mesh(quad()), unlit(1, 1, 1)
    facing_scene.sky, facing_scene.background = "gradient", (0.5, 0.5, 0.5)
    for z in (0.5, 0.0, -0.5):
        put(facing_scene, mesh, material, 0, 0, z)
    put(facing_scene, mesh, material, 0.5, 0, 0)
    picture = shown(renderer, facing_scene, "overdraw")[16, :, 0]
    assert picture[2] == 0
    assert 0 < picture[30] < picture[12] < picture[18]


def test_unlit_shows_base_colours_without_light_or_shine(renderer, facing_scene):
    glow = Material(base_color=(0.5, 0.25, 1, 1), emissive=(1, 1, 1), metallic=1.0)
    put(facing_scene, renderer.add_mesh(quad()), renderer.add_material(glow))
    assert linear(shown(renderer, facing_scene, "unlit")[16, 16]) == pytest.approx(
        (0.5, 0.25, 1.0), abs=0.01
    )
    sun(facing_scene, lux=50.0)
    facing_scene.occlusion = facing_scene.bloom = 1.0
    assert linear(shown(renderer, facing_scene, "unlit")[16, 16]) == pytest.approx(
        (0.5, 0.25, 1.0), abs=0.01
    )


@pytest.mark.parametrize("alpha_mode", ["opaque", "mask", "blend"])
def test_normals_are_directions_in_the_world(renderer, facing_scene, alpha_mode):
    look = Material(base_color=(0, 0, 0, 0.6), alpha_mode=alpha_mode, double_sided=True)
    put(facing_scene, renderer.add_mesh(quad()), renderer.add_material(look))
    assert shown(renderer, facing_scene, "normals")[16, 16] == pytest.approx((128, 128, 255), abs=2)
    sideways = np.eye(4, dtype=np.float32)
    angle = np.radians(60)
    sideways[0, [0, 2]] = np.cos(angle), np.sin(angle)
    sideways[2, [0, 2]] = -np.sin(angle), np.cos(angle)
    facing_scene.instances.columns().world_from_local[0] = sideways
    facing_scene.instances.moved([0])
    expected = (255 * (0.5 + 0.5 * np.sin(angle)), 128, 255 * (0.5 + 0.5 * np.cos(angle)))
    assert shown(renderer, facing_scene, "normals")[16, 16] == pytest.approx(expected, abs=3)


def test_wireframes_are_edges_in_base_colours(renderer, facing_scene, unlit):
    if "polygon-mode-line" not in renderer.device.features:
        pytest.skip("the adapter draws no lines of triangles")
    put(facing_scene, renderer.add_mesh(quad()), unlit(1, 0.5, 0))
    drawn = shown(renderer, facing_scene, "wireframe")
    seen = drawn[..., 0] > 100
    # The four sides and the diagonal of 16 pixels each, and nothing between them.
    assert 60 < seen.sum() < 110
    assert not seen[13, 20]
    assert linear(drawn[seen][0]) == pytest.approx((1.0, 0.5, 0.0), abs=0.02)


def test_tangents_are_dark_where_a_mesh_has_none(renderer, facing_scene, unlit):
    material = unlit(1, 1, 1)
    put(facing_scene, renderer.add_mesh(quad()), material, -0.5)
    put(facing_scene, renderer.add_mesh(quad(tangents=[[1, 0, 0, 1]] * 4)), material, 0.5)
    picture = shown(renderer, facing_scene, "tangents")
    assert picture[16, 8].max() < 50
    assert picture[16, 24] == pytest.approx((255, 128, 128), abs=2)


def test_the_checker_has_eighths(renderer, facing_scene, unlit):
    put(facing_scene, renderer.add_mesh(quad(2.0)), unlit(1, 1, 1))
    row = shown(renderer, facing_scene, "uv")[2, :, 2]
    assert np.flatnonzero(np.abs(np.diff(row)) > 40).tolist() == [3, 7, 11, 15, 19, 23, 27]


def test_each_level_has_its_colour(renderer, unlit):
    mesh = quad()
    levels = [SimpleNamespace(first_index=0, index_count=6, error=e) for e in (0.0, 0.01, 0.02)]
    found = renderer.add_mesh(mesh, (mesh.indices, levels))
    colors = []
    for height in (0.5, 1.0, 40.0):
        scene = RenderScene(Camera.look_at((0, 0, 5), (0, 0, 0)))
        scene.camera.ortho_height = height * 0.32
        put(scene, found, unlit(1, 1, 1))
        colors.append(tuple(shown(renderer, scene, "lod")[15, 15]))
    assert len(set(colors)) == 3


@pytest.mark.gpu
@pytest.mark.parametrize("ratio", [1.0, 1.5, 2.0, 3.0])
def test_outline_and_grid_keep_their_width_on_the_screen(renderer, unlit, ratio):
    """Twice the pixels in as much space: lines take twice as many of them."""
    size = round(80 * ratio)
    scene = RenderScene(Camera.look_at((0, 0, 5), (0, 0, 0)))
    scene.camera.ortho_height = 2.0
    scene.background, scene.tonemap = (0, 0, 0), "none"
    put(scene, renderer.add_mesh(quad()), unlit(0.2, 0.2, 0.2), entity=4)
    renderer.settings = RenderSettings(tonemap="none", msaa=1, ibl=False, pixel_ratio=ratio)
    plain = renderer.snapshot(scene, size, size)
    scene.selected = {4}
    outlined = renderer.snapshot(scene, size, size).astype(float) - plain
    beside = outlined[size // 2, : size // 2, 0]
    assert beside.sum() / 255 / ratio == pytest.approx(2.1, abs=0.45)
    scene.selected, scene.grid = (), True
    scene.camera = Camera.look_at((0.02, 5, 0), (0.02, 0, 0), up=(0, 0, -1))
    scene.camera.ortho_height = 0.5
    scene.instances.clear()
    row = renderer.snapshot(scene, size, size)[size // 4].astype(float)
    # Only the axis is so much bluer than red.
    axis = np.maximum(row[:, 2] - row[:, 0] - 40, 0).sum() / 255 / ratio
    assert axis == pytest.approx(1.2, abs=0.5)


def test_a_pixel_ratio_that_is_none_is_refused():
    for ratio in (0.0, -1.0, float("nan"), float("inf")):
        with pytest.raises(EngineError, match="pixel_ratio"):
            RenderSettings(pixel_ratio=ratio)
