"""Files of a project, in which anything may lie under any name.

A named pipe would keep its reader waiting for ever, and a device may give bytes without end.
"""

import errno
import os
import stat
from io import BufferedReader

_PIECE = 1 << 18
_WINDOWS_LOOP = 1921
_FLAGS = getattr(os, "O_NONBLOCK", 0)


def open_plain(path: str | os.PathLike[str]) -> BufferedReader:
    """Open a regular file for reading, without ever waiting for somebody to write to it.

    Raises
    ------
    OSError
        There is no such file, it cannot be read, it is something other than a file, or no file
        can have this name.
    """
    try:
        return open(path, "rb", opener=_opened)
    except ValueError as error:
        raise OSError(errno.EINVAL, f"no file has such a name ({error})") from None


def read_plain(path: str | os.PathLike[str]) -> bytes:
    """Return the content of a regular file; raises as `open_plain` does."""
    with open_plain(path) as file:
        return file.read()


def real_path(path: str | os.PathLike[str]) -> str:
    """Return where a path leads, there or not; links are followed.

    Raises
    ------
    OSError
        Links lead in a circle.
    ValueError
        No file can have this name.
    """
    # What `Path.resolve` does, in half the time: it is asked for every asset of a level.
    found = os.path.realpath(path)
    try:
        os.stat(found)
    except OSError as error:
        if error.errno == errno.ELOOP or getattr(error, "winerror", 0) == _WINDOWS_LOOP:
            raise
    return found


def is_below(path: str, folder: str | os.PathLike[str]) -> bool:
    """Whether a path is that of a folder or of something in it; both as `real_path` gives them."""
    path, above = os.path.normcase(path), os.path.normcase(folder)
    return path == above or path.startswith(os.path.join(above, ""))


def is_same_path(a: str | os.PathLike[str], b: str | os.PathLike[str]) -> bool:
    """Whether two paths lead to one place, there or not; links are followed."""
    return os.path.realpath(a) == os.path.realpath(b)


def holds_the_same(a: str | os.PathLike[str], b: str | os.PathLike[str]) -> bool:
    """Whether two regular files hold the same bytes; False where one of them can't be read."""
    try:
        with open_plain(a) as one, open_plain(b) as other:
            if os.fstat(one.fileno()).st_size != os.fstat(other.fileno()).st_size:
                return False
            while True:
                piece = one.read(_PIECE)
                if piece != other.read(_PIECE):
                    return False
                if not piece:
                    return True
    except OSError:
        return False


def _opened(path: str, flags: int) -> int:
    handle = os.open(path, flags | _FLAGS)
    mode = os.fstat(handle).st_mode
    # Of a folder `open` tells in its own words.
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        os.close(handle)
        raise OSError(errno.EINVAL, "it is not a file", path)
    return handle
