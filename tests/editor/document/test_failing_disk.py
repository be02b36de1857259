"""Whatever the artist does while a disk fails ends in one of our errors, with nothing lost."""

import errno
import os
import re

import pytest

from editor.document import LevelDocument
from engine.errors import AssetError, EngineError, SceneError
from engine.scene import LocalTransform, Name
from tests.editor.document.failing_disk import FailingDisk
from tests.editor.document.placed import ROOM
from tests.editor.document.props import write_prop
from tests.editor.document.test_recovery import crash

NAME = re.compile(rb'Name text="(.*)"')
CODES = (errno.EIO, errno.EROFS)


def named(document, label):
    return next(e for e in document.world.entities() if document.label(e) == label)


def session_in(folder):
    """A project with a level that places a prop, one that places that level, and an edit."""
    project = folder / "project"
    (project / "sub").mkdir(parents=True)
    (project / "project.json").write_text("{}")
    write_prop(project)
    write_prop(folder / "Town")
    (project / "room.scene").write_text(ROOM)
    outer = 'cinder-scene 2\nentity 0\n  Name text="Room"\n  SceneInstance level="room.scene"\n'
    (project / "house.scene").write_text(outer)
    (folder / "other").mkdir()
    (folder / "other" / "project.json").write_text("{}")
    document = LevelDocument()
    document.open(project / "room.scene")
    document.set_fields([named(document, "Candle")], LocalTransform, translation=(1, 2, 9))
    return document


def place_from_outside(document, folder):
    document.place(folder / "Town" / "crate.gltf")


def edit_a_level_without_file(document, folder):
    document.new()
    document.place(folder / "Town" / "crate.gltf")
    document.save(folder / "other" / "new.scene")


def move_there_and_back(document, folder):
    document.move_assets(["crate.gltf"], "deep/er")
    document.undo()


ACTIONS = {
    "save": lambda d, f: d.save(),
    "save as": lambda d, f: d.save(f / "project" / "new" / "b.scene"),
    "save elsewhere": lambda d, f: d.save(f / "other" / "b.scene"),
    "open": lambda d, f: d.open(f / "project" / "house.scene"),
    "open a copy": lambda d, f: d.open_copy(f / "project" / "room.scene"),
    "place": place_from_outside,
    "without file": edit_a_level_without_file,
    "copy": lambda d, f: d.keep_copy(),
    "rename": lambda d, f: d.rename_asset("crate.gltf", "box.gltf"),
    "move": move_there_and_back,
    "unique": lambda d, f: d.make_unique([named(d, "Table")], "crate.gltf"),
    "import": lambda d, f: d.import_into([f / "Town"], "sub"),
    "instance": lambda d, f: d.make_instance("inst.scene", [named(d, "Sign")]),
    "export": lambda d, f: d.export(f / "project" / "out.glb"),
    "merge": lambda d, f: d.merge_disk(),
    "contents": lambda d, f: d.contents.read(),
    "recoverable": lambda d, f: d.recoverable(),
    "close": lambda d, f: d.close(),
}
LEVEL_STAYS = {
    "save", "save as", "save elsewhere", "place", "copy", "rename", "unique", "import", "instance",
    "export",
}  # fmt: skip


@pytest.fixture
def attacked(tmp_path, monkeypatch):
    """Do something on a disk that fails from some call on; tell whether it came to that."""
    count = [0]

    def attack(action, place, code, fails_from, *, once=False):
        count[0] += 1
        folder = tmp_path / str(count[0])
        folder.mkdir()
        monkeypatch.setenv("CINDER_DATA_DIR", str(folder / "data"))
        document = session_in(folder)
        before = document.app.level_file.draft_bytes()
        folders = [folder / name for name in place]
        disk = FailingDisk(folders, code, is_reading=code != errno.EROFS)
        is_done = True
        with disk.used(fails_from, fails_from + 1 if once else None, patch=monkeypatch):
            try:
                ACTIONS[action](document, folder)
            except EngineError:
                is_done = False
        if not is_done and action in LEVEL_STAYS:
            assert document.app.level_file.draft_bytes() == before
            assert document.dirty
        if action != "close":
            check_rescue(document, folder / "other" / "rescue.scene")
        return disk.told

    return attack


def check_rescue(document, path):
    """The level can be saved elsewhere, and holds there what it holds."""
    document.settle()
    expected = sorted(NAME.findall(document.app.level_file.draft_bytes()))
    document.save(path)
    document.close()
    assert sorted(NAME.findall(path.read_bytes())) == expected
    again = LevelDocument()
    again.open(path)
    again.close()


PLACES = {"project": ("project", "other", "Town"), "data": ("data",)}


@pytest.mark.parametrize("action", ACTIONS)
@pytest.mark.parametrize("place", PLACES)
def test_an_action_on_a_disk_that_fails_from_the_first_call_on(attacked, action, place):
    attacked(action, PLACES[place], errno.EIO if place == "project" else errno.EROFS, 1)


@pytest.mark.full
@pytest.mark.parametrize("once", [False, True])
@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("action", ACTIONS)
def test_an_action_on_a_disk_that_fails_at_any_call(attacked, action, place, code, once):
    at = 1
    while attacked(action, PLACES[place], code, at, once=once):
        at += 1 if at < 40 else 5


@pytest.mark.parametrize("name", ["fsync", "unlink"])
def test_a_copy_whose_leavings_can_not_be_removed_is_an_error(attacked, name):
    told, at = "", 1
    while not told.startswith(name):
        told = attacked("copy", ("data/autosave",), errno.EROFS, at, once=name == "fsync")
        at += 1
        assert at < 50
        assert told


def test_files_that_can_not_be_moved_back_are_told_of(tmp_path, monkeypatch):
    document = session_in(tmp_path)
    calls = []
    real = os.rename

    def rename(old, new):
        calls.append((old, new))
        if len(calls) > 1:
            raise OSError(errno.EIO, "Input/output error")
        real(old, new)

    def refuse(path, data, **options):
        raise SceneError(f"{path}: can't be written")

    monkeypatch.setattr("editor.document.file_mover.os.rename", rename)
    monkeypatch.setattr("editor.document.file_mover.write_file", refuse)
    with pytest.raises(AssetError, match=r"can't be moved back to .*crate\.gltf"):
        document.rename_asset("crate.gltf", "box.gltf")
    document.close()


def test_a_file_in_the_place_of_the_props_folder_is_told_of(document, prop, tmp_path):
    project = tmp_path / "project"
    project.mkdir()
    (project / "project.json").write_text("{}")
    (project / "props").write_text("mine")
    (project / "a.scene").write_text("cinder-scene 2\n")
    document.open(project / "a.scene")
    with pytest.raises(AssetError, match="props: is a file, where a folder is needed"):
        document.place(prop)
    with pytest.raises(AssetError, match="props: is a file, where a folder is needed"):
        document.import_into([prop], "props")
    assert (project / "props").read_text() == "mine"


def test_journals_that_can_not_be_listed_or_removed_keep_nobody_from_starting(
    document, tmp_path, monkeypatch
):
    session = session_in(tmp_path)
    crash(session)
    [entry] = document.recoverable()
    told = []
    document.message_posted.connect(told.append)
    disk = FailingDisk([entry.path.parent], errno.EIO)
    for fails_from in (1, 2):
        with disk.used(fails_from, patch=monkeypatch):
            assert document.recoverable() == []
    disk = FailingDisk([entry.path.parent], errno.EROFS, is_reading=False)
    with disk.used(1, patch=monkeypatch):
        assert document.recoverable() == [entry]
        with pytest.raises(SceneError, match="the disk refuses"):
            document.discard(entry)
    assert any("whether unsaved work was left can't be seen" in m.text for m in told)
    document.recover(entry)
    assert document.dirty


def test_a_level_without_a_file_where_nothing_can_be_kept(document, prop, tmp_path, monkeypatch):
    blocked = tmp_path / "blocked"
    blocked.write_text("")
    monkeypatch.setenv("CINDER_DATA_DIR", str(blocked))
    document.new()
    document.spawn(Name("lamp"))
    with pytest.raises(SceneError, match="the folder of a level without a file can't be made"):
        document.place(prop)
    document.save(tmp_path / "kept.scene")
    assert 'text="lamp"' in (tmp_path / "kept.scene").read_text()


def test_a_level_whose_folder_is_gone_is_not_saved_into_a_new_one(tmp_path):
    """Where a disk was, a folder of that name would hide the level when it comes back."""
    document = session_in(tmp_path)
    project, away = tmp_path / "project", tmp_path / "away"
    project.rename(away)
    for overwrite in (False, True):
        with pytest.raises(SceneError, match="the folder is gone"):
            document.save(overwrite=overwrite)
    assert document.dirty
    assert not project.exists()
    document.save(tmp_path / "other" / "rescue.scene")
    assert not document.dirty
    document.close()


@pytest.mark.parametrize("code", [errno.EIO, errno.ESTALE, errno.EACCES, errno.ETIMEDOUT])
@pytest.mark.parametrize("fails_from", [1, 4, 9])
def test_what_workers_could_not_read_is_there_when_the_disk_is(
    tmp_path, monkeypatch, code, fails_from
):
    """What was read stays in view meanwhile, and the next look takes what is there then."""
    document = session_in(tmp_path)
    shown = sorted(map(document.label, document.world.entities()))
    disk = FailingDisk([tmp_path / "project"], code, is_everywhere=True)
    with disk.used(fails_from, patch=monkeypatch):
        document.reload_assets(force=True)
    assert disk.told
    assert sorted(map(document.label, document.world.entities())) == shown
    assert any(entry.error for entry in document.app.assets.entries())
    document.reload_assets()
    assert [entry.error for entry in document.app.assets.entries()] == [""]
    assert sorted(map(document.label, document.world.entities())) == shown
    document.close()
