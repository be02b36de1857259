import json

import pytest

from editor.document import LevelDocument
from editor.model.folders import data_folder
from engine.errors import EngineError, SceneError
from engine.reflect import Entity
from engine.scene import GltfInstance, LocalTransform, Name, Parent
from tests.editor.document.levels import LEVEL, named, write


def test_a_level_comes_back_as_it_was_saved(document, tmp_path):
    top = document.spawn(Name('Zoë "x"\n'), LocalTransform((1, 2, 3)))
    document.spawn(Name("below"), LocalTransform(), parent=top)
    document.save(tmp_path / "a.scene")
    assert (document.dirty, document.name) == (False, "a")
    first = (tmp_path / "a.scene").read_bytes()
    document.open(tmp_path / "a.scene")
    assert [document.label(e) for e in document.children()] == ['Zoë "x"\n']
    document.save(tmp_path / "b.scene")
    assert (tmp_path / "b.scene").read_bytes() == first
    assert document.path == tmp_path / "b.scene"


def test_the_binary_form_too(document, tmp_path):
    document.spawn(Name("a"))
    document.save(tmp_path / "a.cscn")
    document.open(tmp_path / "a.cscn")
    assert document.label(document.children()[0]) == "a"


def test_saving_without_a_change_changes_no_byte(document, tmp_path):
    path = write(tmp_path, LEVEL)
    document.open(path)
    document.save()
    assert path.read_text() == LEVEL


def test_moving_one_changes_one_line(document, tmp_path):
    path = write(tmp_path, LEVEL)
    document.open(path)
    document.set_fields(named(document, "bucket"), LocalTransform, translation=(0, 1, 0))
    document.save()
    before, after = LEVEL.splitlines(), path.read_text().splitlines()
    changed = [i for i, (a, b) in enumerate(zip(before, after, strict=True)) if a != b]
    assert len(changed) == 1
    assert "translation=[0.0,1.0,0.0]" in after[changed[0]]


def test_undo_all_saves_the_same_bytes(document, tmp_path):
    path = write(tmp_path, LEVEL)
    document.open(path)
    well, bucket = named(document, "well"), named(document, "bucket")
    document.spawn(Name("new"))
    document.reparent([bucket], None)
    document.remove_component([bucket], "Wind")
    document.select([well])
    document.duplicate()
    document.delete([well])
    document.save(tmp_path / "edited.scene")
    edited = (tmp_path / "edited.scene").read_bytes()
    end = document.history.index
    document.history.jump(0)
    document.save(tmp_path / "undone.scene")
    assert (tmp_path / "undone.scene").read_text() == LEVEL
    document.history.jump(end)
    document.save(tmp_path / "redone.scene")
    assert (tmp_path / "redone.scene").read_bytes() == edited


def test_deleting_leaves_an_empty_record_and_others_keep_their_index(document, tmp_path):
    path = write(tmp_path, LEVEL)
    document.open(path)
    document.delete([named(document, "well")])
    assert len(document.world) == 0
    document.undo()
    document.reparent([named(document, "bucket")], None)
    document.delete([named(document, "well")])
    document.save()
    text = path.read_text()
    assert text.index("entity 2") < text.index('Name text="bucket"')
    assert 'well"' not in text
    assert "at=#-1" in text


def test_unknown_components_are_kept_and_named(document, tmp_path):
    path = write(tmp_path, LEVEL)
    document.open(path)
    bucket = named(document, "bucket")
    wind = next(v for v in document.components(bucket) if v.name == "Wind")
    assert (wind.unknown, wind.type_) == (True, None)
    assert Entity(wind.record.get("at").integer) == named(document, "well")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"hello",
        b"cinder-scene 99\n",
        b"cinder-scene 2\nentity 7\n",
        b'cinder-scene 2\nentity 0\n  Name text="a',
        b"\xff\xfe\x00",
        b"cinder-scene 2\nentity 0\n  Name text=3\n",
        b"cinder-scene 2\nentity 0\n  Name a=[" + b"1," * 100_000,
        b"CSCN\x02\x00\x00\x00\xff\xff\xff\xff",
    ],
)
@pytest.mark.parametrize("name", ["bad.scene", "bad.cscn"])
def test_a_file_that_can_not_be_read_changes_nothing(document, tmp_path, content, name):
    path = write(tmp_path / "bad", content, name)
    a = document.spawn(Name("a"))
    document.select([a])
    world, messages, replaced = document.world, [], []
    document.message_posted.connect(messages.append)
    document.replaced.connect(replaced.append)
    with pytest.raises(EngineError):
        document.open(path)
    assert document.world is world
    assert (document.selection, document.history.index, document.path) == ([a], 2, None)
    assert path.read_bytes() == content
    assert [m.level for m in messages] == ["error"]
    assert messages[0].path == path
    assert replaced == []
    document.undo()
    document.undo()
    assert len(document.world) == 0


@pytest.mark.parametrize("name", ["missing.scene", "folder.scene", "a.txt"])
def test_what_is_no_level_file_is_refused(document, tmp_path, name):
    (tmp_path / "folder.scene").mkdir()
    (tmp_path / "a.txt").write_text(LEVEL)
    with pytest.raises(SceneError, match=name):
        document.open(tmp_path / name)


def test_opening_starts_anew(document, tmp_path):
    path = write(tmp_path, LEVEL)
    document.spawn(Name("a"))
    before, replaced = document.level_id, []
    document.replaced.connect(replaced.append)
    document.open(path)
    assert (document.history.count, document.dirty, document.selection) == (0, False, [])
    assert document.level_id != before
    assert len(replaced) == 1
    assert {document.label(e) for e in document.world.entities()} == {"well", "bucket"}


def test_parents_that_lead_nowhere_are_opened_and_kept(document, tmp_path):
    text = (
        "cinder-scene 2\n"
        'entity 0\n  Name text="a"\n  Parent entity=#1\n'
        'entity 1\n  Name text="b"\n  Parent entity=#0\n'
        'entity 2\n  Name text="c"\n  Parent entity=#2\n'
        'entity 3\n  Name text="d"\n  Parent entity=#77\n'
    )
    path = write(tmp_path, text)
    document.open(path)
    assert [document.label(e) for e in document.children()] == ["a", "c", "d"]
    assert {document.label(i.entity) for i in document.issues()} >= {"a", "c"}
    document.save()
    assert path.read_text() == text
    a = named(document, "a")
    [issue] = [i for i in document.issues() if i.entity == a]
    document.fix(issue)
    assert not document.world.has(a, Parent)
    assert a not in [i.entity for i in document.issues()]


def test_saving_needs_a_path(document):
    with pytest.raises(SceneError, match="no file yet"):
        document.save()


@pytest.mark.parametrize("name", ["a.txt", "a", "folder.scene"])
def test_a_save_that_can_not_be_done_changes_nothing(document, tmp_path, name):
    (tmp_path / "folder.scene").mkdir()
    document.spawn(Name("a"))
    with pytest.raises(SceneError):
        document.save(tmp_path / name)
    assert (document.path, document.dirty) == (None, True)
    assert [p.name for p in tmp_path.iterdir()] == ["folder.scene"]


def test_revert_goes_back_to_the_file(document, tmp_path):
    document.open(write(tmp_path, LEVEL))
    document.rename(named(document, "well"), "fountain")
    document.revert()
    assert (document.dirty, document.label(document.children()[0])) == (False, "well")
    other = LevelDocument()
    with pytest.raises(SceneError, match="never saved"):
        other.revert()
    other.close()


def test_marks_and_view_come_back_and_lie_outside_the_level(document, tmp_path):
    path = write(tmp_path / "p", LEVEL)
    document.open(path)
    document.set_hidden([named(document, "bucket")], True)
    document.set_locked([named(document, "well")], True)
    document.view_state["camera"] = {"distance": 3.0}
    document.new()
    document.open(path)
    assert document.hidden(named(document, "bucket"))
    assert document.locked(named(document, "well"))
    assert document.view_state["camera"] == {"distance": 3.0}
    assert not document.dirty
    assert [p.name for p in path.parent.iterdir()] == ["a.scene"]
    assert path.read_text() == LEVEL


def test_a_project_is_the_nearest_folder_with_a_project_file(document, tmp_path):
    (tmp_path / "project.json").write_text("{}")
    path = write(tmp_path / "levels" / "deep", LEVEL)
    document.open(path)
    assert document.root == tmp_path
    alone = write(tmp_path.parent / "alone", LEVEL)
    document.open(alone)
    assert document.root == alone.parent


def test_a_copy_of_a_level_is_a_level_that_was_never_saved(document, tmp_path, prop):
    sample = tmp_path / "sample"
    (sample / "props").mkdir(parents=True)
    (sample / "props" / "crate.gltf").write_bytes(prop.read_bytes())
    (sample / "project.json").write_text(json.dumps({"root_scene_path": "town.scene"}))
    text = 'cinder-scene 2\nentity 0\n  Name text="c"\n  GltfInstance asset="props/crate.gltf"\n'
    level = write(sample, text, "town.scene")
    document.open_copy(level)
    assert (document.path, document.dirty) == (None, False)
    assert document.root.is_relative_to(data_folder())
    entity = named(document, "c")
    assert document.children(entity)
    document.rename(entity, "renamed")
    document.save(tmp_path / "mine" / "my.scene")
    assert (tmp_path / "mine" / "props" / "crate.gltf").read_bytes() == prop.read_bytes()
    assert level.read_text() == text
    assert list((data_folder() / "scratch").iterdir()) == []
    assert document.children(entity)


def test_what_was_imported_but_not_placed_comes_along_with_the_first_save(tmp_path, prop):
    """But not what the level was opened as a copy of, and does not use."""
    sample = tmp_path / "sample"
    (sample / "props").mkdir(parents=True)
    (sample / "props" / "unused.gltf").write_bytes(prop.read_bytes())
    (sample / "project.json").write_text(json.dumps({"root_scene_path": "town.scene"}))
    level = write(sample, "cinder-scene 2\n", "town.scene")
    pack = tmp_path / "pack"
    (pack / "Textures").mkdir(parents=True)
    model = json.loads(prop.read_text()) | {"images": [{"uri": "Textures/map.png"}]}
    (pack / "chair.gltf").write_text(json.dumps(model))
    (pack / "Textures" / "map.png").write_bytes(b"a picture")
    document = LevelDocument()
    document.open_copy(level)
    (chair,) = document.import_into([pack / "chair.gltf"], "props")
    document.save(tmp_path / "mine" / "my.scene")
    mine = sorted(p.relative_to(tmp_path / "mine").as_posix() for p in
                  (tmp_path / "mine").rglob("*") if p.is_file())  # fmt: skip
    folder = chair.removesuffix("chair.gltf")
    assert mine == ["my.scene", f"{folder}Textures/map.png", chair]
    document.close()


def test_closing_leaves_no_scratch_folder(tmp_path, prop):
    document = LevelDocument()
    document.place(prop)
    assert len(list((data_folder() / "scratch").iterdir())) == 1
    document.close()
    assert list((data_folder() / "scratch").iterdir()) == []


def test_a_level_whose_asset_is_missing_opens_with_a_box_and_keeps_every_record(document, tmp_path):
    text = (
        "cinder-scene 2\n"
        'entity 0\n  Name text="gone"\n  GltfInstance asset="no/such.glb" lods=false\n'
        'entity 1\n  Name text="bad"\n  GltfInstance asset="../../etc/passwd"\n'
        'entity 2\n  InstanceNode root=#0 path="Body/Arm"\n  LocalTransform scale=[2,2,2]\n'
    )
    path = write(tmp_path, text)
    document.open(path)
    gone, bad = named(document, "gone"), named(document, "bad")
    assert {gone, bad} <= {issue.entity for issue in document.issues()}
    assert document.children(gone)
    document.save()
    assert path.read_text() == text
    document.rename(gone, "lost")
    document.save()
    assert path.read_text() == text.replace('"gone"', '"lost"')
    assert document.world.get(gone, GltfInstance).asset == "no/such.glb"


def test_unknown_components_are_named_on_the_console(document, tmp_path):
    messages = []
    document.message_posted.connect(messages.append)
    document.open(write(tmp_path, LEVEL))
    [message] = messages
    assert (message.level, message.path) == ("warning", tmp_path / "a.scene")
    assert "Wind" in message.text


def test_an_older_file_is_upgraded_and_not_dirty(document, tmp_path):
    text = 'cinder-scene 1\nentity 0\n  Name text="a"\n  Health hp=3\n'
    path = write(tmp_path, text)
    document.open(path)
    assert (document.upgraded_from, document.dirty) == (1, False)
    assert path.read_text() == text
    document.save()
    assert document.upgraded_from is None
    assert "health=3" in path.read_text()


@pytest.mark.parametrize("name", ["a\0b.scene", "x" * 300 + ".scene", "loop.scene"])
def test_a_path_that_no_file_can_have_is_an_error_and_changes_nothing(document, tmp_path, name):
    (tmp_path / "loop.scene").symlink_to("loop.scene")
    document.save(tmp_path / "kept.scene")
    told = []
    document.message_posted.connect(told.append)
    for use in (document.open, document.open_copy, document.save):
        with pytest.raises(SceneError):
            use(tmp_path / name)
    assert document.path == tmp_path / "kept.scene"
    assert [message.level for message in told] == ["error"] * 3
