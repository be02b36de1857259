import numpy as np
import pytest

from engine.assets import Material, MeshData
from engine.assets.material import Sampler, TextureRef
from engine.render import Camera, Renderer, RenderInstance, RenderScene, RenderSettings
from tests.engine.render.conftest import placed, put, quad

pytestmark = pytest.mark.gpu


@pytest.fixture
def stack(renderer: Renderer, facing_scene: RenderScene, unlit) -> RenderScene:
    """Three squares of one metre behind each other, and a fourth at the right edge."""
    mesh, material = renderer.add_mesh(quad()), unlit(1, 1, 1)
    for entity, z in ((11, 0.0), (12, 1.0), (13, -1.0)):
        put(facing_scene, mesh, material, 0, 0, z, entity=entity)
    put(facing_scene, mesh, material, 1.0, 0, 0, entity=20)
    return facing_scene


def test_nothing_is_picked_before_the_first_picture(facing_scene):
    fresh = Renderer()
    assert fresh.pick(0, 0) == 0
    assert fresh.pick_all(0, 0) == []
    assert fresh.pick_rect(0, 0, 10, 10) == set()


def test_pick_answers_the_nearest_and_pick_all_everything_in_order(renderer, stack):
    renderer.snapshot(stack, 64, 64)
    assert renderer.pick(32, 32) == 12
    assert renderer.pick_all(32, 32) == [12, 11, 13]
    assert renderer.pick(2, 2) == 0
    assert renderer.pick(-1, 5) == renderer.pick(64, 5) == 0


def test_pick_is_exact_to_the_pixel(renderer, stack):
    renderer.snapshot(stack, 64, 64)
    assert [renderer.pick(x, 32) for x in (15, 16, 47, 48)] == [0, 12, 12, 20]


def test_pick_follows_the_size_of_the_last_picture(renderer, stack):
    renderer.snapshot(stack, 128, 128)
    assert renderer.pick(31, 64) == 0
    assert renderer.pick(32, 64) == 12


def test_rectangle_gives_what_is_seen_in_it(renderer, stack):
    renderer.snapshot(stack, 64, 64)
    assert renderer.pick_rect(0, 0, 64, 64) == {12, 20}
    assert renderer.pick_rect(10, 40, 0, 20) == set()
    assert renderer.pick_rect(60, 20, 40, 40) == {12, 20}
    assert renderer.pick_rect(-50, -50, -1, -1) == set()


def test_a_hole_of_a_masked_surface_is_not_in_the_way(renderer, stack):
    pixels = np.zeros((2, 2, 4), np.uint8)
    pixels[:, 1] = 255
    texture = renderer.resources.add_texture(pixels, True, "half")
    sampler = renderer.resources.add_sampler(Sampler(mag="nearest"))
    ref = TextureRef(texture, sampler)
    mask = renderer.add_material(Material(alpha_mode="mask", base_color_texture=ref))
    put(stack, renderer.add_mesh(quad(2.0)), mask, 0, 0, 2, entity=30)
    renderer.snapshot(stack, 64, 64)
    assert renderer.pick(20, 32) == 12
    assert renderer.pick(40, 32) == 30


def test_instances_without_an_entity_are_looked_through(renderer, stack, unlit):
    put(stack, renderer.add_mesh(quad()), unlit(1, 0, 0), 0, 0, 3)
    renderer.snapshot(stack, 64, 64)
    assert renderer.pick(32, 32) == 12


def test_moved_instances_are_picked_where_they_are(renderer, stack):
    renderer.snapshot(stack, 64, 64)
    stack.instances.columns().world_from_local[1] = placed(0, 5, 1)
    stack.instances.moved([1])
    renderer.snapshot(stack, 64, 64)
    assert renderer.pick_all(32, 32) == [11, 13]


def test_skinned_instances_are_picked_where_the_joints_put_them(renderer, facing_scene, unlit):
    mesh = quad(0.5, joints=[[0, 0, 0, 0]] * 4, weights=[[1, 0, 0, 0]] * 4)
    facing_scene.instances.append(
        RenderInstance(renderer.add_mesh(mesh), unlit(1, 1, 1), joint_offset=0, entity=5)
    )
    facing_scene.joints.append(placed(0.75, 0, 0))
    renderer.snapshot(facing_scene, 64, 64)
    assert renderer.pick(56, 32) == 5
    assert renderer.pick(32, 32) == 0


def test_perspective_picking_agrees_with_the_picture(renderer, unlit):
    rng = np.random.default_rng(3)
    scene = RenderScene(Camera.look_at((0, 0, 12), (0, 0, 0)))
    scene.background = (0, 0, 0)
    scene.tonemap = "none"
    mesh = renderer.add_mesh(quad())
    shades = {k: unlit(k / 40, 1.0, 0.0) for k in range(1, 41)}
    for k, material in shades.items():
        put(scene, mesh, material, *rng.uniform(-4, 4, 3), entity=k)
    picture = renderer.snapshot(scene, 96, 64)
    levels = np.sort(np.unique(picture[..., 0][picture[..., 1] > 0]))
    seen = renderer.pick_rect(0, 0, 96, 64)
    assert len(levels) == len(seen)
    by_shade = dict(zip(levels.tolist(), sorted(seen), strict=True))
    for x, y in rng.integers(0, (96, 64), (40, 2)).tolist():
        red, green = picture[y, x, :2].tolist()
        assert renderer.pick(x, y) == (by_shade[red] if green else 0)


def test_lines_and_mirrored_instances_are_pickable(renderer, facing_scene, unlit):
    line = MeshData(positions=[[-1, 0.01, 0], [1, 0.01, 0]], topology="lines")
    put(facing_scene, renderer.add_mesh(line), unlit(1, 1, 1), entity=1)
    facing_scene.instances.append(
        RenderInstance(
            renderer.add_mesh(quad(0.5)),
            unlit(1, 1, 1),
            placed(0.5, 0.5, scale=(-1, 1, 1)),
            entity=2,
        )
    )
    renderer.snapshot(facing_scene, 64, 64)
    assert 1 in renderer.pick_rect(20, 30, 24, 34)
    assert renderer.pick(48, 16) == 2


def test_picking_does_not_change_the_next_picture(renderer, stack):
    renderer.settings = RenderSettings(tonemap="none", msaa=4)
    before = renderer.snapshot(stack, 61, 43)
    renderer.pick_all(30, 20)
    renderer.pick_rect(0, 0, 61, 43)
    assert np.array_equal(before, renderer.snapshot(stack, 61, 43))
