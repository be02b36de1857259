import difflib
import os
import pathlib

import numpy as np
import pytest

from engine.ecs import World
from engine.errors import SceneError
from engine.reflect import Entity
from engine.scene.components import (
    GltfInstance,
    InstanceNode,
    LocalTransform,
    Name,
    Order,
    Parent,
    Realised,
)
from engine.scene.document import SceneDoc, read_binary, read_text, write_binary
from engine.scene.levels import LevelFile, atomic_file, disk_state, level_registry
from tests.engine.scene.registry.game_components import Inventory

BY_HAND = """\ufeffcinder-scene 2
# the yard

# where it all starts
entity 0
  Name   text="crate"
  # half as high
  LocalTransform scale=[1,.5,1] translation=[1,2,0x40400000]
  acme.Loot a=+1 b=#2

entity 1
entity 2
\tName text="lid"
  Parent entity=#0
# the last one
  entity   3
""".replace("\n", "\r\n")

CANONICAL = """cinder-scene 2
entity 0
  Name text="a"
  LocalTransform translation=[0.0,0.0,0.0] rotation=[0.0,0.0,0.0,1.0] scale=[1.0,1.0,1.0]
entity 1
  Name text="b"
  Parent entity=#0
entity 2
  Name text="c"
"""


class Session:
    """A level that is open in a world of its own."""

    def __init__(self, path, content=None):
        self.path = path
        if content is not None:
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        self.world = World()
        self.level = LevelFile.open(path, self.world, level_registry(Inventory))

    def __getitem__(self, index):
        return self.level.entity_at(index)

    def move(self, index, x):
        value = self.world.get(self[index], LocalTransform)
        value.translation[0] = x
        self.world.set(self[index], value)

    def text(self):
        return self.level.to_bytes().decode()

    def diff(self, before):
        lines = difflib.ndiff(before.splitlines(True), self.text().splitlines(True))
        return [line.rstrip("\r\n") for line in lines if line[0] in "+-"]


@pytest.fixture
def open_level(tmp_path):
    return lambda content, name="a.scene": Session(tmp_path / name, content)


@pytest.mark.parametrize("content", [BY_HAND, CANONICAL, "cinder-scene 2", "cinder-scene 2\n\n# x"])
def test_saving_without_a_change_changes_no_byte(open_level, content):
    s = open_level(content)
    s.level.save()
    assert s.path.read_bytes() == content.encode()


def test_a_move_is_one_line_also_in_a_file_written_by_hand(open_level):
    s = open_level(CANONICAL)
    s.move(0, 5)
    assert [line[0] for line in s.diff(CANONICAL)] == ["-", "+"]
    s = open_level(BY_HAND)
    s.move(0, 5)
    assert s.diff(BY_HAND) == [
        "-   LocalTransform scale=[1,.5,1] translation=[1,2,0x40400000]",
        "+   LocalTransform scale=[1.0,0.5,1.0] translation=[5.0,2.0,3.0]",
    ]
    assert s.text().count("\r\n") == s.text().count("\n")


def test_undoing_a_move_restores_the_spelling_even_after_a_save(open_level):
    s = open_level(BY_HAND)
    s.move(0, 5)
    s.level.save()
    s.move(0, 1)
    s.level.save()
    assert s.path.read_bytes() == BY_HAND.encode()


def test_an_added_entity_only_adds_lines(open_level):
    for content in (BY_HAND, CANONICAL, CANONICAL.rstrip("\n")):
        s = open_level(content)
        entity = s.world.spawn(Name("new"), Order(3))
        diff = s.diff(content)
        assert [line for line in diff if line[0] == "-" and content != CANONICAL[:-1]] == []
        assert diff[-2:] == ['+   Name text="new"', "+   Order rank=3"]
        assert s.level.index_of(entity) == len(read_text(content))


def test_a_deletion_only_removes_its_lines(open_level):
    s = open_level(CANONICAL)
    s.world.despawn(s[1], reserve=True)
    assert s.diff(CANONICAL) == ['-   Name text="b"', "-   Parent entity=#0"]
    s = open_level(BY_HAND)
    s.world.despawn(s[0])
    assert s.diff(BY_HAND)[:6] == [
        "- # where it all starts",
        '-   Name   text="crate"',
        "-   # half as high",
        "-   LocalTransform scale=[1,.5,1] translation=[1,2,0x40400000]",
        "-   acme.Loot a=+1 b=#2",
        "-   Parent entity=#0",
    ]


def test_a_deleted_entity_that_comes_back_has_its_index_and_its_lines(open_level):
    s = open_level(BY_HAND)
    crate = s[0]
    values = s.world.values(crate)
    s.world.despawn(crate, reserve=True)
    s.level.save()
    assert s[0] == Entity.null()
    s.world.restore(crate, *values)
    s.level.save()
    assert s[0] == crate
    lines = s.path.read_bytes().decode()
    assert "# half as high\r\n  LocalTransform scale=[1,.5,1]" in lines


def test_trailing_records_that_became_empty_are_dropped(open_level):
    s = open_level(CANONICAL + "entity 3\n")
    added = [s.world.spawn(Name(f"n{i}")) for i in range(3)]
    s.level.save()
    for entity in added[1:]:
        s.world.despawn(entity)
    assert s.text().endswith('entity 4\n  Name text="n0"\n')
    s.world.despawn(added[0])
    assert s.text() == CANONICAL + "entity 3\n"
    s.world.despawn(s[2])
    assert s.text().endswith("entity 2\nentity 3\n")


def test_indices_are_for_life(open_level):
    s = open_level(CANONICAL)
    first = s.world.spawn(Name("first"))
    s.level.save()
    s.world.despawn(first)
    second = s.world.spawn(Name("second"))
    s.level.save()
    assert s.level.index_of(second) == 4
    assert s.level.index_of(first) == 3
    assert s.path.read_text().endswith('entity 3\nentity 4\n  Name text="second"\n')


def test_opening_spawns_nothing_for_an_empty_record(open_level):
    s = open_level(BY_HAND)
    assert len(s.world) == 2
    assert s[1] == s[3] == s[99] == s[-1] == Entity.null()


def test_components_added_and_removed(open_level):
    s = open_level(BY_HAND)
    s.world.remove(s[2], Parent)
    s.world.add(s[2], Order(1))
    s.world.add(s[0], Parent(s[2]))
    assert s.diff(BY_HAND) == ["+   Parent entity=#2", "-   Parent entity=#0", "+   Order rank=1"]


def test_defaults_that_were_absent_stay_absent(open_level):
    text = 'cinder-scene 2\nentity 0\n  GltfInstance asset="a.glb" note=1\n'
    s = open_level(text)
    s.world.set(s[0], GltfInstance("b.glb", cast_shadows=False))
    line = s.text().splitlines()[2]
    assert line == '  GltfInstance asset="b.glb" note=1 cast_shadows=false'


def test_a_level_that_was_never_saved(tmp_path):
    world = World()
    level = LevelFile.new(world, level_registry())
    with pytest.raises(SceneError, match="no file yet"):
        level.save()
    b = world.spawn(Name("b"))
    world.spawn(Name("a"), Parent(b))
    level.save(tmp_path / "new.scene")
    text = (tmp_path / "new.scene").read_text()
    assert text == (
        'cinder-scene 2\nentity 0\n  Name text="b"\nentity 1\n  Name text="a"\n  Parent entity=#0\n'
    )
    world.despawn(b)
    level.save()
    assert level.path == tmp_path / "new.scene"


def test_binary_levels(open_level, tmp_path):
    data = write_binary(read_text('cinder-scene 2\nentity 0\n  Order rank=1\n  Name text="x"\n'))
    s = open_level(data, "a.cscn")
    s.level.save()
    assert s.path.read_bytes() == data
    s.world.spawn(Name("y"))
    s.level.save()
    doc = read_binary(s.path.read_bytes())
    assert [c.name for c in doc.entities[0].components] == ["Order", "Name"]
    assert doc.entities[1].find("Name") == 0
    s.level.save(tmp_path / "b.scene")
    assert read_text((tmp_path / "b.scene").read_bytes()) == doc


def test_text_saved_as_binary(open_level, tmp_path):
    s = open_level(CANONICAL)
    s.level.save(tmp_path / "b.cscn")
    assert read_binary((tmp_path / "b.cscn").read_bytes()) == read_text(CANONICAL)


# -- versions --------------------------------------------------------------------------------


def golden(version):
    root = pathlib.Path(__file__).resolve().parents[3]
    return (root / "data" / "levels" / f"version_{version}.scene").read_bytes()


@pytest.mark.parametrize("version", [1, 2])
def test_every_version_opens_as_the_newest(open_level, version):
    s = open_level(golden(version))
    assert s.level.to_bytes() == golden(2)
    assert s.level.upgraded_from == (1 if version == 1 else None)
    assert len(s.level.warnings) == (1 if version == 1 else 0)
    assert s.path.read_bytes() == golden(version)
    s.level.save()
    assert s.path.read_bytes() == golden(2)


def test_an_upgrade_keeps_what_it_did_not_change(open_level):
    text = 'cinder-scene 1 \n# c\nentity 0\n  Name  text="x"\n  Health  hp=5 note=+1\n'
    s = open_level(text)
    expected = text.replace("scene 1", "scene 2").replace(
        "Health  hp=5 note=+1", "Health health=5 note=1.0"
    )
    assert s.text() == expected


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("cinder-scene 3\n", "newer than this engine"),
        ("cinder-scene 2\nentity 0\n  Name text=\n", "line 3"),
        ('cinder-scene 2\nentity 0\n  LocalTransform scale="x"\n', "expected 3 floats"),
        (b"\xff\xfe", "not valid UTF-8"),
        ("", "missing header"),
    ],
)
def test_a_file_that_cannot_be_opened(tmp_path, content, words):
    path = tmp_path / "bad.scene"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    world = World()
    world.spawn(Name("there"))
    with pytest.raises(SceneError, match=rf"bad\.scene: .*{words}"):
        LevelFile.open(path, world, level_registry())
    assert len(world) == 1


# -- somebody else's changes -------------------------------------------------------------------


def test_a_file_changed_by_somebody_else_is_not_overwritten(open_level):
    s = open_level(CANONICAL)
    assert not s.level.changed_on_disk()
    s.path.write_text(CANONICAL + "# theirs\n")
    assert s.level.changed_on_disk()
    with pytest.raises(SceneError, match="changed on disk"):
        s.level.save()
    assert s.path.read_text() == CANONICAL + "# theirs\n"
    assert s.level.base_bytes == CANONICAL.encode()
    s.level.save(overwrite=True)
    assert s.path.read_text() == CANONICAL
    assert not s.level.changed_on_disk()


def test_who_writes_while_a_save_is_under_way_is_not_overwritten(open_level, monkeypatch):
    s = open_level(CANONICAL)
    sync = os.fsync

    def meanwhile(handle):
        sync(handle)
        s.path.write_text(CANONICAL + "# theirs\n")

    with monkeypatch.context() as patch:
        patch.setattr(atomic_file.os, "fsync", meanwhile)
        with pytest.raises(SceneError, match="changed on disk"):
            s.level.save()
    assert s.path.read_text() == CANONICAL + "# theirs\n"
    assert os.listdir(s.path.parent) == [s.path.name]


def test_who_writes_right_after_a_read_or_a_save_is_noticed(open_level, monkeypatch):
    s = open_level(CANONICAL)
    replace = os.replace

    def and_then(old, new):
        replace(old, new)
        s.path.write_text(CANONICAL + "# theirs\n")

    with monkeypatch.context() as patch:
        patch.setattr(atomic_file.os, "replace", and_then)
        s.level.save()
    assert s.level.changed_on_disk()
    read = disk_state.read_file

    def read_and_then(path):
        data = read(path)
        s.path.write_text(CANONICAL + "# more\n")
        return data

    with monkeypatch.context() as patch:
        patch.setattr(disk_state, "read_file", read_and_then)
        level = LevelFile.open(s.path, World(), level_registry())
    assert level.changed_on_disk()


def test_the_same_bytes_written_again_are_no_change(open_level):
    s = open_level(CANONICAL)
    s.path.unlink()
    assert not s.level.changed_on_disk()
    s.path.write_text(CANONICAL)
    assert not s.level.changed_on_disk()


# -- placed props --------------------------------------------------------------------------------


def with_prop(s):
    """Spawn an instance with two realised nodes, the way the realiser does."""
    root = s.world.spawn(Name("lamp"), GltfInstance("lamp.glb"))
    body = s.world.spawn(Name("Body"), Parent(root), LocalTransform(), Realised())
    arm = s.world.spawn(Name("Arm"), Parent(body), LocalTransform(), Realised())
    return root, body, arm


def test_realised_nodes_are_not_stored_unless_something_refers_to_them(tmp_path):
    paths = {}
    world = World()
    level = LevelFile.new(world, level_registry(Inventory), lambda _, e: paths.get(e))
    session = type("S", (), {"world": world})
    root, _, arm = with_prop(session)
    paths[arm] = (root, "Body/Arm")
    level.save(tmp_path / "a.scene")
    plain = (tmp_path / "a.scene").read_text()
    assert plain.count("entity") == 1

    world.add(root, Inventory([arm]))
    hung = world.spawn(Name("hung"), Parent(arm))
    level.save()
    text = (tmp_path / "a.scene").read_text()
    node = 'InstanceNode root=#0 path="Body/Arm" removed=false removed_components=""'
    assert text.count("InstanceNode") == 1
    assert f"entity {level.index_of(arm)}\n  {node}\n" in text
    assert f"Parent entity=#{level.index_of(arm)}" in text
    assert f"item.0=#{level.index_of(arm)}" in text

    world.remove(root, Inventory)
    world.despawn(hung)
    level.save()
    assert (tmp_path / "a.scene").read_text() == plain


def test_nodes_with_overrides_are_stored_as_overrides(open_level):
    s = open_level("cinder-scene 2\n")
    root, body, _ = with_prop(s)
    s.world.add(body, InstanceNode(root, "Body"))
    assert s.text().count("entity ") == 2
    assert s.text().endswith(
        'entity 1\n  InstanceNode root=#0 path="Body" removed=false removed_components=""\n'
    )


def test_files_with_broken_parents_open_and_keep_them(open_level):
    text = "cinder-scene 2\nentity 0\n  Parent entity=#0\nentity 1\n  Parent entity=#2\nentity 2\n"
    text += "  Parent entity=#1\nentity 3\n  Parent entity=#77\n"
    s = open_level(text)
    assert s.world.get(s[3], Parent).entity == Entity.null()
    assert s.text() == text


def test_random_edits_keep_every_untouched_line(tmp_path):
    rng = np.random.default_rng(3)
    for trial in range(20):
        lines = ["cinder-scene 2"]
        for i in range(30):
            spaces = " " * int(rng.integers(1, 5))
            lines += [f"# {i}", f"entity {i}", f'{spaces}Name{spaces}text="n{i}"']
            lines.append(f"  LocalTransform translation=[{i},0x3f800000,+{i}]")
        text = "\n".join(lines)
        s = Session(tmp_path / f"{trial}.scene", text)
        moved = rng.choice(30, 5, replace=False).tolist()
        for i in moved:
            s.move(i, 100 + i)
        s.level.save()
        after = s.path.read_text().split("\n")
        changed = [a for a, b in zip(lines, after, strict=True) if a != b]
        expected = [f"  LocalTransform translation=[{i},0x3f800000,+{i}]" for i in sorted(moved)]
        assert changed == expected
        again = LevelFile.open(s.path, World(), level_registry())
        assert again.to_bytes() == s.path.read_bytes()


def test_a_document_of_what_a_save_would_write(open_level):
    s = open_level(CANONICAL)
    assert isinstance(s.level.to_doc(), SceneDoc)
    assert s.level.to_doc() == read_text(CANONICAL)


def test_a_draft_numbers_nothing_for_life(tmp_path):
    session = Session(tmp_path / "a.scene", CANONICAL)
    added = session.world.spawn(Name("new"))
    doc, handles = session.level.draft(room=10)
    assert (len(doc), Entity(handles[10])) == (11, added)
    assert doc.entities[10].get("Name").get("text").text == "new"
    assert all(not doc.entities[i].components for i in range(3, 10))
    assert session.level.index_of(added) == -1
    assert session.level.index_count == 3
    assert session.level.draft_bytes() == CANONICAL.encode() + b'entity 3\n  Name text="new"\n'
    assert session.level.index_of(added) == -1


def test_a_level_opens_as_it_was_read_once(tmp_path):
    path = tmp_path / "a.scene"
    path.write_text(CANONICAL + "# theirs\n")
    world = World()
    level = LevelFile.open(path, world, level_registry(), data=CANONICAL.encode())
    assert level.base_bytes == CANONICAL.encode()
    assert level.changed_on_disk()
    with pytest.raises(SceneError, match="changed on disk"):
        level.save()


def test_a_rebased_level_keeps_the_lines_of_the_other_file(tmp_path):
    session = Session(tmp_path / "a.scene", CANONICAL)
    theirs = CANONICAL.replace('Name text="b"', 'Name   text="b"') + "# their end\n"
    session.path.write_text(theirs)
    other = LevelFile.open(session.path, World(), level_registry())
    handles = np.array([session.level.entity_at(i) for i in range(3)], np.int64)
    added = session.world.spawn(Name("d"))
    session.level.rebase(other, handles)
    assert not session.level.changed_on_disk()
    session.level.save()
    lines = session.path.read_text().splitlines()
    assert [line for line in lines if line not in theirs.splitlines()] == [
        "entity 3",
        '  Name text="d"',
    ]
    assert '  Name   text="b"' in lines
    assert session.level.index_of(added) == 3


def test_an_entity_gets_back_the_index_of_one_that_went(tmp_path):
    session = Session(tmp_path / "a.scene", CANONICAL)
    session.world.despawn(session[2])
    again = session.world.spawn(Name("c"))
    session.level.give_index(0, again)
    assert session.level.index_of(again) == -1
    session.level.give_index(2, again)
    assert session.level.index_of(again) == 2
    session.level.save()
    assert session.path.read_text() == CANONICAL
