"""Somebody else writes the file of the open level."""

import pytest

from editor.document import LevelDocument
from editor.document.merging import MergeConflicts
from engine.errors import SceneError
from engine.scene import InstanceNode, LocalTransform, Name, Parent
from tests.editor.document.levels import LEVEL, crash, named, write
from tests.editor.document.props import write_prop


@pytest.fixture
def path(document, tmp_path):
    """The level's file, open in `document`."""
    path = write(tmp_path, LEVEL)
    document.open(path)
    return path


@pytest.fixture
def other(path):
    """Another editor with the same level."""
    other = LevelDocument()
    other.open(path)
    yield other
    other.close()


def names(document):
    return sorted(document.label(e) for e in document.world.entities())


def test_independent_changes_are_merged_by_a_save(document, path):
    well = named(document, "well")
    document.select([well])
    document.rename(well, "fountain")
    steps = document.history.count
    path.write_text(LEVEL.replace("scale=[2,2,2]", "scale=[3,3,3]") + "# theirs\n")
    document.save()
    bucket = named(document, "bucket")
    assert document.world.get(bucket, LocalTransform).scale.tolist() == [3, 3, 3]
    assert path.read_text() == (
        LEVEL.replace("scale=[2,2,2]", "scale=[3,3,3]").replace('"well"', '"fountain"')
        + "# theirs\n"
    )
    assert document.selection == [well]
    assert document.history.count == steps + 1
    assert document.history.labels[-1] == "Merge a.scene"
    document.undo()
    assert document.world.get(bucket, LocalTransform).scale.tolist() == [2, 2, 2]
    assert document.dirty
    document.redo()
    assert not document.dirty


def test_what_others_did_comes_in_on_focus_and_leaves_a_clean_level_clean(document, path, other):
    well = named(document, "well")
    other.rename(named(other, "well"), "fountain")
    lamp = other.add_light("point", parent=named(other, "bucket"))
    other.save()
    found = document.merge_disk()
    assert (found.changes, found.conflicts) == (2, [])
    assert document.label(well) == "fountain"
    assert document.parent(named(document, "Point light")) == named(document, "bucket")
    assert not document.dirty
    assert not document.changed_on_disk
    assert document.merge_disk() is None
    document.undo()
    assert (document.label(well), document.dirty) == ("well", True)
    assert lamp


def test_both_add_and_nothing_clashes(document, path, other):
    mine = document.spawn(Name("mine"), parent=named(document, "well"))
    theirs = other.spawn(Name("theirs"), parent=named(other, "bucket"))
    other.spawn(Name("below theirs"), parent=theirs)
    other.save()
    index = other.app.level_file.index_of(theirs)
    document.save()
    assert names(document) == ["below theirs", "bucket", "mine", "theirs", "well"]
    assert document.parent(mine) == named(document, "well")
    assert document.app.level_file.index_of(named(document, "theirs")) == index
    assert document.parent(named(document, "below theirs")) == named(document, "theirs")
    other.merge_disk()
    assert names(other) == names(document)


def test_deleting_on_one_side_and_nothing_on_the_other(document, path, other):
    other.delete([named(other, "bucket")])
    other.save()
    bucket = named(document, "bucket")
    document.select([bucket, named(document, "well")])
    document.merge_disk()
    assert names(document) == ["well"]
    assert document.selection == [named(document, "well")]
    document.undo()
    assert document.world.alive(bucket)
    assert document.selection[0] == bucket


def test_conflicts_are_listed_with_both_values_and_ours_is_the_default(document, path, other):
    for editor, name, force in ((document, "fountain", 1), (other, "spring", 2)):
        well, bucket = named(editor, "well"), named(editor, "bucket")
        editor.rename(well, name)
        editor.set_fields(bucket, LocalTransform, scale=(force, 1, 1), translation=(0, 0, 0))
    other.set_fields(named(other, "bucket"), LocalTransform, translation=(7, 0, 0))
    other.save()
    before, disk = document.history.index, path.read_bytes()
    with pytest.raises(MergeConflicts, match="both sides changed") as error:
        document.save()
    assert (document.history.index, path.read_bytes()) == (before, disk)
    assert len(error.value.conflicts) == 2
    found = document.merge_disk()
    listed = {(c.component, c.field): c for c in found.conflicts}
    assert set(listed) == {("Name", "text"), ("LocalTransform", "scale")}
    name = listed["Name", "text"]
    assert [v.text for v in (name.base, name.ours, name.theirs)] == ["well", "fountain", "spring"]
    assert document.label(document.children()[0]) == "fountain"
    place = found.conflicts.index(listed["LocalTransform", "scale"])
    document.take_in(found, theirs=[place])
    bucket = document.world.get(named(document, "bucket"), LocalTransform)
    assert bucket.scale.tolist() == [2, 1, 1]
    assert bucket.translation.tolist() == [7, 0, 0]
    assert document.label(document.children()[0]) == "fountain"
    document.save()
    assert "fountain" in path.read_text()
    document.history.jump(before)
    assert document.world.get(named(document, "bucket"), LocalTransform).scale.tolist() == [1, 1, 1]


@pytest.mark.parametrize("take_theirs", [False, True])
def test_one_deletes_what_the_other_changes(document, path, other, take_theirs):
    document.delete([named(document, "bucket")])
    other.set_fields(named(other, "bucket"), LocalTransform, translation=(1, 1, 1))
    other.save()
    found = document.merge_disk()
    [conflict] = found.conflicts
    assert (conflict.label, conflict.component, conflict.ours) == ("bucket", "", None)
    document.take_in(found, theirs=[0] if take_theirs else [])
    assert names(document) == (["bucket", "well"] if take_theirs else ["well"])
    document.save()
    assert ("bucket" in path.read_text()) is take_theirs
    if take_theirs:
        assert document.parent(named(document, "bucket")) == named(document, "well")


def test_changes_of_nodes_are_merged(document, tmp_path):
    folder = tmp_path / "Town"
    write_prop(folder)
    path = write(folder, "cinder-scene 2\n")
    document.open(path)
    crate = document.place("crate.gltf")
    document.save()
    other = LevelDocument()
    other.open(path)
    body = other.children(named(other, "crate"))[0]
    other.set_fields([body], LocalTransform, translation=(0, 5, 0))
    other.spawn(Name("flag"), LocalTransform(), parent=other.children(body)[0])
    other.save()
    mine = document.children(crate)[0]
    document.set_fields([mine], LocalTransform, scale=(2, 2, 2))
    document.save()
    value = document.world.get(mine, LocalTransform)
    assert (value.translation.tolist(), value.scale.tolist()) == ([0, 5, 0], [2, 2, 2])
    assert document.parent(named(document, "flag")) == document.children(mine)[0]
    other.merge_disk()
    value = other.world.get(body, LocalTransform)
    assert (value.translation.tolist(), value.scale.tolist()) == ([0, 5, 0], [2, 2, 2])
    other.revert_override([body])
    other.save()
    document.merge_disk()
    assert not document.world.has(mine, InstanceNode)
    assert document.world.get(mine, LocalTransform).translation.tolist() == [0, 0, 0]
    document.undo()
    assert document.world.get(mine, LocalTransform).translation.tolist() == [0, 5, 0]
    other.close()


def test_a_file_that_can_not_be_read_now_is_never_overwritten(document, path):
    document.rename(named(document, "well"), "fountain")
    path.write_text("half a fi")
    with pytest.raises(SceneError):
        document.save()
    with pytest.raises(SceneError):
        document.merge_disk()
    assert (path.read_text(), document.dirty) == ("half a fi", True)
    document.save(overwrite=True)
    assert "fountain" in path.read_text()


def test_only_comments_changed(document, path):
    path.write_text("# hello\n".join(LEVEL.partition("# the well\n")[::2]))
    found = document.merge_disk()
    assert found.changes == 0
    assert (document.history.count, document.dirty) == (0, False)
    document.rename(named(document, "well"), "fountain")
    document.save()
    assert "# hello" in path.read_text()


def test_nothing_is_looked_at_inside_a_gesture(document, path):
    gesture = document.begin_gesture("Drag")
    document.set_fields(named(document, "well"), LocalTransform, translation=(9, 9, 9))
    path.write_text(LEVEL + "# theirs\n")
    assert document.merge_disk() is None
    assert document.changed_on_disk
    gesture.cancel()
    assert document.merge_disk() is not None


def test_parents_move_with_the_merge(document, path, other):
    other.reparent([named(other, "bucket")], None)
    other.delete([named(other, "well")])
    other.save()
    document.merge_disk()
    assert names(document) == ["bucket"]
    assert not document.world.has(named(document, "bucket"), Parent)


def test_a_binary_level_too(document, tmp_path):
    document.spawn(Name("a"))
    document.save(tmp_path / "a.cscn")
    other = LevelDocument()
    other.open(tmp_path / "a.cscn")
    other.spawn(Name("b"))
    other.save()
    document.spawn(Name("c"))
    document.save()
    assert names(document) == ["a", "b", "c"]
    other.close()


def test_what_one_renames_keeps_what_the_other_put_below_it(document, path, other):
    other.rename(named(other, "well"), "fountain")
    other.save()
    well = named(document, "well")
    lamp = document.spawn(Name("lamp"), parent=well)
    document.save()
    assert names(document) == ["bucket", "fountain", "lamp"]
    assert document.parent(lamp) == document.parent(named(document, "bucket")) == well
    assert document.label(well) == "fountain"


def test_a_merge_comes_back_after_a_crash(document, path, other):
    session = LevelDocument()
    session.open(path)
    session.spawn(Name("mine"))
    other.rename(named(other, "well"), "fountain")
    other.spawn(Name("theirs"), parent=named(other, "bucket"))
    other.save()
    session.merge_disk()
    session.rename(named(session, "theirs"), "theirs, renamed")
    crash(session)
    [entry] = document.recoverable()
    document.recover(entry)
    assert names(document) == ["bucket", "fountain", "mine", "theirs, renamed"]
    document.save()
    assert names(document) == ["bucket", "fountain", "mine", "theirs, renamed"]
    assert path.read_text().count("Name") == 4
