"""Ambient occlusion: where it darkens, by how much, and where it must not."""

import numpy as np
import pytest

from engine.assets import Material
from engine.errors import EngineError
from engine.render import Camera, Renderer, RenderInstance, RenderScene, RenderSettings
from tests.engine.render.conftest import linear, placed, quad, sun

pytestmark = pytest.mark.gpu


def settings(**extra):
    return RenderSettings(**{"tonemap": "none", "msaa": 1, "shadows": False, "ibl": False} | extra)


def lying(height=0.0, x=0.0, z=0.0, scale=1.0):
    matrix = placed(x, height, z)
    matrix[:3, :3] = scale * np.array([[1, 0, 0], [0, 0, 1], [0, -1, 0]])
    return matrix


@pytest.fixture
def room(renderer):
    """Builds a floor, with a wall that stands on it 2 metres behind its middle."""

    def build(wall=True, ortho=None, renderer=renderer):
        camera = Camera.look_at((0, 3, 6), (0, 0, -1), far=100.0)
        camera.ortho_height = ortho
        scene = RenderScene(camera, background=(0, 0, 0), ambient=(1, 1, 1), tonemap="none")
        scene.occlusion, scene.occlusion_radius = 1.0, 1.0
        mesh = renderer.add_mesh(quad(20.0))
        white = renderer.add_material(Material(base_color=(0.8,) * 3 + (1,), metallic=0.0))
        scene.instances.append(RenderInstance(mesh, white, lying()))
        if wall:
            scene.instances.append(RenderInstance(mesh, white, placed(0, 10, -2)))
        return scene

    return build


def pixel_of(scene, point, width, height):
    camera = scene.camera
    clip = camera.clip_from_view(width / height) @ np.linalg.inv(camera.world_from_view)
    x, y, _, w = clip @ np.array([*point, 1.0])
    return int((0.5 - 0.5 * y / w) * height), int((0.5 + 0.5 * x / w) * width)


def openness(renderer, scene, width=240, height=160, **extra):
    """(h, w) share of the light that is left."""
    renderer.settings = settings(**extra)
    shaded = linear(renderer.snapshot(scene, width, height)[..., :3]).mean(axis=2)
    renderer.settings = settings(**extra, occlusion=0.0)
    plain = linear(renderer.snapshot(scene, width, height)[..., :3]).mean(axis=2)
    return np.where(plain > 0, shaded / np.maximum(plain, 1e-6), 1.0)


@pytest.mark.parametrize("ortho", [None, 6.0])
@pytest.mark.parametrize("msaa", [1, 4])
def test_corners_are_darker_and_open_ground_is_not(renderer, room, ortho, msaa):
    scene = room(ortho=ortho)
    found = openness(renderer, scene, 480, 320, msaa=msaa)

    def at(*point):
        row, column = pixel_of(scene, point, 480, 320)
        return found[row - 1 : row + 2, column - 3 : column + 4].mean()

    corner, near, far = at(0, 0, -1.95), at(0, 0, -1.6), at(0, 0, 0.5)
    assert 0.4 < corner < 0.8
    assert corner + 0.05 < near < 0.98
    assert far > 0.98
    assert at(0, 0.1, -2) < 0.8
    assert at(0, 1.3, -2) > 0.97
    # Alike along the corner: no noise is left.
    row, column = pixel_of(scene, (0, 0, -1.8), 480, 320)
    assert np.ptp(found[row, column - 60 : column + 60]) < 0.05


def test_a_plain_floor_stays_as_it_is(renderer, room):
    found = openness(renderer, room(wall=False))
    assert np.abs(found - 1.0).max() < 0.03


def test_lights_are_not_darkened(renderer, room):
    scene = room()
    scene.ambient = (0, 0, 0)
    sun(scene, (0.2, -1, -0.5))
    assert np.array_equal(openness(renderer, scene), np.ones((160, 240)))


def test_strength_and_reach(renderer, room):
    scene = room()
    full = openness(renderer, scene)
    scene.occlusion = 0.5
    half = openness(renderer, scene)
    assert np.abs((1 - full) * 0.5 - (1 - half)).max() < 0.03
    scene.occlusion, scene.occlusion_radius = 1.0, 0.25
    row, column = pixel_of(scene, (0, 0, -1.6), 240, 160)
    assert full[row, column] < 0.96 < openness(renderer, scene)[row, column]
    scene.occlusion_radius = 0.0
    assert np.array_equal(openness(renderer, scene), np.ones((160, 240)))


def test_things_far_before_a_wall_throw_no_halo_on_it(renderer, room):
    scene = room()
    white = renderer.add_material(Material(unlit=True))
    scene.instances.append(RenderInstance(renderer.add_mesh(quad(0.6)), white, placed(0, 2.9, 2)))
    row, _ = pixel_of(scene, (0, 2.9, 2), 240, 160)
    assert 10 < row < 50
    assert np.abs(openness(renderer, scene)[:60] - 1.0).max() < 0.03


@pytest.mark.parametrize("alpha_mode", ["mask", "blend"])
def test_what_is_seen_through_hides_nothing(renderer, room, alpha_mode):
    scene = room(wall=False)
    look = Material(base_color=(1, 1, 1, 0.0), alpha_mode=alpha_mode, unlit=True)
    mesh = renderer.add_mesh(quad(2.0))
    scene.instances.append(RenderInstance(mesh, renderer.add_material(look), lying(0.05)))
    assert np.abs(openness(renderer, scene) - 1.0).max() < 0.03


@pytest.mark.parametrize("size", [(1, 1), (2, 1), (33, 17), (161, 97)])
@pytest.mark.parametrize("msaa", [1, 4])
def test_pictures_of_any_size_repeat_to_the_bit(renderer, room, size, msaa):
    renderer.settings = settings(msaa=msaa)
    scene = room()
    first = renderer.snapshot(scene, *size)
    assert first.shape == (size[1], size[0], 4)
    renderer.snapshot(scene, 64, 64)
    assert np.array_equal(renderer.snapshot(scene, *size), first)


def test_two_renderers_find_the_same(room):
    pictures = []
    for renderer in (Renderer(), Renderer()):
        renderer.settings = settings(msaa=4)
        pictures.append(renderer.snapshot(room(renderer=renderer), 96, 64))
    assert np.array_equal(*pictures)


def test_without_it_nothing_is_compiled_or_drawn(room):
    renderer = Renderer()
    renderer.settings = settings()
    scene = room(renderer=renderer)
    scene.occlusion = 0.0
    plain = renderer.snapshot(scene, 64, 64)
    pipelines = renderer.stats.pipelines
    scene.occlusion = 1.0
    for off in ({"occlusion": 0.0}, {"mode": "unlit"}, {"mode": "uv"}):
        renderer.settings = settings(**off)
        scene.occlusion = 0.0
        expected = renderer.snapshot(scene, 64, 64)
        scene.occlusion = 1.0
        before = renderer.stats.pipelines
        assert np.array_equal(renderer.snapshot(scene, 64, 64), expected)
        assert renderer.stats.pipelines == before
    renderer.settings = settings()
    assert not np.array_equal(renderer.snapshot(scene, 64, 64), plain)
    assert renderer.stats.pipelines > pipelines


def test_strengths_that_cannot_be_are_refused():
    for wrong in (-0.1, 1.5, float("nan")):
        with pytest.raises(EngineError, match="occlusion"):
            RenderSettings(occlusion=wrong)
        with pytest.raises(EngineError, match="bloom"):
            RenderSettings(bloom=wrong)
