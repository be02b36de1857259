"""The watch on real files: what is told, and what goes on when the disk misbehaves."""

import errno
import os
import shutil
import sys
import threading
import unicodedata

import pytest
from watchdog.observers.api import BaseObserver
from watchdog.utils import BaseThread

from engine.assets.watch import FileChanges, settling
from engine.assets.watch.file_watch import FileWatch
from tests.patience import PATIENCE_S

posix = pytest.mark.skipif(os.name == "nt", reason="links need a right there")


def test_a_file_that_is_made_and_written_is_told_of(folder, mailbox, watch):
    (folder / "a.txt").write_text("a")
    assert mailbox.take().changed == (str(folder / "a.txt"),)


def test_renaming_over_is_told_of_each_time(folder, mailbox, watch):
    target = folder / "a.txt"
    for text in ("one", "two", "three"):
        beside = folder / "a.txt.tmp"
        beside.write_text(text)
        os.replace(beside, target)
        batch = mailbox.take()
        assert (batch.changed, batch.removed) == ((str(target),), ())


def test_a_file_moved_in_from_elsewhere_is_told_of(folder, mailbox, watch, tmp_path):
    (tmp_path / "a.txt").write_text("a")
    os.replace(tmp_path / "a.txt", folder / "a.txt")
    assert mailbox.take().changed == (str(folder / "a.txt"),)


@pytest.fixture
def _waits_for_halves(monkeypatch):
    """Half a file is told of after a second in which nothing happens: a busy machine has such."""
    monkeypatch.setattr(settling, "PATIENCE_S", PATIENCE_S)


@pytest.mark.usefixtures("_waits_for_halves")
def test_truncating_and_writing_in_pieces_is_one_change(folder, mailbox, watch, fence, put):
    target = folder / "a.gltf"
    put(target, '{"asset": {}}')
    assert mailbox.take().changed == (str(target),)
    with open(target, "w") as file:
        for piece in ('{"asset":', " {},", ' "nodes"', ": []}"):
            file.write(piece)
            file.flush()
            # The watch gets to see each of the halves.
            assert fence().changed == ()
    assert mailbox.take().changed == (str(target),)


@pytest.mark.usefixtures("_waits_for_halves")
def test_a_half_file_that_was_closed_is_told_of_when_it_is_whole(folder, mailbox, watch, fence):
    target = folder / "a.gltf"
    target.write_text('{"asset": ')
    assert fence().changed == ()
    with open(target, "a") as file:
        file.write("{}}")
    assert mailbox.take().changed == (str(target),)


def test_deleting_and_deleting_again_after_it_came_back(folder, mailbox, watch, put):
    target = folder / "a.txt"
    for _ in range(2):
        put(target, "a")
        assert mailbox.take().changed == (str(target),)
        target.unlink()
        assert mailbox.take().removed == (str(target),)


def test_what_editors_leave_beside_is_not_told_of(folder, watch, fence):
    for name in ("a.glb~", ".a.glb.swp", "a.tmp", "a.blend1", "#a.gltf#", ".git/index"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("x")
    told = fence()
    assert (told.changed, told.removed) == ((), ())


@pytest.mark.parametrize("mode", ["events", "polling"])
@pytest.mark.parametrize("name", ["points.tmp", ".parts/body", "walls.bak"])
def test_what_is_followed_is_told_of_whatever_it_is_called(
    folder, mailbox, fence, monkeypatch, mode, name, put
):
    """A glTF file may refer to a buffer of any name."""
    if mode == "polling":
        monkeypatch.setattr(FileWatch, "_start_events", lambda self: "there are none")
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("a")
    watch = FileWatch(folder, mailbox.put, mailbox.put_mode, poll_s=0.01)
    watch.follow([str(path)])
    watch.start()
    assert mailbox.modes.get(timeout=PATIENCE_S)[0] == mode
    # In the first look what is there becomes known, and nothing is told of it.
    assert fence() == FileChanges()
    put(path, "another")
    assert mailbox.take().changed == (str(path),)
    assert fence() == FileChanges()
    path.unlink()
    assert mailbox.take().removed == (str(path),)
    watch.close()


def test_reading_is_not_told_of(folder, watch, fence, put):
    path = folder / "a.txt"
    put(path, "a")
    assert fence().changed in ((), (str(path),))
    path.read_text()
    os.chmod(path, 0o600)
    assert fence().changed == ()


def test_a_burst_of_hundreds_of_files_is_one_batch(folder, mailbox, watch, tmp_path):
    """What a checkout of another branch does, within one rename so that no load can split it."""
    made = tmp_path / "made"
    for i in range(400):
        path = made / f"d{i % 7}" / f"{i}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    os.replace(made, folder / "props")
    batch = mailbox.take()
    assert len(batch.changed) == 400


def test_folders_that_appear_are_renamed_and_go(folder, mailbox, watch):
    deep = folder / "one" / "two"
    deep.mkdir(parents=True)
    (deep / "a.txt").write_text("a")
    mailbox.take_until(lambda changed, _: str(deep / "a.txt") in changed)
    (folder / "one").rename(folder / "three")
    new = folder / "three" / "two" / "a.txt"
    _, removed = mailbox.take_until(lambda c, r: str(new) in c and r)
    assert str(deep / "a.txt") in removed
    new.write_text("b")
    mailbox.take_until(lambda changed, _: str(new) in changed)
    shutil.rmtree(folder / "three")
    mailbox.take_until(lambda _, removed: str(new) in removed)


@posix
def test_a_change_behind_a_link_is_told_of_where_it_lies(folder, mailbox, watch):
    (folder / "real").mkdir()
    (folder / "link").symlink_to("real")
    (folder / "link" / "a.txt").write_text("a")
    mailbox.take_until(lambda changed, _: str(folder / "real" / "a.txt") in changed)


@posix
def test_a_link_to_the_project_is_as_good_as_the_project(folder, mailbox, tmp_path):
    (tmp_path / "link").symlink_to(folder)
    watch = FileWatch(tmp_path / "link", mailbox.put, mailbox.put_mode)
    watch.start()
    mailbox.modes.get(timeout=PATIENCE_S)
    (tmp_path / "link" / "a.txt").write_text("a")
    assert mailbox.take().changed == (str(folder / "a.txt"),)
    watch.close()


def test_a_project_folder_that_vanishes_is_waited_for(folder, mailbox, watch):
    path = folder / "a.txt"
    path.write_text("a")
    mailbox.take()
    shutil.rmtree(folder)
    mode, reason = mailbox.modes.get(timeout=PATIENCE_S)
    assert mode == "waiting"
    assert str(folder) in reason
    mailbox.take_until(lambda _, removed: str(path) in removed)
    folder.mkdir()
    path.write_text("b")
    assert mailbox.modes.get(timeout=PATIENCE_S) == ("events", "")
    mailbox.take_until(lambda changed, _: str(path) in changed)
    path.write_text("c")
    mailbox.take_until(lambda changed, _: str(path) in changed)


def test_a_project_folder_that_was_exchanged_is_found_out_by_verifying(folder, mailbox, watch):
    path = folder / "a.txt"
    path.write_text("a")
    mailbox.take()
    folder.rename(folder.with_name("away"))
    folder.mkdir()
    path.write_text("another")
    watch.verify()
    mailbox.take_until(lambda changed, _: str(path) in changed)
    path.write_text("and again")
    mailbox.take_until(lambda changed, _: str(path) in changed)


def test_a_thread_that_died_is_replaced(folder, mailbox):
    before = set(threading.enumerate())
    watch = FileWatch(folder, mailbox.put, mailbox.put_mode)
    watch.start()
    mailbox.modes.get(timeout=PATIENCE_S)
    started = set(threading.enumerate()) - before
    dead = next(t for t in started if isinstance(t, BaseThread))
    dead.stop()
    dead.join()
    path = folder / "a.txt"
    path.write_text("a")
    watch.verify()
    mailbox.take_until(lambda changed, _: str(path) in changed)
    path.write_text("b")
    mailbox.take_until(lambda changed, _: str(path) in changed)
    watch.close()


def test_a_folder_that_never_was_is_waited_for(tmp_path, mailbox):
    watch = FileWatch(tmp_path / "none", mailbox.put, mailbox.put_mode)
    watch.start()
    assert mailbox.modes.get(timeout=PATIENCE_S)[0] == "waiting"
    watch.close()


def refuse_to_watch(monkeypatch, refuses, code=errno.ENOSPC):
    schedule = BaseObserver.schedule

    def scheduled(self, handler, path, **options):
        if refuses(options):
            raise OSError(code, "no room")
        return schedule(self, handler, path, **options)

    monkeypatch.setattr(BaseObserver, "schedule", scheduled)


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EMFILE, errno.EACCES])
def test_where_the_system_refuses_files_are_looked_at_instead(
    folder, mailbox, monkeypatch, code, put
):
    refuse_to_watch(monkeypatch, lambda options: options.get("recursive"), code)
    before = set(threading.enumerate())
    watch = FileWatch(folder, mailbox.put, mailbox.put_mode, poll_s=0.05)
    watch.start()
    mode, reason = mailbox.modes.get(timeout=PATIENCE_S)
    assert mode == "polling"
    assert "limit" in reason or "cannot be watched" in reason
    path = folder / "sub" / "a.txt"
    path.parent.mkdir()
    put(path, "a")
    assert mailbox.take().changed == (str(path),)
    path.unlink()
    assert mailbox.take().removed == (str(path),)
    started = set(threading.enumerate()) - before
    watch.close()
    for thread in started:
        thread.join(PATIENCE_S)
        assert not thread.is_alive()


def test_the_limit_reached_by_a_folder_that_appears_later(folder, mailbox, watch, monkeypatch):
    """A folder that finds no room is left out by the system without a word."""
    refuse_to_watch(monkeypatch, lambda options: not options.get("recursive"))
    (folder / "sub").mkdir()
    assert mailbox.modes.get(timeout=PATIENCE_S)[0] == "polling"
    (folder / "sub" / "a.txt").write_text("a")
    mailbox.take_until(lambda changed, _: str(folder / "sub" / "a.txt") in changed)


def test_of_a_project_too_large_the_files_in_use_are_followed(folder, mailbox):
    for i in range(20):
        (folder / f"{i}.txt").write_text("a")
    watch = FileWatch(folder, mailbox.put, mailbox.put_mode, limit=10, poll_s=0.05)
    watch.follow([str(folder / f"{i}.txt") for i in range(20)])
    watch.start()
    mode, reason = mailbox.modes.get(timeout=PATIENCE_S)
    assert mode == "polling"
    assert "too many" in reason
    for i in range(20):
        (folder / f"{i}.txt").write_text("bb")
    expected = {str(folder / f"{i}.txt") for i in range(20)}
    mailbox.take_until(lambda changed, _: len(changed & expected) >= 10)
    watch.close()


def test_a_folder_that_may_not_be_read_hurts_nobody(folder, mailbox, monkeypatch):
    (folder / "closed").mkdir(mode=0)
    scan = os.scandir

    def refuse(path):
        # An administrator may read anything, so the mode alone would not do.
        if not isinstance(path, int) and os.path.basename(os.fspath(path)) == "closed":
            raise PermissionError(errno.EACCES, "Permission denied", path)
        return scan(path)

    monkeypatch.setattr(os, "scandir", refuse)
    watch = FileWatch(folder, mailbox.put, mailbox.put_mode, poll_s=0.05)
    watch.start()
    assert mailbox.modes.get(timeout=PATIENCE_S)[0] == "events"
    watch.close()


def test_a_fault_of_whoever_is_told_does_not_end_the_watch(folder, mailbox, caplog):
    told = threading.Semaphore(0)

    def broken(changes):
        told.release()
        raise KeyError("oops")

    watch = FileWatch(folder, broken, mailbox.put_mode)
    watch.start()
    mailbox.modes.get(timeout=PATIENCE_S)
    for text in ("a", "b"):
        (folder / "a.txt").write_text(text)
        assert told.acquire(timeout=PATIENCE_S)
    watch.close()
    assert "oops" in caplog.text


def test_closing_ends_every_thread_and_tells_nothing_more(folder, mailbox):
    before = set(threading.enumerate())
    watch = FileWatch(folder, mailbox.put, mailbox.put_mode, poll_s=0.05)
    watch.start()
    mailbox.modes.get(timeout=PATIENCE_S)
    started = set(threading.enumerate()) - before
    assert started
    watch.close()
    assert watch.mode == "closed"
    (folder / "a.txt").write_text("a")
    for thread in started:
        thread.join(PATIENCE_S)
        assert not thread.is_alive()
    assert mailbox.is_empty()
    watch.close()


def test_closing_does_not_wait_for_a_disk_that_does_not_answer(folder, mailbox, monkeypatch):
    asked, answers = threading.Event(), threading.Event()
    scan = os.scandir

    def slow(path):
        if not isinstance(path, int) and os.fsdecode(path).startswith(str(folder)):
            asked.set()
            assert answers.wait(PATIENCE_S)
        return scan(path)

    watch = FileWatch(folder, mailbox.put, mailbox.put_mode)
    monkeypatch.setattr(os, "scandir", slow)
    watch.start()
    assert asked.wait(PATIENCE_S)
    watch.close()
    assert not answers.is_set()
    assert watch.mode == "closed"
    answers.set()
    watch._thread.join(PATIENCE_S)
    assert not watch._thread.is_alive()
    assert mailbox.is_empty()
    assert mailbox.modes.empty()


ODD_NAMES = (
    b"new\nline.txt", b"a" * 251 + b".txt", "émoji😀.txt".encode(), b" lead.txt",
    unicodedata.normalize("NFC", "é.txt").encode(), unicodedata.normalize("NFD", "é.txt").encode(),
    b"%25.txt", b"back\\slash.txt", b"no utf \xff\xfe.txt", b"-rf", b"\x01.txt",
)  # fmt: skip


@pytest.mark.skipif(sys.platform != "linux", reason="others don't have files of such names")
def test_files_of_any_name_are_told_of(folder, mailbox, watch):
    paths = [os.path.join(os.fsencode(folder), name) for name in ODD_NAMES]
    for path in paths:
        with open(path, "wb") as file:
            file.write(b"x")
    wanted = {os.fsdecode(path) for path in paths}
    mailbox.take_until(lambda changed, _: wanted <= changed)
    for path in paths:
        os.unlink(path)
    mailbox.take_until(lambda _, removed: wanted <= removed)


def test_a_file_that_becomes_a_folder_and_a_file_again(folder, mailbox, watch):
    place = folder / "a.txt"
    place.write_text("a")
    mailbox.take()
    place.unlink()
    place.mkdir()
    (place / "inside.txt").write_text("b")
    mailbox.take_until(lambda changed, _: str(place / "inside.txt") in changed)
    shutil.rmtree(place)
    place.write_text("c")
    mailbox.take_until(lambda changed, _: str(place) in changed)


def test_of_a_chain_of_renames_the_ends_are_told(folder, mailbox, watch, put, monkeypatch):
    put(folder / "a.txt", "a")
    mailbox.take()
    # So that a pause of the machine does not make an end of one in between.
    monkeypatch.setattr(settling, "SETTLE_S", 1.0)
    for old, new in ("ab", "bc", "cd"):
        (folder / f"{old}.txt").rename(folder / f"{new}.txt")
    changed, _ = mailbox.take_until(lambda c, r: c and str(folder / "a.txt") in r)
    assert changed == {str(folder / "d.txt")}


@pytest.mark.full
@pytest.mark.parametrize("per_folder", [1, 5, 19_000])
def test_19000_files_that_appear_at_once_are_all_told_of(folder, mailbox, watch, per_folder):
    wanted = set()
    for number in range(19_000 if per_folder > 1 else 9000):
        place = folder / f"d{number // per_folder % 30}" / f"e{number // per_folder}"
        place.mkdir(parents=True, exist_ok=True)
        path = place / f"{number}.txt"
        path.write_text("x")
        wanted.add(str(path))
    mailbox.take_until(lambda changed, _: wanted <= changed)
    shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.skipif(sys.platform != "linux", reason="the system's queue has no end elsewhere")
def test_what_happened_beyond_the_room_of_the_system_is_found(
    folder, mailbox, watch, monkeypatch, put
):
    """A checkout of a large branch while an import keeps everybody else waiting."""
    from watchdog.observers.inotify_c import InotifyConstants, InotifyEvent, InotifyFD

    overflow = InotifyEvent(-1, InotifyConstants.IN_Q_OVERFLOW, 0, b"")
    handle = InotifyFD.handle_event
    lost = []

    def lose_the_first(self, event):
        """Stand for one overflow; the looks that follow it make events of their own."""
        if not lost:
            lost.append(event)
            event = overflow
        return handle(self, event)

    monkeypatch.setattr(InotifyFD, "handle_event", lose_the_first)
    put(folder / "a.txt", "a")
    assert mailbox.take().changed == (str(folder / "a.txt"),)
    monkeypatch.undo()
    put(folder / "b.txt", "b")
    assert mailbox.take().changed == (str(folder / "b.txt"),), "it goes on"


def test_a_watch_that_never_began_can_be_closed(folder, mailbox):
    FileWatch(folder, mailbox.put).close()
