"""A document's records are ordinary lists and objects, whatever they are stored in."""

import copy

import numpy as np

from engine.reflect import ComponentRecord, Field, Kind
from engine.scene.document import EntityRecord, SceneDoc, read_text, write_text

TEXT = """cinder-scene 2
entity 0
  Health hp=5 shield=1.5
  Name text="a"
entity 1
  Health hp=6 shield=2.5
entity 2
  Name text="b"
"""


def test_untouched_records_are_written_as_they_were_read():
    doc = read_text(TEXT)
    assert len(doc) == 3
    assert [len(e.components) for e in doc.entities] == [2, 1, 1]
    assert write_text(doc) == TEXT


def test_fields_edited_through_the_views():
    doc = read_text(TEXT)
    for entity in doc.entities:
        for record in entity.components:
            if record.name == "Health":
                record.rename_field("hp", "health")
                record.fields[1].value = np.float32(9)
                record.fields.append(Field.of("new", Kind.BOOL, True))
    text = write_text(doc)
    assert "Health health=5 shield=9.0 new=true" in text
    assert "Health health=6 shield=9.0 new=true" in text


def test_components_renamed_added_dropped_and_moved():
    doc = read_text(TEXT)
    doc.entities[0].components[0].name = "Life"
    doc.entities[0].components.reverse()
    del doc.entities[1].components[0]
    doc.entities[2].components.insert(0, ComponentRecord("Tag"))
    assert write_text(doc) == (
        'cinder-scene 2\nentity 0\n  Name text="a"\n  Life hp=5 shield=1.5\nentity 1\nentity 2\n'
        '  Tag\n  Name text="b"\n'
    )


def test_entities_inserted_removed_and_sliced():
    doc = read_text(TEXT)
    added = EntityRecord()
    doc.entities.insert(1, added)
    added.components.append(ComponentRecord("Late"))
    del doc.entities[2]
    assert [e.find("Name") for e in doc.entities] == [1, -1, 0]
    doc.entities[:] = doc.entities[1:] + doc.entities[:1]
    assert write_text(doc) == (
        "cinder-scene 2\nentity 0\n  Late\nentity 1\n"
        '  Name text="b"\nentity 2\n  Health hp=5 shield=1.5\n  Name text="a"\n'
    )


def test_records_appended_stay_live():
    doc = SceneDoc()
    record, entity = ComponentRecord("A"), EntityRecord()
    doc.entities.append(entity)
    entity.components.append(record)
    write_text(doc)
    record.fields.append(Field.of("x", Kind.INT, 1))
    record.fields[0].value = 7
    assert "A x=7" in write_text(doc)


def test_one_entity_record_in_two_places():
    doc = read_text(TEXT)
    doc.entities.append(doc.entities[0])
    lines = write_text(doc).splitlines()
    assert lines[-3:] == ["entity 3", "  Health hp=5 shield=1.5", '  Name text="a"']


def test_records_of_another_document():
    doc, other = read_text(TEXT), read_text(TEXT)
    doc.entities.append(other.entities[1])
    doc.entities[2].components.append(other.entities[0].components[0])
    assert doc.entities[3] == other.entities[1]
    assert write_text(doc).count("hp=5") == 2


def test_copies_are_independent():
    doc = read_text(TEXT)
    for twin in (doc.copy(), copy.deepcopy(doc)):
        twin.entities[0].components[0].fields[0].value = 99
        twin.version = 3
    entity = doc.entities[0].copy()
    entity.components[0].fields.clear()
    assert write_text(doc) == TEXT


def test_equality_is_by_value_and_by_bits():
    a, b = read_text(TEXT), read_text(TEXT.replace("\n", "\r\n"))
    assert a == b
    b.entities[0].components[0].get("shield").value = np.float32(-0.0)
    a.entities[0].components[0].get("shield").value = np.float32(0.0)
    assert a != b


def test_lists_that_are_assigned_stay_the_same_lists():
    doc = read_text(TEXT)
    entities = doc.entities
    doc.entities += [EntityRecord()]
    assert doc.entities is entities
    components = doc.entities[3].components
    doc.entities[3].components += [ComponentRecord("Tag")]
    assert doc.entities[3].components is components
    assert write_text(doc).endswith("entity 3\n  Tag\n")
