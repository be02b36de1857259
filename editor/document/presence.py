"""Telling that a level is open in another editor.

Each editor holds a lock on a file in the user's data folder that stands for the level; what is in
it says who holds it. It keeps nobody from anything: what both save is merged.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import pathlib
import socket
import weakref

from editor.model.folders import data_folder
from engine.file_lock import try_lock


class LevelPresence:
    """The mark that an editor leaves on the level that it has open.

    Attributes
    ----------
    other : str
        Who had it open already, for people to read; empty where nobody had.
    """

    def __init__(self, level: pathlib.Path) -> None:
        self.other = ""
        self._close: weakref.finalize[[int], LevelPresence] | None = None
        with contextlib.suppress(OSError):
            self._enter(_file_of(level), level)

    def _enter(self, path: pathlib.Path, level: pathlib.Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0)
        handle = os.open(path, flags, 0o600)
        if not try_lock(handle):
            self.other = _described(os.read(handle, 4096))
            os.close(handle)
            return
        self._close = weakref.finalize(self, os.close, handle)
        self._close.atexit = False
        who = {"pid": os.getpid(), "host": socket.gethostname(), "level": str(level)}
        os.ftruncate(handle, 0)
        os.write(handle, json.dumps(who).encode())

    def leave(self) -> None:
        """Let go of the level."""
        if self._close is not None:
            self._close()


def _described(data: bytes) -> str:
    try:
        who = json.loads(data)
        return f"process {int(who['pid'])} on {str(who['host'])[:80]}"
    except (ValueError, KeyError, TypeError):
        return "another process"


def _file_of(level: pathlib.Path) -> pathlib.Path:
    real = os.path.realpath(level)
    digest = hashlib.sha256(real.encode("utf-8", "surrogatepass")).hexdigest()
    return data_folder() / "locks" / f"{digest[:24]}.lock"
