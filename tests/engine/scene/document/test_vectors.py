"""The shared vectors of the formats: documents, spellings, errors, floats."""

import json

import numpy as np
import pytest

from engine.reflect import ComponentRecord, Field, Kind
from engine.scene.document import (
    EntityRecord,
    SceneDoc,
    SceneError,
    format_float,
    parse_float,
    read_binary,
    read_text,
    write_binary,
    write_text,
)
from tests.engine.scene.document.documents import f32


@pytest.fixture(scope="module")
def vectors(shared):
    return json.loads((shared / "vectors" / "formats.json").read_text())


def value_of(kind, value):
    if kind == Kind.FLOAT:
        return f32(value)
    if kind == Kind.FLOATS:
        return np.array(value, np.uint32).view(np.float32)
    return value


def build(described):
    doc = SceneDoc(described["version"])
    for components in described["entities"]:
        doc.entities.append(EntityRecord())
        for c in components:
            fields = [
                Field.of(f["name"], f["kind"], value_of(f["kind"], f["value"])) for f in c["fields"]
            ]
            doc.entities[-1].components.append(ComponentRecord(c["name"], fields))
    return doc


def test_documents_in_both_formats(vectors):
    for case in vectors["documents"]:
        doc = build(case["doc"])
        assert write_text(doc) == case["text"], case["name"]
        assert write_binary(doc).hex() == case["binary_hex"], case["name"]
        assert read_text(case["text"]) == doc, case["name"]
        assert read_text(case["text"].encode()) == doc, case["name"]
        assert read_binary(bytes.fromhex(case["binary_hex"])) == doc, case["name"]


def test_other_spellings(vectors):
    for case in vectors["text_reads_as"]:
        assert read_text(case["text"]) == build(case["doc"]), case["name"]


def test_errors(vectors):
    for case in vectors["text_raises"]:
        with pytest.raises(SceneError) as raised:
            read_text(case["text"])
        assert case["message_contains"].lower() in str(raised.value).lower(), case["name"]
    for case in vectors["binary_raises"]:
        with pytest.raises(SceneError) as raised:
            read_binary(bytes.fromhex(case["hex"]))
        assert case["message_contains"].lower() in str(raised.value).lower(), case["name"]


def test_floats(vectors):
    for case in vectors["floats"]:
        value = f32(case["bits"])
        assert format_float(value) == case["text"]
        assert parse_float(case["text"]).tobytes() == value.tobytes()
