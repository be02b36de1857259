"""Draco streams decoded in a process of their own, with a limit on time.

The process is started for the first stream and kept for the next ones. One that takes too long is
ended; one that crashes is replaced. Where no process can be started, the stream is decoded here.
"""

import atexit
import json
import math
import struct
import subprocess
import sys
import threading
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from engine.assets.gltf.extensions import draco_worker
from engine.errors import AssetError

Array = NDArray[np.generic]
Decoded = dict[int, Array]

FACES = -1
"""The key of the indices among the decoded arrays; the others are the attributes' ids."""

_SECONDS, _SECONDS_PER_BYTE = 3.0, 2e-6


class _Decoder:
    """One process that decodes."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, str(Path(draco_worker.__file__))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            # On Windows a console window would flash up.
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )

    def decode(self, stream: bytes) -> Decoded:
        seconds = _SECONDS + len(stream) * _SECONDS_PER_BYTE
        is_late = threading.Event()

        def end() -> None:
            is_late.set()
            self._process.kill()

        timer = threading.Timer(seconds, end)
        timer.start()
        try:
            return self._exchange(stream)
        except (OSError, EOFError):
            self.close()
            reason = f"takes more than {seconds:.0f} s" if is_late.is_set() else "ends the decoder"
            raise AssetError(reason) from None
        finally:
            timer.cancel()

    def _exchange(self, stream: bytes) -> Decoded:
        requests, answers = self._process.stdin, self._process.stdout
        assert requests is not None
        assert answers is not None
        requests.write(struct.pack("<I", len(stream)) + stream)
        requests.flush()
        header = json.loads(_read(answers, struct.unpack("<I", _read(answers, 4))[0]))
        if "error" in header:
            raise AssetError(header["error"])
        return {key: _array(answers, dtype, shape) for key, dtype, shape in header["arrays"]}

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    def close(self) -> None:
        self._process.kill()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            try:
                pipe.close()
            except OSError:
                # What was not sent any more is of no interest.
                continue
        self._process.wait()


def _read(pipe: BinaryIO | object, size: int) -> bytes:
    data: bytes = pipe.read(size)  # type: ignore[union-attr]
    if len(data) != size:
        raise EOFError
    return data


def _array(pipe: object, dtype: str, shape: list[int]) -> Array:
    data = _read(pipe, math.prod(shape) * np.dtype(dtype).itemsize)
    return np.frombuffer(data, dtype).reshape(shape)


class _Idle:
    """The processes that have nothing to do."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._decoders: list[_Decoder] = []

    def take(self) -> _Decoder:
        with self._lock:
            while self._decoders:
                decoder = self._decoders.pop()
                if decoder.is_alive:
                    return decoder
                decoder.close()
        return _Decoder()

    def give(self, decoder: _Decoder) -> None:
        with self._lock:
            if decoder.is_alive:
                self._decoders.append(decoder)

    def close(self) -> None:
        with self._lock:
            for decoder in self._decoders:
                decoder.close()
            self._decoders.clear()


_idle = _Idle()
atexit.register(_idle.close)


def decode_draco(stream: bytes) -> Decoded:
    """Decode a stream.

    Returns
    -------
    dict of int to array
        The values of each attribute, (n, width), by its id; the indices under `FACES`, if any.

    Raises
    ------
    AssetError
        The stream is damaged, or takes too long.
    """
    try:
        decoder = _idle.take()
    except OSError:
        return _decode_here(stream)
    try:
        return decoder.decode(stream)
    finally:
        _idle.give(decoder)


def _decode_here(stream: bytes) -> Decoded:
    header, arrays = draco_worker.answer(stream)
    if "error" in header:
        raise AssetError(header["error"])
    return {
        key: np.frombuffer(data, dtype).reshape(shape)
        for (key, dtype, shape), data in zip(header["arrays"], arrays, strict=True)
    }
