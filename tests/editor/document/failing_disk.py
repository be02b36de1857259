"""A disk that fails: whatever a program asks of some folders ends in a fault of the system."""

import builtins
import io
import os
import threading
from contextlib import contextmanager

_BY_PATH = (
    "stat", "lstat", "open", "mkdir", "rmdir", "unlink", "remove", "rename", "replace", "scandir",
    "listdir", "readlink", "utime", "chmod", "chown",
)  # fmt: skip
_BY_HANDLE = ("write", "fsync", "ftruncate", "read")
_CHANGING = {
    "mkdir", "rmdir", "unlink", "remove", "rename", "replace", "utime", "chmod", "chown", "write",
    "fsync", "ftruncate",
}  # fmt: skip


class FailingDisk:
    """Counts what is asked of the files below some folders, and lets some of it fail.

    Parameters
    ----------
    folders : sequence of path
    code : int
        The `errno` of the faults.
    is_reading : bool
        Whether reading fails, too.
    is_everywhere : bool
        Whether it fails for other threads, too.
    """

    def __init__(self, folders, code, *, is_reading=True, is_everywhere=False):
        self._folders = [os.path.realpath(folder) for folder in folders]
        self._code, self._is_reading = code, is_reading
        self._is_everywhere = is_everywhere
        self._thread = None
        self.calls, self.fails_from, self.fails_to = 0, 1 << 60, 1 << 60
        self.told = ""

    def is_mine(self, path):
        if isinstance(path, int):
            try:
                path = os.readlink(f"/proc/self/fd/{path}")
            except OSError:
                return False
        try:
            name = os.path.abspath(os.fsdecode(path))
        except (TypeError, ValueError):
            return False
        return any(name == f or name.startswith(f + os.sep) for f in self._folders)

    def ask(self, name, path, *, is_changing):
        is_here = self._is_everywhere or threading.get_ident() == self._thread
        if not (is_here and self.is_mine(path)):
            return
        if not (is_changing or self._is_reading):
            return
        self.calls += 1
        if self.fails_from <= self.calls < self.fails_to:
            self.told = f"{name} {path}"
            raise OSError(self._code, os.strerror(self._code), str(path))

    @contextmanager
    def used(self, fails_from=1 << 60, fails_to=None, *, patch):
        """Let it fail from one call on, counted from 1; or the one call only."""
        self.calls, self.fails_from = 0, fails_from
        self.fails_to = fails_to or 1 << 60
        self._thread, self.told = threading.get_ident(), ""
        with patch.context() as patched:
            readlink = os.readlink
            self._patch(patched)
            patched.setattr(os, "readlink", readlink)
            yield self

    def _patch(self, patched):
        for name in _BY_PATH:
            patched.setattr(os, name, self._asking(name, getattr(os, name), 0))
        for name in _BY_HANDLE:
            patched.setattr(os, name, self._asking(name, getattr(os, name), 0))
        opened = builtins.open

        def open_file(file, mode="r", *arguments, **options):
            is_changing = any(letter in mode for letter in "wax+")
            if options.get("opener") is None and not isinstance(file, int):
                self.ask("open", file, is_changing=is_changing)
            return opened(file, mode, *arguments, **options)

        patched.setattr(builtins, "open", open_file)
        patched.setattr(io, "open", open_file)

    def _asking(self, name, real, place):
        def asked(*arguments, **options):
            path = arguments[place] if arguments else options.get("path", ".")
            is_changing = name in _CHANGING
            if name == "open":
                flags = arguments[1] if len(arguments) > 1 else options.get("flags", 0)
                is_changing = bool(flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT))
            self.ask(name, path, is_changing=is_changing)
            if name in ("rename", "replace"):
                self.ask(name, arguments[1], is_changing=True)
            return real(*arguments, **options)

        return asked
