"""Locks on open files that end with the process that holds them, however it ends."""

from __future__ import annotations

import os
import sys

_FAR_AWAY = 1 << 40
"""Where Windows locks: it keeps others from reading what is locked."""


def try_lock(handle: int) -> bool:
    """Lock an open file for this process; False while another one has it locked.

    Where the file system knows no locks nobody is kept out: a lock tells of another editor, it
    protects nothing by itself.
    """
    try:
        if sys.platform == "win32":
            _lock_windows(handle)
        else:
            _lock_posix(handle)
    except BlockingIOError:
        return False
    except PermissionError:
        return sys.platform != "win32"
    except OSError:
        return True
    return True


def _lock_posix(handle: int) -> None:
    if sys.platform != "win32":
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _lock_windows(handle: int) -> None:
    if sys.platform == "win32":
        import msvcrt

        at = os.lseek(handle, 0, os.SEEK_CUR)
        os.lseek(handle, _FAR_AWAY, os.SEEK_SET)
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        finally:
            os.lseek(handle, at, os.SEEK_SET)
