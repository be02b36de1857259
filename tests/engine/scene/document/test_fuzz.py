"""Damaged files raise SceneError and nothing else; what still loads is the same for all readers.

The bounded run is seeded; the long one (`-m full`) takes 200 000 mutants.
"""

import random
import time
import tracemalloc

import pytest

from engine.errors import SceneError
from engine.scene.document import (
    SceneDoc,
    binary_read,
    read_binary,
    read_text,
    write_binary,
    write_text,
)
from engine.scene.document.binary_records import BinaryCursor
from engine.scene.document.merge import merge
from engine.scene.document.merge_text import text_from_source
from engine.scene.document.text_lines import parse_header
from engine.scene.document.text_read import _read_exactly, decode, split_lines
from tests.engine.scene.document.documents import Maker
from tests.engine.scene.document.mutants import mutant

SLOWEST_SECONDS = 1.0
MOST_BYTES = 256 << 20


def originals(seed):
    docs = [Maker(seed + i).document(n) for i, n in enumerate((1, 3, 8, 40))]
    return [write_text(doc).encode() for doc in docs], [write_binary(doc) for doc in docs]


def outcome(read, data):
    try:
        return read(data)
    except SceneError as error:
        return str(error)


def exact_text(data):
    lines = split_lines(decode(data))
    return SceneDoc.from_columns(parse_header(lines[0]), _read_exactly(lines))


def exact_binary(data):
    cursor = BinaryCursor(data)
    version, count = cursor.header()
    return SceneDoc.from_columns(version, binary_read._read_exactly(cursor, count))


def fuzz(count, seed):
    rng = random.Random(seed)
    texts, binaries = originals(seed)
    slowest = 0.0
    for i in range(count):
        is_text = rng.random() < 0.5
        data = mutant(rng, rng.choice(texts if is_text else binaries))
        start = time.perf_counter()
        found = outcome(read_text if is_text else read_binary, data)
        slowest = max(slowest, time.perf_counter() - start)
        if i % 5 == 0:
            exact = outcome(exact_text if is_text else exact_binary, data)
            assert found == exact
        if isinstance(found, SceneDoc) and i % 7 == 0:
            assert read_text(write_text(found)) == found
            assert read_binary(write_binary(found)) == found
    return slowest


@pytest.fixture
def _always_fast(monkeypatch):
    monkeypatch.setattr(binary_read, "SMALL_FILE", -1)
    monkeypatch.setattr(binary_read, "FIRST_TRY", 2)


@pytest.mark.usefixtures("_always_fast")
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_damaged_files(seed):
    fuzz(700, seed)


@pytest.mark.full
@pytest.mark.usefixtures("_always_fast")
@pytest.mark.parametrize("seed", range(20))
def test_many_damaged_files(seed):
    assert fuzz(10_000, 100 + seed) < SLOWEST_SECONDS


@pytest.mark.usefixtures("_always_fast")
def test_damaged_files_take_no_memory():
    rng = random.Random(4)
    texts, binaries = originals(4)
    tracemalloc.start()
    try:
        for _ in range(300):
            is_text = rng.random() < 0.5
            data = mutant(rng, rng.choice(texts if is_text else binaries))
            tracemalloc.reset_peak()
            before = tracemalloc.get_traced_memory()[0]
            outcome(read_text if is_text else read_binary, data)
            assert tracemalloc.get_traced_memory()[1] - before < MOST_BYTES
    finally:
        tracemalloc.stop()


def loadable_mutants(rng, base, count):
    """Return damaged files that still load, of one version, and their documents."""
    found = [(base, read_text(base))]
    while len(found) < count:
        data = mutant(rng, base, most=1)
        doc = outcome(read_text, data)
        if isinstance(doc, SceneDoc) and doc.version == found[0][1].version:
            found.append((data, doc))
    return found


def fuzz_merge(count, seed):
    rng = random.Random(seed)
    pool = loadable_mutants(rng, write_text(Maker(seed).document(8)).encode(), 40)
    slowest = 0.0
    for _ in range(count):
        (_, base), (ours_data, ours), (_, theirs) = rng.choices(pool, k=3)
        start = time.perf_counter()
        result = merge(base, ours, theirs)
        written = text_from_source(ours_data, ours, result.doc)
        assert read_text(written).version == ours.version
        slowest = max(slowest, time.perf_counter() - start)
        if base is theirs:
            assert written == ours_data
    return slowest


def test_merging_damaged_files():
    fuzz_merge(200, 5)


@pytest.mark.full
def test_merging_many_damaged_files():
    for seed in range(50):
        assert fuzz_merge(1000, 6 + seed) < SLOWEST_SECONDS
