from editor.model.change_set import ChangeRecorder, ChangeSet
from engine.reflect import Entity
from engine.scene import LocalTransform, Name

A, B = (Entity.of(i, 1) for i in range(2))


def test_changes_are_named_once_per_entity():
    recorder = ChangeRecorder()
    recorder.touch(A, Name)
    recorder.touch(A, LocalTransform)
    recorder.touch(A, Name)
    assert dict(recorder.take().components) == {A: {Name, LocalTransform}}


def test_what_came_and_went_is_not_named():
    recorder = ChangeRecorder()
    recorder.spawn([A])
    recorder.touch(A, Name)
    recorder.despawn([A])
    assert not recorder.take()


def test_what_went_and_came_back_is_not_named():
    recorder = ChangeRecorder()
    recorder.despawn([A])
    recorder.spawn([A])
    assert not recorder.take()


def test_a_spawned_entity_is_not_also_a_changed_one():
    recorder = ChangeRecorder()
    recorder.spawn([A])
    recorder.touch(A, Name)
    recorder.touch(B, Name)
    changes = recorder.take()
    assert changes.spawned == (A,)
    assert list(changes.components) == [B]


def test_take_starts_anew():
    recorder = ChangeRecorder()
    recorder.reparent(A)
    recorder.mark([B])
    changes = recorder.take()
    assert (changes.reparented, changes.marks) == ((A,), (B,))
    assert recorder.take() == ChangeSet()
