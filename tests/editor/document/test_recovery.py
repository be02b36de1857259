"""Sessions that end without saving or closing, and what the next one finds of them."""

import os

import numpy as np
import pytest

from editor.document import LevelDocument, recovery, session_journal
from editor.document.session_journal import journal_folder
from editor.model.folders import data_folder
from engine.errors import SceneError
from engine.scene import GltfInstance, InstanceNode, LightSource, LocalTransform, Name, Parent
from tests.editor.document.levels import LEVEL, crash, named, write
from tests.editor.document.props import write_prop


def text(document):
    return document.app.level_file.draft_bytes().decode()


@pytest.fixture
def session():
    """Another session than that of `document`, which will not end well."""
    document = LevelDocument()
    document.new()
    yield document
    crash(document)


def recovered(document):
    [entry] = document.recoverable()
    document.recover(entry)
    return entry


def test_a_killed_session_comes_back_up_to_its_last_step(session, document, tmp_path):
    path = write(tmp_path, LEVEL)
    session.open(path)
    well, bucket = named(session, "well"), named(session, "bucket")
    session.select([bucket])
    session.set_fields(bucket, LocalTransform, translation=(-0.0, 1, 2))
    light = session.add_light("point", np.eye(4), parent=well)
    with session.gesture("Drag"):
        for i in range(10):
            session.set_fields(light, LocalTransform, translation=(i, 0, 0))
    session.remove_component([bucket], "Wind")
    session.undo()
    session.set_hidden([well], True)
    session.group([bucket, light])
    expected, labels = text(session), session.history.labels
    crash(session)
    entry = recovered(document)
    assert (entry.name, entry.level, entry.changes) == ("a", path, 6)
    assert "6 changes to a" in entry.text
    assert (document.path, document.dirty) == (path, True)
    assert text(document) == expected
    assert document.history.labels == labels
    assert document.label(document.selection.active) == "Group"
    assert document.hidden(named(document, "well"))
    assert path.read_text() == LEVEL
    document.history.jump(0)
    assert text(document) == LEVEL
    document.history.jump(len(labels))
    document.save()
    assert path.read_text() == expected
    assert document.recoverable() == []
    assert list(journal_folder().iterdir()) == []


def test_what_was_saved_closed_or_only_looked_at_is_not_offered(document, tmp_path):
    path = write(tmp_path, LEVEL)
    other = LevelDocument()
    other.open(path)
    other.select([named(other, "well")])
    assert not journal_folder().exists()
    other.rename(named(other, "well"), "fountain")
    assert len(list(journal_folder().glob("*.journal"))) == 1
    assert document.recoverable() == []  # that session is alive
    other.save()
    assert list(journal_folder().iterdir()) == []
    other.undo()
    other.close()
    assert list(journal_folder().iterdir()) == []


def test_a_recovered_session_can_be_killed_again(session, document, tmp_path):
    session.open(write(tmp_path, LEVEL))
    new = session.spawn(Name("one"))
    crash(session)
    second = LevelDocument()
    recovered(second)
    second.rename(named(second, "one"), "uno")
    second.spawn(Name("two"), parent=named(second, "uno"))
    second.undo()
    second.redo()
    second.set_fields(named(second, "bucket"), Parent, entity=named(second, "two"))
    expected = text(second)
    crash(second)
    recovered(document)
    assert text(document) == expected
    assert document.history.count == 4
    assert new


def test_a_level_that_was_never_saved_comes_back_with_its_assets(session, document, tmp_path, prop):
    crate = session.place(prop)
    session.rename(crate, "crate!")
    root = session.root
    crash(session)
    other = LevelDocument()
    other.place(prop)  # makes a scratch project, which tidies up old ones
    assert root.is_dir()
    other.close()
    entry = recovered(document)
    assert (entry.level, document.path, document.root) == (None, None, root)
    assert document.children(named(document, "crate!"))
    document.save(tmp_path / "mine" / "my.scene")
    assert (tmp_path / "mine" / "props").is_dir()
    assert not root.exists()


def test_changes_of_nodes_come_back(session, document, tmp_path, prop):
    session.open(write(tmp_path / "Town", "cinder-scene 2\n"))
    crate = session.place("crate.gltf")
    body = session.children(crate)[0]
    arm = session.children(body)[0]
    session.set_fields([body], LocalTransform, translation=(0, 5, 0))
    session.spawn(Name("flag"), LocalTransform(), parent=arm)
    session.select([arm])
    session.duplicate([crate])
    expected = text(session)
    crash(session)
    recovered(document)
    assert text(document) == expected
    body = document.children(named(document, "crate"))[0]
    assert document.world.get(body, LocalTransform).translation.tolist() == [0, 5, 0]
    assert document.world.has(body, InstanceNode)
    document.undo()
    assert [document.label(e) for e in document.selection] == ["Arm"]


def test_a_file_that_somebody_changed_meanwhile_is_no_obstacle(session, document, tmp_path):
    path = write(tmp_path, LEVEL)
    session.open(path)
    session.rename(named(session, "well"), "fountain")
    expected = text(session)
    crash(session)
    path.write_text(LEVEL + "# theirs\n")
    recovered(document)
    assert text(document) == expected
    assert document.changed_on_disk


def test_without_its_copy_a_changed_file_keeps_the_journal(session, document, tmp_path):
    path = write(tmp_path, LEVEL)
    session.open(path)
    session.rename(named(session, "well"), "fountain")
    crash(session)
    for copy in journal_folder().glob("*.scene"):
        copy.unlink()
    [entry] = document.recoverable()
    content = path.read_text()
    path.write_text(content + "# theirs\n")
    world = document.world
    with pytest.raises(SceneError, match="was changed since"):
        document.recover(entry)
    assert document.world is world
    assert document.recoverable() == [entry]


def test_discarding_removes_everything(session, document, prop):
    session.place(prop)
    root = session.root
    crash(session)
    [entry] = document.recoverable()
    document.discard(entry)
    assert document.recoverable() == []
    assert list(journal_folder().iterdir()) == []
    assert not root.exists()


@pytest.mark.parametrize("cut", [1, 7, 30])
def test_a_torn_end_is_cut(session, document, tmp_path, cut):
    session.open(write(tmp_path, LEVEL))
    session.spawn(Name("one"))
    before = text(session)
    session.spawn(Name("two"))
    journal = session._journal.path
    crash(session)
    os.truncate(journal, journal.stat().st_size - cut)
    recovered(document)
    assert text(document) == before
    document.spawn(Name("three"))
    expected = text(document)
    crash(document)
    third = LevelDocument()
    recovered(third)
    assert text(third) == expected
    third.close()


def test_damage_in_the_middle_ends_it_there(session, document, tmp_path):
    session.open(write(tmp_path, LEVEL))
    session.spawn(Name("one"))
    before = text(session)
    size = session._journal.path.stat().st_size
    for _ in range(5):
        session.spawn(Name("more"))
    path = session._journal.path
    crash(session)
    data = bytearray(path.read_bytes())
    data[size + 20] ^= 0xFF
    path.write_bytes(data)
    recovered(document)
    assert text(document) == before


def test_a_step_that_would_be_read_as_another_one_is_not_carried_out(session, document, tmp_path):
    session.open(write(tmp_path, LEVEL))
    session.spawn(Name("one"))
    before = text(session)
    session.spawn(Name("fountain"))
    path = session._journal.path
    crash(session)
    data = path.read_bytes()
    assert b"fountain" in data
    path.write_bytes(data.replace(b"fountain", b"mountain"))
    recovered(document)
    assert text(document) == before


def test_what_is_no_journal_is_passed_over(document):
    journal_folder().mkdir(parents=True)
    (journal_folder() / "a.journal").write_bytes(b"hello")
    (journal_folder() / "b.journal").write_bytes(b"")
    assert document.recoverable() == []


def test_a_journal_that_is_damaged_at_its_beginning_is_kept_aside(session, document, tmp_path):
    session.open(write(tmp_path, LEVEL))
    session.spawn(Name("one"))
    path = session._journal.path
    crash(session)
    data = bytearray(path.read_bytes())
    data[3] ^= 0xFF
    path.write_bytes(data)
    told = []
    document.message_posted.connect(told.append)
    assert document.recoverable() == []
    # It might just be begun by another editor.
    assert (path.exists(), told) == (True, [])
    os.utime(path, (0, 0))
    assert document.recoverable() == []
    kept = path.with_suffix(".damaged")
    assert kept.read_bytes() == bytes(data)
    assert not path.exists()
    [message] = told
    assert str(kept) in message.text
    assert document.recoverable() == []
    assert len(told) == 1


def test_a_full_disk_is_told_once_and_the_level_goes_on(session, document, tmp_path, monkeypatch):
    messages = []
    session.message_posted.connect(messages.append)
    session.open(write(tmp_path, LEVEL))
    session.spawn(Name("one"))
    real = os.write
    monkeypatch.setattr(os, "write", lambda handle, data: real(handle, data[:10]) and _full())
    session.spawn(Name("two"))
    session.spawn(Name("three"))
    told = [m.text for m in messages if "kept safe" in m.text]
    assert len(told) == 1
    monkeypatch.setattr(os, "write", real)
    monkeypatch.setattr(session_journal, "RETRY_S", 0.0)
    session.spawn(Name("four"))
    session.rename(named(session, "three"), "drei")
    expected = text(session)
    crash(session)
    recovered(document)
    assert text(document) == expected


def _full():
    raise OSError(28, "No space left on device")


def test_a_journal_that_grows_too_long_begins_anew(session, document, tmp_path):
    session.open(write(tmp_path, LEVEL))
    session._journal._limit = 4000
    made = [session.spawn(Name(f"e{i}"), LightSource(), LocalTransform()) for i in range(8)]
    session._journal._limit = 4000
    session.delete(made[2])
    session.set_fields(made[:2], LocalTransform, translation=(1, 2, 3))
    for i in range(30):
        session.rename(made[3], f"again {i}")
    for _ in range(3):
        session.undo()
    expected = text(session)
    assert len(list(journal_folder().glob("*.journal"))) == 1
    crash(session)
    recovered(document)
    assert text(document) == expected
    assert document.history.labels[0] == "Changes of the last session"
    document.undo()
    document.redo()
    assert text(document) == expected


def test_old_steps_can_be_undone_after_a_save(session, document, tmp_path):
    session.open(write(tmp_path, LEVEL))
    well = named(session, "well")
    session.rename(well, "fountain")
    session.delete([named(session, "bucket")])
    session.save()
    session.undo()
    session.rename(well, "spring")
    session.undo()
    session.undo()
    expected = [session.label(e) for e in session.children()]
    crash(session)
    recovered(document)
    assert sorted(document.label(e) for e in document.world.entities()) == ["bucket", "well"]
    assert [document.label(e) for e in document.children()] == expected


def test_two_editors_have_two_journals(document, tmp_path):
    path = write(tmp_path, LEVEL)
    others = [LevelDocument(), LevelDocument()]
    for other, name in zip(others, ("one", "two"), strict=True):
        other.open(path)
        other.spawn(Name(name))
    for other in others:
        crash(other)
    entries = document.recoverable()
    assert [e.level for e in entries] == [path, path]
    document.recover(entries[0])
    assert len(document.recoverable()) == 1


def test_the_data_folder_may_be_unusable(tmp_path, monkeypatch):
    blocked = tmp_path / "blocked"
    blocked.write_text("a file")
    monkeypatch.setenv("CINDER_DATA_DIR", str(blocked))
    document = LevelDocument()
    document.open(write(tmp_path / "p", LEVEL))
    document.rename(named(document, "well"), "fountain")
    document.save()
    assert document.recoverable() == []
    document.close()
    assert data_folder() == blocked


def test_a_prop_that_is_gone_parks_what_was_done_to_it(session, document, tmp_path):
    folder = tmp_path / "Town"
    write_prop(folder)
    session.open(write(folder, "cinder-scene 2\n"))
    crate = session.place("crate.gltf")
    body = session.children(crate)[0]
    session.set_fields([body], LocalTransform, translation=(0, 5, 0))
    crash(session)
    (folder / "crate.gltf").unlink()
    recovered(document)
    assert "translation=[0.0,5.0,0.0]" in text(document)
    assert document.world.get(named(document, "crate"), GltfInstance).asset == "crate.gltf"


def test_who_comes_second_to_a_session_keeps_it_in_a_journal_of_its_own(
    session, document, tmp_path, monkeypatch
):
    path = write(tmp_path, LEVEL)
    session.open(path)
    session.rename(named(session, "well"), "fountain")
    crash(session)
    [entry] = document.recoverable()
    first = LevelDocument()
    first.recover(entry)
    copies = {file for file in journal_folder().iterdir() if file.suffix == ".scene"}
    # The other one comes between the look and the lock.
    monkeypatch.setattr(recovery, "is_in_use", lambda journal: False)
    document.recover(entry)
    monkeypatch.undo()
    document.rename(named(document, "bucket"), "pail")
    expected = text(document)
    crash(document)
    third = LevelDocument()
    [other] = third.recoverable()
    third.recover(other)
    assert text(third) == expected
    third.new()
    assert copies <= set(journal_folder().iterdir())
    third.close()
    first.close()


def test_a_session_that_came_second_leaves_what_goes_with_the_first(
    session, document, tmp_path, monkeypatch
):
    session.open(write(tmp_path, LEVEL))
    session.rename(named(session, "well"), "fountain")
    crash(session)
    [entry] = document.recoverable()
    first = LevelDocument()
    first.recover(entry)
    before = set(journal_folder().iterdir())
    monkeypatch.setattr(recovery, "is_in_use", lambda journal: False)
    document.recover(entry)
    monkeypatch.undo()
    document.new()
    assert set(journal_folder().iterdir()) == before
    first.close()
