"""The arrays of a cooked asset: numbered, aligned, one after the other at the end of the file.

Arrays that are one object when they are written are one when they are read. A table of vectors
whose rows are all the same, such as the filler of an attribute that a mesh lacks, is stored as one
row and read as a view that repeats it.
"""

import math
from collections.abc import Iterator
from typing import Annotated, Any

import msgspec
import numpy as np
from numpy.typing import DTypeLike, NDArray

from engine.errors import AssetError

Array = NDArray[Any]
ALIGNMENT = 64
# Below this a repeated row saves nothing.
_FEWEST_ROWS = 4
_MOST_ROWS = 1 << 32
_MOST_ITEMS = 1 << 40
_DTYPES = {code: np.dtype(code) for code in ("|u1", "<u2", "<i4", "<u4", "<i8", "<f4")}


_Length = Annotated[int, msgspec.Meta(ge=0)]


class ArrayEntry(msgspec.Struct, array_like=True):
    """What one array is and where it starts; ``rows`` is the length of a repeated row's array.

    That it has one to four sides and nothing is below 0 is checked as the head is decoded.
    """

    dtype: str
    shape: Annotated[tuple[_Length, ...], msgspec.Meta(min_length=1, max_length=4)]
    offset: _Length
    rows: int = -1


class ArrayTableWriter:
    """Numbers arrays and lays them out."""

    def __init__(self) -> None:
        self.entries: list[ArrayEntry] = []
        self._numbers: dict[int, int] = {}
        self._given: list[Array] = []
        self._stored: list[Array] = []
        self.size = 0

    def add(self, array: Array, *, whole: bool = False) -> int:
        """Return the number of an array; a `whole` one is never stored as a repeated row.

        Raises
        ------
        AssetError
            ``cooked asset``: it holds something that the format does not.
        """
        number = self._numbers.get(id(array))
        if number is None:
            number = self._numbers[id(array)] = len(self.entries)
            self._given.append(array)
            self._lay_out(np.ascontiguousarray(array).reshape(array.shape), whole)
        return number

    def optional(self, array: Array | None) -> int:
        """Return the number of an array, -1 for None."""
        return -1 if array is None else self.add(array)

    def stored(self) -> Iterator[tuple[int, NDArray[np.uint8]]]:
        """Yield where the bytes of each array begin, and the bytes."""
        for entry, array in zip(self.entries, self._stored, strict=True):
            if array.nbytes:
                yield entry.offset, array.reshape(-1).view(np.uint8)

    def blocks(self) -> Iterator[memoryview]:
        """Yield the bytes of the file's end, filling included."""
        at = 0
        for offset, block in self.stored():
            if offset > at:
                yield memoryview(bytes(offset - at))
            yield block.data
            at = offset + len(block)
        if self.size > at:
            yield memoryview(bytes(self.size - at))

    def _lay_out(self, array: Array, whole: bool) -> None:
        array = array.astype(array.dtype.newbyteorder("<"), copy=False)
        rows = -1
        if not whole and array.ndim == 2 and len(array) >= _FEWEST_ROWS and _is_repeated(array):
            rows, array = len(array), array[:1]
        code = array.dtype.str
        if code not in _DTYPES:
            raise AssetError(f"cooked asset: an array of {code} cannot be stored")
        offset = -(-self.size // ALIGNMENT) * ALIGNMENT
        self.entries.append(ArrayEntry(code, array.shape, offset, rows))
        self._stored.append(array)
        self.size = offset + array.nbytes


class ArrayTable:
    """The arrays of a file that was read, by number.

    Parameters
    ----------
    entries : list of ArrayEntry
    data : (n,) uint8
        The file's end.

    Raises
    ------
    AssetError
        ``cooked asset``: an array leaves the data, or the data go on behind the last array.
    """

    def __init__(self, entries: list[ArrayEntry], data: NDArray[np.uint8]) -> None:
        self._is_repeated = [entry.rows >= 0 for entry in entries]
        self._arrays: list[Array] = []
        end = 0
        for number, entry in enumerate(entries):
            array, size = _array(number, entry, data)
            self._arrays.append(array)
            end = max(end, entry.offset + size)
        if end != len(data):
            raise AssetError(f"cooked asset: {len(data)} bytes of arrays, expected {end}")

    def get(self, number: int, dtype: DTypeLike, *shape: int | None) -> Array:
        """Return an array of the given type and shape; a side that is None may have any length.

        Raises
        ------
        AssetError
            ``cooked asset``: there is no such array, it is another, or a repeated row where
            nothing else tells how many rows there are.
        """
        if not 0 <= number < len(self._arrays):
            raise AssetError(
                f"cooked asset: array {number} out of range of {len(self._arrays)} arrays"
            )
        array = self._arrays[number]
        if self._is_repeated[number] and shape[:1] == (None,):
            # Its length is what the file says and nothing holds it to.
            raise AssetError(f"cooked asset: array {number}: a repeated row of any length")
        if (array.dtype is not dtype and array.dtype != dtype) or (
            array.shape != shape and not _fits(array.shape, shape)
        ):
            raise AssetError(
                f"cooked asset: array {number}: found {array.dtype} {array.shape}, expected "
                f"{np.dtype(dtype)} {shape}"
            )
        return array


def _fits(found: tuple[int, ...], wanted: tuple[int | None, ...]) -> bool:
    if len(found) != len(wanted):
        return False
    for length, side in zip(found, wanted, strict=True):
        if side is not None and side != length:
            return False
    return True


def _is_repeated(array: Array) -> bool:
    """Tell whether all rows have the bytes of the first."""
    width = array.shape[1] * array.itemsize
    if not width or bool((array[-1] != array[0]).any()):
        return False
    rows = array.view(np.uint8).reshape(len(array), width)
    return bool((rows == rows[0]).all())


def _array(number: int, entry: ArrayEntry, data: NDArray[np.uint8]) -> tuple[Array, int]:
    """Return an array and how many bytes of the file it takes."""
    shape, offset = entry.shape, entry.offset
    dtype = _DTYPES.get(entry.dtype)
    if dtype is None:
        raise AssetError(f"cooked asset: array {number}: {entry.dtype} {shape} is not known")
    size = math.prod(shape) * dtype.itemsize
    if offset % ALIGNMENT or offset + size > data.size:
        raise AssetError(
            f"cooked asset: truncated: array {number} is {size} bytes at {offset} of {len(data)}"
        )
    # What is not empty is within the data already.
    if not size and math.prod(max(side, 1) for side in shape) > _MOST_ITEMS:
        raise AssetError(f"cooked asset: array {number}: {shape} is no shape")
    if entry.rows < 0:
        return np.ndarray(shape, dtype, data, offset), size
    if len(shape) != 2 or shape[0] != 1 or entry.rows > _MOST_ROWS:
        raise AssetError(f"cooked asset: array {number}: {shape} is no row to repeat")
    return np.ndarray((entry.rows, shape[1]), dtype, data, offset, (0, dtype.itemsize)), size
