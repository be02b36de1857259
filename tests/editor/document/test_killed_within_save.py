"""Sessions that end within a save or a merge: nothing is lost, and nothing stands there twice."""

import os
import threading

import pytest

from editor.document import LevelDocument
from editor.document.session_journal import SessionJournal, journal_folder
from editor.model.journal import EntryKind, JournalWriter, read_journal
from engine.errors import SceneError
from engine.scene import LocalTransform, Name, Parent
from engine.scene.levels import level_file
from tests.editor.document.levels import LEVEL, crash, named, write
from tests.gui.scripted_edits import seen

CHANGES_OF_NAMES = ("rename", "replace", "unlink", "mkdir", "rmdir")


class Killed(BaseException):
    """The process is gone here."""


def killed_at(monkeypatch, at, act):
    """Do something up to the `at`-th change of a name on the disk; return whether it ended so."""
    left = [at]

    def ending(real):
        def change(*arguments, **options):
            # The thread that copies the file aside is not what is asked about.
            if threading.current_thread() is threading.main_thread():
                left[0] -= 1
            if left[0] < 0:
                # Nothing that tidies up on the way out may reach the disk any more.
                raise Killed
            return real(*arguments, **options)

        return change

    with monkeypatch.context() as patched:
        for name in CHANGES_OF_NAMES:
            patched.setattr(os, name, ending(getattr(os, name)))
        try:
            act()
        except Killed:
            return True
    return False


def worked_on(path):
    """A level with all that a save has to number: new, deleted, moved under what is new."""
    document = LevelDocument()
    document.open(path)
    gone = document.spawn(Name("gone"))
    post = document.spawn(Name("post"), LocalTransform((1, 2, 3)))
    document.spawn(Name("lamp"), parent=post)
    document.delete([gone])
    document.undo()
    document.delete([gone])
    document.set_fields([named(document, "bucket")], Parent, entity=post)
    document.set_hidden([post], True)
    document.set_hidden([named(document, "well")], True)
    document.select([post])
    return document


def next_start(path):
    """What the next start finds, saved and opened once more."""
    document = LevelDocument()
    entries = document.recoverable()
    assert len(entries) <= 1
    if entries:
        document.recover(entries[0])
    else:
        document.open(path)
    document.save()
    document.close()
    assert document.recoverable() == []
    assert not list(journal_folder().glob("*.journal"))
    document.open(path)
    found = seen(document)[0]
    document.close()
    return found, bool(entries)


@pytest.mark.parametrize("name", ["a.scene", "a.cscn"])
def test_a_save_can_be_killed_before_every_change_of_a_name(tmp_path, monkeypatch, name):
    at, is_killed, offers = 0, True, []
    while is_killed:
        first = LevelDocument()
        first.open(write(tmp_path / str(at), LEVEL))
        path = tmp_path / str(at) / "level" / name
        path.parent.mkdir()
        first.save(path)
        first.close()
        document = worked_on(path)
        expected = seen(document)[0]
        is_killed = killed_at(monkeypatch, at, document.save)
        crash(document)
        found, was_offered = next_start(path)
        assert found == expected, f"killed before change {at}"
        offers.append(was_offered)
        at += 1
    # Offered as long as the file is the old one, and never once it is the new one.
    assert offers == sorted(offers, reverse=True)
    assert offers.count(False) > 2
    assert offers[0]


def test_a_save_under_another_name_can_be_killed_as_well(tmp_path, monkeypatch):
    at, is_killed = 0, True
    while is_killed:
        path = write(tmp_path / str(at), LEVEL)
        document = worked_on(path)
        expected = seen(document)[0]
        other = path.with_name("b.scene")
        is_killed = killed_at(monkeypatch, at, lambda other=other, d=document: d.save(other))
        crash(document)
        again = LevelDocument()
        if again.recoverable():
            again.recover(again.recoverable()[0])
            assert seen(again)[0] == expected
            again.close()
        else:
            again.open(other)
            assert [line[0] for line in seen(again)[0]] == [line[0] for line in expected]
            again.close()
        assert path.read_text() == LEVEL
        at += 1
    assert at > 3


def test_a_save_that_did_not_reach_the_disk_is_no_obstacle(tmp_path, monkeypatch):
    """Work goes on after a save that failed, and comes back with it."""
    path = write(tmp_path, LEVEL)
    document = worked_on(path)
    with monkeypatch.context() as patched:
        patched.setattr(level_file, "write_file", _full)
        with pytest.raises(SceneError):
            document.save()
    assert EntryKind.SAVE in [entry.kind for entry in read_journal(document._journal.path).entries]
    document.spawn(Name("later"), parent=named(document, "post"))
    expected = seen(document)[0]
    crash(document)
    found, was_offered = next_start(path)
    assert found == expected
    assert was_offered


def test_what_somebody_wrote_into_a_save_that_was_killed_is_merged(tmp_path, monkeypatch):
    """A journal can't know then that its work is in the file: it is offered, and not doubled."""
    path = write(tmp_path, LEVEL)
    document = worked_on(path)
    labels = sorted(line[0] for line in seen(document)[0])
    with monkeypatch.context() as patched:
        patched.setattr(SessionJournal, "end", _die)
        with pytest.raises(Killed):
            document.save()
    crash(document)
    path.write_text(path.read_text().replace("1, 2.50, 3", "1, 2.50, 4"))
    again = LevelDocument()
    [entry] = again.recoverable()
    again.recover(entry)
    again.save()
    assert sorted(line[0] for line in seen(again)[0]) == labels
    assert again.world.get(named(again, "well"), LocalTransform).translation[2] == 4
    again.close()


def _die(*_, **__):
    raise Killed


def _full(*_):
    raise SceneError("the disk is full")


@pytest.mark.parametrize("is_same", [False, True])
def test_a_merge_can_be_killed_before_every_change_of_a_name(tmp_path, monkeypatch, is_same):
    at, is_killed = 0, True
    while is_killed:
        path = write(tmp_path / str(at), LEVEL)
        document = LevelDocument()
        document.open(path)
        document.rename(named(document, "well"), "fountain")
        if is_same:
            text = LEVEL.replace('"well"', '"fountain"')
        else:
            document.spawn(Name("post"))
            text = LEVEL
        path.write_text(f'{text}entity 3\n  Name text="theirs"\n')
        is_killed = killed_at(monkeypatch, at, document.merge_disk)
        crash(document)
        found, was_offered = next_start(path)
        expected = ["bucket", "fountain", "theirs"] if is_same else ["bucket", "fountain"]
        expected += [] if is_same else ["post", "theirs"]
        assert [line[0] for line in found] == expected
        assert was_offered or is_same
        at += 1
    assert at > 1


@pytest.mark.parametrize("on", [True, False])
def test_what_is_hidden_while_nothing_is_unsaved_outlives_a_kill(tmp_path, on):
    path = write(tmp_path, LEVEL)
    document = LevelDocument()
    document.open(path)
    document.set_hidden([named(document, "well")], True)
    if not on:
        document.undo()
    crash(document)
    again = LevelDocument()
    assert again.recoverable() == []
    again.open(path)
    assert again.hidden(named(again, "well")) is on
    again.close()


def test_hiding_can_be_undone_after_a_kill_that_found_it_kept(tmp_path):
    """The marks kept beside the level may be newer than where the journal begins."""
    path = write(tmp_path, LEVEL)
    document = LevelDocument()
    document.open(path)
    document.set_hidden([named(document, "well")], True)
    document.rename(named(document, "bucket"), "pail")
    crash(document)
    again = LevelDocument()
    [entry] = again.recoverable()
    again.recover(entry)
    assert again.hidden(named(again, "well"))
    again.history.jump(0)
    assert not again.hidden(named(again, "well"))
    again.close()


def test_a_journal_that_took_the_place_of_another_takes_it_along(tmp_path, monkeypatch):
    """A kill between the two leaves both: one is offered, and the other never comes up again."""
    path = write(tmp_path, LEVEL)
    document = LevelDocument()
    document.open(path)
    document.spawn(Name("post"))
    path.write_text(f'{LEVEL}entity 3\n  Name text="theirs"\n')
    document._journal._join_copying()
    with monkeypatch.context() as patched:
        patched.setattr(JournalWriter, "close", _die)
        with pytest.raises(Killed):
            document.merge_disk()
    crash(document)
    assert len(list(journal_folder().glob("*.journal"))) == 2
    found, was_offered = next_start(path)
    assert [line[0] for line in found] == ["bucket", "post", "theirs", "well"]
    assert was_offered
