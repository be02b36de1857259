"""Little-endian reading and writing with every bound checked; what all cooked formats share.

A cooked file is a four-byte magic, a u32 version and a body that ends where the file ends. Strings
are a u32 length and that many bytes of UTF-8; every number is finite. There are no migrations:
another version is refused with the advice to cook anew.
"""

import struct
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine.assets.cooked.finite import first_odd
from engine.errors import AssetError

F32 = NDArray[np.float32]


class CookedWriter:
    """Builds one cooked file."""

    def __init__(self, magic: bytes, version: int, what: str) -> None:
        self._what = what
        self._parts: list[bytes] = [magic, struct.pack("<I", version)]

    def u8(self, value: int) -> None:
        """Append an unsigned byte."""
        self._pack("<B", value)

    def u32(self, *values: int) -> None:
        """Append unsigned 32-bit integers, little-endian."""
        for value in values:
            self._pack("<I", value)

    def i32(self, value: int) -> None:
        """Append a signed 32-bit integer, little-endian."""
        self._pack("<i", value)

    def floats(self, values: ArrayLike) -> None:
        """Append numbers of any shape as float32, row by row.

        Raises
        ------
        AssetError
            One of them is not finite, or not as float32.
        """
        with np.errstate(over="ignore"):
            numbers = np.asarray(values, "<f4")
        odd = first_odd(numbers)
        if odd >= 0:
            given = np.asarray(values).reshape(-1)[odd]
            raise AssetError(f"cooked {self._what}: {given} is not finite as float32")
        self._parts.append(numbers.tobytes())

    def raw(self, data: bytes) -> None:
        """Append bytes as they are."""
        self._parts.append(data)

    def string(self, text: str) -> None:
        """Append a text: its length in bytes as u32, then UTF-8.

        Raises
        ------
        AssetError
            UTF-8 can't hold it.
        """
        try:
            encoded = text.encode()
        except UnicodeEncodeError:
            raise AssetError(f"cooked {self._what}: {text!a} cannot be UTF-8") from None
        self.u32(len(encoded))
        self._parts.append(encoded)

    def finish(self) -> bytes:
        """Return the whole file."""
        return b"".join(self._parts)

    def _pack(self, layout: str, value: int) -> None:
        try:
            self._parts.append(struct.pack(layout, value))
        except struct.error:
            raise AssetError(f"cooked {self._what}: {value} does not fit {layout}") from None


class CookedReader:
    """Reads one cooked file from front to back.

    Parameters
    ----------
    data : bytes
        The whole file.
    magic, version
        What the head has to say.
    what : str
        The kind, for messages: each begins with ``cooked <what>``.

    Raises
    ------
    AssetError
        Another magic or version; every read raises it when the data end too soon.
    """

    def __init__(self, data: bytes, magic: bytes, version: int, what: str) -> None:
        self._data = memoryview(data).cast("B")
        self._at = 0
        self._what = what
        found = bytes(self.take(4))
        if found != magic:
            self.fail(f"bad magic {found!r}, expected {magic!r}")
        number = self.u32()
        if number != version:
            raise AssetError(
                f"cooked {what} version {number} (this engine reads {version}); cook its source "
                "again with cinder-cook"
            )

    def fail(self, problem: str) -> NoReturn:
        """Raise AssetError about the place that was reached."""
        raise AssetError(f"cooked {self._what}: byte {self._at}: {problem}")

    @property
    def left(self) -> int:
        """Bytes that were not read yet."""
        return len(self._data) - self._at

    def take(self, size: int) -> memoryview:
        """Return the next `size` bytes.

        Raises
        ------
        AssetError
            There are fewer; so for all that follow.
        """
        if size > self.left:
            self.fail(f"truncated: {size} bytes expected, {self.left} left")
        start = self._at
        self._at += size
        return self._data[start : self._at]

    def u8(self) -> int:
        """Return an unsigned byte."""
        return self.take(1)[0]

    def u32(self) -> int:
        """Return an unsigned 32-bit integer."""
        return int.from_bytes(self.take(4), "little")

    def i32(self) -> int:
        """Return a signed 32-bit integer."""
        return int.from_bytes(self.take(4), "little", signed=True)

    def f32(self) -> float:
        """Return a float32."""
        return float(self.floats(1)[0])

    def floats(self, count: int) -> F32:
        """Return `count` numbers, (count,) float32, a copy; AssetError for one not finite."""
        numbers = np.frombuffer(self.take(count * 4), "<f4").astype(np.float32)
        odd = first_odd(numbers)
        if odd >= 0:
            self._at -= (count - odd) * 4
            self.fail(f"{numbers[odd]} is not finite")
        return numbers

    def vector(self, count: int) -> tuple[Any, ...]:
        """Read `count` floats as Python floats."""
        return tuple(self.floats(count).tolist())

    def choice(self, name: str, choices: tuple[Any, ...]) -> Any:
        """Read a u32 that numbers one of `choices`."""
        number = self.u32()
        if number >= len(choices):
            self.fail(f"{name} {number} out of range, expected below {len(choices)}")
        return choices[number]

    def count(self, name: str, item_bytes: int) -> int:
        """Read how many items follow; refuse more than the rest could hold at `item_bytes` each."""
        count = self.u32()
        if count * item_bytes > self.left:
            self.fail(f"truncated: {count} {name} cannot fit in the {self.left} bytes left")
        return count

    def string(self) -> str:
        """Return a text; AssetError where it isn't UTF-8."""
        data = bytes(self.take(self.count("bytes of text", 1)))
        try:
            return data.decode()
        except UnicodeDecodeError as error:
            self.fail(f"text is not valid UTF-8 ({error.reason})")

    def end(self) -> None:
        """Raise AssetError if anything is left."""
        if self.left:
            self.fail(f"{self.left} trailing bytes")
