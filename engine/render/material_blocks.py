"""Uniform blocks of many materials in one buffer, a row each, and the groups that bind them.

A level has hundreds of materials and few sets of textures: one group per set, with the row as its
dynamic offset, serves all of them. Rows that were taken are written together before they are drawn.
"""

from typing import Any

import numpy as np
import wgpu
from numpy.typing import NDArray

# WebGPU: an offset of a uniform block that every adapter takes.
_ALIGNMENT = 256
_FEWEST = 64


class MaterialBlocks:
    """Blocks of one length.

    Attributes
    ----------
    size : int
        Bytes of a block.
    buffer : wgpu buffer
        Holds all rows; another one when they outgrow it.
    generation : int
        Grows when the buffer is another one.
    """

    def __init__(self, device: Any, floats: int) -> None:
        self._device = device
        self.size = 4 * floats
        self._stride = self.size + -self.size % _ALIGNMENT
        self._values = np.zeros((0, self._stride // 4), np.float32)
        self._free: list[int] = []
        self._dirty: list[int] = []
        self.buffer: Any = None
        self.generation = 0

    def take(self, block: NDArray[np.float32]) -> int:
        """Return a row for a block; `flush` writes it."""
        if not self._free:
            self._grow()
        row = self._free.pop()
        self.put(row, block)
        return row

    def put(self, row: int, block: NDArray[np.float32]) -> None:
        """Give a row other values; `flush` writes them."""
        self._values[row, : len(block)] = block
        self._dirty.append(row)

    def free(self, row: int) -> None:
        """Give a row back."""
        self._free.append(row)

    def offset(self, row: int) -> int:
        """Where a row begins in the buffer, in bytes."""
        return row * self._stride

    def flush(self) -> None:
        """Write what was taken or put since the last call."""
        if self._dirty:
            first, last = min(self._dirty), max(self._dirty)
            rows = self._values[first : last + 1]
            self._device.queue.write_buffer(self.buffer, self.offset(first), rows)
            self._dirty.clear()

    def _grow(self) -> None:
        count = len(self._values)
        rows = max(_FEWEST, 2 * count)
        use = wgpu.BufferUsage
        buffer = self._device.create_buffer(
            size=rows * self._stride, usage=use.UNIFORM | use.COPY_DST, label="materials"
        )
        if self.buffer is not None:
            self.buffer.destroy()
        self.buffer = buffer
        self.generation += 1
        more = np.zeros((rows - count, self._stride // 4), np.float32)
        self._values = np.concatenate([self._values, more])
        self._free += range(rows - 1, count - 1, -1)
        self._dirty += range(count)


class MaterialGroups:
    """Bind groups by what they hold, for as long as a material holds it.

    Parameters
    ----------
    device
        The wgpu device.
    layout, layered_layout
        Of a material without and with layers.
    slots
        Textures of every material; further ones are the layers'.
    """

    def __init__(self, device: Any, layout: Any, layered_layout: Any, slots: int) -> None:
        self._device = device
        self._layout = layout
        self._layered_layout = layered_layout
        self._slots = slots
        self._groups: dict[tuple[Any, ...], dict[Any, Any]] = {}
        self._users: dict[tuple[Any, ...], int] = {}

    def hold(self, held: tuple[Any, ...]) -> None:
        """Note a material that reads these views and samplers, in turns."""
        self._users[held] = self._users.get(held, 0) + 1

    def let_go(self, held: tuple[Any, ...]) -> None:
        """Note that a material doesn't read them any more."""
        self._users[held] -= 1
        if not self._users[held]:
            del self._users[held]
            self._groups.pop(held, None)

    def get(self, held: tuple[Any, ...], blocks: MaterialBlocks, plain: bool) -> Any:
        """Return a group for all materials that read these; `plain` leaves layers out."""
        is_layered = not plain and len(held) > 2 * self._slots
        made = self._groups.setdefault(held, {})
        found, generation = made.get(is_layered, (None, -1))
        if generation != blocks.generation:
            found = self._make(held, blocks, is_layered)
            made[is_layered] = found, blocks.generation
        return found

    def _make(self, held: tuple[Any, ...], blocks: MaterialBlocks, is_layered: bool) -> Any:
        resource = {"buffer": blocks.buffer, "offset": 0, "size": blocks.size}
        entries: list[dict[str, Any]] = [{"binding": 0, "resource": resource}]
        for number in range(len(held) // 2 if is_layered else self._slots):
            extra = number - self._slots
            at = (1 + number, 6 + number) if extra < 0 else (11 + extra, 18 + extra)
            entries.append({"binding": at[0], "resource": held[2 * number]})
            entries.append({"binding": at[1], "resource": held[2 * number + 1]})
        layout = self._layered_layout if is_layered else self._layout
        return self._device.create_bind_group(layout=layout, entries=entries)
