import pytest

from editor.commands import Despawn, Duplicate, SelectEntities, SetFields, Spawn
from editor.model.selection import Selection
from engine.errors import ComponentError, EntityError
from engine.reflect import ComponentRecord, Entity, Field, Kind
from engine.scene import (
    CameraComponent,
    GltfInstance,
    KeptRecords,
    LightSource,
    LocalTransform,
    Name,
    Order,
    Parent,
    Shape,
    children,
)


@pytest.mark.parametrize(
    ("components", "name"),
    [
        ([], "Entity"),
        ([LightSource(kind="spot")], "Spot light"),
        ([CameraComponent()], "Camera"),
        ([Shape(kind="torus")], "Torus"),
        ([GltfInstance(asset="props/town/crate_big.glb")], "crate_big"),
        ([Name("Given"), Shape()], "Given"),
    ],
)
def test_a_new_entity_has_a_name(level, components, name):
    command = level.check_laws(Spawn(components))
    assert level.world.get(command.entity, Name).text == name


def test_a_name_that_was_not_given_is_new_among_its_siblings(level):
    parent = level.entity("parent")
    for expected in ("Entity", "Entity 2", "Entity 3"):
        command = level.push(Spawn([], parent))
        assert level.world.get(command.entity, Name).text == expected
    level.push(Spawn([]))
    assert level.names() == ["parent", "Entity"]


def test_a_spawned_entity_comes_back_as_itself_at_its_place(level):
    parent = level.entity("parent")
    first = level.push(Spawn([Name("first")], parent)).entity
    level.push(Spawn([Name("second")], parent))
    level.push(SetFields([first], Name, {"text": "renamed"}))
    for _ in range(3):
        level.history.undo()
    assert children(level.world, parent) == []
    for _ in range(3):
        level.history.redo()
    assert level.world.get(first, Name).text == "renamed"
    assert level.names(parent) == ["renamed", "second"]


def test_spawning_can_select_in_the_same_step(level):
    command = level.check_laws(Spawn([], select=True))
    assert level.context.selection == [command.entity]
    assert level.history.count == 1


def test_what_can_not_be_spawned_changes_nothing(level):
    level.check_refused(Spawn([Name("a"), Name("b")]), ComponentError)
    level.check_refused(Spawn([], Entity.of(99, 1)), EntityError)
    level.check_refused(Spawn([Parent(Entity.of(99, 1))]), EntityError)
    assert level.world.spawn().index == 0


def test_deleting_takes_everything_below(level):
    top = level.entity("top")
    middle = level.entity("middle", top)
    leaf = level.entity("leaf", middle)
    other = level.entity("other")
    level.push(SelectEntities([leaf, other]))
    command = level.check_laws(Despawn([leaf, top]))
    assert command.label == "Delete 2 entities"
    assert level.names() == ["other"]
    assert level.context.selection == [other]
    level.history.undo()
    assert level.context.selection == [leaf, other]


def test_the_first_of_three_siblings_comes_back_first_with_links_to_it(level):
    door = level.entity("door")
    key = level.entity("key")
    link = ComponentRecord("Opens", [Field.of("door", Kind.ENTITY, door)])
    level.world.add(key, KeptRecords([(1, link)]))
    level.entity("lamp")
    child = level.entity("handle", door)
    level.push(SelectEntities([door]))
    level.push(SetFields([door], Name, {"text": "gate"}))
    level.check_laws(Despawn([door]))
    assert len(level.context.selection) == 0
    level.history.undo()
    level.history.undo()
    assert level.names() == ["door", "key", "lamp"]
    assert children(level.world, door) == [child]
    assert level.context.selection == [door]
    assert "door=#0" in level.text()
    level.history.redo()
    assert level.world.get(door, Name).text == "gate"


def test_a_freed_slot_is_not_given_to_a_stranger(level):
    a = level.entity("a")
    level.push(Despawn([a]))
    strangers = [level.world.spawn(Name(f"s{i}")) for i in range(4)]
    level.history.undo()
    assert level.world.get(a, Name).text == "a"
    assert a not in strangers


def test_a_dead_entity_is_not_deleted_again(level):
    a = level.entity("a")
    level.world.despawn(a)
    level.check_refused(Despawn([a]), EntityError)


def test_a_copy_stands_beside_its_original_under_a_new_name(level):
    parent = level.entity("parent")
    crate = level.entity("Crate", parent, LocalTransform((1, 2, 3)), Order(5))
    level.entity("lid", crate)
    command = level.check_laws(Duplicate([crate]))
    [copy] = command.copies
    assert level.names(parent) == ["Crate", "Crate 2"]
    assert level.names(copy) == ["lid"]
    assert level.world.get(copy, LocalTransform) == level.world.get(crate, LocalTransform)
    assert level.context.selection == [copy]
    level.push(Duplicate([copy]))
    assert level.names(parent) == ["Crate", "Crate 2", "Crate 3"]


def test_copies_stand_behind_the_last_of_their_originals_where_there_is_room(level):
    parent = level.entity("parent")
    a, b, c = (level.entity(name, parent, Order(1000 * i)) for i, name in enumerate("abc"))
    level.check_laws(Duplicate([a]))
    assert level.names(parent) == ["a", "a 2", "b", "c"]
    level.check_laws(Duplicate([b, a]))
    assert level.names(parent) == ["a", "a 2", "b", "a 3", "b 2", "c"]
    level.push(Duplicate([c]))
    assert level.names(parent)[-2:] == ["c", "c 2"]


@pytest.mark.parametrize("ranks", [None, 1])
def test_a_copy_moves_no_sibling_aside(level, ranks):
    parent = level.entity("parent")
    order = [() if ranks is None else (Order(i * ranks),) for i in range(9)]
    row = [level.entity(f"e{i}", parent, *order[i]) for i in range(9)]
    before = level.text()
    level.push(Duplicate([row[3]]))
    assert level.names(parent).index("e3 2") == (9 if ranks is None else 4)
    assert level.text().startswith(before)


def test_links_inside_a_copy_lead_to_the_copy_and_others_stay(level):
    outside = level.entity("outside")
    arm = level.entity("arm")
    hand = level.entity("hand", arm)
    fields = [Field.of("own", Kind.ENTITY, hand), Field.of("other", Kind.ENTITY, outside)]
    level.world.add(arm, KeptRecords([(1, ComponentRecord("Links", fields))]))
    [copy] = level.check_laws(Duplicate([arm])).copies
    own, other = level.world.get(copy, KeptRecords).records[0][1].fields
    assert Entity(own.integer) == children(level.world, copy)[0]
    assert Entity(other.integer) == outside


def test_an_entity_and_what_is_below_it_are_copied_once(level):
    top = level.entity("top")
    below = level.entity("below", top)
    command = level.check_laws(Duplicate([below, top]))
    assert len(command.copies) == 1
    assert level.names() == ["top", "top 2"]


def test_selecting_the_dead_is_refused(level):
    a = level.entity("a")
    level.push(SelectEntities([a]))
    level.world.despawn(a)
    with pytest.raises(Exception, match="not in the level"):
        level.push(SelectEntities([a]))
    assert level.context.selection == Selection([a])
