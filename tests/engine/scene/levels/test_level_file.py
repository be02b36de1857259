"""What a save writes: the lines that changed, in the words of the file."""

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
from engine.scene.levels import LevelFile, level_registry
from engine.scene.node_paths import NodePaths
from tests.engine.scene.levels.conftest import BY_HAND, CANONICAL, Session
from tests.engine.scene.registry.game_components import Inventory


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
    s.world.add(body, InstanceNode(root, "Body", removed=True))
    assert s.text().count("entity ") == 2
    assert s.text().endswith(
        'entity 1\n  InstanceNode root=#0 path="Body" removed=true removed_components=""\n'
    )


def test_a_node_that_nothing_is_said_of_has_no_record_of_its_own(open_level):
    """Whether a step left a link without a change behind: no line of the file speaks of it."""
    s = open_level("cinder-scene 2\n")
    root, body, _ = with_prop(s)
    plain = s.text()
    s.world.add(body, InstanceNode(root, "Body"))
    assert s.text() == plain
    NodePaths.of(s.world).bind(root, "Body", body)
    hat = s.world.spawn(Name("hat"), Parent(body))
    assert s.text().count("InstanceNode") == 1
    s.world.remove(body, InstanceNode)
    assert s.text().count("InstanceNode") == 1
    s.world.despawn(hat)
    assert s.text() == plain


def test_a_bare_link_of_the_file_stays_in_its_lines(open_level):
    text = 'cinder-scene 2\nentity 0\n  GltfInstance asset="a.glb"\nentity 1\n'
    text += '  InstanceNode path="Body"  root=#0\n'
    s = open_level(text)
    assert s.text() == text
    hat = s.world.spawn(Name("hat"), Parent(s[1]))
    assert s.text() == text + 'entity 2\n  Name text="hat"\n  Parent entity=#1\n'
    s.world.despawn(hat)
    assert s.text() == text


def test_a_node_that_was_made_anew_has_the_record_of_its_place(open_level):
    s = open_level("cinder-scene 2\n")
    root, body, _ = with_prop(s)
    s.world.add(body, InstanceNode(root, "Body", removed=True))
    s.level.save()
    text = s.text()
    s.world.despawn(body)
    lamp = s.world.spawn(Name("lamp"))
    s.level.save()
    again = s.world.spawn(Realised(), InstanceNode(root, "Body", removed=True))
    assert s.text() == text + 'entity 2\n  Name text="lamp"\n'
    assert s.level.index_of(lamp) == 2
    s.level.save()
    assert s.level.index_of(again) == 1


def test_nodes_are_written_behind_entities_and_by_their_paths(open_level):
    s = open_level("cinder-scene 2\n")
    root, body, _ = with_prop(s)
    NodePaths.of(s.world).bind(root, "Body", body)
    for path in ("Legs", "Arm"):
        s.world.spawn(Realised(), InstanceNode(root, path, removed=True))
    s.world.spawn(Name("hat"), Parent(body))
    assert [line.split()[2] for line in s.text().splitlines() if "InstanceNode" in line] == [
        'path="Arm"',
        'path="Legs"',
        'path="Body"',
    ]
    assert s.text().index("hat") < s.text().index("InstanceNode")


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


def test_a_level_opens_as_it_was_read_once(tmp_path):
    path = tmp_path / "a.scene"
    path.write_text(CANONICAL + "# theirs\n")
    world = World()
    level = LevelFile.open(path, world, level_registry(), data=CANONICAL.encode())
    assert level.base_bytes == CANONICAL.encode()
    assert level.changed_on_disk()
    with pytest.raises(SceneError, match="changed on disk"):
        level.save()
