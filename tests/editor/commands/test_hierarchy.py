import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from editor.commands import Group, Reorder, Reparent, SetFields
from editor.commands.sibling_ranks import new_ranks
from engine.errors import EntityError, SceneError
from engine.math import quat_from_axis_angle
from engine.reflect import Entity
from engine.scene import LocalMatrix, LocalTransform, Order, Parent, children

QUARTER = quat_from_axis_angle((0, 0, 1), np.pi / 2)


def placed(translation=(0, 0, 0), rotation=(0, 0, 0, 1), scale=(1, 1, 1)):
    return LocalTransform(translation, rotation, scale)


def test_an_entity_stays_in_place_under_its_new_parent(level):
    parent = level.entity("parent", None, placed((5, 0, 0), QUARTER, (2, 2, 2)))
    child = level.entity("child", None, placed((1, 2, 3)))
    before = level.matrix(child)
    level.check_laws(Reparent([child], parent))
    assert np.allclose(level.matrix(child), before, atol=1e-5)
    assert level.world.get(child, Parent).entity == parent


def test_or_keeps_its_local_transform(level):
    parent = level.entity("parent", None, placed((5, 0, 0)))
    child = level.entity("child", None, placed((1, 2, 3)))
    before = level.world.get(child, LocalTransform)
    level.check_laws(Reparent([child], parent, keep_world=False))
    assert level.world.get(child, LocalTransform) == before


def test_out_of_a_mirrored_parent_the_scale_does_not_collapse(level):
    flip = level.entity("flip", None, placed((5, 0, 0), scale=(-1, 1, 1)))
    turned = placed((2, 1, 0), quat_from_axis_angle((0, 0, 1), np.pi / 6))
    child = level.entity("child", flip, turned)
    before = level.matrix(child)
    level.check_laws(Reparent([child], None))
    assert np.allclose(level.matrix(child), before, atol=1e-5)
    assert np.linalg.det(level.matrix(child)[:3, :3]) < 0
    assert not level.world.has(child, Parent)


def test_a_placement_that_needs_shear_is_kept_exactly(level):
    parent = level.entity("parent", None, placed(scale=(3, 1, 1)))
    turned = placed(rotation=quat_from_axis_angle((0, 0, 1), np.pi / 4))
    child = level.entity("child", parent, turned)
    before = level.matrix(child)
    level.check_laws(Reparent([child], None))
    assert level.world.has(child, LocalMatrix)
    assert np.allclose(level.matrix(child), before, atol=1e-5)


def test_a_cycle_is_refused_and_nothing_moved(level):
    top = level.entity("top")
    middle = level.entity("middle", top)
    leaf = level.entity("leaf", middle)
    other = level.entity("other")
    level.check_refused(Reparent([top], top), SceneError)
    level.check_refused(Reparent([other, top], leaf), SceneError)
    level.check_refused(Reorder([other, top], leaf), SceneError)


def test_a_parent_that_is_gone_is_refused(level):
    a, b = level.entity("a"), level.entity("b")
    level.world.despawn(b)
    level.check_refused(Reparent([a], b), EntityError)


def test_what_is_below_a_moved_one_moves_with_it(level):
    parent, top = level.entity("parent"), level.entity("top")
    below = level.entity("below", top)
    level.check_laws(Reparent([below, top], parent))
    assert children(level.world, top) == [below]
    assert children(level.world, parent) == [top]


def test_the_same_parent_again_is_no_step(level):
    parent = level.entity("parent")
    child = level.entity("child", parent)
    level.push(Reparent([child], parent))
    assert level.history.count == 0


def test_a_drag_under_a_turned_and_scaled_parent_moves_the_world_by_what_was_asked(level):
    parent = level.entity("parent", None, placed(rotation=QUARTER, scale=(2, 2, 2)))
    child = level.entity("child", parent)
    local = np.linalg.inv(level.matrix(parent)) @ np.array([1, 0, 0, 0])
    level.push(SetFields([child], LocalTransform, {"translation": local[:3]}))
    assert np.allclose(level.matrix(child)[:3, 3], (1, 0, 0), atol=1e-6)
    assert np.allclose(level.world.get(child, LocalTransform).translation, (0, -0.5, 0), atol=1e-6)


@pytest.mark.parametrize(
    ("moved", "before", "expected"),
    [
        ("d", "a", "dabc"),
        ("d", "b", "adbc"),
        ("a", None, "bcda"),
        ("a", "d", "bcad"),
        ("ca", "d", "bcad"),
        ("db", None, "acdb"),
        ("ab", "b", "abcd"),
        ("abcd", "c", "abcd"),
    ],
)
def test_siblings_stand_as_they_were_dropped(level, moved, before, expected):
    entities = {name: level.entity(name) for name in "abcd"}
    chosen = [entities[name] for name in moved]
    if "".join(level.names()) == expected:
        level.push(Reorder(chosen, None, entities.get(before)))
        assert level.history.count == 0
    else:
        level.check_laws(Reorder(chosen, None, entities.get(before)))
    assert "".join(level.names()) == expected


def test_a_drop_between_moves_and_orders_in_one_step(level):
    parent = level.entity("parent", None, placed((1, 1, 1)))
    for name in "abc":
        level.entity(name, parent)
    guest = level.entity("guest", None, placed((7, 0, 0)))
    before = level.matrix(guest)
    b = children(level.world, parent)[1]
    level.check_laws(Reorder([guest], parent, b))
    assert level.names(parent) == ["a", "guest", "b", "c"]
    assert np.allclose(level.matrix(guest), before)
    assert level.history.count == 1


def test_before_one_that_is_no_child_is_refused(level):
    parent, a, b = level.entity("parent"), level.entity("a"), level.entity("b")
    level.check_refused(Reorder([a], parent, b), SceneError, "no child")


def test_few_ranks_are_written(level):
    entities = [level.entity(str(i)) for i in range(20)]
    level.push(Reorder([entities[10]], None, entities[1]))
    ranked = [e for e in entities if level.world.has(e, Order)]
    assert len(ranked) == 2
    level.push(Reorder([entities[11]], None, entities[1]))
    assert level.names()[:4] == ["0", "10", "11", "1"]
    assert sum(level.world.has(e, Order) for e in entities) == 3


@given(
    st.lists(st.integers(-3000, 3000), max_size=8),
    st.integers(1, 4),
    st.lists(st.integers(-3000, 3000), max_size=8),
)
def test_new_ranks_order_every_run(left, n, right):
    ranks = sorted([*left, *right])
    left, right = ranks[: len(left)], ranks[len(left) :]
    result = [*left, *([None] * n), *right]
    for place, rank in new_ranks(left, n, right).items():
        result[place] = rank
    start, end = len(left), len(left) + n
    assert None not in result
    assert result == sorted(result)
    moved = result[start:end]
    assert len(set(moved)) == n
    assert start == 0 or result[start - 1] < result[start]
    assert end == len(result) or result[end - 1] < result[end]


def test_a_group_stands_in_the_middle_under_the_same_parent(level):
    parent = level.entity("parent", None, placed((10, 0, 0), QUARTER))
    a = level.entity("a", parent, placed((1, 0, 0)))
    b = level.entity("b", parent, placed((3, 0, 0)))
    before = [level.matrix(e) for e in (a, b)]
    command = level.check_laws(Group([a, b]))
    assert level.names(parent) == ["Group"]
    assert children(level.world, command.entity) == [a, b]
    assert np.allclose([level.matrix(e) for e in (a, b)], before, atol=1e-5)
    middle = np.mean([m[:3, 3] for m in before], axis=0)
    assert np.allclose(level.matrix(command.entity)[:3, 3], middle, atol=1e-5)
    assert level.context.selection == [command.entity]


def test_a_group_stands_where_its_first_member_stood_where_there_is_room(level):
    parent = level.entity("parent")
    ranks = (Order(1000 * i) for i in range(4))
    a, b, c, _ = (
        level.entity(name, parent, rank) for name, rank in zip("abcd", ranks, strict=True)
    )
    level.check_laws(Group([c, b]))
    assert level.names(parent) == ["a", "Group", "d"]
    level.check_laws(Group([a]))
    assert level.names(parent) == ["Group 2", "Group", "d"]
    level.push(Reorder([c], parent))
    level.check_laws(Group([c]))
    assert level.names(parent) == ["Group 2", "Group", "d", "Group 3"]


def test_nothing_is_not_grouped(level):
    level.check_refused(Group([]), SceneError, "nothing is selected")


def test_reparenting_is_named_in_the_change_set(level):
    parent, child = level.entity("parent"), level.entity("child")
    level.push(Reparent([child], parent))
    assert level.context.changes.take().reparented == (child,)
    level.history.undo()
    assert level.context.changes.take().reparented == (child,)


def test_null_is_the_top(level):
    parent = level.entity("parent")
    child = level.entity("child", parent)
    level.check_laws(Reparent([child], Entity.null()))
    assert level.names() == ["parent", "child"]


def test_the_sign_of_a_zero_comes_back_too(level):
    parent = level.entity("a")
    child = level.entity("b", parent, LocalTransform((0.0, 0.0, -0.0)))
    level.check_laws(Reparent([child], None, True))
