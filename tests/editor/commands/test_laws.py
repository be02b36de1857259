"""Any sequence of commands: undo all, redo all, and refused ones that change nothing."""

from hypothesis import given, settings
from hypothesis import strategies as st

from editor.commands import (
    AddComponent,
    Despawn,
    Duplicate,
    Group,
    Paste,
    RemoveComponent,
    Reorder,
    Reparent,
    ResetField,
    SelectEntities,
    SetFieldEach,
    SetFields,
    SetHidden,
    Spawn,
)
from editor.commands.copying import clipboard_document
from engine.errors import EngineError
from engine.reflect import Entity
from engine.scene import Enabled, LightSource, LocalTransform, Name, Parent

NUMBER = st.floats(-10, 10, width=32)


def commands(level, draw):
    """One command over the entities that are there, which may well be refused."""
    world = level.world
    alive = sorted(world.entities(), key=world.serial)
    some = draw(st.lists(st.sampled_from(alive), max_size=4)) if alive else []
    one = draw(st.sampled_from([Entity.null(), *alive]))
    other = draw(st.sampled_from([Entity.null(), *alive]))
    vector = (draw(NUMBER), draw(NUMBER), draw(NUMBER))
    kinds = {
        "spawn": lambda: Spawn([LocalTransform(vector)], one, draw(st.booleans())),
        "light": lambda: Spawn([LightSource()], one),
        "move": lambda: SetFields(some, LocalTransform, {"translation": vector}),
        "scale": lambda: SetFields(some, LocalTransform, {"scale": vector}),
        "name": lambda: SetFieldEach(some, Name, "text", [f"n{i}" for i in range(len(some))]),
        "parent": lambda: SetFields(some, Parent, {"entity": one}),
        "reset": lambda: ResetField(some, LocalTransform, "scale"),
        "add": lambda: AddComponent(some, Enabled(False)),
        "remove": lambda: RemoveComponent(some, draw(st.sampled_from(["Enabled", "Parent"]))),
        "delete": lambda: Despawn(some),
        "duplicate": lambda: Duplicate(some),
        "reparent": lambda: Reparent(some, one, draw(st.booleans())),
        "order": lambda: Reorder(some, one, other),
        "group": lambda: Group(some),
        "select": lambda: SelectEntities(some),
        "hide": lambda: SetHidden(some, draw(st.booleans())),
        "paste": lambda: Paste(clipboard_document(level.context, "id"), "id"),
    }
    return kinds[draw(st.sampled_from(sorted(kinds)))]()


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_undo_all_and_redo_all(make_level, data):
    level = make_level()
    level.entity("b", level.entity("a"))
    states = [level.state()]
    for _ in range(data.draw(st.integers(1, 12))):
        before, count = level.state(), level.history.count
        try:
            level.push(commands(level, data.draw))
        except EngineError:
            assert level.state() == before
            assert level.history.count == count
        if level.history.count > count:
            states.append(level.state())
    for state in states[-2::-1]:
        level.history.undo()
        assert level.state() == state
    for state in states[1:]:
        level.history.redo()
        assert level.state() == state


@settings(max_examples=30, deadline=None)
@given(st.data())
def test_a_gesture_of_any_commands_is_one_step_or_none(make_level, data):
    level = make_level()
    level.entity("b", level.entity("a"))
    before = level.state()
    gesture = level.history.begin_gesture("Gesture")
    for _ in range(data.draw(st.integers(1, 8))):
        try:
            level.push(commands(level, data.draw))
        except EngineError:
            continue
    after = level.state()
    if data.draw(st.booleans()):
        gesture.cancel()
        assert (level.state(), level.history.count) == (before, 0)
    else:
        gesture.commit()
        assert level.history.count <= 1
        if level.history.count:
            level.history.undo()
            assert level.state() == before
            level.history.redo()
        assert level.state() == after
