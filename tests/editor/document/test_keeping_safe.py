"""Copies that are kept of unsaved work, and two editors on one level."""

import pytest

from editor.document import LevelDocument, autosave
from engine.errors import SceneError
from engine.scene import LocalTransform, Name
from tests.editor.document.levels import LEVEL, named, write


def test_copies_are_kept_only_of_what_is_new_and_unsaved(document, tmp_path):
    path = write(tmp_path, LEVEL)
    document.open(path)
    assert document.keep_copy() is None
    well = named(document, "well")
    document.rename(well, "fountain")
    copy = document.keep_copy()
    assert copy.read_text() == LEVEL.replace('"well"', '"fountain"')
    assert document.keep_copy() is None
    document.undo()
    assert document.keep_copy() is None
    document.redo()
    assert document.dirty
    assert path.read_text() == LEVEL
    document.save()
    document.undo()
    assert document.keep_copy() is not None


def test_no_copy_is_made_inside_a_drag(document, tmp_path):
    document.open(write(tmp_path, LEVEL))
    gesture = document.begin_gesture("Drag")
    document.set_fields(named(document, "well"), LocalTransform, translation=(9, 9, 9))
    assert document.dirty
    assert document.keep_copy() is None
    gesture.commit()
    assert document.keep_copy() is not None


def test_copies_rotate(document, tmp_path, monkeypatch):
    document.open(write(tmp_path, LEVEL))
    stamps = iter(f"2030-01-01 00.00.{i:02}" for i in range(9))
    monkeypatch.setattr(autosave.time, "strftime", lambda form: next(stamps))
    for i in range(8):
        document.rename(named(document, "bucket" if i == 0 else f"b{i}"), f"b{i + 1}")
        last = document.keep_copy()
    kept = sorted(p.name for p in document.copies_folder.iterdir())
    assert len(kept) == autosave.MOST_COPIES
    assert kept[-1] == last.name == "a 2030-01-01 00.00.07.scene"


def test_a_copy_opens_in_any_editor_and_numbers_nothing(document, tmp_path):
    document.open(write(tmp_path, LEVEL))
    new = document.spawn(Name("new"))
    copy = document.keep_copy()
    document.delete([new])
    document.save()
    assert document.path.read_text() == LEVEL
    document.open(copy)
    assert document.label(document.children()[-1]) == "new"


def test_a_copy_that_can_not_be_written_is_an_error(document, tmp_path, monkeypatch):
    document.open(write(tmp_path, LEVEL))
    blocked = tmp_path / "blocked"
    blocked.write_text("")
    monkeypatch.setenv("CINDER_DATA_DIR", str(blocked))
    document.rename(named(document, "well"), "fountain")
    with pytest.raises(SceneError):
        document.keep_copy()


def test_the_second_editor_is_told(document, tmp_path):
    path = write(tmp_path, LEVEL)
    messages = []
    document.open(path)
    other = LevelDocument()
    other.message_posted.connect(messages.append)
    other.open(path)
    [told] = [m for m in messages if "another editor" in m.text]
    assert (told.level, told.path) == ("warning", path)
    assert "process" in told.text
    document.new()
    messages.clear()
    other.revert()
    assert not [m for m in messages if "another editor" in m.text]
    other.save(tmp_path / "b.scene")
    document.open(path)
    third = LevelDocument()
    third.message_posted.connect(messages.append)
    third.open(tmp_path / "b.scene")
    assert [m for m in messages if "another editor" in m.text]
    third.close()
    other.close()
