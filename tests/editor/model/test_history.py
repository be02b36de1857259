"""The laws of the history, on commands that only keep a list."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editor.model.history import CommandHistory
from engine.errors import EngineError

FORGOTTEN = []


class Put:
    """Sets `state[key]`; mergeable with a later one of the same key."""

    def __init__(self, key, value, affects_level=True, cost=10, fails=False):
        self.label = f"put {key}"
        self.key, self.value = key, value
        self.affects_level, self.cost, self.fails = affects_level, cost, fails
        self.before = None

    @property
    def is_empty(self):
        return self.before == self.value

    def apply(self, state):
        if self.fails:
            raise EngineError("refused")
        self.before = state.get(self.key)
        state[self.key] = self.value

    def revert(self, state):
        if self.before is None:
            del state[self.key]
        else:
            state[self.key] = self.before

    def absorb(self, later):
        if isinstance(later, Put) and later.key == self.key:
            self.value = later.value
            return True
        return False

    def forget(self, state, was_applied):
        FORGOTTEN.append((self.key, self.value, was_applied))


class Stubborn(Put):
    def revert(self, state):
        raise EngineError("can't be taken back")


@pytest.fixture
def state():
    return {}


@pytest.fixture
def history(state):
    return CommandHistory(state)


def test_undo_and_redo_move_the_index_by_one(history, state):
    history.push(Put("a", 1))
    history.push(Put("a", 2))
    assert (history.index, history.count, history.labels) == (2, 2, ["put a", "put a"])
    history.undo()
    assert (history.index, state) == (1, {"a": 1})
    history.redo()
    assert (history.index, state) == (2, {"a": 2})


def test_undo_at_the_start_and_redo_at_the_end_raise(history):
    with pytest.raises(EngineError):
        history.undo()
    with pytest.raises(EngineError):
        history.redo()
    assert history.index == 0


def test_a_failed_push_changes_nothing_and_keeps_the_redo_tail(history, state):
    history.push(Put("a", 1))
    history.undo()
    with pytest.raises(EngineError):
        history.push(Put("a", 2, fails=True))
    assert (history.index, history.count, state) == (0, 1, {})
    history.redo()
    assert state == {"a": 1}


def test_a_failed_undo_moves_nothing(history, state):
    history.push(Stubborn("a", 1))
    with pytest.raises(EngineError):
        history.undo()
    assert (history.index, state) == (1, {"a": 1})


def test_a_push_after_an_undo_cuts_the_redo_tail(history):
    history.push(Put("a", 1))
    history.undo()
    history.push(Put("b", 1))
    assert history.labels == ["put b"]
    assert not history.can_redo


def test_a_push_that_changes_nothing_is_no_step_and_keeps_the_tail(history):
    history.push(Put("a", 1))
    history.push(Put("a", 2))
    history.undo()
    history.push(Put("a", 1))
    assert (history.index, history.count) == (1, 2)


def test_undo_back_to_the_saved_step_is_clean(history):
    history.push(Put("a", 1))
    history.mark_saved()
    assert not history.is_dirty
    history.push(Put("a", 2))
    assert history.is_dirty
    history.undo()
    assert not history.is_dirty
    history.undo()
    assert history.is_dirty
    history.redo()
    assert not history.is_dirty


def test_steps_that_do_not_affect_the_level_never_make_it_dirty(history):
    history.mark_saved()
    history.push(Put("selection", 1, affects_level=False))
    assert (history.index, history.is_dirty) == (1, False)


def test_the_saved_mark_goes_with_the_tail_that_held_it(history):
    history.push(Put("a", 1))
    history.mark_saved()
    history.undo()
    history.push(Put("b", 1))
    assert history.is_dirty
    history.undo()
    assert history.is_dirty


def test_the_saved_mark_stays_when_only_selections_were_cut(history):
    history.push(Put("a", 1))
    history.push(Put("selection", 1, affects_level=False))
    history.mark_saved()
    history.undo()
    history.push(Put("selection", 2, affects_level=False))
    assert not history.is_dirty
    history.undo()
    assert not history.is_dirty


def test_sixty_changes_in_a_drag_are_one_step(history, state):
    history.push(Put("x", 0))
    for start in (0, 100):
        gesture = history.begin_gesture("Drag")
        for i in range(60):
            history.push(Put("x", start + i + 1))
        gesture.commit()
    assert (history.index, history.labels[1:]) == (3, ["Drag", "Drag"])
    history.undo()
    assert state == {"x": 60}
    history.undo()
    assert state == {"x": 0}


def test_equal_edits_outside_a_gesture_stay_separate(history):
    history.push(Put("x", 1))
    history.push(Put("x", 2))
    assert history.count == 2


def test_a_cancelled_gesture_restores_and_keeps_the_redo_tail(history, state):
    history.push(Put("x", 1))
    history.push(Put("x", 2))
    history.undo()
    gesture = history.begin_gesture("Drag")
    history.push(Put("x", 7))
    history.push(Put("y", 7))
    gesture.cancel()
    assert (state, history.index, history.count) == ({"x": 1}, 1, 2)
    history.redo()
    assert state == {"x": 2}


def test_a_gesture_that_comes_back_to_its_start_is_no_step(history):
    history.push(Put("x", 1))
    with history.begin_gesture("Drag"):
        history.push(Put("x", 5))
        history.push(Put("x", 1))
    assert history.count == 1


def test_an_exception_in_a_gesture_takes_it_back(history, state):
    with pytest.raises(EngineError), history.begin_gesture("Two"):
        history.push(Put("x", 1))
        history.push(Put("y", 1, fails=True))
    assert (state, history.count) == ({}, 0)


def test_a_gesture_inside_a_gesture_is_part_of_it(history, state):
    with history.begin_gesture("Outer"):
        history.push(Put("a", 1))
        with history.begin_gesture("Inner"):
            history.push(Put("b", 1))
        inner = history.begin_gesture("Cancelled")
        history.push(Put("c", 1))
        inner.cancel()
    assert (state, history.labels) == ({"a": 1, "b": 1}, ["Outer"])
    history.undo()
    assert state == {}


def test_an_open_gesture_is_committed_by_undo(history, state):
    gesture = history.begin_gesture("Drag")
    history.push(Put("x", 1))
    history.undo()
    gesture.commit()
    assert (state, history.index, history.count) == ({}, 0, 1)


def test_a_gesture_whose_step_is_the_last_can_be_gone_on_with(state):
    told = []
    history = CommandHistory(state, on_step=lambda event, step: told.append((event, step.label)))
    gesture = history.begin_gesture("Drag")
    history.push(Put("a", 1))
    assert not gesture.reopen(), "it is open"
    gesture.commit()
    assert gesture.reopen()
    history.push(Put("b", 2))
    gesture.commit()
    assert (history.labels, history.index, state) == (["Drag"], 1, {"a": 1, "b": 2})
    assert told == [("made", "Drag"), ("undone", "Drag"), ("made", "Drag")]
    history.undo()
    assert state == {}
    assert not gesture.reopen(), "it is undone"
    history.redo()
    history.push(Put("c", 3))
    assert not gesture.reopen(), "there is a later step"
    assert state == {"a": 1, "b": 2, "c": 3}


def test_what_was_saved_is_not_the_level_any_more_when_its_last_step_goes_on(history, state):
    gesture = history.begin_gesture("Drag")
    history.push(Put("a", 1))
    gesture.commit()
    history.mark_saved()
    assert gesture.reopen()
    history.push(Put("a", 2))
    gesture.commit()
    assert history.is_dirty
    history.undo()
    assert history.is_dirty, "the file has what is not there now"


def test_a_gesture_makes_the_level_dirty_at_once(history):
    gesture = history.begin_gesture("Drag")
    history.push(Put("x", 1))
    assert history.is_dirty
    gesture.cancel()
    assert not history.is_dirty


def test_the_oldest_steps_go_when_there_are_too_many_bytes(state):
    history = CommandHistory(state, limit=35)
    for i in range(10):
        history.push(Put("x", i))
    assert (history.count, history.index, history.cost) == (3, 3, 30)
    assert history.dropped == 7
    assert history.is_dirty
    while history.can_undo:
        history.undo()
    assert state == {"x": 6}
    assert history.is_dirty


def test_one_step_stays_however_big_it_is(state):
    history = CommandHistory(state, limit=1)
    history.push(Put("x", 1))
    assert history.count == 1


def test_jump_goes_to_any_step(history, state):
    for i in range(4):
        history.push(Put("x", i))
    history.jump(1)
    assert (state, history.index) == ({"x": 0}, 1)
    history.jump(4)
    assert state == {"x": 3}
    with pytest.raises(EngineError):
        history.jump(5)


def test_every_call_reports_once_at_least(state):
    calls = []
    history = CommandHistory(state, on_change=lambda: calls.append(1))
    history.push(Put("x", 1))
    history.undo()
    history.redo()
    history.mark_saved()
    assert len(calls) == 4


@given(st.lists(st.sampled_from(["push", "undo", "redo", "save", "select", "drag", "cancel"])))
def test_dirty_is_what_a_comparison_would_say(actions):
    state, saved = {}, {}
    history = CommandHistory(state)
    level = lambda: {k: v for k, v in state.items() if k != "selection"}
    for value, action in enumerate(actions, start=1):
        if action == "push":
            history.push(Put("x", value))
        elif action == "select":
            history.push(Put("selection", value, affects_level=False))
        elif action == "undo" and history.can_undo:
            history.undo()
        elif action == "redo" and history.can_redo:
            history.redo()
        elif action == "save":
            history.mark_saved()
            saved = level()
        elif action in ("drag", "cancel"):
            gesture = history.begin_gesture("Drag")
            history.push(Put("x", value))
            gesture.commit() if action == "drag" else gesture.cancel()
        assert history.is_dirty == (level() != saved)


def test_steps_that_will_not_be_called_again_are_told_so(history, state):
    FORGOTTEN.clear()
    history.push(Put("x", 1))
    history.push(Put("x", 2))
    history.undo()
    history.push(Put("x", 3))
    assert FORGOTTEN == [("x", 2, False)]
    history.limit = 1
    history.push(Put("x", 4))
    assert FORGOTTEN[1:] == [("x", 1, True), ("x", 3, True)]
    gesture = history.begin_gesture("Drag")
    history.push(Put("y", 5))
    gesture.cancel()
    assert FORGOTTEN[3:] == [("y", 5, False)]


def test_every_step_is_told_of_and_nothing_inside_a_gesture():
    state, told = {}, []
    history = CommandHistory(state, on_step=lambda event, step: told.append((event, step.label)))
    history.push(Put("x", 1))
    with history.begin_gesture("Drag"):
        history.push(Put("x", 2))
        history.push(Put("y", 2))
    history.undo()
    history.redo()
    gesture = history.begin_gesture("Drag")
    history.push(Put("x", 3))
    gesture.cancel()
    assert [event for event, _ in told] == ["made", "made", "undone", "redone"]
    assert told[1][1] == "Drag"
