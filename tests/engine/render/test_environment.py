"""Light of environment images against sums over the panorama."""

from dataclasses import replace

import numpy as np
import pytest

from engine.assets import Material
from engine.assets.light import unfolded
from engine.math import unpack_light
from engine.render import Camera, Renderer, RenderScene, RenderSettings
from engine.render.dfg import dfg_table
from engine.render.environment_map import irradiance_harmonics
from engine.render.scene import EnvironmentMap, PrefilteredMap, SkyGradient
from engine.scene.default_environment import default_environment
from tests.engine.render.conftest import linear, put, quad

gpu = pytest.mark.gpu


def directions(height: int, width: int) -> tuple[np.ndarray, np.ndarray]:
    """(h, w, 3) of a panorama's texels, and (h, w) their solid angles."""
    polar = (np.arange(height) + 0.5) / height * np.pi
    turn = ((np.arange(width) + 0.5) / width - 0.5) * 2.0 * np.pi
    p, t = np.meshgrid(polar, turn, indexing="ij")
    found = np.stack([np.sin(p) * np.cos(t), np.cos(p), np.sin(p) * np.sin(t)], axis=-1)
    return found, np.sin(p) * (np.pi / height) * (2.0 * np.pi / width)


def soft_panorama() -> np.ndarray:
    at, _ = directions(64, 128)
    light = 0.5 + np.stack([0.4 * at[..., 0], 0.3 * at[..., 1], 0.4 * at[..., 2] ** 2], axis=-1)
    return light.astype(np.float32)


def mean_light(pixels: np.ndarray, normal: np.ndarray) -> np.ndarray:
    """Irradiance over pi."""
    at, angle = directions(*pixels.shape[:2])
    cosine = np.maximum(at @ normal, 0.0)
    return (pixels * (cosine * angle)[..., None]).sum(axis=(0, 1)) / np.pi


def test_harmonics_give_the_mean_light_of_every_hemisphere():
    pixels = soft_panorama()
    c = irradiance_harmonics(pixels)[:, :3]
    for normal in np.random.default_rng(3).normal(size=(20, 3)):
        x, y, z = n = normal / np.linalg.norm(normal)
        basis = [1, y, z, x, x * y, y * z, 3 * z * z - 1, x * z, x * x - y * y]
        np.testing.assert_allclose(basis @ c, mean_light(pixels, n), atol=0.004)


@pytest.fixture
def surrounded(renderer: Renderer, facing_scene: RenderScene) -> RenderScene:
    """A quad that faces +Z within a soft panorama."""
    renderer.settings = RenderSettings(tonemap="none", msaa=1, shadows=False, ibl=True)
    facing_scene.environment = EnvironmentMap(soft_panorama())
    return facing_scene


def seen(renderer: Renderer, scene: RenderScene) -> np.ndarray:
    return linear(renderer.snapshot(scene, 16, 16)[8, 8, :3])


@gpu
def test_diffuse_surfaces_take_the_mean_light(renderer, surrounded):
    dull = {"KHR_materials_specular": {"specularFactor": 0.0}}
    white = Material(metallic=0.0, extensions=dull)
    put(surrounded, renderer.add_mesh(quad()), renderer.add_material(white))
    expected = mean_light(soft_panorama(), np.array([0.0, 0.0, 1.0]))
    np.testing.assert_allclose(seen(renderer, surrounded), expected, atol=0.015)


@gpu
def test_a_mirror_shows_what_it_faces_and_a_rough_metal_its_surroundings(renderer, surrounded):
    mesh = renderer.add_mesh(quad())
    put(surrounded, mesh, renderer.add_material(Material(roughness=0.0)))
    pixels = soft_panorama()
    np.testing.assert_allclose(seen(renderer, surrounded), [0.5, 0.5, 0.9], atol=0.02)
    surrounded.clear()
    put(surrounded, mesh, renderer.add_material(Material(roughness=1.0)))
    # The lobe with N = V = R: half vectors by GGX, weighted by N.L; white keeps all light.
    u, turn = np.meshgrid((np.arange(256) + 0.5) / 256, (np.arange(64) + 0.5) / 64 * 2 * np.pi)
    cosine = np.sqrt(1.0 - u)
    light = np.stack(
        [
            2 * cosine * np.sqrt(u) * np.cos(turn),
            2 * cosine * np.sqrt(u) * np.sin(turn),
            2 * cosine * cosine - 1.0,
        ],
        axis=-1,
    )
    weight = np.maximum(light[..., 2], 0.0)[..., None]
    value = 0.5 + np.stack(
        [0.4 * light[..., 0], 0.3 * light[..., 1], 0.4 * light[..., 2] ** 2], axis=-1
    )
    lobe = (value * weight).sum(axis=(0, 1)) / weight.sum()
    scale, bias = dfg_table()[-1, -1]
    single = float(scale + bias)
    mean = mean_light(pixels, np.array([0.0, 0.0, 1.0]))
    expected = single * lobe + (1.0 - single) * mean
    np.testing.assert_allclose(seen(renderer, surrounded), expected, atol=0.025)


@gpu
@pytest.mark.parametrize(
    ("eye", "up", "color"),
    [
        ((1, 0, 0), (0, 1, 0), (0.1, 0.5, 0.5)),
        ((0, -1, 0), (0, 0, 1), (0.5, 0.8, 0.5)),
        ((0, 0, -1), (0, 1, 0), (0.5, 0.5, 0.9)),
    ],
)
def test_the_backdrop_lies_as_its_light(renderer, surrounded, eye, up, color):
    """Looking from `eye` to the middle shows the panorama's opposite side."""
    camera = type(surrounded.camera)
    surrounded.camera = camera.look_at(eye, (0, 0, 0), up)
    surrounded.sky = "gradient"
    np.testing.assert_allclose(seen(renderer, surrounded), color, atol=0.02)
    surrounded.sky = "plain"
    assert seen(renderer, surrounded).max() == 0.0


@gpu
def test_a_switch_turns_the_light_off_and_pictures_repeat(renderer, surrounded):
    put(surrounded, renderer.add_mesh(quad()), renderer.add_material(Material()))
    first = renderer.snapshot(surrounded, 16, 16)
    assert (Renderer().snapshot(surrounded, 16, 16)[..., 3] == 255).all()
    assert (renderer.snapshot(surrounded, 16, 16) == first).all()
    renderer.settings = RenderSettings(tonemap="none", msaa=1, shadows=False, ibl=False)
    assert seen(renderer, surrounded).max() == 0.0


@gpu
def test_infinite_light_in_an_image_stays_drawable(renderer, surrounded):
    pixels = np.full((8, 16, 3), np.inf, np.float32)
    pixels[0, 0] = np.nan
    surrounded.environment = EnvironmentMap(pixels)
    put(surrounded, renderer.add_mesh(quad()), renderer.add_material(Material()))
    assert (seen(renderer, surrounded) > 0.9).all()


@gpu
def test_wide_panoramas_are_halved_and_levels_average(renderer):
    pixels = np.zeros((5, 10, 3), np.float32)
    pixels[:4, :, 0] = 4.0
    image = EnvironmentMap(pixels)
    assert [level.shape for level in image.levels] == [(5, 10), (2, 5), (1, 2), (1, 1)]
    np.testing.assert_allclose(image.pixels, pixels)
    assert EnvironmentMap(np.ones((2, 8192, 3), np.float32)).levels[0].shape == (1, 4096)


def shipped() -> PrefilteredMap:
    return default_environment()


@gpu
def test_the_light_that_ships_is_as_strong_as_the_gradient_and_comes_from_above(
    renderer, facing_scene
):
    """Neither dark nor coloured: a white surface under it is a light grey."""
    up, down = (
        shipped().irradiance[:3, :3].T @ [1.0, y, 0.0] - y * y * shipped().irradiance[6, :3]
        for y in (1.0, -1.0)
    )
    assert 0.25 < up.mean() < 0.55
    assert (up > 1.5 * down).all()
    assert up.max() < 1.7 * up.min()


@gpu
def test_metals_reflect_the_light_that_ships_in_the_tint_of_the_scene(renderer, facing_scene):
    renderer.settings = RenderSettings(tonemap="none", msaa=1, shadows=False, ibl=True)
    facing_scene.environment = shipped()
    put(facing_scene, renderer.add_mesh(quad()), renderer.add_material(Material(roughness=0.2)))
    plain = seen(renderer, facing_scene)
    assert (plain > 0.1).all()
    facing_scene.environment_tint = (0.5, 1.0, 0.25)
    np.testing.assert_allclose(seen(renderer, facing_scene), plain * [0.5, 1.0, 0.25], atol=0.01)


@gpu
def test_filtering_a_panorama_gives_what_ships_filtered(renderer, facing_scene):
    """The cube is laid out flat and filtered anew; the light stays."""
    renderer.settings = RenderSettings(tonemap="none", msaa=1, shadows=False, ibl=True)
    put(facing_scene, renderer.add_mesh(quad()), renderer.add_material(Material(roughness=0.4)))
    facing_scene.environment = shipped()
    expected = seen(renderer, facing_scene)
    facing_scene.environment = EnvironmentMap(unfolded(unpack_light(shipped().levels[0])))
    np.testing.assert_allclose(seen(renderer, facing_scene), expected, atol=0.02)


@gpu
def test_a_backdrop_hides_the_image_that_lights(renderer, surrounded):
    surrounded.sky = "gradient"
    image = seen(renderer, surrounded)
    surrounded.backdrop = SkyGradient(backdrop=(0.0, 0.0, 0.0))
    assert seen(renderer, surrounded).max() < 0.01
    surrounded.backdrop = None
    np.testing.assert_array_equal(seen(renderer, surrounded), image)
    # The cube that ships is shown as it lights: bright above, dark below.
    surrounded.environment = shipped()
    camera = type(surrounded.camera)
    surrounded.camera = camera.look_at((0, -1, 0), (0, 0, 0), (0, 0, 1))
    above = seen(renderer, surrounded)
    surrounded.camera = camera.look_at((0, 1, 0), (0, 0, 0), (0, 0, 1))
    assert (above > 1.3 * seen(renderer, surrounded)).all()


def test_what_is_lost_in_an_installation_is_told_and_replaced(monkeypatch, tmp_path, caplog):
    monkeypatch.setattr("engine.scene.default_environment._FILE", tmp_path / "daylight.ktx2")
    default_environment.cache_clear()
    try:
        assert (shipped().irradiance[0, :3] > 0).all()
        assert unpack_light(shipped().levels[0]).min() > 0
    finally:
        default_environment.cache_clear()
    assert "daylight.ktx2" in caplog.text
    caplog.clear()


@gpu
def test_a_streaming_view_shows_the_light_before_until_the_new_one_is_made():
    renderer, scene = Renderer(), RenderScene(Camera.look_at((0, 0, 3), (0, 0, 0)))
    scene.background, scene.tonemap = (0.0, 0.0, 0.0), "none"
    put(scene, renderer.add_mesh(quad()), renderer.add_material(Material(roughness=0.3)))
    still = RenderSettings(tonemap="none", msaa=1, shadows=False)
    renderer.settings = replace(still, streaming=True)
    scene.environment = shipped()
    before = renderer.snapshot(scene, 32, 32)
    assert not renderer.is_unfinished
    wide = np.kron(soft_panorama(), np.ones((16, 16, 1), np.float32))
    scene.environment = EnvironmentMap(wide)
    pictures = [renderer.snapshot(scene, 32, 32)]
    while renderer.is_unfinished:
        assert np.array_equal(pictures[-1], before)
        pictures.append(renderer.snapshot(scene, 32, 32))
        assert len(pictures) < 60
    assert len(pictures) > 1 or not renderer.software
    assert not np.array_equal(pictures[-1], before)
    other = Renderer()
    other.settings = still
    again = RenderScene(scene.camera, environment=scene.environment)
    again.background, again.tonemap = scene.background, "none"
    put(again, other.add_mesh(quad()), other.add_material(Material(roughness=0.3)))
    assert np.array_equal(other.snapshot(again, 32, 32), pictures[-1])
    # Another image before the one before is made takes its place; a patient picture waits.
    scene.environment = EnvironmentMap(wide * 0.5)
    renderer.snapshot(scene, 32, 32)
    scene.environment = EnvironmentMap(wide)
    renderer.settings = still
    assert np.array_equal(renderer.snapshot(scene, 32, 32), pictures[-1])
    assert not renderer.is_unfinished
