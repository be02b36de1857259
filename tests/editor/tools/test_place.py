import dataclasses
import itertools

import numpy as np
import pytest

from editor.tools.place import PlaceTool
from editor.tools.placement import Placement
from editor.tools.pointer import Button, KeyEvent, PointerEvent, PointerKind
from editor.tools.shapes import Stroke
from editor.tools.surface import row_axis, side_by_side
from engine.errors import AssetError
from engine.scene.components import LocalTransform
from engine.scene.hierarchy import world_matrix


def place_of(level, entity):
    return level.world.get(entity, LocalTransform).translation


def test_a_prop_follows_the_cursor_and_the_drop_is_one_step(level, context, box):
    placement = Placement(context, ["props/crate.glb"])
    placement.hover(400, 350, snap=False)
    context.drawn = [(placement.entities[0], box())]
    placement.hover(300, 380, snap=False)
    surface = context.surface(300, 380, {int(placement.entities[0])})
    stands = place_of(level, placement.entities[0])
    assert stands == pytest.approx(surface.point + np.array((0, 0.5, 0)), abs=1e-5)
    (entity,) = placement.drop()
    assert level.steps == ["Place crate"]
    assert level.selection == (entity,)


def test_it_rests_on_what_is_under_the_cursor(level, context, box):
    table = level.spawn((0, 0.5, 0))
    placement = Placement(context, ["a.glb"])
    placement.hover(400, 300, snap=False)
    context.drawn = [(table, box()), (placement.entities[0], box())]
    x, y = context.frame().project((0.1, 1.0, 0.1))[0]
    placement.hover(x, y, snap=False)
    assert place_of(level, placement.entities[0]) == pytest.approx([0.1, 1.5, 0.1], abs=1e-5)


def test_a_place_reads_well_in_a_file(level, context, box):
    """Bounds are what arithmetic left of them; 0.49999997 helps nobody."""
    placement = Placement(context, ["a.glb"])
    placement.hover(400, 300, snap=True)
    context.drawn = [(placement.entities[0], box((-0.49999997,) * 3, (0.49999997,) * 3))]
    placement.hover(431, 333, snap=True)
    place = place_of(level, placement.entities[0])
    assert place.tolist() == place.round(5).tolist()


def test_bounds_that_come_later_are_taken_in(level, context, box):
    placement = Placement(context, ["a.glb"])
    placement.hover(400, 350, snap=False)
    assert place_of(level, placement.entities[0])[1] == pytest.approx(0, abs=1e-6)
    context.drawn = [(placement.entities[0], box())]
    placement.settle()
    assert place_of(level, placement.entities[0])[1] == pytest.approx(0.5)


def test_snapping_in_the_plane(level, context):
    placement = Placement(context, ["a.glb"])
    placement.hover(431, 333, snap=True)
    x, _, z = place_of(level, placement.entities[0])
    assert (x % 0.25, z % 0.25) == pytest.approx((0, 0), abs=1e-6)


def test_leaving_takes_the_prop_back(level, context):
    before = level.snapshot()
    placement = Placement(context, ["a.glb"])
    placement.hover(400, 300, snap=False)
    placement.cancel()
    assert level.snapshot() == before
    assert level.steps == []
    assert placement.drop() == []


def test_an_asset_that_cannot_be_placed_leaves_nothing_open(level, context):
    def refuse(*_, **__):
        raise AssetError("a.glb: parse failed")

    level.place = refuse
    placement = Placement(context, ["a.glb"])
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


def strokes(tool):
    return [shape.points for shape in tool.shapes() if isinstance(shape, Stroke)]


def test_a_box_shows_where_the_next_click_places_the_prop(level, context, box):
    tool = PlaceTool(context)
    lo, hi = np.full(3, -0.5), np.array((0.5, 1.5, 0.5))
    context.extents["a.glb"] = (lo, hi)
    send(tool, PointerKind.MOVE, 400, 350, None)
    assert strokes(tool) == [], "nothing is chosen"
    tool.asset = "a.glb"
    assert send(tool, PointerKind.MOVE, 400, 350, None)
    shown = strokes(tool)
    assert len(shown) == 12
    assert level.steps == []
    assert level.selection == ()
    send(tool, PointerKind.PRESS, 400, 350)
    assert strokes(tool) == [], "the prop itself is there"
    (entity,) = level.selection
    context.drawn = [(entity, box(lo, hi))]
    tool.settle()
    stands = context.frame().project(corners_of(bounds(context, entity)))[0]
    for point in np.concatenate(shown):
        assert np.abs(stands - point).max(axis=1).min() < 0.01
    send(tool, PointerKind.RELEASE, 400, 350)
    send(tool, PointerKind.MOVE, 300, 380, None)
    assert len(strokes(tool)) == 12
    assert send(tool, PointerKind.LEAVE, -1, -1, None)
    assert strokes(tool) == []


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


def shown(context, placement, *meshes):
    """Draw props with these meshes and whatever was drawn before, and rest them anew."""
    context.drawn += list(zip(placement.entities, meshes, strict=True))
    placement.settle()


def bounds(context, entity):
    lo, hi = context.raycaster().bounds({int(entity)})
    return lo, hi


SLABS = (((-2, 0, -1), (1, 1, 1)), ((-0.2, -0.5, -0.2), (0.2, 0.5, 0.2)), ((0, 0, 0), (3, 2, 3)))


@pytest.mark.parametrize("snap", [False, True])
@pytest.mark.parametrize("yaw", [0.0, 0.6, 2.2, -1.5])
def test_several_stand_side_by_side_and_none_overlaps(level, context, box, snap, yaw):
    context.pose = dataclasses.replace(context.pose, yaw=yaw)
    placement = Placement(context, ["a.glb", "b.glb", "c.glb"])
    placement.hover(400, 350, snap=snap)
    shown(context, placement, *(box(*slab) for slab in SLABS))
    boxes = [bounds(context, entity) for entity in placement.entities]
    across = row_axis((0, 1, 0), context.frame().right)
    assert abs(across[1]) < 1e-9
    ends = [sorted(corners @ across)[:: len(corners) - 1] for corners in map(corners_of, boxes)]
    for (_, end), (begin, _) in itertools.pairwise(ends):
        assert end < begin, "in the order of the drag, to the right, apart from each other"
    if not snap:
        middle = (ends[0][0] + ends[-1][1]) / 2
        assert middle == pytest.approx(context.surface(400, 350).point @ across, abs=1e-4)
    for lo, _ in boxes:
        assert lo[1] == pytest.approx(0, abs=1e-5), "each rests on its own box"
    assert placement.drop() == placement.entities
    assert level.steps == ["Place 3 assets"]
    assert level.selection == tuple(placement.entities)


def corners_of(box):
    pick = (np.arange(8)[:, None] >> np.arange(3)) & 1
    return np.where(pick == 1, box[1], box[0])


def test_each_rests_on_what_is_below_it(level, context, box):
    context.pose = dataclasses.replace(context.pose, yaw=0.0)
    table = level.spawn((0, 0.5, 0))
    context.drawn = [(table, box((-0.6, -0.5, -1), (0.6, 0.5, 1)))]
    placement = Placement(context, ["a.glb", "b.glb", "c.glb"])
    x, y = context.frame().project((0, 1.0, 0))[0]
    placement.hover(x, y)
    shown(context, placement, box(), box(), box())
    below = [bounds(context, entity)[0][1] for entity in placement.entities]
    assert below == pytest.approx([0, 1, 0], abs=1e-5)


def test_what_cannot_be_placed_is_left_out_of_the_row(level, context):
    place = level.place

    def refuse(path, *args, **options):
        if path == "bad.glb":
            raise AssetError("bad.glb: parse failed")
        return place(path, *args, **options)

    level.place = refuse
    placement = Placement(context, ["a.glb", "bad.glb", "c.glb"])
    placement.hover(400, 350)
    assert len(placement.drop()) == 2
    assert len(level.selection) == 2


def test_what_is_dropped_before_its_size_is_known_still_comes_to_rest(level, context, box):
    placement = Placement(context, ["a.glb", "b.glb"])
    placement.hover(400, 350)
    level.arriving.update(placement.entities)
    placement.drop()
    assert placement.is_arriving
    level.arriving.clear()
    shown(context, placement, box(), box())
    assert level.steps == ["Place 2 assets"], "within the same step"
    assert [bounds(context, e)[0][1] for e in placement.entities] == pytest.approx([0, 0], abs=1e-5)
    # Not when something else was done since.
    level.steps.append("Move")
    before = place_of(level, placement.entities[0]).copy()
    context.drawn = [(e, box((-5, -5, -5), (5, 5, 5))) for e in placement.entities]
    placement.settle()
    assert place_of(level, placement.entities[0]) == pytest.approx(before)


def test_alt_turns_a_prop_to_the_wall_and_back(level, context, box):
    wall = level.spawn((0, 0, 0))
    context.drawn = [(wall, box((-3, 0, -0.5), (3, 4, 0.5)))]
    context.pose = dataclasses.replace(context.pose, yaw=0.0, pitch=-0.2)
    placement = Placement(context, ["a.glb"])
    x, y = context.frame().project((0, 1.5, 0.5))[0]
    placement.hover(x, y, align=True)
    prop = placement.entities[0]
    shown(context, placement, box((-0.5, 0, -0.5), (0.5, 2, 0.5)))
    assert world_matrix(level.world, prop)[:3, 1] == pytest.approx([0, 0, 1], abs=1e-5)
    lo, hi = bounds(context, prop)
    assert (lo[2], hi[2]) == pytest.approx((0.5, 2.5), abs=1e-4)
    placement.hover(x, y, align=False)
    assert world_matrix(level.world, prop)[:3, 1] == pytest.approx([0, 1, 0], abs=1e-5)
    assert bounds(context, prop)[0][2] == pytest.approx(0.5, abs=1e-4)


def test_below_a_parent_they_stand_along_its_axis(level, context, box):
    room = level.spawn((2, 1, 0), (0, np.sqrt(0.5), 0, np.sqrt(0.5)))
    placement = Placement(context, ["a.glb", "b.glb", "c.glb"], room)
    placement.stand_under_parent()
    shown(context, placement, *(box(*slab) for slab in SLABS))
    places = [place_of(level, entity) for entity in placement.entities]
    assert places[0] == pytest.approx([0, 0, 0], abs=1e-6)
    for (a, one), (b, other) in itertools.pairwise(zip(places, SLABS, strict=True)):
        assert a[1:] == pytest.approx([0, 0], abs=1e-5)
        assert a[0] + one[1][0] < b[0] + other[0][0]
    placement.drop()
    assert level.steps == ["Place 3 assets"]


def test_a_row_takes_no_more_room_than_it_needs():
    spans = [(-1.0, 1.0), (0.0, 4.0), (-0.5, 0.5)]
    origins = side_by_side(spans, is_centred=True)
    ends = [(o + lo, o + hi) for o, (lo, hi) in zip(origins, spans, strict=True)]
    gaps = [begin - end for (_, end), (begin, _) in itertools.pairwise(ends)]
    assert gaps == pytest.approx([0.2, 0.2])
    assert ends[0][0] == pytest.approx(-ends[-1][1])
    assert side_by_side([(-1, 1)]) == [1.0]


@pytest.mark.parametrize("normal", [(0, 1, 0), (1, 0, 0), (0.6, 0.8, 0), (0, -1, 0)])
@pytest.mark.parametrize("right", [(1, 0, 0), (0, 0, -1), (0.6, 0, 0.8)])
def test_a_row_runs_along_its_surface(normal, right):
    across = row_axis(normal, right)
    assert np.linalg.norm(across) == pytest.approx(1)
    assert across @ np.asarray(normal) == pytest.approx(0, abs=1e-9)
