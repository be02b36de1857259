"""Steps as another session carries them out: the same level, whatever the steps were."""

import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from editor.commands import (
    Despawn,
    Duplicate,
    Group,
    Reparent,
    SelectEntities,
    SetFields,
    SetHidden,
    Spawn,
)
from editor.commands.entity_keys import EntityKeys
from editor.commands.replay import Replay
from editor.commands.step_codec import encode_step
from editor.model.history import CommandHistory
from editor.model.journal import Entry, EntryKind, replay
from editor.model.journal_steps import JournalSteps
from engine.errors import EngineError, SceneError
from engine.reflect import ComponentRecord, Entity, Field, Kind
from engine.scene import KeptRecords, LocalTransform, Name
from tests.editor.commands.test_laws import commands


class Session:
    """A level whose history is written down, and a copy of it as it was at the beginning."""

    def __init__(self, make_level):
        self.make_level = make_level
        self.level = make_level()
        self.copy = make_level()
        for level in (self.level, self.copy):
            a = level.entity("a")
            level.entity("b", a)
            link = Field.of("to", Kind.ENTITY, int(a))
            wind = ComponentRecord("Wind", [link, Field.of("f", Kind.FLOAT, np.float32("nan"))])
            level.entity("c", None, KeptRecords([(1, wind)]))
        self.base = self.level.world.entities()
        self.entries = []
        self.keys = self.new_keys(self.base)
        self.begin()

    def new_keys(self, base):
        index = {e: i for i, e in enumerate(base)}
        return EntityKeys(
            lambda e: index.get(e, -1), lambda i: base[i] if i < len(base) else Entity.null()
        )

    def begin(self):
        self.steps = JournalSteps()
        history = CommandHistory(self.level.context, on_step=self.note)
        self.level.history = history

    def note(self, event, step):
        kind = self.steps.note(event, step)
        payload = b""
        if kind is EntryKind.STEP:
            payload = encode_step(self.level.context, self.keys, step, undone=event == "undone")
        self.entries.append(Entry(kind, step.affects_level, payload))

    def replayed(self):
        keys = self.new_keys(self.copy.world.entities())
        count, error = replay(
            self.entries,
            self.copy.history,
            lambda entry: Replay(entry.payload, keys, lambda: None),
        )
        assert (count, error) == (len(self.entries), None)
        return self.copy


def seen(level):
    """All that a person sees of a level, without handles."""
    marks = level.context.marks
    return (
        level.text(),
        [level.world.get(e, Name).text for e in level.context.selection],
        sorted(level.world.get(e, Name).text for e in marks.hidden if level.world.alive(e)),
    )


@pytest.fixture
def session(make_level):
    return Session(make_level)


def test_a_session_comes_back_step_by_step(session):
    level = session.level
    a, b, c = session.base
    new = level.push(Spawn([LocalTransform((1, 2, 3))], parent=b, select=True)).entity
    level.push(SetFields([new, b], LocalTransform, {"translation": (4, 5, 6)}))
    level.push(SelectEntities([c, new]))
    level.push(Group([c, new]))
    level.push(SetHidden([a], True))
    level.history.undo()
    level.history.undo()
    level.history.redo()
    copies = level.push(Duplicate([a])).copies
    level.push(Despawn([b]))
    level.push(Reparent(copies, a, True))
    copy = session.replayed()
    assert seen(copy) == seen(level)
    assert copy.history.labels == level.history.labels
    assert copy.history.index == level.history.index
    while level.history.index:
        level.history.undo()
        copy.history.undo()
        assert seen(copy) == seen(level)


def test_a_gesture_is_one_step_and_a_cancelled_one_none(session):
    level = session.level
    a, b, _ = session.base
    with level.history.begin_gesture("Place"):
        made = level.push(Spawn([LocalTransform()])).entity
        for i in range(5):
            level.push(SetFields([made, b], LocalTransform, {"translation": (i, 0, 0)}))
        group = level.push(Group([made])).entity
        level.push(Reparent([made], a, True))
        level.push(Despawn([group]))
    gesture = level.history.begin_gesture("Drag")
    level.push(SetFields([a], LocalTransform, {"translation": (9, 9, 9)}))
    gesture.cancel()
    assert len(session.entries) == 1
    copy = session.replayed()
    assert seen(copy) == seen(level)
    copy.history.undo()
    level.history.undo()
    assert seen(copy) == seen(level)


def test_what_hangs_under_an_entity_that_comes_and_goes_in_one_step_goes_too(session):
    level = session.level
    a, _, c = session.base
    with level.history.begin_gesture("Group and delete"):
        made = level.push(Spawn([LocalTransform()])).entity
        group = level.push(Group([a, made])).entity
        level.push(Reparent([c], made, True))
        level.push(Despawn([group]))
    assert not level.world.entities()
    copy = session.replayed()
    assert seen(copy) == seen(level)
    copy.history.undo()
    level.history.undo()
    assert seen(copy) == seen(level)


def test_what_moves_under_a_new_group_that_goes_with_an_old_one_goes_too(session):
    level = session.level
    a, _, c = session.base
    outer = level.push(Group([a, c])).entity
    with level.history.begin_gesture("Group and delete"):
        level.push(Group([a, c]))
        level.push(Despawn([a, outer]))
    assert not level.world.entities()
    assert seen(session.replayed()) == seen(level)


def test_steps_older_than_the_journal_can_be_undone_and_redone(session):
    level = session.level
    a, b, c = session.base
    level.push(SetFields([a], LocalTransform, {"translation": (1, 0, 0)}))
    level.push(SetHidden([b], True))
    level.push(Despawn([c]))
    for entry in session.entries:
        session.copy.history.push(
            Replay(entry.payload, session.new_keys(session.base), lambda: None)
        )
    # The level is saved here: a journal begins that knows none of the steps so far.
    session.entries.clear()
    session.steps = JournalSteps()
    session.keys = session.new_keys(session.base)
    session.copy.history = CommandHistory(session.copy.context)
    for _ in range(3):
        level.history.undo()
    level.history.redo()
    level.push(SetFields([b], LocalTransform, {"translation": (0, 7, 0)}))
    level.history.undo()
    assert seen(session.replayed()) == seen(level)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_any_session_comes_back(make_level, data):
    session = Session(make_level)
    level = session.level
    for _ in range(data.draw(st.integers(1, 14))):
        try:
            match data.draw(st.sampled_from(["push"] * 4 + ["undo", "redo", "gesture"])):
                case "push":
                    level.push(commands(level, data.draw))
                case "undo":
                    level.history.undo()
                case "redo":
                    level.history.redo()
                case "gesture":
                    with level.history.begin_gesture("Drag"):
                        for _ in range(data.draw(st.integers(1, 4))):
                            level.push(commands(level, data.draw))
        except EngineError:
            continue
    copy = session.replayed()
    assert seen(copy) == seen(level)
    for _ in range(level.history.index):
        level.history.undo()
        copy.history.undo()
        assert seen(copy) == seen(level)


def test_what_is_no_step_is_refused(session):
    session.level.push(Spawn([LocalTransform()]))
    payload = session.entries[0].payload
    keys = session.new_keys(session.base)
    for damaged in (b"", payload[:-3], payload[:9], b"\xff" * 30, struct.pack("<I", 3) + b"abc"):
        with pytest.raises(SceneError):
            session.copy.check_refused(Replay(damaged, keys, lambda: None), SceneError)
