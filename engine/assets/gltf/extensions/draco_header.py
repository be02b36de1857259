"""How many points and faces a Draco stream declares, read before anything is decoded.

A stream of a few bytes can name billions of faces, and decoders allocate for them first. The
layout follows the Draco bitstream specification 2.2 (sections 3 to 6); older minor versions store
the counts as plain 32 bit integers.
"""

from dataclasses import dataclass

from engine.errors import AssetError

_MAGIC = b"DRACO"
_HEADER = 11
_HAS_METADATA = 0x8000
_POINT_CLOUD, _MESH = 0, 1
_SEQUENTIAL, _EDGEBREAKER = 0, 1
_DEEPEST = 1000


@dataclass(frozen=True, slots=True)
class DracoCounts:
    """Elements that a stream declares."""

    points: int
    faces: int


class _Bytes:
    """Reads little-endian numbers from a stream's head."""

    def __init__(self, data: memoryview) -> None:
        self._data = data
        self._at = 0

    def skip(self, count: int) -> None:
        if self._at + count > len(self._data):
            raise AssetError(f"the stream is cut at byte {len(self._data)}")
        self._at += count

    def integer(self, size: int) -> int:
        start = self._at
        self.skip(size)
        return int.from_bytes(self._data[start : self._at], "little")

    def varint(self) -> int:
        """Read seven bits a byte, the low ones first; the top bit tells that more follow."""
        value = 0
        for shift in range(0, 70, 7):
            byte = self.integer(1)
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                break
        return value


def _skip_metadata(data: _Bytes) -> None:
    """Pass over every attribute's metadata and then the file's."""
    for _ in range(data.varint()):
        data.varint()
        _skip_elements(data)
    _skip_elements(data)


def _skip_elements(data: _Bytes) -> None:
    """Pass over one metadata element with those inside it, without recursion."""
    left = [1]
    while left:
        if not left[-1]:
            left.pop()
            if left:
                continue
            break
        left[-1] -= 1
        if len(left) > 1:
            data.skip(data.integer(1))
        for _ in range(data.varint()):
            data.skip(data.integer(1))
            data.skip(data.varint())
        left.append(data.varint())
        if len(left) > _DEEPEST:
            raise AssetError("metadata nested too deep")


def declared_counts(stream: bytes | memoryview) -> DracoCounts:
    """Return the counts that a Draco stream declares.

    Raises
    ------
    AssetError
        The stream is no Draco stream, or is cut before its counts.
    """
    data = _Bytes(memoryview(stream))
    if bytes(stream[:5]) != _MAGIC:
        raise AssetError("it does not begin with DRACO")
    data.skip(5)
    version = (data.integer(1), data.integer(1))
    kind, method, flags = data.integer(1), data.integer(1), data.integer(2)
    if flags & _HAS_METADATA:
        _skip_metadata(data)
    if kind == _POINT_CLOUD:
        return DracoCounts(data.integer(4), 0)
    if kind != _MESH or method not in (_SEQUENTIAL, _EDGEBREAKER):
        raise AssetError(f"kind {kind} with method {method} is not known")

    def count() -> int:
        compact = version >= ((2, 2) if method == _SEQUENTIAL else (2, 0))
        return data.varint() if compact else data.integer(4)

    if method == _SEQUENTIAL:
        faces = count()
        return DracoCounts(count(), faces)
    data.skip(1)
    if version < (2, 2):
        count()
    points = count()
    return DracoCounts(points, count())
