"""The cube that shows how the view is turned, and views that are kept under numbers."""

import numpy as np
import pytest

from editor.tools.view_camera import VIEWS, CameraPose, look_through
from editor.viewport.view_cube import SIZE, visible_sides
from engine.errors import EntityError
from tests.editor.viewport.conftest import Mouse

gpu = pytest.mark.gpu


def middle(side) -> np.ndarray:
    return side.corners.mean(axis=0)


@pytest.mark.parametrize("name", VIEWS)
def test_a_view_along_an_axis_sees_one_side_upright_and_unmirrored(name):
    (side,) = visible_sides(look_through(CameraPose(), name))
    assert side.name == name
    assert middle(side) == pytest.approx([SIZE / 2, SIZE / 2])
    upper_left, upper_right, lower_right, lower_left = side.corners
    assert upper_left[0] < upper_right[0]
    assert upper_left[1] == pytest.approx(upper_right[1])
    assert upper_left[1] < lower_left[1]
    assert lower_right == pytest.approx(upper_right + lower_left - upper_left)


def test_a_slanted_view_sees_three_sides_within_the_widget():
    sides = visible_sides(CameraPose(yaw=0.6, pitch=-0.5))
    assert {side.name for side in sides} == {"front", "right", "top"}
    assert [side.facing for side in sides] == sorted(side.facing for side in sides)
    for side in sides:
        assert (side.corners > 0).all()
        assert (side.corners < SIZE).all()


@gpu
def test_clicking_a_side_looks_from_there_and_once_more_goes_back(stage):
    cube, navigator = stage.viewport.chips.cube, stage.viewport.view.navigator
    mouse = Mouse(cube)
    right = next(s for s in visible_sides(navigator.pose) if s.name == "right")
    at = middle(right)
    mouse.click(at)
    assert navigator.pose.view == "right"
    mouse.click((SIZE / 2, SIZE / 2))
    assert navigator.pose.view == "perspective"
    mouse.click((1, 1))
    assert navigator.pose.view == "perspective"


@gpu
def test_dragging_the_cube_turns_the_view_about_its_pivot(stage):
    cube, navigator = stage.viewport.chips.cube, stage.viewport.view.navigator
    before = navigator.pose
    Mouse(cube).drag((SIZE / 2, SIZE / 2), (SIZE / 2 + 10, SIZE / 2))
    after = navigator.pose
    assert after.yaw != before.yaw
    assert (after.pitch, after.pivot, after.distance) == (
        before.pitch,
        before.pivot,
        before.distance,
    )
    assert after.view == "perspective"


@gpu
def test_the_cube_gives_way_in_a_small_viewport(stage):
    cube = stage.viewport.chips.cube
    assert cube.isVisible()
    assert cube.toolTip()
    assert cube.accessibleName()
    stage.viewport.resize(300, 200)
    assert not cube.isVisible()


@gpu
def test_views_are_kept_with_the_level_and_gone_to(stage, tmp_path):
    stage.box(0, 0.5, 0)
    stage.document.save(tmp_path / "a.scene")
    written = (tmp_path / "a.scene").read_bytes()
    stage.viewport.set_view("left")
    left = stage.viewport.camera_state()
    stage.viewport.store_bookmark(3)
    stage.viewport.set_view("perspective")
    stage.viewport.frame_all()
    with pytest.raises(EntityError, match=r"Ctrl\+4"):
        stage.viewport.recall_bookmark(4)
    stage.viewport.recall_bookmark(3)
    assert stage.viewport.camera_state() == left
    assert not stage.document.dirty
    stage.document.new()
    with pytest.raises(EntityError):
        stage.viewport.recall_bookmark(3)
    stage.document.open(tmp_path / "a.scene")
    stage.viewport.set_view("top")
    stage.viewport.recall_bookmark(3)
    assert stage.viewport.camera_state() == left
    assert (tmp_path / "a.scene").read_bytes() == written


@gpu
@pytest.mark.parametrize("damage", [None, 7, {"3": {}}, {"3": {"pivot": "x"}}])
def test_damaged_kept_views_are_as_good_as_none(stage, damage):
    stage.document.view_state["bookmarks"] = damage
    with pytest.raises(EntityError):
        stage.viewport.recall_bookmark(3)
    stage.viewport.store_bookmark(3)
    stage.viewport.recall_bookmark(3)
