"""A watch on a folder of its own, and a mailbox for what it tells."""

import os
import queue

import pytest

from engine.assets.watch import FileChanges
from engine.assets.watch.file_watch import FileWatch
from tests.patience import PATIENCE_S


class Mailbox:
    """Takes batches from the thread of the watch."""

    def __init__(self):
        self._batches = queue.Queue()
        self.modes = queue.Queue()

    def put(self, changes):
        self._batches.put(changes)

    def put_mode(self, mode, reason):
        self.modes.put((mode, reason))

    def take(self):
        """Return the next batch, waiting for it."""
        return self._batches.get(timeout=PATIENCE_S)

    def take_until(self, done):
        """Gather batches until `done(changed, removed)` holds of all paths so far."""
        changed, removed = set(), set()
        while not done(changed, removed):
            batch = self.take()
            changed.update(batch.changed)
            removed.update(batch.removed)
        return changed, removed

    def is_empty(self):
        return self._batches.empty()


@pytest.fixture
def put(tmp_path):
    """Write a file outside and move it in: one event, so that no load can make two batches of it.

    A file that is opened, written and closed where it is watched is told of twice by a machine
    that pauses in between for longer than files take to settle.
    """

    def move_in(path, text):
        beside = tmp_path / "put aside"
        beside.write_text(text)
        os.replace(beside, path)

    return move_in


@pytest.fixture
def mailbox():
    return Mailbox()


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "project"
    made.mkdir()
    return made


@pytest.fixture
def watch(folder, mailbox):
    """A running watch; `until_quiet` tells what it had to tell by now."""
    made = FileWatch(folder, mailbox.put, mailbox.put_mode, poll_s=0.05)
    made.start()
    assert mailbox.modes.get(timeout=PATIENCE_S) == ("events", "")
    yield made
    made.close()


@pytest.fixture
def fence(folder, mailbox, put):
    """Write a file of its own, and gather what is told up to it: everything before is through."""
    count = [0]

    def gather():
        count[0] += 1
        path = folder / f"fence{count[0]}.txt"
        put(path, "x")
        changed, removed = mailbox.take_until(lambda changed, _: str(path) in changed)
        fences = {p for p in changed if "fence" in p}
        return FileChanges(tuple(sorted(changed - fences)), tuple(sorted(removed)))

    return gather
