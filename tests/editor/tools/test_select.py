from types import SimpleNamespace

import numpy as np
import pytest

from editor.tools.pointer import Button, Modifiers, PointerEvent, PointerKind
from editor.tools.select import SelectTool
from editor.tools.shapes import Icon


@pytest.fixture
def tool(context):
    return SelectTool(context)


def click(tool, x, y, modifiers=Modifiers.NONE):
    for kind in (PointerKind.PRESS, PointerKind.RELEASE):
        tool.pointer(PointerEvent(x, y, Button.LEFT, modifiers, kind))


def box_drag(tool, start, end, modifiers=Modifiers.NONE):
    tool.pointer(PointerEvent(*start, Button.LEFT, modifiers, PointerKind.PRESS))
    tool.pointer(PointerEvent(*end, Button.LEFT, modifiers, PointerKind.MOVE))
    tool.pointer(PointerEvent(*end, Button.LEFT, modifiers, PointerKind.RELEASE))


def under(context, *entities):
    context.picker.pick_all = lambda x, y: [int(e) for e in entities]


def test_a_click_takes_the_instance_and_the_next_ones_drill_and_come_round(level, context, tool):
    root, node, behind = level.spawn(), level.spawn(), level.spawn()
    level.roots[node] = root
    under(context, node, behind)
    seen = []
    for _ in range(4):
        click(tool, 10, 10)
        seen.append(level.selection)
    assert seen == [(root,), (node,), (behind,), (root,)]


def test_clicks_go_through_instances_inside_instances(level, context, tool):
    house, room, node = level.spawn(), level.spawn(), level.spawn()
    level.roots[node] = house
    level.roots_of = lambda entity: [house, room] if entity == node else []
    under(context, node)
    seen = []
    for _ in range(4):
        click(tool, 10, 10)
        seen.append(level.selection)
    assert seen == [(house,), (room,), (node,), (house,)]


def test_a_click_elsewhere_on_the_same_instance_starts_over_from_a_node(level, context, tool):
    root, node = level.spawn(), level.spawn()
    level.roots[node] = root
    under(context, node)
    click(tool, 10, 10)
    click(tool, 10, 10)
    click(tool, 100, 100)
    assert level.selection == (root,)


def test_shift_adds_and_ctrl_toggles(level, context, tool):
    first, second = level.spawn(), level.spawn()
    under(context, first)
    click(tool, 10, 10)
    under(context, second)
    click(tool, 50, 50, Modifiers.SHIFT)
    assert level.selection == (first, second)
    click(tool, 50, 50, Modifiers.CTRL)
    assert level.selection == (first,)
    click(tool, 50, 50, Modifiers.CTRL)
    assert level.selection == (first, second)


def test_a_click_on_nothing_clears_but_not_with_a_modifier(level, context, tool):
    level.select([level.spawn()])
    before = level.selection
    click(tool, 10, 10, Modifiers.SHIFT)
    assert level.selection == before
    click(tool, 10, 10)
    assert level.selection == ()


def test_the_wheel_with_ctrl_steps_through_what_overlaps_both_ways(level, context, tool):
    first, second = level.spawn(), level.spawn()
    under(context, first, second)

    def wheel(notches):
        tool.pointer(PointerEvent(5, 5, Button.NONE, Modifiers.CTRL, PointerKind.WHEEL, notches))
        return level.selection

    assert [wheel(-1), wheel(-1), wheel(-1), wheel(1)] == [(first,), (second,), (first,), (second,)]


def test_icons_of_lights_go_before_surfaces(level, context, tool):
    light, wall = level.spawn(), level.spawn()
    context.icon_list = [Icon(10, 10, "point", (0, 0, 0, 255), int(light), 3.0)]
    under(context, wall)
    click(tool, 14, 8)
    assert level.selection == (light,)
    click(tool, 60, 60)
    assert level.selection == (wall,)


def test_a_locked_thing_and_a_dead_one_cannot_be_clicked(level, context, tool):
    locked, behind, dead = level.spawn(), level.spawn(), level.spawn()
    level.locked_entities.add(locked)
    level.world.despawn(dead)
    under(context, dead, locked, behind)
    click(tool, 10, 10)
    assert level.selection == (behind,)


def boxes(level, context, box):
    near, far = level.spawn((0, 0, 0)), level.spawn((3, 0, 0))
    context.drawn = [(near, box()), (far, box())]
    lo, hi = context.raycaster().screen_bounds(context.frame())
    return near, far, lo, hi


def test_a_box_to_the_right_takes_only_what_lies_wholly_inside(level, context, tool, box):
    near, far, lo, hi = boxes(level, context, box)
    box_drag(tool, lo[0] - 2, hi[0] + 2)
    assert level.selection == (near,)
    box_drag(tool, lo[0] + 3, hi[0] + 2)
    assert level.selection == ()
    box_drag(tool, lo.min(axis=0) - 2, hi.max(axis=0) + 2)
    assert set(level.selection) == {near, far}


def test_a_box_to_the_left_takes_what_it_touches(level, context, tool, box):
    near, far, *_ = boxes(level, context, box)
    asked = []
    context.picker.pick_rect = lambda *r: asked.append(r) or {int(near), int(far)}
    box_drag(tool, (300, 40), (20, 200))
    assert asked == [(20, 40, 300, 200)]
    assert level.selection == (near, far)


def test_boxes_add_and_toggle_like_clicks(level, context, tool):
    first, second = level.spawn(), level.spawn()
    level.select([first])
    context.picker.pick_rect = lambda *r: {int(first), int(second)}
    box_drag(tool, (300, 40), (20, 200), Modifiers.CTRL)
    assert level.selection == (second,)
    box_drag(tool, (300, 40), (20, 200), Modifiers.SHIFT)
    assert set(level.selection) == {first, second}


def test_an_instance_is_inside_only_with_all_its_nodes(level, context, tool, box):
    near, far, lo, hi = boxes(level, context, box)
    level.roots[far] = near
    box_drag(tool, lo[0] - 2, hi[0] + 2)
    assert level.selection == ()


def test_the_band_is_painted_while_dragging_and_escape_ends_it(level, context, tool):
    tool.pointer(PointerEvent(10, 10, Button.LEFT, kind=PointerKind.PRESS))
    assert tool.shapes() == []
    tool.pointer(PointerEvent(90, 90, Button.LEFT, kind=PointerKind.MOVE))
    assert len(tool.shapes()) == 2
    assert tool.key(SimpleNamespace(key="escape"))
    assert tool.shapes() == []
    assert level.selection == ()


def test_an_unchanged_selection_is_no_new_step(level, context, tool):
    entity = level.spawn()
    chosen = []
    level.select = lambda e: (chosen.append(e), setattr(level, "selection", tuple(e)))
    under(context, entity)
    click(tool, 10, 10)
    click(tool, 11, 10)
    assert len(chosen) == 1
    assert np.size(chosen) == 1
