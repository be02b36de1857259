"""The world: handles, tables, bulk access, queries and deferred changes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.ecs import ComponentError, Entity, EntityError, QuerySpec, World
from engine.reflect import SceneComponent, Vec3, component


@component(id=20)
class Position(SceneComponent):
    at: Vec3 = (0, 0, 0)
    label: str = ""


@component(id=21)
class Speed(SceneComponent):
    value: float = 1.0


@component(id=22)
class Frozen(SceneComponent):
    pass


class Inventory(SceneComponent):
    def __init__(self, items=()):
        self.items = list(items)


@component(id=23)
class Under(SceneComponent):
    hierarchy_link = "entity"
    entity: Entity = Entity.null()


def test_values_are_copies():
    world = World()
    value = Position((1, 2, 3))
    e = world.spawn(value, Inventory(["a"]))
    value.at[0] = 9
    world.get(e, Position).at[1] = 9
    world.get(e, Inventory).items.append("b")
    assert world.get(e, Position).at.tolist() == [1, 2, 3]
    assert world.get(e, Inventory).items == ["a"]


def test_adding_and_removing_moves_between_archetypes_and_keeps_values():
    world = World()
    a, b = world.spawn(Position((1, 0, 0), "a")), world.spawn(Position((2, 0, 0), "b"))
    world.add(a, Speed(5))
    world.add(a, Frozen())
    world.remove(a, Frozen)
    assert world.get(a, Position) == Position((1, 0, 0), "a")
    assert world.get(b, Position).label == "b"
    assert world.get(a, Speed).value == 5
    world.add(a, Speed(6))
    assert world.get(a, Speed).value == 6


def test_several_are_added_or_replaced_at_once():
    world = World()
    entity = world.spawn(Position((1, 0, 0), "a"))
    tables = len(world.tables)
    world.add(entity, Position((2, 0, 0), "b"), Speed(5), Frozen())
    assert len(world.tables) == tables + 1
    assert world.get(entity, Position) == Position((2, 0, 0), "b")
    assert world.get(entity, Speed).value == 5
    assert world.has(entity, Frozen)
    other = world.spawn(Position((1, 0, 0), "a"))
    with pytest.raises(ComponentError, match="given twice"):
        world.add(other, Position((9, 0, 0), "c"), Speed(5), Speed(6))
    assert world.get(other, Position).label == "a"
    assert not world.has(other, Speed)


def test_stale_and_null_handles():
    world = World()
    e = world.spawn(Position())
    world.despawn(e)
    again = world.spawn(Position())
    assert again.index == e.index
    assert again != e
    for handle in (e, Entity.null(), Entity.of(999, 1)):
        assert not world.alive(handle)
        assert not world.has(handle, Position)
        with pytest.raises(EntityError):
            world.get(handle, Position)
        with pytest.raises(EntityError):
            world.despawn(handle)


def test_alive_and_has_answer_with_a_bool_of_python():
    world = World()
    entity = world.spawn()
    assert world.alive(entity) is True
    world.despawn(entity)
    assert world.alive(entity) is False
    assert world.has(entity, SceneComponent) is False


def test_a_negative_number_of_entities_is_refused():
    world = World()
    with pytest.raises(ComponentError, match="-1"):
        world.spawn_many(-1, {})
    assert len(world) == 0
    assert world.spawn().index == 0


def test_absent_components_and_doubles_are_refused():
    world = World()
    e = world.spawn(Position())
    for call in (world.get, world.remove):
        with pytest.raises(ComponentError, match="has no Speed"):
            call(e, Speed)
    with pytest.raises(ComponentError):
        world.set(e, Speed())
    with pytest.raises(ComponentError, match="twice"):
        world.spawn(Speed(), Speed())
    with pytest.raises(ComponentError):
        world.spawn("not a component")
    assert len(world) == 1


def test_a_reserved_handle_comes_back_as_itself_in_its_place():
    world = World()
    first, second = world.spawn(Position()), world.spawn(Position())
    serial = world.serial(first)
    world.despawn(first, reserve=True)
    stranger = world.spawn(Position())
    assert stranger.index != first.index
    assert not world.alive(first)
    world.restore(first, Speed(3))
    assert world.alive(first)
    assert world.serial(first) == serial < world.serial(second)
    with pytest.raises(EntityError, match="in use"):
        world.restore(first, Speed())
    world.despawn(first, reserve=True)
    world.forget(first)
    with pytest.raises(EntityError):
        world.restore(first, Speed())
    assert world.spawn().index == first.index


def test_spawn_many_takes_columns_and_is_all_or_nothing():
    world = World()
    e = world.spawn_many(3, {Position: {"at": np.arange(9).reshape(3, 3), "label": list("abc")}})
    assert world.get(Entity(e[1]), Position) == Position((3, 4, 5), "b")
    for bad in ({"at": np.zeros((2, 3))}, {"label": ["a"]}, {"nope": [1, 2, 3]}):
        with pytest.raises(ComponentError):
            world.spawn_many(3, {Position: bad})
    with pytest.raises(ComponentError):
        world.spawn_many(2, {Inventory: {}})
    assert len(world) == 3


def test_reserved_handles_come_alive_in_bulk():
    world = World()
    handles = world.reserve_many(4)
    assert len(world) == 0
    world.restore_many(handles[::2], {Speed: {"value": [1.0, 2.0]}})
    world.restore_many(handles[1::2], {Position: {}})
    assert [world.serial(Entity(h)) for h in handles] == sorted(
        world.serial(Entity(h)) for h in handles
    )
    with pytest.raises(EntityError):
        world.restore_many(handles[:1], {Speed: {}})
    tables, rows = world.locate(np.append(handles, 0))
    assert rows.tolist() == [0, 0, 1, 1, -1]
    assert tables[-1] == -1


def test_columns_are_live_and_views_are_read_only():
    world = World()
    e = world.spawn(Position((1, 1, 1), "x"))
    (table,) = QuerySpec(Position).tables(world)
    before = world.version(Position)
    table.column(Position, "at")[:, 0] = 7
    assert world.get(e, Position).at[0] == 7
    assert world.version(Position) > before
    view = table.view(Position, "at")
    assert world.version(Position) == table.loaned(Position)
    with pytest.raises(ValueError, match="read-only"):
        view[0] = 0
    assert table.column(Position, "label") == ["x"]
    with pytest.raises(ComponentError, match="Speed"):
        table.column(Speed, "value")


def test_ticks_tell_which_rows_were_written():
    world = World()
    a, b = world.spawn(Speed()), world.spawn(Speed())
    seen = world.tick
    world.set(b, Speed(2))
    (table,) = QuerySpec(Speed).tables(world)
    changed = table.entities[table.row_ticks(Speed) > seen]
    assert changed.tolist() == [b]
    table.write(Speed, "value", [0], [9.0])
    assert world.get(a, Speed).value == 9
    assert (table.row_ticks(Speed) > seen).all()


def test_moving_between_tables_is_no_change_of_the_other_components():
    world = World()
    e = world.spawn(Speed())
    seen = world.tick
    world.add(e, Frozen())
    table = world.table(world.locate(np.array([e]))[0][0])
    assert not (table.row_ticks(Speed) > seen).any()
    assert world.structure > seen


def test_queries_see_tables_that_appear_later():
    world, moving = World(), QuerySpec(Position, Speed, without=(Frozen,))
    assert list(moving.each(world)) == []
    a = world.spawn(Position(), Speed(2))
    world.spawn(Position(), Speed(), Frozen())
    ((entity, position, speed),) = moving.each(world)
    assert (entity, speed.value) == (a, 2)
    assert position == Position()
    assert moving.tables(world) is moving.tables(world)


def test_a_query_survives_changes_while_it_runs():
    world = World()
    for _ in range(10):
        world.spawn(Speed())
    visited = 0
    for entity, _ in QuerySpec(Speed).each(world):
        world.remove(entity, Speed)
        visited += 1
    assert visited == 10


def test_deferred_changes_apply_in_order_and_drop_the_dead():
    world = World()
    e, doomed = world.spawn(), world.spawn()
    ops = world.deferred
    new = ops.spawn(Speed(4))
    ops.add(new, Frozen())
    ops.add(e, Speed(1))
    ops.despawn(doomed)
    ops.add(doomed, Speed(2))
    ops.remove(e, Position)
    assert len(world) == 2
    assert not world.alive(new)
    assert ops.flush() == 6
    assert world.has(new, Frozen)
    assert world.get(e, Speed).value == 1
    assert not world.alive(doomed)
    assert ops.flush() == 0


def test_deferred_despawn_takes_the_subtree_even_a_cyclic_one():
    world = World()
    root = world.spawn()
    child = world.spawn(Under(root))
    grandchild = world.spawn(Under(child), Speed())
    other = world.spawn(Under(other := Entity.null()))
    world.add(root, Under(grandchild))
    world.deferred.despawn_recursive(root)
    world.deferred.flush()
    assert world.entities() == [other]


def test_resources_are_one_per_world():
    a, b = World(), World()
    assert a.resource("k", list) is a.resource("k", list)
    assert a.resource("k", list) is not b.resource("k", list)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 9)), max_size=60))
def test_the_world_agrees_with_a_dictionary(steps):
    world, model, dead = World(), {}, []
    for op, pick in steps:
        handles = list(model)
        target = handles[pick % len(handles)] if handles else None
        if op == 0 or target is None:
            model[world.spawn(Position((pick, 0, 0), str(pick)))] = {Position: (pick, str(pick))}
        elif op == 1:
            world.add(target, Speed(pick))
            model[target][Speed] = pick
        elif op == 2 and Speed in model[target]:
            world.remove(target, Speed)
            del model[target][Speed]
        elif op == 3:
            world.despawn(target)
            dead.append(target)
            del model[target]
        elif op == 4:
            world.despawn(target, reserve=True)
            world.restore(target, Position((pick, 0, 0), "back"))
            model[target] = {Position: (pick, "back")}
        elif op == 5:
            world.add(target, Frozen())
            model[target][Frozen] = None
    assert sorted(world.entities()) == sorted(model)
    for entity, carried in model.items():
        assert set(world.types(entity)) == set(carried)
        if Position in carried:
            value = world.get(entity, Position)
            assert (value.at[0], value.label) == carried[Position]
        if Speed in carried:
            assert world.get(entity, Speed).value == carried[Speed]
    assert not any(world.alive(entity) for entity in dead)


def test_bulk_restore_refuses_a_handle_given_twice():
    world = World()
    (handle,) = world.reserve_many(1)
    with pytest.raises(EntityError, match="twice"):
        world.restore_many(np.array([handle, handle]), {Speed: {}})
    assert len(world) == 0


def test_adding_to_many_moves_whole_rows_and_leaves_the_others():
    world = World()
    items = Inventory(["a"])
    found = [world.spawn(Position((i, 0, 0), str(i)), items) for i in range(6)]
    plain = [world.spawn(Speed(3)), world.spawn()]
    (table,) = (t for t in world.tables if Inventory in t)
    ticks = dict(zip(table.entities.tolist(), table.row_ticks(Position).tolist(), strict=True))
    some = [found[4], plain[1], found[1], found[2]]
    world.add_many(np.array(some), Under, {"entity": np.array(found[:4])})
    assert [world.get(e, Under).entity for e in some] == found[:4]
    for i, entity in enumerate(found):
        assert world.get(entity, Position) == Position((i, 0, 0), str(i))
        assert world.get(entity, Inventory).items == ["a"]
        assert world.has(entity, Under) == (entity in some)
    assert world.get(plain[0], Speed).value == 3
    for table in world.tables:
        if Position in table:
            after = zip(table.entities.tolist(), table.row_ticks(Position).tolist(), strict=True)
            assert all(ticks[entity] == tick for entity, tick in after)
    world.despawn(found[0])
    world.despawn(found[4])
    assert world.get(found[5], Position).label == "5"


@pytest.mark.parametrize("fault", ["dead", "twice", "has", "shape"])
def test_adding_to_many_is_all_or_nothing(fault):
    world = World()
    a, b = world.spawn(Speed(1)), world.spawn(Position())
    gone = world.spawn()
    world.despawn(gone)
    entities = {"dead": [a, gone], "twice": [a, a], "has": [a, b], "shape": [a]}[fault]
    values = {"at": np.zeros((2, 3))}
    with pytest.raises((EntityError, ComponentError)):
        world.add_many(np.array(entities), Position, values)
    assert world.types(a) == (Speed,)
    assert world.types(b) == (Position,)


def test_the_world_tells_who_moved_lately_or_that_it_does_not_know():
    world = World()
    a, b = world.spawn(Speed()), world.spawn()
    tick = world.tick
    assert world.moved_after(tick) == []
    world.set(a, Speed(2))
    assert world.moved_after(tick) == []
    world.add(b, Speed())
    world.despawn(a, reserve=True)
    (c,) = world.spawn_many(1, {Frozen: {}}).tolist()
    world.add_many(np.array([c]), Speed)
    world.restore(a)
    assert set(world.moved_after(tick)) == {a, b, c}
    later = world.tick
    world.remove(b, Speed)
    assert world.moved_after(later) == [b]
    world.spawn_many(5000, {})
    assert world.moved_after(later) is None
    assert world.moved_after(world.tick) == []
    world.despawn(b)
    assert world.moved_after(world.tick - 1) == [b]
