"""Draco in a process of its own: what it gives, and what it withstands."""

import subprocess
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from engine.assets import AssetError
from engine.assets.decoders import draco
from engine.assets.decoders.process import DecoderPool
from engine.assets.gltf.extensions import draco_process
from engine.assets.gltf.extensions.draco_process import FACES, decode_draco

CORNERS = np.float32([[0, 0, 0], [1, 0, 0], [0, 1, 0]])


@pytest.fixture
def stream():
    draco = pytest.importorskip("DracoPy", reason="the Draco decoder is not installed")
    return draco.encode(CORNERS, np.uint32([[0, 1, 2]]), quantization_bits=0)


@pytest.fixture(autouse=True)
def idle(monkeypatch):
    """Decoders of this test's own."""
    made = DecoderPool(draco, draco_process.decoders.seconds)
    monkeypatch.setattr(draco_process, "decoders", made)
    yield made
    made.close()


def assert_decoded(decoded):
    faces = decoded.pop(FACES)
    (positions,) = decoded.values()
    assert sorted(positions[faces].tolist()) == sorted(CORNERS.tolist())


def test_a_stream_is_decoded_and_the_process_kept(stream, idle):
    assert_decoded(decode_draco(stream))
    (kept,) = idle._idle
    assert_decoded(decode_draco(stream))
    assert idle._idle == [kept]


def test_streams_of_several_threads_are_decoded_at_once(stream):
    with ThreadPoolExecutor(3) as pool:
        for decoded in pool.map(decode_draco, [stream] * 6):
            assert_decoded(decoded)


def test_a_damaged_stream_leaves_the_process_usable(stream):
    with pytest.raises(AssetError):
        decode_draco(stream[:20])
    assert_decoded(decode_draco(stream))


def test_a_stream_that_takes_too_long_is_given_up(stream, idle):
    idle.seconds = 0.0
    with pytest.raises(AssetError, match="takes more than"):
        decode_draco(stream)
    assert idle._idle == []
    idle.seconds = 30.0
    assert_decoded(decode_draco(stream))


def test_a_decoder_that_crashes_is_an_error_and_replaced(stream, idle):
    decode_draco(stream)
    crashing = idle._idle.pop()
    crashing._process.kill()
    with pytest.raises(AssetError, match="ends the decoder"):
        crashing.decode(stream, 3.0)
    assert_decoded(decode_draco(stream))


def test_one_that_died_while_idle_is_not_used(stream, idle):
    decode_draco(stream)
    idle._idle[0]._process.kill()
    idle._idle[0]._process.wait()
    assert_decoded(decode_draco(stream))


def test_where_no_process_can_be_started_it_is_decoded_here(stream, monkeypatch):
    def refuse(*_, **__):
        raise PermissionError("no processes here")

    monkeypatch.setattr(subprocess, "Popen", refuse)
    assert_decoded(decode_draco(stream))
    with pytest.raises(AssetError):
        decode_draco(b"DRACO")
