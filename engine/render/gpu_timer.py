"""How long the GPU worked on a picture, by two timestamps, where the adapter has them."""

from typing import Any

import numpy as np
import wgpu

_FEATURES = {"timestamp-query", "timestamp-query-inside-encoders"}
_BYTES = 16


class GpuTimer:
    """Two timestamps around the commands of a picture; a stopped clock without the feature."""

    def __init__(self, device: Any) -> None:
        self._queries: Any = None
        self._buffer: Any = None
        self._tick_ms = 0.0
        if device.features >= _FEATURES:
            use = wgpu.BufferUsage
            self._queries = device.create_query_set(type="timestamp", count=2)
            self._resolved = device.create_buffer(
                size=_BYTES, usage=use.QUERY_RESOLVE | use.COPY_SRC
            )
            self._buffer = device.create_buffer(size=_BYTES, usage=use.COPY_DST | use.MAP_READ)
            self._tick_ms = tick_nanoseconds(device) / 1e6

    @property
    def is_running(self) -> bool:
        """Whether the adapter has timestamps."""
        return self._queries is not None

    def begin(self, encoder: Any) -> None:
        """Note the time at which the commands that follow begin."""
        if self._queries is not None:
            write_timestamp(encoder, self._queries, 0)

    def end(self, encoder: Any) -> None:
        """Note the time at which the commands so far are done."""
        if self._queries is not None:
            write_timestamp(encoder, self._queries, 1)
            encoder.resolve_query_set(self._queries, 0, 2, self._resolved, 0)
            encoder.copy_buffer_to_buffer(self._resolved, 0, self._buffer, 0, _BYTES)

    def milliseconds(self) -> float:
        """Time between the two of the last submitted commands; waits for them."""
        if self._buffer is None:
            return 0.0
        self._buffer.map_sync("READ")
        try:
            start, stop = np.frombuffer(self._buffer.read_mapped(), np.uint64).tolist()
        finally:
            self._buffer.unmap()
        return float(max(stop - start, 0) * self._tick_ms)


def write_timestamp(encoder: Any, queries: Any, index: int) -> None:
    """Write one timestamp between passes, an extension of wgpu-native."""
    from wgpu.backends.wgpu_native import extras

    extras.write_timestamp(encoder, queries, index)


def tick_nanoseconds(device: Any) -> float:
    """Nanoseconds per tick of a device's timestamps."""
    from wgpu.backends.wgpu_native import lib

    return float(lib.wgpuQueueGetTimestampPeriod(device.queue._internal))
