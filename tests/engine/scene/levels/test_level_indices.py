"""The index of an entity in its file: for life, and free again only later."""

from engine.reflect import Entity
from engine.scene.components import (
    Name,
    Order,
)
from engine.scene.document import read_text
from tests.engine.scene.levels.conftest import BY_HAND, CANONICAL, Session


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
