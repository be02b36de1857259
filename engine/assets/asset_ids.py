"""Stable ids of assets: the 64-bit FNV-1a hash, of logical paths and of file contents.

FNV-1a is ``h = (h ^ byte) * prime`` for each byte (Fowler, Noll, Vo). Only the low byte of ``h``
meets the input, so the hash falls apart into an 8-bit automaton and a sum: with ``low`` the low
byte before a step, ``h' = (h + ((low ^ byte) - low)) * prime``, a polynomial in the prime. The
automaton is solved bit by bit: bit k of the next low byte is bit k of ``low ^ byte`` plus a
function of the bits below it, so each bit is a running exclusive or. Both parts are whole-array
operations.
"""

import os
from functools import cache
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from engine.plain_file import open_plain

_OFFSET = 0xCBF29CE484222325
_PRIME = 0x100000001B3
_MASK = (1 << 64) - 1
_CHUNK = 1 << 18
_SHORT = 512

U8 = NDArray[np.uint8]


def _carry_tables() -> list[U8]:
    """Per bit k, what the bits of `low ^ byte` below k add to bit k of their product."""
    values = np.arange(256, dtype=np.uint32)
    products = [(values & ((1 << k) - 1)) * (_PRIME & 0xFF) for k in range(8)]
    return [((product >> k) & 1).astype(np.uint8) for k, product in enumerate(products)]


_CARRIES = _carry_tables()


@cache
def _powers() -> NDArray[np.uint64]:
    """Return prime ** (chunk - i) for i below the chunk's size, modulo 2 ** 64."""
    primes = np.full(_CHUNK, _PRIME, np.uint64)
    return np.multiply.accumulate(primes)[::-1]


def _mixed(low: int, data: U8) -> tuple[U8, U8]:
    """Return the low byte before each step, and that xor the input."""
    before = np.zeros(len(data), np.uint8)
    for k in range(8):
        # x is what the step multiplies; its bits below k are known by now.
        below = (before ^ data) & np.uint8((1 << k) - 1)
        steps = ((data >> np.uint8(k)) & np.uint8(1)) ^ _CARRIES[k][below]
        bit = np.bitwise_xor.accumulate(steps)
        start = (low >> k) & 1
        before[0] |= np.uint8(start << k)
        before[1:] |= (bit[:-1] ^ np.uint8(start)) << np.uint8(k)
    return before, before ^ data


def fnv1a64(data: bytes | bytearray | memoryview, start: int = _OFFSET) -> int:
    """Return the 64-bit FNV-1a hash of `data`, going on from `start`."""
    if len(data) <= _SHORT:
        for byte in bytes(data):
            start = ((start ^ byte) * _PRIME) & _MASK
        return start
    whole = np.frombuffer(data, np.uint8)
    for at in range(0, len(whole), _CHUNK):
        start = _chunk(start, whole[at : at + _CHUNK])
    return start


def _chunk(start: int, data: U8) -> int:
    powers = _powers()[_CHUNK - len(data) :]
    before, mixed = _mixed(start & 0xFF, data)
    steps = (mixed.astype(np.int64) - before).view(np.uint64)
    total = int((steps * powers).sum(dtype=np.uint64))
    return (start * int(powers[0]) + total) & _MASK


def hash_file(path: str | os.PathLike[str]) -> str:
    """Return the FNV-1a hash of a file's contents as sixteen hex digits.

    Raises
    ------
    OSError
        The file cannot be read.
    """
    with open_plain(path) as file:
        return f"{_hash_stream(file):016x}"


def _hash_stream(file: BinaryIO) -> int:
    found = _OFFSET
    while data := file.read(16 * _CHUNK):
        found = fnv1a64(data, found)
    return found


def asset_id(logical: str) -> int:
    """Return the id of a logical path: the FNV-1a hash of its UTF-8 bytes."""
    return fnv1a64(logical.encode("utf-8", "surrogatepass"))


def asset_file_name(logical: str, ext: str) -> str:
    """Return the name of a logical path's cooked file: sixteen hex digits and `ext`."""
    return f"{asset_id(logical):016x}.{ext.removeprefix('.')}"
