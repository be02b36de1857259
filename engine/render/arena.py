"""GPU memory in big pages, so that a thousand meshes need a handful of buffers.

First fit over a sorted free list; neighbours merge when freed and a page that is empty goes back
to the device. Nothing moves, so an allocation stays valid until it is freed.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

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


class BufferArena:
    """Allocates ranges of buffers with one usage.

    Parameters
    ----------
    device
        The wgpu device.
    usage
        `wgpu.BufferUsage` flags of every page.
    """

    def __init__(self, device: Any, usage: int, label: str) -> None:
        self._device = device
        self._usage = usage
        self._label = label
        self._pages: list[Page] = []

    @property
    def used_bytes(self) -> int:
        """Bytes that are allocated."""
        return sum(page.size - sum(size for _, size in page.free) for page in self._pages)

    def store(self, data: NDArray[Any]) -> Allocation:
        """Allocate room for an array and copy it there."""
        raw = np.ascontiguousarray(data).view(np.uint8).reshape(-1)
        if padding := -raw.size % 4:
            raw = np.concatenate([raw, np.zeros(padding, np.uint8)])
        allocation = self._allocate(max(raw.size, 4))
        if raw.size:
            self._device.queue.write_buffer(allocation.buffer, allocation.offset, raw)
        return allocation

    def free(self, allocation: Allocation) -> None:
        """Give a range back; the buffer is destroyed when its page is empty."""
        page = allocation.page
        merged: list[tuple[int, int]] = []
        for offset, size in sorted([*page.free, (allocation.offset, allocation.size)]):
            if merged and sum(merged[-1]) == offset:
                merged[-1] = (merged[-1][0], merged[-1][1] + size)
            else:
                merged.append((offset, size))
        page.free = merged
        if merged == [(0, page.size)]:
            self._pages.remove(page)
            page.buffer.destroy()

    def _allocate(self, size: int) -> Allocation:
        size += -size % ALIGNMENT
        for page in self._pages:
            for position, (offset, room) in enumerate(page.free):
                if room >= size:
                    left = [(offset + size, room - size)] if room > size else []
                    page.free[position : position + 1] = left
                    return Allocation(page, offset, size)
        page_size = max(PAGE_BYTES, size)
        buffer = self._device.create_buffer(size=page_size, usage=self._usage, label=self._label)
        page = Page(buffer, page_size, [(size, page_size - size)] if page_size > size else [])
        self._pages.append(page)
        return Allocation(page, 0, size)
