"""How the records of one layout lie in the binary format.

A record is a run of constant bytes (names, counts, kinds) with payloads between them. Everything
but the bytes of strings has a fixed size, so a layout is a list of fixed stretches with a string
behind each but the last.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from engine.reflect import Kind
from engine.scene.document.columns import Layout

_PAYLOAD_SIZES = {Kind.FLOAT: 4, Kind.INT: 8, Kind.BOOL: 8, Kind.ENTITY: 8}


@dataclass
class Stretch:
    """A fixed run of bytes: a template, which of its bytes are constant, and its payloads.

    Attributes
    ----------
    template : bytearray
        The constant bytes, zeros where payloads lie. A stretch before a string ends in the four
        bytes of the string's length.
    payloads : list of (field index, offset, size)
    """

    template: bytearray = field(default_factory=bytearray)
    payloads: list[tuple[int, int, int]] = field(default_factory=list)
    string_field: int = -1

    def add(self, index: int, size: int) -> None:
        """Append `size` bytes whose contents entity `index` gives."""
        self.payloads.append((index, len(self.template), size))
        self.template += bytes(size)

    @property
    def size(self) -> int:
        """Bytes that one row takes."""
        return len(self.template)

    def constant_bytes(self) -> NDArray[np.int64]:
        """Return the offsets of the bytes that are the same in every record."""
        is_constant = np.ones(self.size, np.bool_)
        for _, offset, size in self.payloads:
            is_constant[offset : offset + size] = False
        if self.string_field >= 0:
            is_constant[-4:] = False
        return np.flatnonzero(is_constant)


def stretches_of(layout: Layout) -> list[Stretch]:
    """Return the fixed stretches of a record of `layout`, in order."""
    name, fields = layout
    current = Stretch(bytearray(_text(name) + struct.pack("<I", len(fields))))
    stretches = [current]
    for index, (field_name, kind, width) in enumerate(fields):
        current.template += _text(field_name) + bytes([kind])
        if kind is Kind.STRING:
            current.template += bytes(4)
            current.string_field = index
            current = Stretch()
            stretches.append(current)
        elif kind is Kind.FLOATS:
            current.template += struct.pack("<I", width)
            current.add(index, 4 * width)
        else:
            current.add(index, _PAYLOAD_SIZES[kind])
    return stretches


def head_of(layout: Layout) -> bytes:
    """Return the constant bytes that every record of `layout` starts with."""
    first = stretches_of(layout)[0]
    end = first.payloads[0][1] if first.payloads else first.size
    if first.string_field >= 0 and not first.payloads:
        end = first.size - 4
    return bytes(first.template[:end])


def _text(text: str) -> bytes:
    data = text.encode()
    return struct.pack("<I", len(data)) + data
