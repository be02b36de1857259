"""Writes that fail at any place, and journals that were damaged in any way."""

import json
import os
import random
import struct
import zlib

import pytest

from editor.document import LevelDocument, session_journal
from editor.document.scratch import scratch_folder
from editor.document.session_journal import journal_folder
from editor.model.folders import data_folder
from editor.model.journal import MAGIC, read_journal
from engine.errors import SceneError
from engine.scene import LocalTransform, Name
from engine.scene.levels import atomic_file
from tests.editor.document.levels import LEVEL, crash, named, write
from tests.engine.scene.document.mutants import mutant as injured

FRAME = struct.Struct("<II")


class Disk:
    """`os.write` on a disk where the writes of some calls come through in part only."""

    def __init__(self, fails_at, room):
        self._write, self._fails_at, self._room = os.write, fails_at, room
        self.calls = 0

    def __call__(self, handle, data):
        self.calls += 1
        if self.calls in self._fails_at:
            self._write(handle, bytes(data)[: self._room])
            raise OSError(28, "No space left on device")
        return self._write(handle, data)


def texts(session):
    """Six edits, and the level after each."""
    well, bucket = named(session, "well"), named(session, "bucket")
    edits = [
        lambda: session.rename(well, "fountain"),
        lambda: session.spawn(Name("new"), LocalTransform(), parent=bucket),
        lambda: session.delete([bucket]),
        session.undo,
        lambda: session.set_fields([bucket], LocalTransform, translation=(1, 2, 3)),
        lambda: session.duplicate([well]),
    ]
    for edit in edits:
        edit()
        yield session.app.level_file.draft_bytes()


@pytest.mark.parametrize("retries", [False, True])
@pytest.mark.parametrize("room", [0, 5, 40])
@pytest.mark.parametrize("call", range(1, 8))
def test_any_write_of_the_journal_may_fail(document, tmp_path, monkeypatch, call, room, retries):
    session = LevelDocument()
    session.open(write(tmp_path, LEVEL))
    if retries:
        monkeypatch.setattr(session_journal, "RETRY_S", 0.0)
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", Disk({call}, room))
        states = list(texts(session))
    crash(session)
    entries = document.recoverable()
    if retries and call < 7:
        assert len(entries) == 1
    for entry in entries:
        document.recover(entry)
        found = document.app.level_file.draft_bytes()
        assert found in states
        assert not retries or call == 7 or found == states[-1]


@pytest.mark.parametrize("step", ["fdopen", "fsync", "chmod", "replace"])
def test_a_save_that_fails_keeps_file_journal_and_dirt(document, tmp_path, monkeypatch, step):
    def fail(*_, **__):
        raise OSError(28, "No space left on device")

    session = LevelDocument()
    path = write(tmp_path, LEVEL)
    session.open(path)
    states = list(texts(session))
    with monkeypatch.context() as patch:
        patch.setattr(atomic_file.os, step, fail)
        with pytest.raises(SceneError, match="No space left"):
            session.save()
    assert session.dirty
    assert path.read_text() == LEVEL
    crash(session)
    [entry] = document.recoverable()
    document.recover(entry)
    assert document.app.level_file.draft_bytes() == states[-1]


# -- damage ----------------------------------------------------------------------------------


@pytest.fixture
def journal_bytes(tmp_path):
    """A journal of every kind of effect, and a whole state as an entry holds it."""
    session = LevelDocument()
    session.open(write(tmp_path, LEVEL))
    list(texts(session))
    session.set_hidden([named(session, "fountain")], True)
    session.remove_component([named(session, "bucket")], "Wind")
    session.select([named(session, "new")])
    path = session._journal.path
    state = session_journal.encode_state(session.app.level_file, session._journal.keys, 3)
    crash(session)
    data = path.read_bytes()
    path.unlink()
    return data, state


def entries_of(data):
    """The payloads of the frames of a journal, the header first."""
    at, frames = len(MAGIC), []
    while at < len(data):
        size, _ = FRAME.unpack_from(data, at)
        frames.append(data[at + FRAME.size : at + FRAME.size + size])
        at += FRAME.size + size
    return frames


def framed(frames):
    return MAGIC + b"".join(FRAME.pack(len(f), zlib.crc32(f)) + f for f in frames)


def mutants(data, state, count, seed):
    """Journals damaged from outside, and such whose checksums are right all the same."""
    rng = random.Random(seed)
    frames = [*entries_of(data), b"\x04\x01" + state]
    for _ in range(count):
        if rng.random() < 0.3:
            yield injured(rng, data)
            continue
        damaged = list(frames)
        place = rng.randrange(1 if rng.random() < 0.9 else 0, len(damaged))
        damaged[place] = injured(rng, damaged[place])
        if rng.random() < 0.3:
            rng.shuffle(damaged)
        yield framed(damaged)


def check(document, journal_bytes, count, seed):
    data, state = journal_bytes
    folder = journal_folder()
    copy = folder / json.loads(entries_of(data)[0])["copy"]
    path = folder / "a.journal"
    opened = 0
    for mutant in mutants(data, state, count, seed):
        path.write_bytes(mutant)
        copy.write_text(LEVEL)
        for entry in document.recoverable():
            try:
                document.recover(entry)
            except SceneError:
                continue
            opened += 1
            while document.history.index:
                document.undo()
            document.app.level_file.draft_bytes()
        document.new()
        path.unlink(missing_ok=True)
    assert opened > count / 4


def test_damaged_journals_are_refused_or_come_back_in_part(document, journal_bytes):
    check(document, journal_bytes, 300, 1)


@pytest.mark.full
def test_many_damaged_journals(document, journal_bytes):
    check(document, journal_bytes, 20_000, 2)


def test_an_undamaged_one_comes_back_whole(document, journal_bytes, tmp_path):
    data, _ = journal_bytes
    path = tmp_path / "a.journal"
    path.write_bytes(data)
    assert not read_journal(path).is_torn


def with_header(data, **fields):
    """Return a journal that is whole, with other words in its header."""
    header, *others = entries_of(data)
    return framed([json.dumps(json.loads(header) | fields).encode(), *others])


@pytest.mark.parametrize("field", ["level", "base", "root", "copy", "replaces"])
@pytest.mark.parametrize("name", ["a\0b", "\ud800"])
def test_a_header_that_names_what_no_file_is_called_is_refused(
    document, journal_bytes, tmp_path, field, name
):
    if os.name == "nt" and name == "\ud800":
        pytest.skip("a file may be called that")
    path = journal_folder() / "odd.journal"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(with_header(journal_bytes[0], **{field: name}))
    with pytest.raises(SceneError, match=f"header field {field}"):
        read_journal(path)
    assert document.recoverable() == []


@pytest.mark.parametrize("above", [False, True])
def test_no_header_has_a_folder_removed_that_is_no_scratch_project(
    document, journal_bytes, tmp_path, above
):
    folder = tmp_path / "mine"
    folder.mkdir()
    root = scratch_folder() / ".." if above else folder
    (root.parent if above else root).mkdir(parents=True, exist_ok=True)
    kept = [folder / "notes.txt", data_folder() / "notes.txt"]
    for file in kept:
        file.write_text("mine")
    path = journal_folder() / "odd.journal"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(with_header(journal_bytes[0], root=str(root), is_scratch=True))
    [entry] = document.recoverable()
    document.recover(entry)
    document.new()
    assert [file.read_text() for file in kept] == ["mine", "mine"]
