from hypothesis import given, settings

from engine.scene.document import read_text
from engine.scene.document.diff import diff
from tests.engine.scene.document.documents import documents

OLD = """cinder-scene 2
entity 0
  Name text="crate"
  Place p=[1.0] s=1
entity 1
  Name text="lid"
entity 2
  Name text="lamp"
  Light on=true
"""


def changes(new, old=OLD):
    found = diff(read_text(old), read_text(new))
    return [(c.entity, c.label, c.component, c.field) for c in found]


def test_what_makes_no_difference():
    assert changes(OLD.replace("p=[1.0] s=1", "s=1.0 p=[1]").replace("\n", "\r\n")) == []


def test_fields_components_and_entities():
    assert changes(OLD.replace("[1.0]", "[2.0]")) == [(0, "crate", "Place", "p")]
    assert changes(OLD.replace("  Light on=true\n", "  Fog\n")) == [
        (2, "lamp", "Light", ""),
        (2, "lamp", "Fog", ""),
    ]
    assert changes(OLD.replace('entity 1\n  Name text="lid"', "entity 1")) == [(1, "lid", "", "")]
    assert changes(OLD + 'entity 3\n  Name text="new"\n') == [(3, "new", "", "")]


def test_another_entity_in_the_record_of_one():
    assert changes(OLD.replace('"lid"', '"dog"')) == [(1, "lid", "", ""), (1, "dog", "", "")]


@given(documents())
@settings(max_examples=30, deadline=None)
def test_a_document_does_not_differ_from_itself(doc):
    assert list(diff(doc, doc.copy())) == []
