"""Random levels: the lines that a save changes are those of what was changed, and no others."""

import difflib
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.ecs import World
from engine.scene.components import LocalTransform, Name, Parent
from engine.scene.levels import LevelFile, level_registry

GAPS = st.sampled_from(["", " ", "  ", "\t", "    "])
NUMBERS = st.sampled_from(["0", "1.5", "+2", ".25", "0x3f800000", "1e3", "-0.0"])
COMMENTS = st.sampled_from(["", "# of its own", "  # inside", "   "])


@st.composite
def levels(draw):
    """Return the blocks of lines of a level in which every entity has a place."""
    blocks = []
    for i in range(draw(st.integers(1, 8))):
        gap, number = draw(GAPS), draw(NUMBERS)
        block = [f"entity {i}", f'{gap}Name text="n{i}"']
        block.append(f" {gap}LocalTransform translation=[{number},{number},0]")
        if i and draw(st.booleans()):
            block.append(f"{gap}Parent entity=#{draw(st.integers(0, i - 1))}")
        if draw(st.booleans()):
            block.append(f"{gap}acme.Thing a={number} b=[ 1 ]")
        comment = draw(COMMENTS)
        block.insert(draw(st.integers(1, len(block))), comment)
        blocks.append(block)
    return blocks


class Edited:
    """A level that is opened, edited and saved again."""

    def __init__(self, blocks, end):
        self._folder = tempfile.TemporaryDirectory()
        self._path = Path(self._folder.name) / "a.scene"
        self._text = end.join(["cinder-scene 2", *(line for block in blocks for line in block), ""])
        self._path.write_bytes(self._text.encode())
        self.world = World()
        self.level = LevelFile.open(self._path, self.world, level_registry())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._folder.cleanup()

    def saved(self):
        self.level.save()
        return self._path.read_bytes().decode()

    def diff(self):
        """Return the removed and the added lines."""
        before, after = (text.splitlines(True) for text in (self._text, self.saved()))
        matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
        changes = [code for code in matcher.get_opcodes() if code[0] != "equal"]
        removed = [line for _, a, b, _, _ in changes for line in before[a:b]]
        return removed, [line for _, _, _, a, b in changes for line in after[a:b]]


ENDS = st.sampled_from(["\n", "\r\n"])


@given(blocks=levels(), end=ENDS, data=st.data())
def test_a_move_is_one_line(blocks, end, data):
    index = data.draw(st.integers(0, len(blocks) - 1))
    with Edited(blocks, end) as edited:
        entity = edited.level.entity_at(index)
        edited.world.set(entity, LocalTransform((7777, 0, 0)))
        removed, added = edited.diff()
    assert [line.split()[0] for line in removed] == ["LocalTransform"]
    assert [line.split()[0] for line in added] == ["LocalTransform"]
    assert added[0].endswith(end)


@given(blocks=levels(), end=ENDS, count=st.integers(1, 3))
def test_added_props_are_only_added_lines(blocks, end, count):
    with Edited(blocks, end) as edited:
        parent = edited.level.entity_at(0)
        for i in range(count):
            edited.world.spawn(Name(f"new {i}"), Parent(parent), LocalTransform())
        removed, added = edited.diff()
    assert removed == []
    assert len(added) == 4 * count


@given(blocks=levels(), end=ENDS, data=st.data())
def test_a_deletion_is_only_its_lines(blocks, end, data):
    index = data.draw(st.integers(0, len(blocks) - 1))
    orphans = [f"entity=#{index}" in line for block in blocks for line in block]
    with Edited(blocks, end) as edited:
        edited.world.despawn(edited.level.entity_at(index))
        removed, added = edited.diff()
    own = {line + end for line in blocks[index]}
    comments = ("", "#")
    others = [line for line in removed if line not in own and line.strip()[:1] not in comments]
    # A child that is left behind loses its reference, on its own line.
    assert all(line.split()[0] == "Parent" for line in others)
    assert len(others) == len(added) <= sum(orphans)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@given(blocks=levels())
def test_nothing_is_no_byte(end, blocks):
    with Edited(blocks, end) as edited:
        before = edited._text
        assert edited.saved() == before
