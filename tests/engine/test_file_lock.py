"""Waiting for a lock that somebody else has."""

import contextlib
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from engine.assets.cook_manifest import CookManifest
from engine.file_lock import try_lock, wait_for_lock
from tests.patience import PATIENCE_S

ROOT = Path(__file__).resolve().parents[2]
HOLD = """
import os, sys
from engine.file_lock import try_lock
handle = os.open(sys.argv[1], os.O_RDWR)
assert try_lock(handle)
print("locked", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "file"
    path.touch()
    return path


@pytest.fixture
def opened(file):
    """Open the file once more; each is somebody of their own to the system."""
    with contextlib.ExitStack() as stack:
        yield lambda: stack.enter_context(open(file, "r+b", buffering=0))


def waiting(one):
    """Wait for the lock in a thread; return that and what it came to."""
    came_to = []
    thread = threading.Thread(
        target=lambda: came_to.append(wait_for_lock(one.fileno(), PATIENCE_S))
    )
    thread.start()
    return thread, came_to


def test_a_lock_that_nobody_has_is_there_at_once(opened):
    assert wait_for_lock(opened().fileno(), 0.0)


def test_who_waits_gets_it_when_the_other_lets_go(opened):
    first, second = opened(), opened()
    assert try_lock(first.fileno())
    thread, came_to = waiting(second)
    assert came_to == []
    first.close()
    thread.join(PATIENCE_S)
    assert came_to == [True]
    assert not try_lock(opened().fileno())


def test_who_waits_for_another_program_gets_it_when_that_ends(file, opened):
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(file)],
        cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert holder.stdout.readline() == "locked\n"
    thread, came_to = waiting(opened())
    holder.kill()
    holder.communicate()
    thread.join(PATIENCE_S)
    assert came_to == [True]


def test_patience_ends_and_what_comes_late_keeps_nobody_out(opened):
    first, second = opened(), opened()
    assert try_lock(first.fileno())
    assert not wait_for_lock(second.fileno(), 0.01)
    second.close()
    first.close()
    assert wait_for_lock(opened().fileno(), PATIENCE_S)


def test_a_manifest_is_written_when_the_other_cook_is_done(tmp_path):
    path = tmp_path / "manifest.txt"
    other = os.open(tmp_path, os.O_RDONLY) if os.name == "posix" else None
    if other is None:
        other = os.open(tmp_path / ".manifest.lock", os.O_RDWR | os.O_CREAT)
    assert try_lock(other)
    mine = CookManifest()
    mine.record("a#mesh0", "0" * 16, "a.cmesh")
    thread = threading.Thread(target=mine.save_under, args=(path, ["a#"]))
    thread.start()
    late = CookManifest()
    late.record("b#mesh0", "1" * 16, "b.cmesh")
    late.save(path)
    os.close(other)
    thread.join(PATIENCE_S)
    assert [entry.logical for entry in CookManifest.load(path).entries()] == ["b#mesh0", "a#mesh0"]
