from editor.commands import SelectEntities, SetHidden, SetLocked


def test_a_selection_is_a_step_that_never_makes_dirty(level):
    a, b = level.entity("a"), level.entity("b")
    level.check_laws(SelectEntities([b, a]))
    assert level.context.selection.active == a
    assert not level.history.is_dirty
    level.push(SelectEntities([b, a]))
    assert level.history.count == 1
    level.check_laws(SelectEntities([]))
    assert level.history.labels == ["Select 2 entities", "Deselect"]


def test_hiding_and_locking_are_steps_that_never_make_dirty(level):
    a, b = level.entity("a"), level.entity("b")
    level.check_laws(SetHidden([a], True))
    command = level.check_laws(SetHidden([a, b], True))
    assert command.label == "Hide b"
    level.check_laws(SetLocked([b], True))
    assert level.context.marks.hidden == {a, b}
    assert level.context.marks.locked == {b}
    level.push(SetLocked([b], True))
    assert (level.history.count, level.history.is_dirty) == (3, False)
    level.context.changes.take()
    level.history.undo()
    assert level.context.changes.take().marks == (b,)


def test_undoing_a_hide_shows_only_what_it_hid(level):
    a, b = level.entity("a"), level.entity("b")
    level.push(SetHidden([a], True))
    level.push(SetHidden([a, b], True))
    level.history.undo()
    assert level.context.marks.hidden == {a}


def test_dragging_a_box_is_one_selection_step(level):
    entities = [level.entity(str(i)) for i in range(5)]
    with level.history.begin_gesture("Select"):
        for i in range(1, 6):
            level.push(SelectEntities(entities[:i]))
    assert level.history.count == 1
    level.history.undo()
    assert len(level.context.selection) == 0


def test_one_that_ends_where_it_began_is_no_step(level):
    a = level.entity("a")
    with level.history.begin_gesture("Select"):
        level.push(SelectEntities([a]))
        level.push(SelectEntities([]))
    assert level.history.count == 0
