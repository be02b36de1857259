import numpy as np
import pytest

from editor.tools.place import Placement, PlaceTool
from editor.tools.pointer import Button, KeyEvent, PointerEvent, PointerKind
from engine.errors import AssetError
from engine.scene.components import LocalTransform


def place_of(level, entity):
    return level.world.get(entity, LocalTransform).translation


def test_a_prop_follows_the_cursor_and_the_drop_is_one_step(level, context, box):
    placement = Placement(context, "props/crate.glb")
    placement.hover(400, 350, snap=False)
    context.drawn = [(placement.entity, box())]
    placement.hover(300, 380, snap=False)
    surface = context.surface(300, 380, {int(placement.entity)})
    expected = surface.point + np.array((0, 0.5, 0))
    assert place_of(level, placement.entity) == pytest.approx(expected, abs=1e-5)
    entity = placement.drop()
    assert level.steps == ["Place crate"]
    assert level.selection == (entity,)


def test_it_rests_on_what_is_under_the_cursor(level, context, box):
    table = level.spawn((0, 0.5, 0))
    placement = Placement(context, "a.glb")
    placement.hover(400, 300, snap=False)
    context.drawn = [(table, box()), (placement.entity, box())]
    x, y = context.frame().project((0.1, 1.0, 0.1))[0]
    placement.hover(x, y, snap=False)
    assert place_of(level, placement.entity) == pytest.approx([0.1, 1.5, 0.1], abs=1e-5)


def test_a_place_reads_well_in_a_file(level, context, box):
    """Bounds are what arithmetic left of them; 0.49999997 helps nobody."""
    placement = Placement(context, "a.glb")
    placement.hover(400, 300, snap=True)
    context.drawn = [(placement.entity, box((-0.49999997,) * 3, (0.49999997,) * 3))]
    placement.hover(431, 333, snap=True)
    place = place_of(level, placement.entity)
    assert place.tolist() == place.round(5).tolist()


def test_bounds_that_come_later_are_taken_in(level, context, box):
    placement = Placement(context, "a.glb")
    placement.hover(400, 350, snap=False)
    assert place_of(level, placement.entity)[1] == pytest.approx(0, abs=1e-6)
    context.drawn = [(placement.entity, box())]
    placement.settle()
    assert place_of(level, placement.entity)[1] == pytest.approx(0.5)


def test_snapping_in_the_plane(level, context):
    placement = Placement(context, "a.glb")
    placement.hover(431, 333, snap=True)
    x, _, z = place_of(level, placement.entity)
    assert (x % 0.25, z % 0.25) == pytest.approx((0, 0), abs=1e-6)


def test_leaving_takes_the_prop_back(level, context):
    before = level.snapshot()
    placement = Placement(context, "a.glb")
    placement.hover(400, 300, snap=False)
    placement.cancel()
    assert level.snapshot() == before
    assert level.steps == []
    assert placement.drop() is None


def test_an_asset_that_cannot_be_placed_leaves_nothing_open(level, context):
    def refuse(*_, **__):
        raise AssetError("a.glb: parse failed")

    level.place = refuse
    placement = Placement(context, "a.glb")
    with pytest.raises(AssetError, match="parse failed"):
        placement.hover(400, 300, snap=False)
    assert level.open_gesture is None
    assert level.steps == []


def send(tool, kind, x, y, button=Button.LEFT):
    return tool.pointer(PointerEvent(x, y, button, kind=kind))


def test_the_place_tool_stamps_on_press_and_slides_until_release(level, context):
    tool = PlaceTool(context)
    tool.asset = "a.glb"
    send(tool, PointerKind.PRESS, 400, 350)
    send(tool, PointerKind.MOVE, 300, 380)
    assert tool.busy
    send(tool, PointerKind.RELEASE, 300, 380)
    assert level.steps == ["Place a"]
    (entity,) = level.selection
    assert place_of(level, entity) == pytest.approx(context.surface(300, 380).point, abs=1e-5)


def test_escape_takes_the_stamped_prop_back(level, context):
    tool = PlaceTool(context)
    tool.asset = "a.glb"
    before = level.snapshot()
    send(tool, PointerKind.PRESS, 400, 350)
    assert tool.key(KeyEvent("escape"))
    assert level.snapshot() == before
    assert not tool.busy


def test_without_a_chosen_prop_the_place_tool_selects(level, context):
    entity = level.spawn()
    context.picker.pick_all = lambda x, y: [int(entity)]
    tool = PlaceTool(context)
    send(tool, PointerKind.PRESS, 10, 10)
    send(tool, PointerKind.RELEASE, 10, 10)
    assert level.selection == (entity,)
