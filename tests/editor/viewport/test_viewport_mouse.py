"""The viewport under real mouse and key events: what an artist does all day."""

import numpy as np
import pytest
from PySide6.QtCore import Qt

from engine.scene.components import LocalTransform
from tests.editor.viewport.conftest import place

pytestmark = pytest.mark.gpu


SHIFT, CTRL, ALT = (
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.AltModifier,
)


def test_clicks_select_add_toggle_and_clear(stage):
    left, right = stage.box(-1.5, 0.5, 0), stage.box(1.5, 0.5, 0)
    stage.document.select([])
    stage.viewport.frame_all()
    stage.mouse.click(stage.screen((-1.5, 0.5, 0)))
    assert stage.document.selection == (left,)
    stage.mouse.click(stage.screen((1.5, 0.5, 0)), modifiers=SHIFT)
    assert stage.document.selection == (left, right)
    stage.mouse.click(stage.screen((1.5, 0.5, 0)), modifiers=CTRL)
    assert stage.document.selection == (left,)
    stage.mouse.click((4, 340))
    assert stage.document.selection == ()


def test_a_drag_on_an_arrow_is_one_step_that_undo_takes_back(stage):
    box = stage.box(0, 0.5, 0)
    stage.viewport.frame_all()
    before = stage.document.history.index
    origin = stage.screen((0, 0.5, 0))
    along = stage.screen((1, 0.5, 0)) - origin
    along /= np.linalg.norm(along)
    stage.mouse.drag(origin + along * 50, origin + along * 110, steps=20)
    assert stage.document.history.index == before + 1
    assert place(stage, box)[0] > 0.1
    assert place(stage, box)[1:] == pytest.approx([0.5, 0], abs=1e-5)
    stage.document.undo()
    assert place(stage, box) == pytest.approx([0, 0.5, 0])


def test_escape_during_a_drag_restores_and_leaves_no_step(stage):
    box = stage.box(0, 0.5, 0)
    stage.viewport.frame_all()
    before = stage.document.history.index
    origin = stage.screen((0, 0.5, 0))
    up = origin - (0, 60)
    stage.mouse.move(up)
    stage.mouse.press(up)
    stage.mouse.move(up - (0, 40))
    assert place(stage, box)[1] > 0.6
    stage.key(Qt.Key.Key_Escape)
    stage.mouse.release(up)
    assert place(stage, box) == pytest.approx([0, 0.5, 0])
    assert stage.document.history.index == before


def test_the_hint_says_what_else_a_drag_can(stage):
    stage.box(0, 0.5, 0)
    stage.viewport.frame_all()
    told: list[str] = []
    stage.viewport.hint_changed.connect(told.append)
    up = stage.screen((0, 0.5, 0)) - (0, 60)
    stage.mouse.move(up)
    assert told == []
    stage.mouse.press(up)
    stage.mouse.move(up - (0, 40))
    assert len(told) == 1
    assert "Type a number" in told[0]
    stage.key(Qt.Key.Key_Escape)
    assert told[1:] == [stage.viewport.hint]
    assert "Alt" in stage.viewport.hint


@pytest.mark.parametrize("tool", ["rotate", "scale"])
def test_rotating_and_scaling_are_one_step_each(stage, tool):
    box = stage.box(0, 0.5, 0)
    stage.viewport.frame_all()
    stage.state.tool = tool
    before = stage.document.history.index
    origin = stage.screen((0, 0.5, 0))
    start = origin + np.array([94, 0]) if tool == "rotate" else origin
    stage.mouse.drag(start, start + np.array([20, 30]), steps=8)
    assert stage.document.history.index == before + 1
    local = stage.document.world.get(box, LocalTransform)
    assert local != LocalTransform((0, 0.5, 0))
    assert local.translation == pytest.approx([0, 0.5, 0])


@pytest.mark.parametrize("tool", ["move", "rotate", "scale"])
def test_a_drag_back_to_its_start_is_no_step(stage, tool):
    box = stage.box(0, 0.5, 0)
    stage.viewport.frame_all()
    stage.state.tool = tool
    before = stage.document.history.index
    start = stage.screen((0, 0.5, 0)) + (np.array([94, 0]) if tool == "rotate" else (0, 0))
    for far in (1, 40):
        stage.mouse.move(start)
        stage.mouse.press(start)
        stage.mouse.move(start + np.array([far, 0]))
        stage.mouse.move(start)
        stage.mouse.release(start)
    assert stage.document.history.index == before
    assert stage.document.world.get(box, LocalTransform) == LocalTransform((0, 0.5, 0))


def test_boxes_select_inside_to_the_right_and_touching_to_the_left(stage):
    left, right = stage.box(-1.5, 0.5, 0), stage.box(1.5, 0.5, 0)
    stage.document.select([])
    stage.viewport.set_view("front")
    stage.viewport.frame_all()
    a, b = stage.screen((-2.2, 1.2, 0.5)), stage.screen((1.4, -0.2, 0.5))
    stage.mouse.drag(a, b)
    assert stage.document.selection == (left,)
    stage.mouse.drag(b, a)
    assert set(stage.document.selection) == {left, right}


def test_the_mouse_orbits_pans_zooms_and_flies(stage):
    stage.box(0, 0.5, 0)
    stage.draw()
    navigator = stage.viewport.view.navigator
    steps = stage.document.history.index
    for act in (
        lambda: stage.mouse.drag((240, 180), (300, 200), Qt.MouseButton.MiddleButton),
        lambda: stage.mouse.drag((30, 300), (90, 320), modifiers=ALT),
        lambda: stage.mouse.drag((240, 180), (300, 200), Qt.MouseButton.MiddleButton, SHIFT),
        lambda: stage.mouse.drag((240, 180), (300, 200), Qt.MouseButton.RightButton),
        lambda: stage.mouse.wheel((200, 200), 2),
    ):
        before = navigator.pose
        act()
        assert navigator.pose != before
    assert stage.document.history.index == steps


def test_zooming_keeps_the_surface_under_the_cursor(stage):
    stage.box(0, 0.5, 0)
    stage.viewport.frame_all()
    corner = stage.viewport.surface_point(*(stage.screen((0.2, 1.0, 0.2)))).point
    at = stage.screen(corner)
    stage.mouse.wheel(at, 3)
    assert stage.screen(corner) == pytest.approx(at, abs=0.01)


def test_a_right_click_asks_for_the_menu_on_what_is_under_it(stage, qtbot):
    box = stage.box(0, 0.5, 0)
    stage.document.select([])
    stage.viewport.frame_all()
    at = stage.screen((0, 0.5, 0))
    with qtbot.waitSignal(stage.viewport.context_menu_requested) as caught:
        stage.mouse.click(at, Qt.MouseButton.RightButton)
    assert caught.args[0].entity == box
    assert stage.document.selection == (box,)


def test_pointing_at_an_entity_leaves_the_selection_alone(stage):
    first, second = stage.box(-1.5, 0.5, 0), stage.box(1.5, 0.5, 0)
    stage.document.select([first])
    stage.viewport.frame_all()
    found = []
    stage.viewport.pick_entity(found.append)
    stage.mouse.click(stage.screen((1.5, 0.5, 0)))
    assert found == [second]
    assert stage.document.selection == (first,)
    stage.viewport.pick_entity(found.append)
    stage.key(Qt.Key.Key_Escape)
    stage.mouse.click(stage.screen((1.5, 0.5, 0)))
    assert found == [second]
    assert stage.document.selection == (second,)


def test_framing_brings_the_selection_wholly_into_view(stage):
    stage.box(0, 0.5, 0)
    far = stage.box(40, 3, -60, scale=(2, 6, 2))
    stage.document.select([far])
    stage.viewport.frame_selection()
    for corner in ((39, 0, -61), (41, 6, -59), (39, 6, -59)):
        x, y = stage.screen(corner)
        assert 0 <= x <= 480
        assert 0 <= y <= 360


def test_dropping_the_selection_lands_it_and_is_one_step(stage):
    stage.box(0, 0.5, 0)
    above = stage.box(0.2, 5, 0.1)
    before = stage.document.history.index
    assert stage.viewport.drop_selection()
    assert place(stage, above) == pytest.approx([0.2, 1.5, 0.1], abs=1e-4)
    assert stage.document.history.index == before + 1
    assert not stage.viewport.drop_selection()


def test_a_node_of_a_prop_is_reached_by_a_second_click_and_moved_as_an_override(stage, crate):
    prop = stage.document.place(crate)
    stage.viewport.frame_selection()
    stage.document.select([])
    stage.draw()
    lo, hi = stage.viewport.view.raycaster().bounds(stage.viewport.view.subtree([prop]))
    at = stage.screen((lo + hi) / 2)
    stage.mouse.click(at)
    assert stage.document.selection == (prop,)
    stage.state.tool = "select"
    stage.mouse.click(at)
    (node,) = stage.document.selection
    assert stage.document.root_of(node) == prop
    assert node != prop
    stage.state.tool = "move"
    before, root_before = place(stage, node), place(stage, prop)
    up = stage.screen(before) - (0, 60)
    stage.mouse.drag(up, up - (0, 40))
    assert place(stage, node)[1] > before[1] + 0.01
    assert place(stage, prop) == pytest.approx(root_before)
    views = {v.name: v.overridden for v in stage.document.components(node)}
    assert views["LocalTransform"] == {"translation"}
    stage.document.undo()
    assert place(stage, node) == pytest.approx(before)


@pytest.mark.parametrize("how", ["hidden", "locked"])
def test_a_hidden_or_locked_node_of_a_placed_level_is_not_picked(stage, how):
    document = stage.document
    document.app.root.mkdir(parents=True, exist_ok=True)
    (document.app.root / "room.scene").write_text(
        "cinder-scene 2\n"
        'entity 0\n  Name text="Left"\n  LocalTransform translation=[-1.5,0.5,0.0]\n'
        '  Shape kind="box"\n'
        'entity 1\n  Name text="Right"\n  LocalTransform translation=[1.5,0.5,0.0]\n'
        '  Shape kind="box"\n'
    )
    room = document.place("room.scene")
    left, right = document.children(room)
    stage.viewport.frame_all()
    at = {e: stage.screen(place(stage, e)) for e in (left, right)}

    def picked(entity):
        document.select([])
        stage.draw()
        stage.mouse.click(at[entity])
        stage.state.tool = "select"
        stage.mouse.click(at[entity])
        return document.selection

    assert picked(left) == (left,)
    (document.set_hidden if how == "hidden" else document.set_locked)([left], True)
    assert picked(left) == (), "nor is the level that it is part of, by its pixels"
    assert picked(right) == (right,)
    (document.set_hidden if how == "hidden" else document.set_locked)([left], False)
    assert picked(left) == (left,)
