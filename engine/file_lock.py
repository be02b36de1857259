"""Locks on open files that end with the process that holds them, however it ends."""

from __future__ import annotations

import errno
import os
import sys
import threading

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


def wait_for_lock(handle: int, patience_s: float) -> bool:
    """Lock an open file for this process, waiting for another one that has it locked.

    The system wakes who waits; Windows' C library has no such wait and looks once a second. The
    wait is a thread's, because no system ends it after a given time.

    Parameters
    ----------
    handle : int
        An open file. It may be closed at any time.
    patience_s : float
        Seconds to wait at most.

    Returns
    -------
    bool
        False where it is locked still; where the file system knows no locks it is True.
    """
    if try_lock(handle):
        return True
    # Locks belong to what both handles stand for: this one may outlive the other.
    own = os.dup(handle)
    is_done = threading.Event()
    waiting = threading.Thread(target=_wait, args=(own, is_done), name="file lock", daemon=True)
    waiting.start()
    return is_done.wait(patience_s)


def _wait(handle: int, is_done: threading.Event) -> None:
    try:
        if sys.platform == "win32":
            while not _has_waited_windows(handle):
                pass
        else:
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX)
    except OSError:
        # The file system went away, or knows no locks any more: nobody is kept out.
        return
    finally:
        os.close(handle)
        is_done.set()


def _lock_posix(handle: int) -> None:
    if sys.platform != "win32":
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _lock_windows(handle: int, waits: bool = False) -> None:
    if sys.platform == "win32":
        import msvcrt

        at = os.lseek(handle, 0, os.SEEK_CUR)
        os.lseek(handle, _FAR_AWAY, os.SEEK_SET)
        try:
            msvcrt.locking(handle, msvcrt.LK_LOCK if waits else msvcrt.LK_NBLCK, 1)
        finally:
            os.lseek(handle, at, os.SEEK_SET)


def _has_waited_windows(handle: int) -> bool:
    """Wait for some seconds; whether the file is locked for this process then."""
    try:
        _lock_windows(handle, waits=True)
    except OSError as problem:
        # The one after the last look, of which there are ten.
        return problem.errno not in (errno.EACCES, errno.EDEADLK)
    return True
