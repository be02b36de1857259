"""The gizmo tools driven by pointer events, as an artist drives them."""

import numpy as np
import pytest

from editor.tools.gizmo_handles import LENGTH, RING, SCREEN_RING
from editor.tools.pointer import Button, KeyEvent, Modifiers, PointerEvent, PointerKind
from editor.tools.shapes import Polygon, Stroke, Text
from editor.tools.transform import MoveTool, RotateTool, ScaleTool
from engine.scene.components import LocalTransform
from engine.scene.hierarchy import world_matrix


def event(kind, xy, button=Button.LEFT, modifiers=Modifiers.NONE):
    return PointerEvent(float(xy[0]), float(xy[1]), button, modifiers, kind)


def press(tool, xy, modifiers=Modifiers.NONE):
    tool.pointer(event(PointerKind.MOVE, xy, Button.NONE, modifiers))
    tool.pointer(event(PointerKind.PRESS, xy, modifiers=modifiers))


def move(tool, xy, modifiers=Modifiers.NONE):
    tool.pointer(event(PointerKind.MOVE, xy, modifiers=modifiers))


def release(tool, xy, modifiers=Modifiers.NONE):
    tool.pointer(event(PointerKind.RELEASE, xy, modifiers=modifiers))


def drag(tool, start, end, modifiers=Modifiers.NONE, steps=5):
    press(tool, start, modifiers)
    for t in np.linspace(0, 1, steps + 1)[1:]:
        move(tool, np.array(start) + (np.array(end) - start) * t, modifiers)
    release(tool, end, modifiers)


def tip(context, origin, axis, pixels=LENGTH - 4):
    """Where a handle's tip is on the screen."""
    frame = context.frame()
    point = np.asarray(origin, float) + np.eye(3)[axis] * pixels * frame.pixel_size(origin)
    return frame.project(point)[0]


def screen(context, point):
    return context.frame().project(np.asarray(point, float))[0]


def place(level, entity):
    return world_matrix(level.world, entity)[:3, 3]


@pytest.fixture
def box_at(level):
    def make(*at, **more):
        entity = level.spawn(at, **more)
        level.select([*level.selection, entity])
        return entity

    return make


def test_dragging_an_arrow_keeps_the_grabbed_point_under_the_cursor(level, context, box_at):
    entity = box_at(0, 0, 0)
    tool = MoveTool(context)
    start = tip(context, (0, 0, 0), 0)
    end = screen(context, (2, 0, 0)) + start - screen(context, (0, 0, 0))
    drag(tool, start, end)
    where = place(level, entity)
    assert where[0] > 1
    assert where[1:] == pytest.approx([0, 0], abs=1e-9)
    assert level.steps == ["Move"]
    grabbed = context.frame().pixel_size((0, 0, 0)) * (LENGTH - 4)
    axis_px = screen(context, (where[0] + grabbed, 0, 0))
    along = screen(context, (1, 0, 0)) - screen(context, (0, 0, 0))
    along /= np.linalg.norm(along)
    assert (axis_px - end) @ along == pytest.approx(0, abs=0.6)


def test_a_drag_under_a_turned_scaled_parent_moves_the_world_by_whole_snaps(level, context):
    half = np.sqrt(0.5)
    parent = level.spawn(rotation=(0, 0, half, half), scale=(2, 2, 2))
    child = level.spawn(parent=parent)
    level.select([child])
    context.state.move_step = 1.0
    tool = MoveTool(context)
    start = tip(context, (0, 0, 0), 0)
    drag(
        tool, start, start + screen(context, (1, 0, 0)) - screen(context, (0, 0, 0)), Modifiers.CTRL
    )
    assert place(level, child) == pytest.approx([1, 0, 0], abs=1e-6)
    assert level.world.get(child, LocalTransform).translation == pytest.approx(
        [0, -0.5, 0], abs=1e-6
    )


@pytest.mark.parametrize("handle", [0, 1, 2])
def test_every_axis_can_be_grabbed_and_moves_only_along_itself(level, context, box_at, handle):
    entity = box_at(0, 0, 0)
    start = tip(context, (0, 0, 0), handle)
    away = start + (start - screen(context, (0, 0, 0)))
    drag(MoveTool(context), start, away)
    where = place(level, entity)
    assert where[handle] > 0.3
    assert np.delete(where, handle) == pytest.approx([0, 0], abs=1e-9)


def test_a_plane_handle_keeps_its_normal_coordinate(level, context, box_at):
    entity = box_at(0, 0, 0)
    size = context.frame().pixel_size((0, 0, 0))
    toward = np.sign(context.frame().toward_viewer(np.zeros(3)))
    start = screen(context, (34 * size * toward[0], 0, 34 * size * toward[2]))
    drag(MoveTool(context), start, start + np.array((40, 10)))
    where = place(level, entity)
    assert abs(where[0]) + abs(where[2]) > 0.2
    assert where[1] == 0


def test_the_middle_moves_in_the_plane_of_the_screen(level, context, box_at):
    entity = box_at(0, 0, 0)
    middle = screen(context, (0, 0, 0))
    drag(MoveTool(context), middle, middle + np.array((50, -30)))
    assert screen(context, place(level, entity)) == pytest.approx(
        middle + np.array((50, -30)), abs=1e-3
    )


def test_escape_and_the_right_button_restore_and_leave_no_step(level, context, box_at):
    entity = box_at(1, 2, 3)
    before = level.world.get(entity, LocalTransform)
    for stop in ("escape", "right"):
        tool = MoveTool(context)
        start = tip(context, (1, 2, 3), 0)
        press(tool, start)
        move(tool, start + np.array((60, 0)))
        assert level.world.get(entity, LocalTransform) != before
        if stop == "escape":
            assert tool.key(KeyEvent("escape"))
        else:
            tool.pointer(event(PointerKind.PRESS, start, Button.RIGHT))
        assert level.world.get(entity, LocalTransform) == before
        assert not tool.busy
        release(tool, start)
    assert level.steps == []


def test_a_click_on_a_handle_is_no_step_and_keeps_the_selection(level, context, box_at):
    entity = box_at(0, 0, 0)
    tool = MoveTool(context)
    start = tip(context, (0, 0, 0), 1)
    press(tool, start)
    release(tool, start)
    assert level.steps == []
    assert level.selection == (entity,)


def test_shift_is_precise_without_a_jump(level, context, box_at):
    entity = box_at(0, 0, 0)
    tool = MoveTool(context)
    start = tip(context, (0, 0, 0), 0)
    along = (screen(context, (1, 0, 0)) - screen(context, (0, 0, 0))) / 4
    press(tool, start)
    move(tool, start + along)
    coarse = place(level, entity)[0]
    move(tool, start + along, Modifiers.SHIFT)
    assert place(level, entity)[0] == pytest.approx(coarse)
    move(tool, start + 2 * along, Modifiers.SHIFT)
    assert 0 < place(level, entity)[0] - coarse < 0.2 * coarse


def test_snapping_is_on_with_the_toggle_and_off_with_ctrl_then(level, context, box_at):
    entity = box_at(0, 0, 0)
    context.state.snap = True
    tool = MoveTool(context)
    start = tip(context, (0, 0, 0), 0)
    press(tool, start)
    move(tool, start + np.array((37, 3)))
    assert place(level, entity)[0] % 0.25 == pytest.approx(0, abs=1e-9)
    move(tool, start + np.array((37, 3.1)), Modifiers.CTRL)
    assert place(level, entity)[0] % 0.25 > 1e-4


def test_typed_numbers_set_the_exact_amount(level, context, box_at):
    entity = box_at(0.5, 0, 0)
    tool = MoveTool(context)
    start = tip(context, (0.5, 0, 0), 0)
    press(tool, start)
    move(tool, start + np.array((10, 0)))
    for key in ("-", "2", ".", "2", "5"):
        assert tool.key(KeyEvent(key))
    assert any(isinstance(s, Text) and "-2.25" in s.text for s in tool.shapes())
    tool.key(KeyEvent("return"))
    assert place(level, entity) == pytest.approx([-1.75, 0, 0])
    assert level.steps == ["Move"]


def test_alt_drags_a_copy_in_one_step(level, context, box_at):
    entity = box_at(0, 0, 0)
    start = tip(context, (0, 0, 0), 0)
    drag(MoveTool(context), start, start + np.array((60, 10)), Modifiers.ALT)
    (copy,) = level.selection
    assert copy != entity
    assert place(level, entity) == pytest.approx([0, 0, 0])
    assert place(level, copy)[0] > 0.2
    assert level.steps == ["Move a copy"]


def test_local_space_moves_along_the_things_own_axes(level, context, box_at):
    half = np.sqrt(0.5)
    entity = box_at(0, 0, 0, rotation=(0, half, 0, half))
    context.state.space = "local"
    start = tip(context, (0, 0, 0), 2, -(LENGTH - 4))
    drag(MoveTool(context), start, start + (start - screen(context, (0, 0, 0))) / 2)
    assert place(level, entity)[2] < -0.1
    assert place(level, entity)[:2] == pytest.approx([0, 0], abs=1e-6)


def test_several_things_move_together_and_a_locked_one_stays(level, context, box_at):
    first, second, third = box_at(0, 0, 0), box_at(1, 0, 0), box_at(2, 0, 0)
    level.locked_entities.add(third)
    start = tip(context, (0.5, 0, 0), 1)
    drag(MoveTool(context), start, start + np.array((0, -50)))
    rise = place(level, first)[1]
    assert rise > 0.2
    assert place(level, second) == pytest.approx([1, rise, 0])
    assert place(level, third) == pytest.approx([2, 0, 0])


def ring_point(context, origin, axis, turn):
    frame = context.frame()
    first, second = np.eye(3)[(axis + 1) % 3], np.eye(3)[(axis + 2) % 3]
    radius = RING * frame.pixel_size(origin)
    return screen(context, origin + (first * np.cos(turn) + second * np.sin(turn)) * radius)


def test_dragging_a_ring_turns_by_the_angle_of_the_cursor(level, context, box_at):
    entity = box_at(0, 0, 0)
    toward = context.frame().toward_viewer(np.zeros(3))
    start_turn = np.arctan2(toward[0], toward[2])
    tool = RotateTool(context)
    press(tool, ring_point(context, np.zeros(3), 1, start_turn))
    for turn in np.linspace(0, 0.5, 6)[1:]:
        move(tool, ring_point(context, np.zeros(3), 1, start_turn + turn))
    release(tool, ring_point(context, np.zeros(3), 1, start_turn + 0.5))
    quat = level.world.get(entity, LocalTransform).rotation
    assert 2 * np.arctan2(quat[1], quat[3]) == pytest.approx(0.5, abs=0.01)
    assert quat[[0, 2]] == pytest.approx([0, 0], abs=1e-6)
    assert level.steps == ["Rotate"]


def test_a_ring_snaps_to_degrees_and_takes_typed_ones(level, context, box_at):
    entity = box_at(0, 0, 0)
    tool = RotateTool(context)
    toward = context.frame().toward_viewer(np.zeros(3))
    start_turn = np.arctan2(toward[0], toward[2])
    press(tool, ring_point(context, np.zeros(3), 1, start_turn))
    move(tool, ring_point(context, np.zeros(3), 1, start_turn + 0.3), Modifiers.CTRL)
    quat = level.world.get(entity, LocalTransform).rotation
    assert np.degrees(2 * np.arctan2(quat[1], quat[3])) == pytest.approx(15, abs=1e-3)
    for key in "90":
        tool.key(KeyEvent(key))
    tool.key(KeyEvent("return"))
    quat = level.world.get(entity, LocalTransform).rotation
    assert np.degrees(2 * np.arctan2(quat[1], quat[3])) == pytest.approx(90, abs=1e-3)


@pytest.mark.parametrize(
    ("pivot", "expected"),
    [("median", [(1, 0, 0), (-1, 0, 0)]), ("active", [(3, 0, 0), (1, 0, 0)]),
     ("individual", [(-1, 0, 0), (1, 0, 0)])],
)  # fmt: skip
def test_the_pivot_decides_what_turns_around_what(level, context, box_at, pivot, expected):
    entities = [box_at(-1, 0, 0), box_at(1, 0, 0)]
    context.state.pivot = pivot
    tool = RotateTool(context)
    middle = np.array([1.0, 0, 0]) if pivot == "active" else np.zeros(3)
    toward = context.frame().toward_viewer(middle)
    start = np.arctan2(toward[0], toward[2])
    press(tool, ring_point(context, middle, 1, start))
    move(tool, ring_point(context, middle, 1, start + 0.2))
    for key in "180":
        tool.key(KeyEvent(key))
    tool.key(KeyEvent("return"))
    assert [place(level, e) for e in entities] == [pytest.approx(e, abs=1e-5) for e in expected]


def test_an_edge_on_ring_turns_along_its_picture(level, context, box_at):
    entity = box_at(0, 0, 0)
    context.pose = type(context.pose)(pivot=(0, 0, 0), yaw=0, pitch=0, distance=10)
    start = screen(context, (0, 0, 0)) + np.array((30, 0))
    drag(RotateTool(context), start, start + np.array((RING * 0.5, 0)))
    quat = level.world.get(entity, LocalTransform).rotation
    assert 2 * np.arctan2(quat[1], quat[3]) == pytest.approx(0.5, abs=0.01)


def test_scaling_an_axis_touches_that_axis_only(level, context, box_at):
    entity = box_at(0, 0, 0, scale=(1, -2, 1))
    start = tip(context, (0, 0, 0), 0)
    out = start - screen(context, (0, 0, 0))
    drag(ScaleTool(context), start, start + out / 2)
    scale = level.world.get(entity, LocalTransform).scale
    assert 1.2 < scale[0] < 1.9
    assert scale[1:].tolist() == [-2, 1]
    assert level.steps == ["Scale"]


def test_the_middle_scales_all_axes_alike_and_never_to_nothing(level, context, box_at):
    entity = box_at(0, 0, 0, scale=(1, 2, 3))
    middle = screen(context, (0, 0, 0))
    press(tool := ScaleTool(context), middle)
    move(tool, middle + np.array((60, 0)))
    scale = level.world.get(entity, LocalTransform).scale
    assert scale / scale[0] == pytest.approx([1, 2, 3])
    assert scale[0] > 1.2
    move(tool, middle + np.array((-4000, 0)))
    assert np.all(level.world.get(entity, LocalTransform).scale > 0)


def test_scaling_snaps_the_factor(level, context, box_at):
    entity = box_at(0, 0, 0)
    middle = screen(context, (0, 0, 0))
    press(tool := ScaleTool(context), middle)
    move(tool, middle + np.array((33, 0)), Modifiers.CTRL)
    assert level.world.get(entity, LocalTransform).scale == pytest.approx([1.3, 1.3, 1.3])


def test_hovering_highlights_exactly_what_a_press_would_grab(level, context, box_at):
    box_at(0, 0, 0)
    tool = MoveTool(context)
    colors = lambda: [s.color for s in tool.shapes()]
    quiet = colors()
    at = tip(context, (0, 0, 0), 0)
    assert tool.pointer(event(PointerKind.MOVE, at, Button.NONE))
    assert tool.grabs(*at)
    assert colors() != quiet
    assert not tool.pointer(event(PointerKind.MOVE, at, Button.NONE))
    assert tool.pointer(event(PointerKind.LEAVE, (0, 0), Button.NONE))


@pytest.mark.parametrize("distance", [0.5, 10, 400])
@pytest.mark.parametrize("make", [MoveTool, RotateTool, ScaleTool])
def test_the_gizmo_has_one_size_on_the_screen(level, context, box_at, make, distance):
    box_at(0, 0, 0)
    context.pose = type(context.pose)(pivot=(0, 0, 0), distance=distance)
    points = np.vstack(
        [s.points for s in make(context).shapes() if isinstance(s, Polygon | Stroke)]
    )
    reach = np.abs(points - screen(context, (0, 0, 0))).max()
    assert 60 < reach < 110


def test_a_gizmo_behind_the_viewer_is_neither_drawn_nor_grabbed(level, context, box_at):
    box_at(0, 0, 50)
    context.pose = type(context.pose)(pivot=(0, 0, 0), yaw=0, pitch=0, distance=10)
    tool = MoveTool(context)
    assert tool.shapes() == []
    assert not tool.grabs(400, 300)


def test_nothing_selected_shows_nothing(context):
    for make in (MoveTool, RotateTool, ScaleTool):
        assert make(context).shapes() == []


@pytest.mark.parametrize("tool_type", [MoveTool, RotateTool, ScaleTool])
def test_a_press_that_hardly_moves_begins_no_drag(level, context, box_at, tool_type):
    entity = box_at(0, 0, 0)
    before = level.world.get(entity, LocalTransform)
    tool = tool_type(context)
    start = tip(context, (0, 0, 0), 0) if tool_type is not RotateTool else view_ring(context)
    drag(tool, start, start + np.array((1, 1)))
    assert not tool.busy
    assert level.steps == []
    assert level.world.get(entity, LocalTransform) == before


def view_ring(context):
    """A point on the ring that faces the viewer."""
    return screen(context, (0, 0, 0)) + np.array((SCREEN_RING, 0))
