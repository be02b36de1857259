"""Files that somebody else writes while a level is open."""

import os

import numpy as np
import pytest

from engine.ecs import World
from engine.errors import SceneError
from engine.scene.components import (
    Name,
)
from engine.scene.levels import LevelFile, atomic_file, disk_state, level_registry
from tests.engine.scene.levels.conftest import CANONICAL, Session


def test_a_file_changed_by_somebody_else_is_not_overwritten(open_level):
    s = open_level(CANONICAL)
    assert not s.level.changed_on_disk()
    s.path.write_text(CANONICAL + "# theirs\n")
    assert s.level.changed_on_disk()
    with pytest.raises(SceneError, match="changed on disk"):
        s.level.save()
    assert s.path.read_text() == CANONICAL + "# theirs\n"
    assert s.level.base_bytes == CANONICAL.encode()
    s.level.save(overwrite=True)
    assert s.path.read_text() == CANONICAL
    assert not s.level.changed_on_disk()


def test_who_writes_while_a_save_is_under_way_is_not_overwritten(open_level, monkeypatch):
    s = open_level(CANONICAL)
    sync = os.fsync

    def meanwhile(handle):
        sync(handle)
        s.path.write_text(CANONICAL + "# theirs\n")

    with monkeypatch.context() as patch:
        patch.setattr(atomic_file.os, "fsync", meanwhile)
        with pytest.raises(SceneError, match="changed on disk"):
            s.level.save()
    assert s.path.read_text() == CANONICAL + "# theirs\n"
    assert os.listdir(s.path.parent) == [s.path.name]


def test_who_writes_right_after_a_read_or_a_save_is_noticed(open_level, monkeypatch):
    s = open_level(CANONICAL)
    replace = os.replace

    def and_then(old, new):
        replace(old, new)
        s.path.write_text(CANONICAL + "# theirs\n")

    with monkeypatch.context() as patch:
        patch.setattr(atomic_file.os, "replace", and_then)
        s.level.save()
    assert s.level.changed_on_disk()
    read = disk_state.read_file

    def read_and_then(path):
        data = read(path)
        s.path.write_text(CANONICAL + "# more\n")
        return data

    with monkeypatch.context() as patch:
        patch.setattr(disk_state, "read_file", read_and_then)
        level = LevelFile.open(s.path, World(), level_registry())
    assert level.changed_on_disk()


def test_the_same_bytes_written_again_are_no_change(open_level):
    s = open_level(CANONICAL)
    s.path.unlink()
    assert not s.level.changed_on_disk()
    s.path.write_text(CANONICAL)
    assert not s.level.changed_on_disk()


def test_a_rebased_level_keeps_the_lines_of_the_other_file(tmp_path):
    session = Session(tmp_path / "a.scene", CANONICAL)
    theirs = CANONICAL.replace('Name text="b"', 'Name   text="b"') + "# their end\n"
    session.path.write_text(theirs)
    other = LevelFile.open(session.path, World(), level_registry())
    handles = np.array([session.level.entity_at(i) for i in range(3)], np.int64)
    added = session.world.spawn(Name("d"))
    session.level.rebase(other, handles)
    assert not session.level.changed_on_disk()
    session.level.save()
    lines = session.path.read_text().splitlines()
    assert [line for line in lines if line not in theirs.splitlines()] == [
        "entity 3",
        '  Name text="d"',
    ]
    assert '  Name   text="b"' in lines
    assert session.level.index_of(added) == 3
