"""When a file counts as done changing, by a clock that the test turns."""

import json
import os
import shutil
import struct

import pytest

from engine.assets.watch import SettlingFiles, settling
from engine.assets.watch.settling import BURST_S, GONE_S, HOLD_S, PATIENCE_S, SETTLE_S
from engine.assets.watch.tree import Listing, stamp_of


def files_in(folder):
    return SettlingFiles(Listing(str(folder)).files)


def test_a_file_is_told_of_once_its_stamp_has_stood(tmp_path):
    files, path = files_in(tmp_path), tmp_path / "a.txt"
    path.write_text("a")
    files.note(str(path), 0.0)
    assert not files.look(SETTLE_S / 2)
    assert files.next_look() == pytest.approx(SETTLE_S)
    assert files.look(SETTLE_S).changed == (str(path),)
    assert files.next_look() is None
    assert not files.look(10.0)


def test_writing_on_starts_the_wait_anew(tmp_path):
    files, path = files_in(tmp_path), tmp_path / "a.txt"
    path.write_text("a")
    files.note(str(path), 0.0)
    now = 0.0
    for text in ("ab", "abc", "abcd"):
        path.write_text(text)
        now += SETTLE_S
        assert not files.look(now)
    assert files.look(now + SETTLE_S).changed == (str(path),)


def test_delete_and_write_anew_is_one_change(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("a")
    files = files_in(tmp_path)
    path.unlink()
    files.note(str(path), 0.0)
    assert not files.look(GONE_S / 2)
    path.write_text("b")
    files.note(str(path), GONE_S / 2)
    assert files.look(GONE_S / 2 + SETTLE_S).changed == (str(path),)


def test_a_file_that_stays_away_is_gone(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("a")
    files = files_in(tmp_path)
    path.unlink()
    files.note(str(path), 0.0)
    assert not files.look(SETTLE_S)
    assert files.look(GONE_S).removed == (str(path),)


def test_what_came_and_went_is_gone(tmp_path):
    """Somebody may have read it meanwhile."""
    files = files_in(tmp_path)
    files.note(str(tmp_path / "a.txt"), 0.0)
    assert files.look(GONE_S).removed == (str(tmp_path / "a.txt"),)


def glb(text=b'{"asset":{"version":"2.0"}}  '):
    chunk = struct.pack("<I4s", len(text), b"JSON") + text
    return struct.pack("<4sII", b"glTF", 2, 12 + len(chunk)) + chunk


WHOLE = {
    "a.glb": glb(),
    "a.gltf": json.dumps({"asset": {"version": "2.0"}, "nodes": [{"name": "a"}]}).encode(),
    "a.png": b"\x89PNG\r\n\x1a\n" + b"0" * 40 + b"\x00\x00\x00\x00IEND\xaeB`\x82",
    "a.jpg": b"\xff\xd8\xff" + b"0" * 40 + b"\xff\xd9",
}


@pytest.mark.parametrize("name", WHOLE)
@pytest.mark.parametrize("share", [0.0, 0.2, 0.5, 0.95])
def test_a_half_file_is_waited_for(tmp_path, name, share):
    files, path, whole = files_in(tmp_path), tmp_path / name, WHOLE[name]
    path.write_bytes(whole[: int(len(whole) * share)])
    files.note(str(path), 0.0)
    assert not files.look(SETTLE_S)
    assert not files.look(PATIENCE_S * 0.9)
    path.write_bytes(whole)
    files.note(str(path), PATIENCE_S * 0.9)
    assert files.look(PATIENCE_S * 0.9 + SETTLE_S).changed == (str(path),)


@pytest.mark.parametrize("name", WHOLE)
def test_a_half_file_that_nobody_completes_is_told_of_in_the_end(tmp_path, name):
    files, path = files_in(tmp_path), tmp_path / name
    path.write_bytes(WHOLE[name][:10])
    files.note(str(path), 0.0)
    assert not files.look(SETTLE_S)
    assert files.next_look() == pytest.approx(PATIENCE_S)
    assert files.look(PATIENCE_S).changed == (str(path),)


def test_hundreds_of_files_that_come_one_after_another_are_one_batch(tmp_path):
    files, now = files_in(tmp_path), 0.0
    told = []
    for i in range(300):
        path = tmp_path / f"{i}.txt"
        path.write_text("x")
        files.note(str(path), now)
        told.append(files.look(now))
        now += BURST_S / 400
    assert not any(told)
    assert len(files.look(now + SETTLE_S).changed) == 300


def test_a_slow_writer_does_not_hold_up_the_others_for_long(tmp_path):
    files, slow, done = files_in(tmp_path), tmp_path / "slow.txt", tmp_path / "done.txt"
    done.write_text("x")
    slow.write_text("")
    files.note(str(done), 0.0)
    now, told = 0.0, ()
    while not told:
        slow.write_text("x" * int(1 + now * 1000))
        files.note(str(slow), now)
        told = files.look(now).changed
        now += SETTLE_S / 2
    assert told == (str(done),)
    assert now <= HOLD_S + 3 * SETTLE_S


def test_a_folder_stands_for_what_lies_in_it(tmp_path):
    files, folder = files_in(tmp_path), tmp_path / "props" / "deep"
    folder.mkdir(parents=True)
    (folder / "a.txt").write_text("a")
    files.note(str(tmp_path / "props"), 0.0)
    assert files.look(SETTLE_S).changed == (str(folder / "a.txt"),)
    moved = tmp_path / "other"
    (tmp_path / "props").rename(moved)
    files.note(str(tmp_path / "props"), 1.0)
    files.note(str(moved), 1.0)
    told = files.look(1.0 + GONE_S)
    assert told.changed == (str(moved / "deep" / "a.txt"),)
    assert set(told.removed) == {str(tmp_path / "props"), str(folder / "a.txt")}


@pytest.mark.skipif(os.name == "nt", reason="links need a right there")
def test_a_link_to_a_folder_that_leads_elsewhere_is_told_of_itself(tmp_path):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    link = tmp_path / "link"
    link.symlink_to("one")
    files = files_in(tmp_path)
    (tmp_path / "new").symlink_to("two")
    os.replace(tmp_path / "new", link)
    files.note(str(link), 0.0)
    told = files.look(SETTLE_S)
    assert told.changed == (str(link),)
    assert told.touches([str(link / "sub" / "a.glb")])
    assert not told.touches([str(tmp_path / "two" / "a.glb")])


def test_a_listing_that_is_cut_short_says_so(tmp_path):
    for i in range(20):
        (tmp_path / f"{i}.txt").write_text("")
    assert Listing(str(tmp_path)).is_whole
    assert not Listing(str(tmp_path), limit=10).is_whole
    assert stamp_of(str(tmp_path / "none")) is None


def test_what_lies_in_each_other_is_listed_once(tmp_path, monkeypatch):
    listed = []

    def counted(folder):
        listed.append(folder)
        return Listing(folder)

    monkeypatch.setattr(settling, "Listing", counted)
    files, path = files_in(tmp_path), tmp_path
    for number in range(30):
        path = path / f"d{number}"
        path.mkdir()
    (path / "a.txt").write_text("a")
    nested = [str(path), *map(str, path.parents[:29])]
    files.note_all(nested, 0.0)
    assert listed == [str(tmp_path / "d0")]
    assert files.look(SETTLE_S).changed == (str(path / "a.txt"),)


def test_folders_that_go_together_take_their_files_along(tmp_path):
    for name in ("a", "b", "stays"):
        (tmp_path / name / "sub").mkdir(parents=True)
        (tmp_path / name / "sub" / "x.txt").write_text("x")
    files = files_in(tmp_path)
    gone = [str(tmp_path / name) for name in ("a", "b")]
    for path in gone:
        shutil.rmtree(path)
    files.note_all([*gone, *(f"{path}/sub" for path in gone)], 0.0)
    removed = set(files.look(GONE_S).removed)
    assert {f"{path}/sub/x.txt" for path in gone} <= removed
    assert not any("stays" in path for path in removed)
