"""Work of native decoders in processes of their own, with a limit on time.

A process is started for the first request and kept for the next ones. One that takes too long is
ended; one that crashes is replaced. Where no process can be started, the work is done here.
"""

import atexit
import json
import logging
import math
import struct
import subprocess
import sys
import threading
from pathlib import Path
from types import ModuleType
from typing import Any, BinaryIO, cast

import numpy as np
from numpy.typing import NDArray

from engine.assets.decoders import serve
from engine.errors import AssetError

_log = logging.getLogger("cinder.assets")

Array = NDArray[np.generic]
Decoded = dict[Any, Array]
"""Arrays by the keys that the decoder gave them."""


class Decoder:
    """One process that decodes.

    Parameters
    ----------
    script : str
        The file of the module that answers.
    """

    def __init__(self, script: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, str(Path(serve.__file__)), script],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            # Libraries print about damaged files on their own; what is to be said is in the answer.
            stderr=subprocess.DEVNULL,
            # On Windows a console window would flash up.
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )

    def decode(self, request: bytes, seconds: float) -> Decoded:
        """Return what the decoder makes of a request.

        Raises
        ------
        AssetError
            It refuses it, crashes, or takes longer than `seconds`.
        """
        is_late = threading.Event()

        def end() -> None:
            is_late.set()
            self._process.kill()

        timer = threading.Timer(seconds, end)
        timer.start()
        try:
            return self._exchange(request)
        except (OSError, EOFError):
            self.close()
            reason = f"takes more than {seconds:.0f} s" if is_late.is_set() else "ends the decoder"
            raise AssetError(reason) from None
        finally:
            timer.cancel()

    def _exchange(self, request: bytes) -> Decoded:
        requests, answers = self._process.stdin, self._process.stdout
        assert requests is not None
        assert answers is not None
        requests.write(struct.pack("<I", len(request)) + request)
        requests.flush()
        pipe = cast("BinaryIO", answers)
        header = json.loads(_read(pipe, struct.unpack("<I", _read(pipe, 4))[0]))
        _expect_good(header)
        return {key: _array(pipe, dtype, shape) for key, dtype, shape in header["arrays"]}

    @property
    def is_alive(self) -> bool:
        """Whether the process still runs."""
        return self._process.poll() is None

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            try:
                pipe.close()
            except OSError:
                # What was not sent any more is of no interest.
                continue
        self._process.wait()


def _expect_good(header: dict[str, Any]) -> None:
    if "error" in header:
        if "detail" in header:
            _log.info("%s (%s)", header["error"], header["detail"])
        raise AssetError(header["error"])


def _read(pipe: BinaryIO, size: int) -> bytes:
    data = pipe.read(size)
    if len(data) != size:
        raise EOFError
    return data


def _array(pipe: BinaryIO, dtype: str, shape: list[int]) -> Array:
    data = _read(pipe, math.prod(shape) * np.dtype(dtype).itemsize)
    return np.frombuffer(data, dtype).reshape(shape)


class DecoderPool:
    """The processes of one decoder.

    Parameters
    ----------
    module : module
        Has the function ``answer``, and imports nothing of the engine.
    seconds : float
        How long a request may take, whatever its size.
    """

    def __init__(self, module: ModuleType, seconds: float) -> None:
        self.seconds = seconds
        self._module = module
        self._lock = threading.Lock()
        self._idle: list[Decoder] = []
        atexit.register(self.close)

    def decode(self, request: bytes, more_seconds: float = 0.0) -> Decoded:
        """Return what the decoder makes of a request, on any thread.

        Parameters
        ----------
        request : bytes
        more_seconds : float
            How much longer than usual it may take.

        Raises
        ------
        AssetError
            It refuses it, crashes, or takes too long.
        """
        try:
            decoder = self._take()
        except OSError:
            return self._decode_here(request)
        try:
            return decoder.decode(request, self.seconds + more_seconds)
        finally:
            self._give(decoder)

    def close(self) -> None:
        """End the processes that have nothing to do."""
        with self._lock:
            for decoder in self._idle:
                decoder.close()
            self._idle.clear()

    def _take(self) -> Decoder:
        with self._lock:
            while self._idle:
                decoder = self._idle.pop()
                if decoder.is_alive:
                    return decoder
                decoder.close()
        return Decoder(str(self._module.__file__))

    def _give(self, decoder: Decoder) -> None:
        with self._lock:
            if decoder.is_alive:
                self._idle.append(decoder)

    def _decode_here(self, request: bytes) -> Decoded:
        header, arrays = self._module.answer(request)
        _expect_good(header)
        return {
            key: np.frombuffer(data, dtype).reshape(shape)
            for (key, dtype, shape), data in zip(header["arrays"], arrays, strict=True)
        }
