"""The window and the command line show a level without a camera from the same side."""

import dataclasses
import json

import numpy as np
import pytest

from editor.tools.view_camera import CameraPose
from editor.viewport.framing import frame_level, level_camera_pose
from editor.viewport.picture import render_camera
from engine.render.framing import camera_on, scene_corners
from engine.scene import CameraComponent, LocalTransform

pytestmark = pytest.mark.gpu


@pytest.mark.parametrize("is_empty", [False, True])
def test_a_level_is_framed_as_the_command_line_frames_it(stage, renderer, is_empty):
    if not is_empty:
        stage.box(3, 0.5, 0, scale=(1, 4, 2))
        stage.box(-8, 1, 5)
        stage.draw()
    width, height = 480, 360
    pose = frame_level(stage.viewport.view, CameraPose())
    window = render_camera(pose.frame(width, height))
    app = stage.document.app
    corners = scene_corners(app.scene, renderer.instance_boxes(app.scene))
    command = camera_on(corners, width / height)
    assert np.allclose(window.world_from_view, command.world_from_view, atol=1e-4)
    assert window.fov_y == pytest.approx(command.fov_y)
    assert window.near == command.near


def test_a_camera_without_a_place_or_an_angle_does_not_spoil_the_view(stage):
    world = stage.document.world
    world.spawn(CameraComponent(), LocalTransform((np.nan, 0, 0)))
    assert level_camera_pose(stage.viewport.view) is None
    world.spawn(CameraComponent(fov_y=np.nan), LocalTransform((0, 1, 5)))
    pose = level_camera_pose(stage.viewport.view)
    assert pose.fov_y == pytest.approx(0.9)
    assert np.isfinite(pose.pivot).all()
    assert json.dumps(dataclasses.asdict(pose))
