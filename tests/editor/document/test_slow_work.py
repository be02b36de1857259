"""Saves into another project and exports in steps: given up, changed in between, carried out."""

import os

import pytest

from editor.document import LevelDocument
from editor.document.slow_work import Beside, Loading, Pause, finish
from engine.assets import load_gltf
from engine.errors import AssetError, SceneError
from engine.scene import GltfInstance, LocalTransform, Name
from tests.editor.document.props import asset_of, files_below, write_pack, write_prop


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "project.json").write_text("{}")
    write_pack(folder / "props" / "kit")
    write_prop(folder / "props" / "other", "barrel")
    return folder


@pytest.fixture
def other(tmp_path):
    folder = tmp_path / "other"
    folder.mkdir()
    (folder / "project.json").write_text("{}")
    return folder


@pytest.fixture
def yard(project):
    document = LevelDocument()
    document.new()
    document.save(project / "yard.scene")
    document.place("props/kit/crate.gltf")
    document.waits = False
    yield document
    document.close()


def to(kind, work):
    """Carry work out until it yields a kind of step; return that."""
    while not isinstance(step := next(work), kind):
        assert isinstance(step, Pause | Loading)
    return step


def rest_of(work, step):
    """Carry out a step and all that follow."""
    step.run()
    while True:
        try:
            step = next(work)
        except StopIteration as end:
            return end.value
        if isinstance(step, Beside):
            step.run()


KIT = [
    "props/kit/Textures/colormap.png",
    "props/kit/crate.bin",
    "props/kit/crate.gltf",
]


def test_files_are_copied_by_another_thread_and_all_of_them_come_along(yard, other):
    work = yard.saving(other / "yard.scene")
    step = to(Beside, work)
    assert files_below(other) == ["project.json"]
    assert "1 of 1" in step.progress()
    rest_of(work, step)
    kept = [name for name in files_below(other) if not name.startswith(".cinder")]
    assert kept == ["project.json", *KIT, "yard.scene"]
    assert yard.path == other / "yard.scene"
    assert yard.root == other
    assert not yard.dirty


@pytest.mark.parametrize("is_copied", [False, True])
def test_a_save_that_is_given_up_leaves_level_and_disk_as_they_were(
    yard, project, other, is_copied
):
    before, index = yard.app.level_file.draft_bytes(), yard.history.index
    work = yard.saving(other / "yard.scene")
    step = to(Beside, work)
    if is_copied:
        step.run()
        assert files_below(other) == ["project.json", *KIT]
    work.close()
    assert files_below(other) == ["project.json"]
    assert (yard.path, yard.root) == (project / "yard.scene", project)
    assert yard.app.level_file.draft_bytes() == before
    assert yard.history.index == index
    assert yard.dirty


def all_below(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


@pytest.mark.parametrize("there", ["props", "props/kit/Textures"])
def test_a_save_that_is_given_up_leaves_the_folders_that_were_there_and_no_others(
    yard, other, there
):
    (other / there).mkdir(parents=True)
    yard.place("props/other/barrel.gltf")
    before = all_below(other)
    work = yard.saving(other / "yard.scene")
    to(Beside, work).run()
    work.close()
    assert all_below(other) == before


def test_a_save_that_fails_leaves_no_folders(yard, other, monkeypatch):
    def full(*args, **options):
        raise SceneError("the disk is full")

    monkeypatch.setattr(yard.app, "save", full)
    with pytest.raises(SceneError, match="full"):
        yard.save(other / "new" / "deep" / "yard.scene")
    assert all_below(other) == ["project.json"]


@pytest.mark.skipif(os.name == "nt", reason="links need a right there")
def test_nothing_is_copied_through_a_link_out_of_the_project(yard, other, tmp_path):
    away = tmp_path / "away"
    away.mkdir()
    os.symlink(away, other / "props")
    with pytest.raises(AssetError, match="leads out of the project"):
        yard.save(other / "yard.scene")
    assert all_below(away) == []
    assert all_below(other) == ["project.json", "props"]


def test_what_a_level_uses_that_is_placed_while_files_are_copied_comes_along(yard, project, other):
    inner = LevelDocument()
    inner.new()
    inner.save(project / "inner.scene")
    inner.place("props/other/barrel.gltf")
    inner.save()
    inner.close()
    work = yard.saving(other / "yard.scene")
    step = to(Beside, work)
    step.run()
    yard.place("inner.scene", wait=False)
    yard.settle()
    rest_of(work, step)
    assert {"inner.scene", "props/other/barrel.gltf"} <= set(files_below(other))


def test_copying_that_is_stopped_ends_with_the_file_that_it_is_at(yard, other):
    yard.place("props/other/barrel.gltf")
    work = yard.saving(other / "yard.scene")
    step = to(Beside, work)
    step.stop()
    step.run()
    assert files_below(other) == ["project.json"]
    work.close()


def test_what_is_placed_while_files_are_copied_comes_along(yard, other):
    work = yard.saving(other / "yard.scene")
    step = to(Beside, work)
    step.run()
    yard.place("props/other/barrel.gltf", wait=False)
    rest_of(work, step)
    assert "props/other/barrel.gltf" in files_below(other)


def place_room(yard):
    """Place a level with a barrel while nobody waits for it to be read."""
    room = LevelDocument()
    room.open(yard.root / "room.scene")
    room.place("props/other/barrel.gltf")
    room.save()
    room.close()
    yard.place("room.scene", wait=False)


@pytest.fixture
def with_room(yard):
    (yard.root / "room.scene").write_text("cinder-scene 2\n")
    return yard


def test_a_level_that_is_placed_while_files_are_copied_comes_with_what_it_uses(with_room, other):
    work = with_room.saving(other / "yard.scene")
    step = to(Beside, work)
    step.run()
    place_room(with_room)
    rest_of(work, step)
    assert {"room.scene", "props/other/barrel.gltf"} <= set(files_below(other))


def test_what_such_a_level_uses_can_not_be_called_otherwise(with_room, other):
    there = other / "props" / "other" / "barrel.gltf"
    there.parent.mkdir(parents=True)
    there.write_text("another barrel")
    with_room.place("props/other/barrel.gltf")
    work = with_room.saving(other / "yard.scene")
    step = to(Beside, work)
    step.run()
    place_room(with_room)
    with pytest.raises(AssetError, match="placed levels use") as refused:
        to(Beside, work).run()
    with pytest.raises(AssetError):
        work.throw(refused.value)
    assert files_below(other) == ["project.json", "props/other/barrel.gltf"]
    assert there.read_text() == "another barrel"


def test_what_fails_in_the_other_thread_is_told_and_takes_back_the_copies(yard, other):
    told = []
    yard.message_posted.connect(lambda message: told.append(message.text))
    work = yard.saving(other / "yard.scene")
    step = to(Beside, work)
    step.run()
    with pytest.raises(AssetError, match="full"):
        work.throw(AssetError("the disk is full"))
    assert told == ["the disk is full"]
    assert files_below(other) == ["project.json"]


def test_a_save_within_the_project_has_no_steps(yard, project):
    with pytest.raises(StopIteration):
        next(yard.saving(project / "again.scene"))
    assert yard.path == project / "again.scene"


def test_finishing_at_once_comes_to_what_a_save_is(yard, project, other, tmp_path):
    finish(yard.saving(other / "yard.scene"), yard.settle)
    third = tmp_path / "third"
    third.mkdir()
    (third / "project.json").write_text("{}")
    again = LevelDocument()
    again.open(other / "yard.scene")
    again.save(third / "yard.scene")
    assert (third / "yard.scene").read_bytes() == (other / "yard.scene").read_bytes()
    assert asset_of(again, again.children()[0]) == "props/kit/crate.gltf"
    again.close()


# -- exports ---------------------------------------------------------------------------------


@pytest.fixture
def out(tmp_path):
    path = tmp_path / "out.glb"
    path.write_bytes(b"what was there")
    return path


def test_an_export_that_is_given_up_leaves_the_file(yard, out):
    for _ in range(2):
        work = yard.exporting(out)
        to(Pause, work)
        work.close()
        assert out.read_bytes() == b"what was there"
    work = yard.exporting(out)
    step = to(Beside, work)
    step.stop()
    with pytest.raises(SceneError):
        step.run()
    work.close()
    assert out.read_bytes() == b"what was there"
    assert [name for name in files_below(out.parent) if name.endswith(".tmp")] == []


@pytest.mark.parametrize("changes", [1, 5])
def test_an_export_shows_the_level_as_it_is_in_the_end(yard, out, tmp_path, changes):
    box = yard.add_shape("box")
    work = yard.exporting(out)
    for number in range(changes):
        step = next(work)
        while isinstance(step, Loading):
            step = next(work)
        if isinstance(step, Beside):
            break
        next(work)
        yard.set_fields([box], LocalTransform, translation=(number, 2, 3))
    step = step if isinstance(step, Beside) else to(Beside, work)
    assert rest_of(work, step) == []
    yard.export(tmp_path / "now.glb")
    assert out.read_bytes() == (tmp_path / "now.glb").read_bytes()


def test_an_export_of_a_selection_of_which_some_is_deleted_meanwhile_has_the_rest(yard, out):
    box, ball = yard.add_shape("box"), yard.add_shape("sphere")
    yard.select([box, ball])
    work = yard.exporting(out, selection_only=True)
    to(Pause, work)
    yard.delete([ball])
    yard.select([box])
    rest_of(work, to(Beside, work))
    assert [node.name for node in load_gltf(out).nodes] == [yard.label(box)]
    yard.select([box])
    work = yard.exporting(out, selection_only=True)
    to(Pause, work)
    yard.delete([box])
    with pytest.raises(SceneError, match="nothing selected"):
        to(Beside, work)


def test_warnings_of_an_export_are_posted_when_it_is_over(yard, out):
    told = []
    yard.spawn(Name("Lost"), GltfInstance(asset="lost.glb"))
    yard.message_posted.connect(lambda message: told.append(message.text))
    found = finish(yard.exporting(out), yard.settle)
    assert found
    assert told == found
