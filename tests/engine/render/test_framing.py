"""A view that frames has every corner in the picture, and two of them at its edges."""

import numpy as np
import pytest

from engine.render.framing import (
    FOV_Y,
    box_corners,
    camera_on,
    fit_view,
    scene_corners,
    view_axes,
)
from engine.render.scene import Camera, RenderInstance, RenderScene


@pytest.mark.parametrize("aspect", [0.4, 1.0, 3.0])
def test_a_camera_on_corners_sees_them_all(aspect):
    corners = np.random.default_rng(5).normal(size=(40, 3)) * (9, 1, 4) + (100, -3, 8)
    clip = np.column_stack([corners, np.ones(40)]) @ camera_on(corners, aspect).clip_from_world(
        aspect
    ).T.astype(np.float64)
    seen = np.abs(clip[:, :2] / clip[:, 3:]).max(axis=0)
    assert (clip[:, 3] > 0).all()
    assert 0.6 < seen.max() < 1.0


def test_in_parallel_the_height_follows_the_distance():
    axes = view_axes(0.0, 0.0)
    pivot, distance = fit_view(axes, box_corners((-1, -1, -50), (1, 1, 50)), 1.0, FOV_Y, True, 1.0)
    assert pivot == pytest.approx((0, 0, 0))
    assert 2 * distance * np.tan(FOV_Y / 2) == pytest.approx(2.0)


def test_corners_follow_instances_and_leave_unknown_meshes_out():
    scene = RenderScene(Camera.look_at((0, 0, 5), (0, 0, 0)))
    matrix = np.diag([2.0, 1, 1, 1])
    matrix[:3, 3] = 5, 0, 0
    scene.instances.append(RenderInstance(0, 0, matrix))
    scene.instances.append(RenderInstance(7, 0))
    scene.instances.append(RenderInstance(0, 0, np.full((4, 4), np.nan)))
    boxes = np.array([(-1.0, 0, 0)] * 3), np.ones((3, 3))
    boxes[0][1] = boxes[1][1] = np.nan
    corners = scene_corners(scene, boxes)
    assert corners.min(axis=0).tolist() == [3, 0, 0]
    assert corners.max(axis=0).tolist() == [7, 1, 1]


def test_an_empty_level_is_looked_at_from_somewhere():
    empty = RenderScene(Camera.look_at((0, 0, 5), (0, 0, 0)))
    camera = camera_on(scene_corners(empty, (np.zeros((0, 3)),) * 2), 1)
    assert np.isfinite(camera.world_from_view).all()
