"""Blended surfaces: sorted where there is an order, summed up where there is none."""

import numpy as np
import pytest

from engine.assets import Material
from engine.render import Camera, RenderInstance, RenderScene
from engine.render.overlaps import Boxes, overlap_groups
from tests.engine.render.conftest import linear, placed, put, quad

RED, BLUE, GREEN = (1.0, 0.0, 0.0, 0.5), (0.0, 0.0, 1.0, 0.5), (0.0, 1.0, 0.0, 0.25)


def upright(turn, *at):
    """Box of a two metre square turned about Y."""
    return at, [[np.cos(turn), 0, np.sin(turn)], [0, 1, 0], [0, 0, 0]]


def groups(*boxes):
    centers, halves = zip(*boxes, strict=True)
    return overlap_groups(Boxes(np.array(centers, float), np.array(halves, float))).tolist()


CUBE = np.eye(3).tolist()


def test_boxes_that_run_into_each_other_hang_together():
    assert groups(upright(0, 0, 0, 0), upright(1.2, 0, 0, 0)) == [0, 0]
    assert groups(((0, 0, 0), CUBE), ((0.5, 0.5, 0.5), CUBE)) == [0, 0]
    # One inside of another.
    assert groups(((0, 0, 0), CUBE), ((0, 0, 0), (0.1 * np.eye(3)).tolist())) == [0, 0]
    # Through others.
    row = [((1.5 * k, 0, 0), CUBE) for k in (3, 0, 2, 1, 9)]
    assert groups(*row) == [0, 0, 0, 0, 4]


def test_boxes_that_can_be_told_apart_stand_alone():
    # Spheres around them would touch.
    assert groups(upright(0, 0, 0, 0), upright(0, 0, 0, 0.2)) == [0, 1]
    assert groups(upright(0, 0, 0, 0), upright(0, 2.5, 0, 0)) == [0, 1]
    # In one plane, as a decal on a pane, and side by side.
    assert groups(upright(0, 0, 0, 0), upright(0, 0.3, 0, 0)) == [0, 1]
    assert groups(((0, 0, 0), CUBE), ((2, 0, 0), CUBE)) == [0, 1]
    turned = [[0.7, 0.7, 0], [-0.7, 0.7, 0], [0, 0, 1]]
    assert groups(((0, 0, 0), CUBE), ((2.1, 2.1, 0), turned)) == [0, 1]
    hostile = ((np.nan, 0, 0), CUBE), ((0, np.inf, 0), CUBE), ((0, 0, 0), CUBE)
    assert groups(*hostile) == [0, 1, 2]
    assert overlap_groups(Boxes(np.zeros((0, 3)), np.zeros((0, 3, 3)))).tolist() == []


def test_many_boxes_give_what_pairs_give():
    rng = np.random.default_rng(3)
    centers, halves = rng.uniform(-6, 6, (150, 3)), rng.normal(size=(150, 3, 3)) * 0.5
    found = overlap_groups(Boxes(centers, halves))
    links = np.array(
        [
            [len(set(groups((a, h), (b, g)))) == 1 for b, g in zip(centers, halves, strict=True)]
            for a, h in zip(centers[:40], halves[:40], strict=True)
        ]
    )
    for row, linked in enumerate(links):
        assert (found[linked] == found[row]).all()
    assert 5 < len(set(found.tolist())) < 150


def crossing(renderer, colors, order, msaa=1):
    """Panes that cross at the origin, seen from +Z, added in an order; (h, w, 3) linear light."""
    camera = Camera.look_at((0, 0, 5), (0, 0, 0), far=20.0)
    camera.ortho_height = 2.0
    scene = RenderScene(camera, background=(0.0, 0.0, 0.0), tonemap="none")
    mesh = renderer.add_mesh(quad(1.6))
    for k in order:
        turn = (k - 0.5 * (len(colors) - 1)) * 1.2
        matrix = placed()
        matrix[0, [0, 2]] = np.cos(turn), np.sin(turn)
        matrix[2, [0, 2]] = -np.sin(turn), np.cos(turn)
        look = Material(base_color=colors[k], unlit=True, alpha_mode="blend", double_sided=True)
        scene.instances.append(RenderInstance(mesh, renderer.add_material(look), matrix))
    renderer.settings = type(renderer.settings)(tonemap="none", msaa=msaa, shadows=False, ibl=False)
    return renderer.snapshot(scene, 64, 64)[..., :3].astype(int)


@pytest.mark.gpu
@pytest.mark.parametrize("msaa", [1, 4])
def test_panes_that_cross_look_the_same_in_any_order(renderer, msaa):
    colors = (RED, BLUE, GREEN)
    expected = crossing(renderer, colors, (0, 1, 2), msaa)
    for order in ((2, 1, 0), (1, 0, 2), (2, 0, 1)):
        assert np.abs(crossing(renderer, colors, order, msaa) - expected).max() <= 1


@pytest.mark.gpu
def test_of_panes_that_cross_the_nearer_one_counts_more_on_each_side(renderer):
    picture = linear(crossing(renderer, (RED, BLUE), (0, 1)))
    left, middle, right = picture[32, 16], picture[32, 32], picture[32, 48]
    # Sorted, the nearer one would be seen twice as much as the other.
    assert 1.5 < max(left[0], left[2]) / min(left[0], left[2]) < 3.0
    assert np.allclose(left, right[::-1], atol=0.02)
    assert abs(middle[0] - middle[2]) < 0.05
    # As dense as the two are together, whoever is before.
    for pixel in (left, middle, right):
        assert pixel.sum() == pytest.approx(0.75, abs=0.01)


@pytest.mark.gpu
def test_one_layer_alone_looks_as_if_it_were_sorted(renderer):
    """Where only one of two that cross covers a pixel, nothing tells it from a sorted one."""
    sorted_out = crossing(renderer, (RED,), (0,))[32, 32]
    picture = crossing(renderer, (RED, (0.0, 0.0, 1.0, 0.0)), (0, 1))
    assert np.abs(picture[10:54, 14:50] - sorted_out).max() <= 1
    assert (picture[:, 62:] == 0).all()


@pytest.mark.gpu
@pytest.mark.parametrize("msaa", [1, 4])
def test_layers_without_an_order_lie_between_those_with_one(renderer, facing_scene, unlit, msaa):
    """Behind an opaque wall nothing of them is seen; a pane before them tints them."""
    renderer.settings = type(renderer.settings)(tonemap="none", msaa=msaa, shadows=False, ibl=False)
    mesh = renderer.add_mesh(quad(2.0))
    blend = {"alpha_mode": "blend"}
    white = unlit(1, 1, 1)
    put(facing_scene, renderer.add_mesh(quad(0.5)), white, 0, 0, 1)
    for turn, look in ((0.3, unlit(1, 0, 0, 0.5, **blend)), (-0.3, unlit(1, 0, 0, 0.5, **blend))):
        matrix = placed()
        matrix[0, [0, 2]] = np.cos(turn), np.sin(turn)
        matrix[2, [0, 2]] = -np.sin(turn), np.cos(turn)
        facing_scene.instances.append(RenderInstance(mesh, look, matrix))
    put(facing_scene, mesh, unlit(0, 0, 1, 0.5, **blend), 0, 0, 2)
    put(facing_scene, mesh, unlit(0, 1, 0, 0.5, **blend), 0, 0, -2)
    light = linear(renderer.snapshot(facing_scene, 64, 64)[..., :3])
    assert np.allclose(light[32, 32], (0.5, 0.5, 1.0), atol=0.01)
    # Green 0.5, under a quarter of it through two reds of a half, under half a blue.
    assert np.allclose(light[32, 8], (0.375, 0.0625, 0.5), atol=0.01)


@pytest.mark.gpu
def test_many_groups_cost_a_few_passes_and_are_all_drawn(renderer, facing_scene, unlit):
    mesh = renderer.add_mesh(quad(0.1))
    look = unlit(1, 0, 0, 0.5, alpha_mode="blend", double_sided=True)
    for k in range(12):
        at = -0.9 + 0.15 * k
        for turn in (0.5, -0.5):
            matrix = placed(at, 0, 0.2 * k)
            matrix[0, [0, 2]] = np.cos(turn), np.sin(turn)
            matrix[2, [0, 2]] = -np.sin(turn), np.cos(turn)
            facing_scene.instances.append(RenderInstance(mesh, look, matrix))
        put(facing_scene, mesh, look, at, 0.5, 0.2 * k + 0.1)
    light = linear(renderer.snapshot(facing_scene, 128, 128)[..., :3])
    columns = [int((1 - 0.9 + 0.15 * k) * 64) for k in range(12)]
    assert np.allclose(light[64, columns, 0], 0.75, atol=0.01)
    assert np.allclose(light[32, columns, 0], 0.5, atol=0.01)
    assert renderer.stats.batches < 40
