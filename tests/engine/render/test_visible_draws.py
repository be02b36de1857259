"""What a view leaves out makes no difference to its picture, and far things are drawn simpler."""

from types import SimpleNamespace

import numpy as np
import pytest

from engine.errors import EngineError
from engine.render import Camera, Renderer, RenderScene
from engine.render.bounds import InstanceBounds
from tests.engine.render.conftest import placed, put, quad

pytestmark = pytest.mark.gpu


def level(first: int, count: int, error: float) -> SimpleNamespace:
    return SimpleNamespace(first_index=first, index_count=count, error=error)


def test_a_view_draws_what_it_sees_only(renderer: Renderer, unlit):
    scene = RenderScene(Camera.look_at((0, 0, 0), (0, 0, -1)))
    mesh, material = renderer.add_mesh(quad()), unlit(1, 1, 1)
    for k in range(12):
        angle = k * np.pi / 6
        put(scene, mesh, material, 5 * np.sin(angle), 0, 5 * np.cos(angle))
    renderer.snapshot(scene, 32, 32)
    # Those beside it touch the view with their spheres.
    assert renderer.stats.instances == 3
    assert renderer.stats.triangles == 6
    scene.camera = Camera.look_at((0, 0, 30), (0, 0, 0))
    renderer.snapshot(scene, 32, 32)
    assert renderer.stats.instances == 12


def test_turning_the_camera_gives_the_picture_of_a_fresh_scene(renderer, unlit):
    rng = np.random.default_rng(3)
    materials = [unlit(*rgb) for rgb in rng.random((5, 3))]
    meshes = [renderer.add_mesh(quad(s)) for s in (0.4, 0.7, 1.0)]
    places = rng.random((200, 3)) * 12 - 6

    def filled(camera: Camera) -> RenderScene:
        scene = RenderScene(camera)
        for k, place in enumerate(places):
            put(scene, meshes[k % 3], materials[k % 5], *place)
        return scene

    kept = filled(Camera.look_at((0, 0, 9), (0, 0, 0)))
    for k in range(8):
        camera = Camera.look_at((0, 0, 0), (np.sin(k), 0.1, np.cos(k)))
        kept.camera = camera
        turned = renderer.snapshot(kept, 48, 32)
        assert np.array_equal(turned, renderer.snapshot(filled(camera), 48, 32))


def test_moving_into_view_shows(renderer, facing_scene, unlit):
    put(facing_scene, renderer.add_mesh(quad()), unlit(1, 1, 1), 50, 0, 0)
    assert renderer.snapshot(facing_scene, 16, 16).max(axis=(0, 1))[0] == 0
    facing_scene.instances.columns().world_from_local[0] = placed()
    facing_scene.instances.moved([0])
    assert renderer.snapshot(facing_scene, 16, 16)[8, 8, 0] == 255


def test_an_empty_scene_after_a_full_one_counts_nothing(renderer, facing_scene, unlit):
    put(facing_scene, renderer.add_mesh(quad()), unlit(1, 1, 1))
    put(facing_scene, renderer.add_mesh(quad()), unlit(1, 1, 1, 0.5, alpha_mode="blend"))
    renderer.snapshot(facing_scene, 16, 16)
    assert renderer.stats.triangles == 4
    facing_scene.instances.clear()
    renderer.snapshot(facing_scene, 16, 16)
    stats = renderer.stats
    assert (stats.triangles, stats.batches, stats.instances) == (0, 0, 0)


@pytest.mark.parametrize("parallel", [False, True])
def test_a_level_is_drawn_once_its_error_is_below_a_pixel(renderer, unlit, parallel):
    fine = quad()
    indices = np.concatenate([fine.indices, [0, 1, 2]])
    mesh = renderer.add_mesh(fine, (indices, [level(0, 6, 0.0), level(6, 3, 0.05)]))
    scene = RenderScene(Camera.look_at((0, 0, 2), (0, 0, 0)))
    scene.camera.ortho_height = 2.0 if parallel else None
    put(scene, mesh, unlit(1, 1, 1))
    put(scene, renderer.add_mesh(quad()), unlit(1, 0, 0), 0, 0, -0.5)
    renderer.snapshot(scene, 64, 64)
    assert renderer.stats.triangles == 4
    scene.camera = Camera.look_at((0, 0, 9), (0, 0, 0))
    scene.camera.ortho_height = 9.0 if parallel else None
    renderer.snapshot(scene, 64, 64)
    assert renderer.stats.triangles == 3


@pytest.mark.parametrize(
    ("indices", "levels"),
    [
        ([0, 1, 9], [level(0, 3, 0.0)]),
        ([0, 1, 2], [level(0, 6, 0.0)]),
        ([0, 1, 2], []),
    ],
)
def test_levels_outside_the_mesh_are_refused(renderer, indices, levels):
    with pytest.raises(EngineError, match="levels of detail"):
        renderer.add_mesh(quad(), (indices, levels))


def test_nothing_is_uploaded_while_the_camera_stands(renderer, facing_scene, unlit):
    put(facing_scene, renderer.add_mesh(quad()), unlit(1, 1, 1))
    renderer.snapshot(facing_scene, 16, 16)
    order = renderer._state(facing_scene).opaque._order
    written = order.write
    try:
        order.write = lambda *_: pytest.fail("the order was uploaded again")
        renderer.snapshot(facing_scene, 16, 16)
    finally:
        order.write = written


def test_spheres_without_a_finite_size_are_always_inside():
    bounds = InstanceBounds()
    box = np.array([[-1, -1, -1]], np.float32), np.array([[1, 1, 1]], np.float32)
    places = np.stack([placed(), placed(0, 0, 50), placed(np.nan)]).astype(np.float32)
    bounds.reset(np.zeros(3, np.int32), places, *box)
    clip = Camera.look_at((0, 0, 5), (0, 0, 0)).clip_from_world(1.0)
    assert bounds.inside(clip).tolist() == [True, False, True]
    assert bounds.touching(clip).tolist() == [0, 2]


def test_parallel_views_keep_what_their_planes_keep():
    rng = np.random.default_rng(5)
    bounds = InstanceBounds()
    places = np.tile(np.eye(4, dtype=np.float32), (400, 1, 1))
    places[:, :3, 3] = rng.random((400, 3)) * 40 - 20
    box = np.array([[-1, -1, -1]], np.float32), np.array([[1, 1, 1]], np.float32)
    bounds.reset(np.zeros(400, np.int32), places, *box)
    for k in range(12):
        if k == 6:
            places[:50, :3, 3] += 9.0
            bounds.move(np.arange(50), places)
        camera = Camera.look_at((np.sin(k), 1, np.cos(k)), (0, 0, 0), far=15.0)
        camera.ortho_height = 10.0
        clip = camera.clip_from_world(1.3).astype(np.float64)
        points = np.column_stack([bounds.centers, np.ones(400)])
        expected = np.ones(400, bool)
        for plane in (*(clip[3] + s * clip[i] for i in (0, 1) for s in (1, -1)), clip[2]):
            expected &= points @ plane > -1.7321 * np.linalg.norm(plane[:3])
        plane = clip[3] - clip[2]
        expected &= points @ plane > -1.7321 * np.linalg.norm(plane[:3])
        assert bounds.inside(clip).tolist() == expected.tolist()
        assert 0 < expected.sum() < 400
