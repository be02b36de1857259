"""What lies below a folder: one stamp per file, which is another one when the file is written."""

import os
import stat
from collections.abc import Iterator

from engine.assets.watch.names import is_ignored

Stamp = tuple[int, int, int]
"""Modification time in ns, size, and the file's number on the disk."""

LIMIT = 20_000
"""Files and folders that a project may have to be followed as a whole."""


def stamp_of(path: str) -> Stamp | None:
    """Return the stamp of what `path` leads to, of a link to a folder its own; None for nothing."""
    try:
        status = os.stat(path)
        return _stamp(os.lstat(path) if stat.S_ISDIR(status.st_mode) else status)
    except (OSError, ValueError):
        return None


def _stamp(status: os.stat_result) -> Stamp:
    # Windows gives no number while listing a folder.
    return status.st_mtime_ns, status.st_size, 0 if os.name == "nt" else status.st_ino


class Listing:
    """The files below a folder.

    Attributes
    ----------
    files : dict of str to Stamp
    folders : int
        How many there are, that one included.
    is_whole : bool
        False where there are more than `LIMIT`; then it holds some of them.
    """

    def __init__(self, folder: str, limit: int = LIMIT) -> None:
        self.files: dict[str, Stamp] = {}
        self.folders = 0
        self.is_whole = True
        for path, stamp in self._walk(folder):
            self.files[path] = stamp
            if len(self.files) + self.folders > limit:
                self.is_whole = False
                break

    def _walk(self, folder: str) -> Iterator[tuple[str, Stamp]]:
        waiting = [folder]
        while waiting:
            self.folders += 1
            for entry in _entries(waiting.pop()):
                if _is_folder(entry):
                    waiting.append(entry.path)
                    continue
                stamp = _file_stamp(entry)
                if stamp is not None:
                    yield entry.path, stamp


def _entries(folder: str) -> Iterator[os.DirEntry[str]]:
    """Yield what lies in a folder and counts; of one that went or may not be read, what it can."""
    try:
        with os.scandir(folder) as entries:
            yield from (entry for entry in entries if not is_ignored(entry.name))
    except OSError:
        return


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False


def _file_stamp(entry: os.DirEntry[str]) -> Stamp | None:
    try:
        if entry.is_dir():
            return _stamp(entry.stat(follow_symlinks=False))
        return _stamp(entry.stat()) if entry.is_file() else None
    except OSError:
        return None
