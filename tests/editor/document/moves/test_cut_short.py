"""A session that ends within a move of files: the next one finds all of it done, or nothing."""

import dataclasses
import errno
import os

import pytest

from editor.document import LevelDocument, move_intent
from editor.document.move_intent import MoveIntent, Rewrite, digest, intent_folder
from editor.model.file_moves import FileMoves
from engine.errors import EngineError
from engine.scene.levels.atomic_file import temporary_of
from tests.editor.document.failing_disk import FailingDisk
from tests.editor.document.levels import crash, named
from tests.editor.document.moves.conftest import OTHER
from tests.editor.document.props import write_pack, write_prop
from tests.gui.asset_steps import files

YARD = (
    'cinder-scene 2\n# mine\nentity 0\n  Name text="a"\n  GltfInstance asset="props/crate.gltf"\n'
    'entity 1\n  Name text="b"\n  GltfInstance asset="props/lamp.gltf"\n'
)
MOVES = {
    "rename": (lambda d: None, lambda d: d.rename_asset("props/crate.gltf", "chest.gltf")),
    "move": (lambda d: None, lambda d: d.move_assets(["props/crate.gltf"], "deep/er")),
    "folder": (lambda d: None, lambda d: d.move_assets(["props"], "things")),
    "level": (lambda d: None, lambda d: d.rename_asset("first.scene", "start.scene")),
    "relink": (lambda d: None, lambda d: d.relink("props/crate.gltf", "props/lamp.gltf")),
    "undo": (lambda d: d.move_assets(["props/crate.gltf"], "deep"), lambda d: d.undo()),
    "redo": (
        lambda d: (d.rename_asset("props/crate.gltf", "chest.gltf"), d.undo()),
        lambda d: d.redo(),
    ),
}


def write_project(folder):
    """Write two levels that use the same props, and a project.json that names a third."""
    write_pack(folder / "props")
    write_prop(folder / "props", "lamp")
    (folder / "project.json").write_text('{"root_scene_path": "first.scene"}')
    (folder / "first.scene").write_text("cinder-scene 2\n")
    (folder / "other.scene").write_text(OTHER)
    (folder / "third.scene").write_text(OTHER.replace("by hand", "third"))
    (folder / "yard.scene").write_text(YARD)
    return folder / "yard.scene"


class Run:
    """A project in a folder of its own, and a session that begins a move there."""

    def __init__(self, folder, name, monkeypatch):
        monkeypatch.setenv("CINDER_DATA_DIR", str(folder / "data"))
        self.folder, self.patch = folder, monkeypatch
        self.level = write_project(folder / "project")
        first, self.act = MOVES[name]
        self.document = LevelDocument()
        self.document.open(self.level)
        self.document.rename(named(self.document, "b"), "Lamp")
        first(self.document)
        self.document._journal._join_copying()
        self.before = self.files()

    def files(self):
        return files(self.level.parent)

    def end_at(self, call):
        """End at a change of the disk; tell whether it came to that."""
        return ended_at(self, [self.folder / "project", self.folder / "data"], call)

    def recovered(self):
        document = LevelDocument()
        [entry] = document.recoverable()
        document.recover(entry)
        return document


def ended_at(run, folders, call):
    disk = FailingDisk(folders, errno.EIO, is_reading=False)
    with disk.used(call, patch=run.patch):
        try:
            run.act(run.document)
        except EngineError:
            assert disk.told
    crash(run.document)
    return disk.told


def whole(folder, name, monkeypatch):
    """What a project holds before and after a move that nothing keeps from being whole."""
    run = Run(folder, name, monkeypatch)
    run.act(run.document)
    run.document.close()
    return run.before, run.files()


def check_session(document):
    """Everything is found by its name, and what was done before is there."""
    assert document.missing_assets() == []
    assert named(document, "Lamp")
    while document.history.index:
        document.undo()
    assert document.missing_assets() == []
    while document.history.index < document.history.count:
        document.redo()
    assert document.missing_assets() == []
    document.close()


def check_ends(tmp_path, name, monkeypatch, *, again):
    before, after = whole(tmp_path / "whole", name, monkeypatch)
    at, told, seen = 1, True, set()
    while told:
        run = Run(tmp_path / str(at), name, monkeypatch)
        assert run.before == before
        told = run.end_at(at)
        if again:
            cut_the_next_start(run, again)
        document = run.recovered()
        found = run.files()
        assert found in (before, after), (at, told)
        seen.add(found == after)
        assert list(intent_folder().glob("[!.]*")) == []
        check_session(document)
        at += 1
    assert seen == {True, False}


def cut_the_next_start(run, at):
    """The start that finishes it ends, too."""
    disk = FailingDisk([run.folder / "project"], errno.EIO, is_reading=False)
    document = LevelDocument()
    with disk.used(at, patch=run.patch):
        try:
            document.open(run.level)
        except EngineError:
            assert disk.told
    crash(document)


@pytest.mark.parametrize("name", ["rename", "undo"])
def test_a_move_that_ends_at_any_change_of_the_disk_is_whole_or_was_not(
    tmp_path, monkeypatch, name
):
    check_ends(tmp_path, name, monkeypatch, again=0)


@pytest.mark.full
@pytest.mark.parametrize("again", [0, 1, 3, 6, 9])
@pytest.mark.parametrize("name", MOVES)
def test_every_move_that_ends_at_any_change_of_the_disk(tmp_path, monkeypatch, name, again):
    check_ends(tmp_path, name, monkeypatch, again=again)


@pytest.fixture
def left(tmp_path):
    """A project with a record in it of a rename of which nothing happened yet."""
    level = write_project(tmp_path / "project")
    pair = (("props/crate.gltf", "props/chest.gltf"),)
    moves = FileMoves(pair, (), pair, str(level.parent))
    rewrites = []
    for name in ("other.scene", "third.scene", "yard.scene"):
        before = (level.parent / name).read_bytes()
        after = before.replace(b"crate.gltf", b"chest.gltf")
        rewrites.append(Rewrite(name, name, digest(before), digest(after)))
    return MoveIntent("0" * 31 + "a", moves, tuple(rewrites))


def started(intent):
    """Start on the project of a record; return what is told and what lies there then."""
    document, told = LevelDocument(), []
    document.message_posted.connect(told.append)
    root = intent.moves.root
    document.open(os.path.join(root, "yard.scene"))
    document.close()
    return [message.text for message in told], files(root)


def test_what_was_cut_short_is_finished_and_told_of_once(left, tmp_path):
    left.write()
    (tmp_path / "project" / temporary_of("other.scene", left.token)).write_text("torn")
    (tmp_path / "project" / ".other.scene.mine.tmp").write_text("of somebody else")
    told, found = started(left)
    assert told == [
        "A move of props/crate.gltf to props/chest.gltf was cut short; it is finished now"
    ]
    assert "props/chest.gltf" in found
    assert "props/crate.gltf" not in found
    assert [name for name in found if name.endswith(".tmp")] == [".other.scene.mine.tmp"]
    assert (tmp_path / "project/other.scene").read_text() == OTHER.replace("crate.g", "chest.g")
    assert started(left) == ([], found)


def test_a_project_whose_first_level_was_renamed_is_found(left, tmp_path):
    root = tmp_path / "project"
    pair = (("first.scene", "start.scene"),)
    before = (root / "project.json").read_bytes()
    after = before.replace(b"first", b"start")
    rewrite = Rewrite("project.json", "project.json", digest(before), digest(after))
    MoveIntent(left.token, FileMoves(pair, (), pair, str(root)), (rewrite,)).write()
    (root / "first.scene").rename(root / "start.scene")
    document = LevelDocument()
    assert document.first_level(root) == root / "start.scene"
    assert (root / "project.json").read_bytes() == after
    document.close()


def test_a_level_that_somebody_changed_since_is_left_alone_and_named(left, tmp_path):
    left.write()
    other = tmp_path / "project/other.scene"
    other.write_text(OTHER + "\n# more\n")
    (first, second), _ = started(left)
    assert "other.scene: was changed since" in first
    assert "finished now" in second
    assert other.read_text() == OTHER + "\n# more\n"
    assert "chest.gltf" in (tmp_path / "project/third.scene").read_text()


@pytest.mark.parametrize("change", ["both", "neither"])
def test_nothing_is_touched_where_somebody_moved_the_file(left, tmp_path, change):
    left.write()
    props = tmp_path / "project/props"
    (props / "crate.gltf").rename(props / "mine.gltf")
    if change == "both":
        (props / "crate.gltf").write_text("{}")
        (props / "chest.gltf").write_text("{}")
    before = files(tmp_path / "project")
    [text], found = started(left)
    assert found == before
    assert "props/crate.gltf" in text
    assert f"found {change}" in text
    assert ".damaged" in text
    assert started(left) == ([], before)


def test_moves_of_a_session_that_runs_are_left_to_it(left, tmp_path):
    session = LevelDocument()
    session.open(tmp_path / "project/first.scene")
    session.rename(session.spawn(), "x")
    running = dataclasses.replace(left, journal=session._journal.file_name)
    running.write()
    before = files(tmp_path / "project")
    assert started(running) == ([], before)
    assert running.path.exists()
    crash(session)
    assert started(running)[1] != before


def moving(intent, old, new):
    return dataclasses.replace(
        intent, moves=dataclasses.replace(intent.moves, moved=((old, new),))
    ).to_bytes()


def wrong_digest(intent):
    """A record that has a level become something that the renames do not make of it."""
    rewrites = [dataclasses.replace(r, after="0" * 32) for r in intent.rewrites]
    return dataclasses.replace(intent, rewrites=tuple(rewrites), moves=FileMoves(
        renamed=intent.moves.renamed, root=intent.moves.root)).to_bytes()  # fmt: skip


HOSTILE = {
    "empty": lambda i: b"",
    "no record": lambda i: b"\x00" * 4096,
    "torn": lambda i: i.to_bytes()[:-20],
    "altered": lambda i: i.to_bytes().replace(b"chest", b"cheat"),
    "out of the project": lambda i: moving(i, "props/crate.gltf", "../crate.gltf"),
    "from outside": lambda i: moving(i, "../secret", "props/secret"),
    "absolute": lambda i: moving(i, "/etc/hostname", "props/secret"),
    "hidden": lambda i: moving(i, "props", ".git/hooks"),
    "null": lambda i: moving(i, "props/\x00", "b"),
    "surrogate": lambda i: moving(i, "props/\ud800", "b"),
    "no level": lambda i: dataclasses.replace(
        i, rewrites=(Rewrite("props/crate.gltf", "props/chest.gltf", "", ""),)
    ).to_bytes(),
    "another token": lambda i: dataclasses.replace(i, token="b" * 32).to_bytes(),
    "no token": lambda i: dataclasses.replace(i, token="../../x").to_bytes(),
    "journal elsewhere": lambda i: dataclasses.replace(i, journal="../x.journal").to_bytes(),
    "endless": lambda i: b"[" * 200_000,
    "huge": lambda i: b"x" * 2_000_000,
    "many paths": lambda i: dataclasses.replace(i, dropped=(("a", "b"),) * 60_000).to_bytes(),
}  # fmt: skip


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_record_is_put_aside_with_a_message(left, tmp_path, monkeypatch, kind):
    if kind == "huge":
        monkeypatch.setattr(move_intent, "LARGEST_RECORD", 1_000_000)
    (tmp_path / "secret").write_text("mine")
    intent_folder().mkdir(parents=True)
    left.path.write_bytes(HOSTILE[kind](left))
    before = files(tmp_path)
    [text], _ = started(left)
    assert ".damaged" in text
    assert not left.path.exists()
    assert {k: v for k, v in files(tmp_path).items() if not k.startswith("data")} == {
        k: v for k, v in before.items() if not k.startswith("data")
    }
    assert started(left)[0] == []


def test_a_level_is_only_ever_written_as_the_renames_make_it(left, tmp_path):
    intent_folder().mkdir(parents=True)
    left.path.write_bytes(wrong_digest(left))
    before = files(tmp_path / "project")
    told, found = started(left)
    assert found == before
    assert len(told) == 3


def test_a_link_does_not_lead_a_record_out_of_the_project(left, tmp_path):
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/secret").write_text("mine")
    (tmp_path / "project/link").symlink_to(tmp_path / "outside")
    intent_folder().mkdir(parents=True)
    left.path.write_bytes(moving(left, "link/secret", "props/secret"))
    [text], _ = started(left)
    assert ".damaged" in text
    assert (tmp_path / "outside/secret").read_text() == "mine"
