"""Levels that nobody makes on purpose, through opening, saving and merging."""

import unicodedata

import pytest

from engine.ecs import World
from engine.errors import SceneError
from engine.scene import propagate_transforms
from engine.scene.components import LocalTransform, Name, WorldTransform
from engine.scene.document import read_text
from engine.scene.document.checks import MAX_COMPONENTS
from engine.scene.document.merge import merge
from engine.scene.document.merge_text import text_from_source
from engine.scene.levels import LevelFile, level_registry

CONTROLS = "".join(map(chr, (*range(32), *range(0x7F, 0xA0))))
BREAKS = "a\vb\fc\x1cd\x1ee\x85f\u2028g\u2029h\r\ni\rj"
RIGHT_TO_LEFT = "\u05d0\u0628 \u202eabc\u202c \u200f\u2067x\u2069"
NOT_CHARACTERS = "\ufffe\uffff\U0010ffff\ufeff\0"


def spelled(text):
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def edit(path):
    """Open a level, move its first entity, save it, and return world and level."""
    world = World()
    level = LevelFile.open(path, world, level_registry())
    world.add(level.entity_at(0), LocalTransform((5, 0, 0)))
    level.save()
    return world, level


def merged_with(path, base, theirs):
    ours = path.read_bytes()
    docs = [read_text(data) for data in (base, ours, theirs)]
    result = merge(*docs)
    return text_from_source(ours, docs[1], result.doc).decode(), result.conflicts


@pytest.mark.parametrize(
    "text",
    [CONTROLS, BREAKS, RIGHT_TO_LEFT, NOT_CHARACTERS, "x" * (1 << 20), '\\"\u00e9\n' * (1 << 18)],
    ids=["controls", "breaks", "right to left", "not characters", "a MiB", "a MiB of escapes"],
)
def test_strings_through_open_save_and_merge(tmp_path, text):
    path = tmp_path / "a.scene"
    base = f'cinder-scene 2\nentity 0\n  Name text="{spelled(text)}"\nentity 1\n  Name text="b"\n'
    path.write_bytes(base.encode())
    world, level = edit(path)
    assert world.get(level.entity_at(0), Name).text == text
    merged, conflicts = merged_with(path, base, base.replace('text="b"', 'text="c"'))
    assert conflicts == []
    assert read_text(merged).entities[0].get("Name").get("text").value == text
    assert merged.split("\n")[2] == base.split("\n")[2]
    assert 'Name text="c"' in merged


def test_the_controls_are_all_of_them():
    # U+007F aside, category Cc is the two blocks of 32.
    assert len(CONTROLS) == 65
    assert {unicodedata.category(c) for c in CONTROLS} == {"Cc"}


def test_a_lone_surrogate_leaves_the_file(tmp_path):
    path = tmp_path / "a.scene"
    path.write_text('cinder-scene 2\nentity 0\n  Name text="a"\n')
    world, level = edit(path)
    before = path.read_bytes()
    for text in ("\ud800", "a\udfffb"):
        world.set(level.entity_at(0), Name(text))
        for name in ("a.scene", "b.cscn"):
            with pytest.raises(SceneError, match="lone surrogate"):
                level.save(tmp_path / name)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["a.scene"]


def test_ten_thousand_components(tmp_path):
    path = tmp_path / "a.scene"
    rest = "".join(f"  acme.C{i} v={i}\n" for i in range(MAX_COMPONENTS - 2))
    base = f'cinder-scene 2\nentity 0\n  Name text="a"\n{rest}'
    path.write_text(base)
    edit(path)
    merged, conflicts = merged_with(path, base, base.replace("v=77\n", "v=78\n"))
    assert conflicts == []
    assert merged.count("\n") == base.count("\n") + 1
    assert "acme.C77 v=78\n" in merged


def test_parents_a_hundred_thousand_deep(tmp_path):
    depth = 100_000
    path = tmp_path / "a.scene"
    place = "  LocalTransform translation=[1,0,0]\n"
    lines = [
        f'entity {i}\n  Name text="n{i}"\n  Parent entity=#{i - 1}\n{place}' for i in range(depth)
    ]
    base = "cinder-scene 2\n" + "".join(lines)
    path.write_text(base)
    world, level = edit(path)
    propagate_transforms(world)
    last = level.entity_at(depth - 1)
    assert world.get(last, WorldTransform).matrix[:3, 3].tolist() == [depth + 4, 0, 0]
    merged, conflicts = merged_with(path, base, base.replace('"n99999"', '"end"'))
    assert conflicts == []
    assert len(read_text(merged)) == depth
