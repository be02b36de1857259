"""A document read piece by piece is the document, and so are its faults."""

import random
from io import BytesIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import SceneError
from engine.scene.document import (
    SceneDoc,
    binary_read,
    read_binary,
    read_text,
    write_binary,
    write_text,
)
from engine.scene.document.chunks import join_chunks, read_chunks
from tests.engine.scene.document.documents import Maker, documents
from tests.engine.scene.document.mutants import mutant

sizes = st.integers(1, 400)


def read_in_pieces(data, size, binary=False):
    return SceneDoc.from_columns(*join_chunks(read_chunks(BytesIO(data), binary=binary, size=size)))


def outcome(read, *arguments):
    try:
        return read(*arguments)
    except SceneError as error:
        return str(error)


@given(documents(40), sizes)
@settings(deadline=None)
def test_text(doc, size):
    assert read_in_pieces(write_text(doc).encode(), size) == doc


@given(documents(40), sizes, st.sampled_from((1, 2, 64)))
@settings(deadline=None)
def test_binary(doc, size, first_try):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(binary_read, "FIRST_TRY", first_try)
        patch.setattr(binary_read, "SMALL_FILE", -1)
        assert read_in_pieces(write_binary(doc), size) == doc


@pytest.mark.parametrize("seed", range(8))
def test_faults_are_those_of_the_whole(seed):
    rng = random.Random(seed)
    doc = Maker(seed).document(30)
    for data, read in ((write_text(doc).encode(), read_text), (write_binary(doc), read_binary)):
        for _ in range(60):
            damaged = mutant(rng, data, 2)
            is_binary = read is read_binary
            whole = outcome(read, damaged)
            pieces = outcome(read_in_pieces, damaged, rng.randint(1, 300), is_binary)
            if read is read_text and "not valid UTF-8" in str(whole):
                # The whole is decoded before its first line is looked at.
                assert isinstance(pieces, str)
            else:
                assert pieces == whole


def test_pieces_hold_whole_entities_in_order_and_say_how_far_they_are():
    doc = Maker(3).document(200)
    for data in (write_text(doc).encode(), write_binary(doc)):
        chunks = list(read_chunks(BytesIO(data), size=500))
        assert len(chunks) > 5
        starts = [chunk.first for chunk in chunks]
        counts = [chunk.columns.entity_count for chunk in chunks]
        assert starts == [sum(counts[:i]) for i in range(len(counts))]
        ends = [chunk.end for chunk in chunks]
        assert ends == sorted(ends)
        assert ends[-1] == len(data)


def test_a_file_of_nothing_has_the_fault_of_the_whole():
    assert outcome(read_in_pieces, b"", 9) == outcome(read_text, b"")
    assert outcome(read_in_pieces, b"", 9, True) == outcome(read_binary, b"")


def test_comments_and_carriage_returns_and_marks():
    text = "\ufeffcinder-scene 2\r\n# a\r\n\r\n entity\t0\r\n  A x=1\r\n# b\r\n  entity 1 \r\n"
    doc = read_text(text)
    for size in range(1, 60):
        assert read_in_pieces(text.encode(), size) == doc
