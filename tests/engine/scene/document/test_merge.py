import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.scene.document import SceneDoc, read_text, write_text
from engine.scene.document.merge import merge
from engine.scene.document.merge_text import text_from_source
from tests.engine.scene.document.documents import documents

BASE = """cinder-scene 2
# the yard
entity 0
  Name text="crate"
  Place p=[1,2,3] s=1.5
entity 1
  Name text="lid"
  Parent entity=#0
  Tag
entity 2
  Name text="lamp"
  Light power=3
"""


def level(*edits):
    text = BASE
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
    return text


def merged(ours, theirs, base=BASE):
    """Return the merged text, conflicts as (entity, component, field), and the new indices."""
    docs = [read_text(text) for text in (base, ours, theirs)]
    before = [write_text(doc) for doc in docs]
    result = merge(*docs)
    assert [write_text(doc) for doc in docs] == before
    conflicts = [(c.entity, c.component, c.field) for c in result.conflicts]
    return text_from_source(ours.encode(), docs[1], result.doc).decode(), conflicts, result.moved


MOVE = ("p=[1,2,3]", "p=[9.0,2.0,3.0]")
SCALE = ("s=1.5", "s=2.5")
NO_LID = ('  Name text="lid"\n  Parent entity=#0\n  Tag\n', "")
NO_CRATE = ('# the yard\nentity 0\n  Name text="crate"\n  Place p=[1,2,3] s=1.5\n', "entity 0\n")


def test_nothing_changed_on_either_side():
    assert merged(BASE, BASE) == (BASE, [], {})
    assert merged(level(MOVE), level(MOVE)) == (level(MOVE), [], {})


def test_only_one_side_changed():
    assert merged(level(MOVE), BASE) == (level(MOVE), [], {})
    assert merged(BASE, level(MOVE)) == (
        level(("p=[1,2,3] s=1.5", "p=[9.0,2.0,3.0] s=1.5")),
        [],
        {},
    )


def test_different_fields_of_one_component():
    text, conflicts, _ = merged(level(MOVE), level(SCALE))
    assert conflicts == []
    assert "Place p=[9.0,2.0,3.0] s=2.5" in text


def test_one_field_on_both_sides_is_a_conflict_and_ours_stays():
    ours, theirs = level(SCALE), level(("s=1.5", "s=0.5"))
    text, conflicts, _ = merged(ours, theirs)
    assert conflicts == [(0, "Place", "s")]
    assert text == ours


def test_what_a_conflict_says():
    docs = [read_text(t) for t in (BASE, level(SCALE), level(("s=1.5", "s=0.5")))]
    (conflict,) = merge(*docs).conflicts
    assert conflict.label == "crate"
    assert [f.value for f in (conflict.base, conflict.ours, conflict.theirs)] == [1.5, 2.5, 0.5]


def test_components_added_and_removed():
    text, conflicts, _ = merged(level(("  Tag\n", "")), level(("  Tag\n", "  Tag\n  Extra a=1\n")))
    assert conflicts == []
    assert text == level(("  Tag\n", "  Extra a=1\n"))
    text, conflicts, _ = merged(level(("  Light power=3\n", "")), level(("power=3", "power=4")))
    assert conflicts == [(2, "Light", "")]
    assert "Light" not in text


def test_the_same_component_added_by_both():
    ours = level(("  Tag\n", "  Tag\n  Extra a=1 b=2\n"))
    theirs = level(("  Tag\n", "  Tag\n  Extra a=1 b=3 c=4\n"))
    text, conflicts, _ = merged(ours, theirs)
    assert conflicts == [(1, "Extra", "b")]
    assert "Extra a=1 b=2 c=4" in text


def test_a_deletion_is_one_where_the_other_side_did_nothing():
    assert merged(BASE, level(NO_LID))[0] == level(NO_LID)
    assert merged(level(NO_LID), level(MOVE))[0] == level(NO_LID, MOVE)


def test_deleted_here_and_edited_there():
    theirs = level(("  Tag\n", "  Tag\n  Extra a=1\n"))
    text, conflicts, _ = merged(level(NO_LID), theirs)
    assert conflicts == [(1, "", "")]
    assert text == level(NO_LID)
    text, conflicts, _ = merged(theirs, level(NO_LID))
    assert conflicts == [(1, "", "")]
    assert text == theirs


def test_a_deletion_nulls_the_references_of_the_other_side():
    text, conflicts, _ = merged(level(("  Tag\n", "  Tag x=1\n")), level(NO_CRATE))
    assert conflicts == []
    assert "Parent entity=#-1" in text
    assert 'text="crate"' not in text


def test_trailing_deletions_shorten_the_file():
    shorter = BASE[: BASE.index("entity 2")]
    assert merged(BASE, shorter)[0] == shorter
    assert merged(shorter, BASE)[0] == shorter


A = 'entity 3\n  Name text="A"\n  Link to=#3\nentity 4\n  Name text="A2"\n  Link to=#3\n'
B = 'entity 3\n  Name text="B"\n  Link to=#4\nentity 4\n  Name text="B2"\n  Link to=#0\n'


def test_two_adds_at_one_index_get_two_indices_and_references_follow():
    text, conflicts, moved = merged(BASE + A, BASE + B)
    assert conflicts == []
    assert moved == {3: 5, 4: 6}
    assert text == BASE + A + (
        'entity 5\n  Name text="B"\n  Link to=#6\nentity 6\n  Name text="B2"\n  Link to=#0\n'
    )


def test_the_same_add_on_both_sides_is_one():
    assert merged(BASE + A, BASE + A) == (BASE + A, [], {})


def test_a_record_that_became_another_entity_is_delete_and_add():
    other = level(
        (
            '  Name text="lid"\n  Parent entity=#0\n  Tag\n',
            '  Name text="dog"\n  Parent entity=#2\n',
        )
    )
    refers = BASE + 'entity 3\n  Name text="user"\n  Link to=#1\n'
    text, conflicts, moved = merged(refers, other)
    assert (conflicts, moved) == ([(1, "", "")], {1: 4})
    assert text == refers + 'entity 4\n  Name text="dog"\n  Parent entity=#2\n'
    text, conflicts, _ = merged(other, refers)
    assert conflicts == [(1, "", "")]
    assert 'entity 1\n  Name text="dog"\n  Parent entity=#2\n' in text
    assert "Link to=#-1" in text
    edited = level(("  Tag\n", "  Tag\n  Extra a=1\n"))
    text, conflicts, moved = merged(edited, other)
    assert conflicts == [(1, "", "")]
    assert moved == {1: 3}
    assert text == edited + 'entity 3\n  Name text="dog"\n  Parent entity=#2\n'


def test_a_renamed_prop_is_still_the_same_prop():
    base = 'cinder-scene 2\nentity 0\n  Name text="a"\n  GltfInstance asset="a.glb"\n'
    text, conflicts, _ = merged(base.replace('"a"', '"b"'), base.replace("a.glb", "c.glb"), base)
    assert conflicts == []
    assert text == 'cinder-scene 2\nentity 0\n  Name text="b"\n  GltfInstance asset="c.glb"\n'


def test_overrides_that_both_added_to_one_node_are_one_entity():
    node = '{}\n  InstanceNode root=#0 path="Arm"\n  Place {}\n'
    text, conflicts, _ = merged(
        BASE + node.format("entity 3", "p=[1.0] s=1.0"),
        BASE + 'entity 3\n  Name text="x"\n' + node.format("entity 4", "s=2.0 q=3.0"),
    )
    assert conflicts == [(3, "Place", "s")]
    assert text.count("InstanceNode") == 1
    assert "Place p=[1.0] s=1.0 q=3.0" in text


def test_numbers_spelled_as_ints_or_floats_are_no_conflict():
    text, conflicts, _ = merged(level(("power=3", "power=3.0")), level(("power=3", "power=4")))
    assert conflicts == []
    assert "power=4" in text


@given(documents(), documents(), documents())
@settings(max_examples=60, deadline=None)
def test_laws(base, ours, theirs):
    for doc in (base, ours, theirs):
        doc.version = 2
    assert merge(base, ours, base).doc == ours
    assert merge(base, ours, ours).doc == ours
    assert not merge(base, base, theirs).conflicts
    result = merge(base, ours, theirs).doc
    assert read_text(write_text(result)) == result


@given(st.randoms(use_true_random=False))
@settings(max_examples=40, deadline=None)
def test_independent_edits_commute(rng):
    count = 12
    lines = [f'entity {i}\n  Name text="n{i}"\n  P x=0 y=0\n' for i in range(count)]
    base = "cinder-scene 2\n" + "".join(lines)

    def edited(axis):
        own = list(lines)
        for i in rng.sample(range(count), 4):
            own[i] = own[i].replace(f"{axis}=0", f"{axis}={i + 1}")
        return "cinder-scene 2\n" + "".join(own)

    a, b = edited("x"), edited("y")
    first, conflicts, _ = merged(a, b, base)
    second, more, _ = merged(b, a, base)
    assert not conflicts
    assert not more
    assert first == second


@pytest.mark.parametrize("side", ["ours", "theirs"])
def test_an_empty_base(side):
    empty = "cinder-scene 2\n"
    ours, theirs = (BASE, empty) if side == "ours" else (empty, BASE)
    text, conflicts, _ = merged(ours, theirs, empty)
    assert conflicts == []
    assert read_text(text) == read_text(BASE)
    assert isinstance(merge(SceneDoc(), SceneDoc(), SceneDoc()).doc, SceneDoc)


def test_references_follow_what_took_an_entity_s_place():
    theirs = level(('text="crate"', 'text="box"'))
    assert merged(BASE, theirs) == (theirs, [], {})


def test_a_deletion_of_what_the_other_side_came_to_use_is_a_conflict():
    hang = ('  Name text="lamp"\n', '  Name text="lamp"\n  Parent entity=#1\n')
    used = level(hang)
    text, conflicts, _ = merged(used, level(NO_LID))
    assert (text, conflicts) == (used, [(1, "", "")])
    text, conflicts, _ = merged(level(NO_LID), used)
    assert conflicts == [(1, "", "")]
    assert "lid" not in text
    assert "Parent entity=#-1" in text
