import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from editor.tools.projection import NEAR
from editor.tools.view_camera import (
    VIEWS,
    CameraPose,
    blend,
    fly,
    frame_points,
    look,
    look_through,
    orbit,
    pan,
    pose_from_camera,
    zoom,
)
from engine.render.framing import box_corners

angle = st.floats(-3.1, 3.1)
pitch = st.floats(-1.55, 1.55)
small = st.floats(-50, 50)
views = st.sampled_from(["perspective", "orthographic"])


@given(angle, pitch, views, st.floats(10, 790), st.floats(10, 590), st.floats(0.5, 40))
def test_a_ray_goes_through_the_pixel_it_was_asked_for(yaw, tilt, view, x, y, distance):
    frame = CameraPose(yaw=yaw, pitch=tilt, view=view).frame(800, 600)
    pixels, _ = frame.project(frame.ray(x, y).at(distance))
    assert pixels == pytest.approx([x, y], abs=1e-3)


@given(angle, pitch, small, small)
def test_orbiting_keeps_the_pivot_in_the_middle(yaw, tilt, dx, dy):
    pose = orbit(CameraPose(pivot=(1, 2, 3), yaw=yaw, pitch=tilt), dx, dy)
    pixels, depth = pose.frame(800, 600).project((1, 2, 3))
    assert pixels == pytest.approx([400, 300], abs=1e-3)
    assert depth == pytest.approx(pose.distance)


@given(angle, pitch, views, small, small)
def test_panning_moves_the_pivot_plane_with_the_cursor(yaw, tilt, view, dx, dy):
    pose = CameraPose(pivot=(1, 2, 3), yaw=yaw, pitch=tilt, view=view)
    pixels, _ = pan(pose, dx, dy, 600).frame(800, 600).project((1, 2, 3))
    assert pixels == pytest.approx([400 + dx, 300 + dy], abs=1e-3)


@given(angle, pitch, views, st.floats(-6, 6), st.floats(100, 700), st.floats(100, 500))
def test_zooming_keeps_the_point_under_the_cursor(yaw, tilt, view, notches, x, y):
    pose = CameraPose(yaw=yaw, pitch=tilt, view=view)
    frame = pose.frame(800, 600)
    anchor = frame.ray(x, y).at(7.0 if view == "perspective" else 2005.0)
    pixels, _ = zoom(pose, notches, anchor).frame(800, 600).project(anchor)
    assert pixels == pytest.approx([x, y], abs=1e-3)


@given(angle, pitch, small, small)
def test_looking_around_keeps_the_eye(yaw, tilt, dx, dy):
    pose = CameraPose(yaw=yaw, pitch=tilt)
    assert look(pose, dx, dy).eye == pytest.approx(pose.eye, abs=1e-6)


def test_dragging_right_turns_the_head_right_and_down_tilts_it_down():
    pose = CameraPose(yaw=0, pitch=0)
    turned = look(pose, 20, 20)
    assert turned.forward @ pose.right > 0
    assert turned.forward[1] < 0


def test_flying_ahead_moves_along_the_view():
    pose = CameraPose(yaw=0, pitch=0)
    assert fly(pose, 0, 0, 2).eye - pose.eye == pytest.approx([0, 0, -2])
    assert fly(pose, 1, 0, 0).eye - pose.eye == pytest.approx([1, 0, 0])


@given(
    angle, pitch, views, st.tuples(small, small, small),
    st.tuples(st.floats(0, 30), st.floats(0, 30), st.floats(0, 30)), st.floats(0.4, 3),
)  # fmt: skip
def test_framing_leaves_everything_in_the_picture(yaw, tilt, view, lo, size, aspect):
    corners = box_corners(lo, np.array(lo) + size)
    pose = frame_points(CameraPose(yaw=yaw, pitch=tilt, view=view), corners, aspect)
    pixels, depth = pose.frame(600 * aspect, 600).project(corners)
    assert np.all(depth > NEAR)
    assert np.all(pixels >= -1e-6)
    assert np.all(pixels <= np.array([600 * aspect, 600]) + 1e-6)


def test_framing_nothing_changes_nothing():
    assert frame_points(CameraPose(), [], 1.5) == CameraPose()


def test_framing_passes_over_corners_that_are_nowhere():
    there = [[1, 2, 3], [4, 5, 6]]
    nowhere = [[np.nan, 0, 0], [0, np.inf, 0]]
    assert frame_points(CameraPose(), there + nowhere, 1.5) == frame_points(
        CameraPose(), there, 1.5
    )
    assert frame_points(CameraPose(), nowhere, 1.5) == CameraPose()


@pytest.mark.parametrize("view", sorted(VIEWS))
def test_named_views_look_along_an_axis(view):
    forward = look_through(CameraPose(), view).forward
    assert np.sort(np.abs(forward)) == pytest.approx([0, 0, 1], abs=1e-12)
    assert look_through(CameraPose(), view).orthographic


def test_top_view_has_x_right_and_z_down():
    frame = look_through(CameraPose(pivot=(0, 0, 0)), "top").frame(800, 600)
    pixels, _ = frame.project([(1, 0, 0), (0, 0, 1)])
    assert pixels[0, 0] > 400
    assert pixels[1, 1] > 300


def test_an_unknown_view_is_refused_by_name():
    with pytest.raises(ValueError, match="'side'"):
        look_through(CameraPose(), "side")


def test_blending_turns_the_short_way_and_ends_exactly():
    start, end = CameraPose(yaw=3.0), CameraPose(yaw=-3.0, pivot=(5, 0, 0))
    assert abs(blend(start, end, 0.5).yaw) > 3.0
    assert blend(start, end, 1.0).yaw == pytest.approx(end.yaw)
    assert blend(start, end, 1.0).pivot == pytest.approx(end.pivot)


@given(angle, pitch)
def test_a_pose_from_a_camera_looks_the_same_way(yaw, tilt):
    pose = CameraPose(yaw=yaw, pitch=tilt)
    again = pose_from_camera((1, 2, 3), pose.forward)
    assert again.eye == pytest.approx([1, 2, 3], abs=1e-6)
    assert again.forward == pytest.approx(pose.forward, abs=1e-6)


def test_a_line_that_passes_behind_the_viewer_is_cut():
    frame = CameraPose(pivot=(0, 0, 0), yaw=0, pitch=0, distance=5).frame(800, 600)
    (part,) = frame.project_polyline([(1, 0, -5), (1, 0, 50)])
    assert np.all(np.isfinite(part))
    assert part[0] == pytest.approx(frame.project((1, 0, -5))[0])


def test_pixel_size_measures_one_pixel():
    frame = CameraPose(pivot=(0, 0, 0), yaw=0, pitch=0, distance=5).frame(800, 600)
    size = frame.pixel_size((0, 0, 0))
    pixels, _ = frame.project([(0, 0, 0), (10 * size, 0, 0)])
    assert pixels[1, 0] - pixels[0, 0] == pytest.approx(10)


def test_fov_of_the_frame_is_vertical():
    pose = CameraPose(pivot=(0, 0, 0), yaw=0, pitch=0, distance=5, fov_y=math.radians(60))
    top = 5 * math.tan(math.radians(30))
    assert pose.frame(800, 600).project((0, top, 0))[0] == pytest.approx([400, 0], abs=1e-6)
