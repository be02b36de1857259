import errno
import os
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from engine.errors import SceneError
from engine.scene.levels import atomic_file
from engine.scene.levels.atomic_file import read_file, write_file

ROOT = Path(__file__).resolve().parents[4]


@pytest.fixture
def level(tmp_path):
    path = tmp_path / "a.scene"
    path.write_bytes(b"old")
    return path


def test_content_is_replaced_and_permissions_stay(level):
    level.chmod(0o640)
    write_file(level, b"new")
    assert level.read_bytes() == b"new"
    assert stat.S_IMODE(level.stat().st_mode) == 0o640
    assert os.listdir(level.parent) == ["a.scene"]


def test_a_new_file_gets_the_usual_permissions(tmp_path):
    write_file(tmp_path / "b.scene", b"new")
    (tmp_path / "c").write_bytes(b"")
    modes = {(tmp_path / name).stat().st_mode for name in ("b.scene", "c")}
    assert len(modes) == 1


def test_a_symbolic_link_is_followed(level):
    link = level.parent / "link.scene"
    link.symlink_to(level)
    write_file(link, b"new")
    assert link.is_symlink()
    assert level.read_bytes() == b"new"


def test_a_read_only_file_is_left_alone(level):
    level.chmod(0o444)
    with pytest.raises(SceneError, match="read-only"):
        write_file(level, b"new")
    assert level.read_bytes() == b"old"


def test_what_is_no_file(tmp_path):
    with pytest.raises(SceneError, match="not a file"):
        write_file(tmp_path, b"new")
    with pytest.raises(SceneError, match="can't be written"):
        write_file(tmp_path / "missing" / "a.scene", b"new")
    with pytest.raises(SceneError, match="no such file"):
        read_file(tmp_path / "missing.scene")
    with pytest.raises(SceneError, match="expected a file"):
        read_file(tmp_path)
    with pytest.raises(SceneError, match="can't be"):
        write_file(tmp_path / "a\0b", b"new")


@pytest.mark.parametrize("step", ["fdopen", "fsync", "chmod", "replace"])
def test_any_step_may_fail(level, monkeypatch, step):
    def fail(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(atomic_file.os, step, fail)
        with pytest.raises(SceneError, match="No space left on device; what was there stays"):
            write_file(level, b"new")
    assert level.read_bytes() == b"old"
    assert os.listdir(level.parent) == ["a.scene"]


FULL = """
import resource, signal, sys
from engine.ecs import World
from engine.errors import SceneError
from engine.scene.components import Name
from engine.scene.levels import LevelFile, level_registry
world = World()
level = LevelFile.open(sys.argv[1], world, level_registry())
world.spawn(Name("x" * 100_000))
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), resource.RLIM_INFINITY))
try:
    level.save()
except SceneError as error:
    print(error)
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
print(level.changed_on_disk())
level.save()
"""


@pytest.mark.skipif(os.name != "posix", reason="needs limits on the size of files")
@pytest.mark.parametrize("room", [0, 1, 4096, 99_999])
def test_the_system_refuses_to_write_more(tmp_path, room):
    path = tmp_path / "a.scene"
    path.write_bytes(b"cinder-scene 2\n# old\n")
    watched = path.stat().st_ino
    result = subprocess.run(
        [sys.executable, "-c", FULL, str(path), str(room)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "can't be written: File too large; what was there stays\nFalse" in result.stdout
    assert os.listdir(tmp_path) == ["a.scene"]
    # The second save, with room, is whole.
    assert path.stat().st_ino != watched
    assert path.read_bytes().startswith(b"cinder-scene 2\n# old\nentity 0\n")
    assert path.stat().st_size > 100_000


class FullDisk:
    """A file on a disk that has room for `room` bytes."""

    def __init__(self, file, room):
        self._file, self._room = file, room

    def write(self, data):
        self._file.write(data[: self._room])
        raise OSError(errno.ENOSPC, "No space left on device")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._file.close()


@pytest.mark.parametrize("room", [0, 1, 5])
def test_a_full_disk(level, monkeypatch, room):
    real = os.fdopen
    with monkeypatch.context() as patch:
        patch.setattr(atomic_file.os, "fdopen", lambda *a: FullDisk(real(*a), room))
        with pytest.raises(SceneError, match="No space left"):
            write_file(level, b"new content")
    assert level.read_bytes() == b"old"
    assert os.listdir(level.parent) == ["a.scene"]


def aged(path, seconds=7200):
    path.touch()
    long_ago = time.time() - seconds
    os.utime(path, (long_ago, long_ago))
    return path


def test_what_a_program_left_that_was_killed_while_writing_goes_with_the_next_write(level):
    """By whoever writes next in that folder, as the level itself may never be written again."""
    folder, long = level.parent, "n" * 100 + ".scene"
    (folder / "shelf.scene").touch()
    for name in (
        ".a.scene.k2_x9abc.tmp",
        ".shelf.scene.01234567.tmp",
        f".{long[:80]}.abcdefgh.tmp",
    ):
        aged(folder / name)
    write_file(level, b"new")
    assert sorted(os.listdir(folder)) == ["a.scene", "shelf.scene"]


def test_only_what_is_old_and_ours_goes(level):
    folder = level.parent
    kept = {
        aged(folder / ".a.scene.k2_x9abc.tmp", 60).name,
        aged(folder / f".a.scene.{'0' * 32}.tmp").name,
        aged(folder / ".other.scene.k2_x9abc.tmp").name,
        aged(folder / "a.scene.k2_x9abc.tmp").name,
        aged(folder / ".a.scene.mine.tmp").name,
    }
    (folder / ".a.scene.folder01.tmp").mkdir()
    long_ago = time.time() - 7200
    os.utime(folder / ".a.scene.folder01.tmp", (long_ago, long_ago))
    write_file(level, b"new")
    assert set(os.listdir(folder)) == {*kept, "a.scene", ".a.scene.folder01.tmp"}


@pytest.mark.skipif(os.name != "posix", reason="another system ends a program otherwise")
def test_a_level_that_is_killed_within_its_write_stays_and_nothing_lies_about(level):
    code = (
        "import os, sys\n"
        "from engine.scene.levels.atomic_file import write_file\n"
        "write_file(sys.argv[1], b'half', lambda: os.kill(os.getpid(), 9))\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(level)], cwd=ROOT)
    assert done.returncode == -9
    (left,) = [path for path in level.parent.iterdir() if path != level]
    write_file(level, b"new")
    assert left.exists()
    aged(left)
    write_file(level, b"newer")
    assert os.listdir(level.parent) == ["a.scene"]
