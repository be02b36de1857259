"""GPU memory in big pages, so that a thousand meshes need a handful of buffers.

First fit over a sorted free list; neighbours merge when freed and a page that is empty goes back
to the device. Nothing moves, so an allocation stays valid until it is freed.
"""

from bisect import bisect_left
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import wgpu
from numpy.typing import NDArray

from engine.errors import EngineError
from engine.render.device import is_lost

PAGE_BYTES = 4 << 20
ALIGNMENT = 256


@dataclass(eq=False)
class Page:
    """One buffer and its free ranges, sorted `(offset, size)`."""

    buffer: Any
    size: int
    free: list[tuple[int, int]] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class Allocation:
    """A range of a page's buffer, in bytes."""

    page: Page
    offset: int
    size: int

    @property
    def buffer(self) -> Any:
        """The wgpu buffer that holds it."""
        return self.page.buffer

    def part(self, offset: int, size: int) -> "Allocation":
        """Return a range inside, which is freed with the whole."""
        return Allocation(self.page, self.offset + offset, size)


class BufferArena:
    """Allocates ranges of buffers with one usage.

    Parameters
    ----------
    device
        The wgpu device.
    usage
        `wgpu.BufferUsage` flags of every page.

    Attributes
    ----------
    used_bytes : int
        Bytes that are allocated.
    """

    def __init__(self, device: Any, usage: int, label: str) -> None:
        self._device = device
        self._usage = usage
        self._label = label
        self._pages: list[Page] = []
        self.used_bytes = 0

    def store(self, data: NDArray[Any]) -> Allocation:
        """Allocate room for an array and copy it there.

        Raises
        ------
        EngineError
            The device has no memory for it; nothing changed.
        """
        raw = np.ascontiguousarray(data).view(np.uint8).reshape(-1)
        if padding := -raw.size % 4:
            raw = np.concatenate([raw, np.zeros(padding, np.uint8)])
        allocation = self._allocate(max(raw.size, 4))
        try:
            if raw.size:
                self._device.queue.write_buffer(allocation.buffer, allocation.offset, raw)
        except BaseException:
            self.free(allocation)
            raise
        return allocation

    def free(self, allocation: Allocation) -> None:
        """Give a range back; the buffer is destroyed when its page is empty."""
        page, start, end = allocation.page, allocation.offset, allocation.offset + allocation.size
        free = page.free
        at = bisect_left(free, (start, 0))
        if at < len(free) and free[at][0] == end:
            end += free.pop(at)[1]
        if at and sum(free[at - 1]) == start:
            at -= 1
            start = free.pop(at)[0]
        free.insert(at, (start, end - start))
        self.used_bytes -= allocation.size
        if free == [(0, page.size)]:
            self._pages.remove(page)
            page.buffer.destroy()

    def _allocate(self, size: int) -> Allocation:
        size += -size % ALIGNMENT
        for page in self._pages:
            for position, (offset, room) in enumerate(page.free):
                if room >= size:
                    left = [(offset + size, room - size)] if room > size else []
                    page.free[position : position + 1] = left
                    self.used_bytes += size
                    return Allocation(page, offset, size)
        page = self._new_page(size)
        self._pages.append(page)
        self.used_bytes += size
        return Allocation(page, 0, size)

    def _new_page(self, size: int) -> Page:
        """A page whose first `size` bytes are taken; a small one where a whole one is refused."""
        largest = max(PAGE_BYTES, size)
        for page_size in dict.fromkeys((largest, size)):
            try:
                buffer = self._device.create_buffer(
                    size=page_size, usage=self._usage, label=self._label
                )
            except wgpu.GPUError as problem:
                if is_lost(problem):
                    raise
                refusal = problem
                continue
            return Page(buffer, page_size, [(size, page_size - size)] if page_size > size else [])
        wanted, held = size / 1e6, self.used_bytes / 1e6
        raise EngineError(
            f"{self._label}: {wanted:.1f} MB beside the {held:.1f} MB that are there, which the "
            f"device refuses ({refusal})"
        ) from refusal
