"""What files hold, told by a digest: a file that was only touched is no other one.

Where the system tells of every write, a file that looks as it did needs not be read for that.
"""

import hashlib
import os
import time
from collections.abc import Sequence

from engine.plain_file import open_plain

Digests = tuple[str, ...]
"""One for each of some files, "" for one that is not there; empty where they are not known."""

FileStamp = tuple[int, int, int, int]
"""Size, time of the last write and of the last change of anything in ns, and number of a file."""

NO_STAMP: FileStamp = (0, 0, 0, 0)
"""Of a file about which nothing can be told without reading it."""

_MOST_BYTES = 64 * 1024 * 1024
# The coarsest clock of a file system that is in use, FAT's.
_GRAIN_NS = 2_000_000_000
_COARSE = getattr(time, "CLOCK_REALTIME_COARSE", None)
_LAG_NS = 0 if _COARSE is not None else 20_000_000
_TICK_S = 0.002
_TICKS = 15


def begin_reading(path: str) -> int:
    """Return the time by the file system's clock, one later than the last change of a file.

    Changes within one tick of that clock cannot be told apart, so the next is waited for.
    """
    for _ in range(_TICKS):
        if _last_change(path) < _now():
            break
        time.sleep(_TICK_S)
    return _now()


def digests_of(paths: Sequence[str]) -> Digests:
    """Return the digests of files; empty where they are too large to tell quickly."""
    try:
        sizes = [os.path.getsize(path) if os.path.isfile(path) else 0 for path in paths]
        if sum(sizes) > _MOST_BYTES:
            return ()
        return tuple(map(digest_of, paths))
    except (OSError, ValueError):
        return ()


def untouched_since(paths: Sequence[str], started_ns: int) -> bool:
    """Whether none of some files was written, or moved there, since `begin_reading`."""
    return all(_last_change(path) < started_ns for path in paths)


def lasting_stamp(path: str | os.PathLike[str]) -> FileStamp:
    """Return what a file looks like, where any later write would make it look otherwise.

    That is not so within one tick of the file system's clock, nor on Windows, which does not tell
    when a file was changed, only what whoever wrote it says.
    """
    found = _stamp(path)
    return found if max(found[1:3]) < _now() - _GRAIN_NS else NO_STAMP


def has_stamp(path: str | os.PathLike[str], stamp: FileStamp) -> bool:
    """Whether a file still is what it was when `lasting_stamp` was asked for it."""
    return stamp != NO_STAMP and _stamp(path) == stamp


def _stamp(path: str | os.PathLike[str]) -> FileStamp:
    if os.name != "posix":
        return NO_STAMP
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return NO_STAMP
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino


def _now() -> int:
    return (time.clock_gettime_ns(_COARSE) if _COARSE is not None else time.time_ns()) - _LAG_NS


def digest_of(path: str | os.PathLike[str]) -> str:
    """Return the digest of a file, "" where there is none.

    Raises
    ------
    OSError
        It cannot be read.
    """
    if not os.path.isfile(path):
        return ""
    with open_plain(path) as file:
        # Processors have instructions for this one.
        return hashlib.file_digest(file, "sha256").hexdigest()


def _last_change(path: str) -> int:
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return 0
    # Moving a file leaves the first of them alone. Windows has the time of its making there.
    return max(status.st_mtime_ns, status.st_ctime_ns)
