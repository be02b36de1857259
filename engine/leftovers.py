"""What a program leaves beside a file when it is ended within writing it."""

import os
import stat
import time
from collections.abc import Callable
from contextlib import suppress

LEFT_ALONE_S = 3600.0
"""What was not written to for that long nobody is writing any more."""


def remove_leftovers(folder: str | os.PathLike[str], names: Callable[[str], bool]) -> None:
    """Remove old temporary files from a folder; what can't be removed stays.

    Parameters
    ----------
    folder : path
    names : callable
        Whether a name is one that only temporary files of ours have.
    """
    with suppress(OSError), os.scandir(folder) as entries:
        old = [entry.path for entry in entries if names(entry.name) and _is_old(entry)]
        for path in old:
            with suppress(OSError):
                os.unlink(path)


def _is_old(entry: os.DirEntry[str]) -> bool:
    try:
        status = entry.stat(follow_symlinks=False)
    except OSError:
        return False
    return stat.S_ISREG(status.st_mode) and status.st_mtime < time.time() - LEFT_ALONE_S
