import struct

import numpy as np
import pytest
from hypothesis import given, settings

from engine.errors import SceneError
from engine.reflect import ComponentRecord, Field, Kind
from engine.scene.document import (
    EntityRecord,
    SceneDoc,
    binary_read,
    read_binary,
    write_binary,
    write_text,
)
from tests.engine.scene.document.documents import documents


@pytest.fixture
def _always_fast(monkeypatch):
    monkeypatch.setattr(binary_read, "SMALL_FILE", -1)
    monkeypatch.setattr(binary_read, "FIRST_TRY", 2)


@given(documents())
def test_binary_comes_back(doc):
    data = write_binary(doc)
    assert read_binary(data) == doc
    assert write_binary(read_binary(data)) == data


def test_fast_and_exact_reader_agree(monkeypatch):
    @given(documents(30))
    @settings(deadline=None)
    def check(doc):
        data = write_binary(doc)
        monkeypatch.setattr(binary_read, "SMALL_FILE", -1)
        monkeypatch.setattr(binary_read, "FIRST_TRY", 1)
        fast = read_binary(data)
        monkeypatch.setattr(binary_read, "SMALL_FILE", 1 << 40)
        assert fast == read_binary(data)

    check()


def level(count):
    doc = SceneDoc()
    for i in range(count):
        name = ComponentRecord("Name", [Field.of("text", Kind.STRING, f"entity {i} é")])
        place = ComponentRecord("T", [Field.of("p", Kind.FLOATS, (i, 1, 2))])
        doc.entities.append(EntityRecord([name, place] if i % 3 else [name]))
    return doc


@pytest.mark.usefixtures("_always_fast")
def test_a_string_that_looks_like_a_record():
    head = write_binary(level(2))[16:]
    doc = level(40)
    doc.entities[7].components[0].fields[0].value = head.decode("latin-1")
    assert read_binary(write_binary(doc)) == doc


@pytest.mark.usefixtures("_always_fast")
def test_the_exact_message_where_the_fast_reader_gives_up():
    data = write_binary(level(40))
    for cut in (len(data) - 1, len(data) // 2, 20, 13):
        with pytest.raises(SceneError, match="unexpected end of data"):
            read_binary(data[:cut])


@pytest.mark.usefixtures("_always_fast")
def test_empty_entities_between_and_behind():
    doc = level(40)
    for i in (0, 5, 6, 7, 38, 39):
        doc.entities[i].components.clear()
    data = write_binary(doc)
    assert read_binary(data) == doc
    assert read_binary(data + b"\0" * 8 + data) == doc
    with pytest.raises(SceneError, match="unexpected end"):
        read_binary(data[:-1])


def test_both_formats_refuse_the_same_names():
    record = struct.pack("<I", 3) + b"a b" + struct.pack("<I", 0)
    data = b"CSCN" + struct.pack("<III", 2, 1, 1) + record
    with pytest.raises(SceneError, match="white space"):
        read_binary(data)


@pytest.mark.parametrize(("kind", "number"), [(3, 2), (3, -1), (5, -2)])
def test_numbers_that_their_kind_cannot_hold(kind, number):
    field = struct.pack("<I", 1) + b"x" + struct.pack("<Bq", kind, number)
    data = b"CSCN" + struct.pack("<III", 2, 1, 1) + struct.pack("<I", 1) + b"A"
    with pytest.raises(SceneError, match="byte"):
        read_binary(data + struct.pack("<I", 1) + field)


def test_version_zero_and_doubles():
    with pytest.raises(SceneError, match="missing header"):
        read_binary(b"CSCN" + struct.pack("<II", 0, 0))
    tag = struct.pack("<I", 1) + b"A" + struct.pack("<I", 0)
    with pytest.raises(SceneError, match="component A twice"):
        read_binary(b"CSCN" + struct.pack("<III", 2, 1, 2) + tag + tag)


def test_trailing_bytes_are_ignored():
    data = write_binary(level(3))
    assert read_binary(data + b"more") == read_binary(memoryview(data))


def test_float_bits_survive_both_formats():
    pattern = np.array([0x7F800001, 0xFFC00001], np.uint32).view(np.float32)
    doc = SceneDoc()
    fields = [Field.of("f", Kind.FLOAT, pattern[0]), Field.of("v", Kind.FLOATS, pattern)]
    doc.entities.append(EntityRecord([ComponentRecord("A", fields)]))
    assert "f=0x7f800001 v=[0x7f800001,0xffc00001]" in write_text(doc)
    again = read_binary(write_binary(doc)).entities[0].components[0]
    assert again.get("v").value.tobytes() == pattern.tobytes()
