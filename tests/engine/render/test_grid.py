"""The grid: which plane it is drawn in, and the colours of the axes."""

import numpy as np
import pytest

from engine.render import Camera, RenderScene, RenderSettings

pytestmark = pytest.mark.gpu

RED, GREEN, BLUE = range(3)
# World axes that a view has to its right, upwards and towards the viewer.
VIEWS = {
    "front": ((1, 0, 0), (0, 1, 0), (0, 0, 1), (RED, GREEN)),
    "back": ((-1, 0, 0), (0, 1, 0), (0, 0, -1), (RED, GREEN)),
    "right": ((0, 0, -1), (0, 1, 0), (1, 0, 0), (BLUE, GREEN)),
    "left": ((0, 0, 1), (0, 1, 0), (-1, 0, 0), (BLUE, GREEN)),
    "top": ((1, 0, 0), (0, 0, -1), (0, 1, 0), (RED, BLUE)),
}


def picture(renderer, axes):
    pose = np.eye(4, dtype=np.float32)
    pose[:3, :3] = np.transpose(axes)
    pose[:3, 3] = pose[:3, 2] * 50
    camera = Camera(pose, ortho_height=8.0, near=0.1, far=100.0)
    scene = RenderScene(camera, background=(0, 0, 0), tonemap="none", grid=True)
    renderer.settings = RenderSettings(msaa=1)
    return renderer.snapshot(scene, 128, 128)[..., :3].astype(int)


@pytest.mark.parametrize("view", VIEWS)
def test_a_parallel_view_along_an_axis_faces_the_grid(renderer, view):
    *axes, (across, up) = VIEWS[view]
    seen = picture(renderer, axes)
    level, upright = seen[62:66, 40:44].max((0, 1)), seen[40:44, 62:66].max((0, 1))
    assert level.argmax() == across
    assert upright.argmax() == up
    assert min(level.max(), upright.max()) > 60
    # A metre is 16 pixels: lines beside the axes, and nothing between two of them.
    assert seen[40:44, 80].sum() + seen[40:44, 79].sum() > 0
    assert not seen[40:44, 85:90].any()


def test_a_tilted_parallel_view_keeps_the_ground(renderer):
    tilt = np.radians(30)
    back = (0, np.sin(tilt), np.cos(tilt))
    seen = picture(renderer, [(1, 0, 0), np.cross(back, (1, 0, 0)), back])
    assert seen[62:66, 40:44].max((0, 1)).argmax() == RED
    assert seen[40:44, 62:66].max((0, 1)).argmax() == BLUE
