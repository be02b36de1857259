import numpy as np
import pytest

from editor.tools.navigation import Motion, Navigator
from editor.tools.pointer import Button, Modifiers, PointerEvent, PointerKind
from editor.tools.view_camera import CameraPose

SIZE = (800.0, 600.0)


@pytest.fixture
def navigator():
    return Navigator(lambda x, y: None)


def send(navigator, kind, x=0.0, y=0.0, button=Button.NONE, modifiers=Modifiers.NONE, wheel=0.0):
    event = PointerEvent(x, y, button, modifiers, kind, wheel)
    if kind is PointerKind.RELEASE:
        return navigator.release(event)
    return navigator.pointer(event, *SIZE)


@pytest.mark.parametrize(
    ("button", "modifiers", "motion"),
    [
        (Button.LEFT, Modifiers.ALT, Motion.ORBIT),
        (Button.MIDDLE, Modifiers.NONE, Motion.ORBIT),
        (Button.MIDDLE, Modifiers.SHIFT, Motion.PAN),
        (Button.MIDDLE, Modifiers.ALT, Motion.PAN),
        (Button.RIGHT, Modifiers.NONE, Motion.FLY),
    ],
)
def test_each_gesture_has_its_motion_and_ends_with_its_button(navigator, button, modifiers, motion):
    before = navigator.pose
    send(navigator, PointerKind.PRESS, 10, 10, button, modifiers)
    assert navigator.motion is motion
    assert send(navigator, PointerKind.MOVE, 60, 40, button, modifiers)
    assert navigator.pose != before
    send(navigator, PointerKind.RELEASE, 60, 40, button)
    assert navigator.motion is Motion.NONE
    assert not send(navigator, PointerKind.MOVE, 90, 90)


def test_a_plain_left_press_is_not_the_cameras(navigator):
    assert not navigator.claims(PointerEvent(1, 1, Button.LEFT, kind=PointerKind.PRESS))


def test_a_right_click_in_place_asks_for_the_menu_and_a_drag_does_not(navigator):
    send(navigator, PointerKind.PRESS, 10, 10, Button.RIGHT)
    send(navigator, PointerKind.MOVE, 12, 11, Button.RIGHT)
    assert send(navigator, PointerKind.RELEASE, 12, 11, Button.RIGHT)
    send(navigator, PointerKind.PRESS, 10, 10, Button.RIGHT)
    send(navigator, PointerKind.MOVE, 50, 11, Button.RIGHT)
    assert not send(navigator, PointerKind.RELEASE, 50, 11, Button.RIGHT)


def test_keys_fly_only_while_the_right_button_is_down(navigator):
    assert not navigator.press_key("w")
    send(navigator, PointerKind.PRESS, 10, 10, Button.RIGHT)
    eye, ahead = navigator.pose.eye, navigator.pose.forward
    assert navigator.press_key("w")
    assert navigator.animating
    assert navigator.tick(0.5)
    assert navigator.pose.eye - eye == pytest.approx(ahead * navigator.speed * 0.5)
    navigator.release_key("w")
    assert not navigator.tick(0.5)
    assert not send(navigator, PointerKind.RELEASE, 10, 10, Button.RIGHT)


def test_the_wheel_sets_the_speed_while_flying(navigator):
    send(navigator, PointerKind.PRESS, 10, 10, Button.RIGHT)
    speed, pose = navigator.speed, navigator.pose
    send(navigator, PointerKind.WHEEL, 10, 10, wheel=1)
    assert navigator.speed > speed
    assert navigator.pose == pose


def test_the_wheel_zooms_to_the_surface_under_the_cursor():
    point = np.array([1.0, 0.5, 0.2])
    navigator = Navigator(lambda x, y: point)
    x, y = navigator.pose.frame(*SIZE).project(point)[0]
    send(navigator, PointerKind.WHEEL, x, y, wheel=3)
    frame = navigator.pose.frame(*SIZE)
    assert frame.project(point)[0] == pytest.approx([x, y], abs=1e-3)
    assert navigator.pose.distance < CameraPose().distance


def test_a_move_to_a_pose_takes_its_time_and_ends_there(navigator):
    goal = CameraPose(pivot=(5, 1, 2), yaw=1, distance=3)
    navigator.go_to(goal, animated=True)
    navigator.tick(0.1)
    assert navigator.pose not in (CameraPose(), goal)
    navigator.tick(0.2)
    assert navigator.pose == goal
    assert not navigator.animating


def test_without_motion_the_pose_is_there_at_once(navigator):
    goal = CameraPose(pivot=(5, 1, 2))
    navigator.go_to(goal, animated=False)
    assert navigator.pose == goal
    assert not navigator.animating


def test_losing_the_focus_stops_flying(navigator):
    send(navigator, PointerKind.PRESS, 10, 10, Button.RIGHT)
    navigator.press_key("w")
    navigator.stop()
    assert not navigator.animating
