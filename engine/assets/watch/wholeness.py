"""Whether a file looks whole, told from its ends: a program may still be writing it.

Only what cannot be whole is said to be half. What looks whole may still be broken; that is for its
importer to say.
"""

import os
import struct
from typing import IO

import msgspec

from engine.plain_file import open_plain

_LARGEST_JSON = 64 * 1024 * 1024
_PNG_END = b"IEND\xaeB`\x82"


def looks_whole(path: str) -> bool:
    """Tell; True also of a kind of file that says nothing about its end."""
    check = _CHECKS.get(os.path.splitext(path)[1].lower())
    if check is None:
        return True
    try:
        with open_plain(path) as file:
            return check(file, os.fstat(file.fileno()).st_size)
    except (OSError, ValueError):
        return False


def _glb(file: IO[bytes], size: int) -> bool:
    head = file.read(12)
    if len(head) < 12:
        return False
    magic, _, length = struct.unpack("<4sII", head)
    return magic != b"glTF" or bool(size >= length)


def _gltf(file: IO[bytes], size: int) -> bool:
    if size > _LARGEST_JSON:
        return True
    data = file.read()
    if data.startswith(b"glTF"):
        return True
    try:
        msgspec.json.decode(data.removeprefix(b"\xef\xbb\xbf"), type=dict[str, msgspec.Raw])
    except (msgspec.MsgspecError, RecursionError):
        return False
    return True


def _png(file: IO[bytes], size: int) -> bool:
    return _ends_with(file, size, _PNG_END)


def _jpeg(file: IO[bytes], size: int) -> bool:
    # Some cameras pad after the end marker.
    file.seek(max(0, size - 512))
    return b"\xff\xd9" in file.read()


def _ends_with(file: IO[bytes], size: int, end: bytes) -> bool:
    file.seek(max(0, size - len(end)))
    return file.read() == end


_CHECKS = {".glb": _glb, ".gltf": _gltf, ".png": _png, ".jpg": _jpeg, ".jpeg": _jpeg}
