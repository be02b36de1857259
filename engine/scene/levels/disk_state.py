"""What a file held when it was last read or written, to notice when somebody else changes it."""

from __future__ import annotations

import os
import pathlib
from dataclasses import dataclass

from engine.errors import SceneError
from engine.plain_file import read_plain
from engine.scene.levels.atomic_file import Stamp, read_file, stamp_of


@dataclass(frozen=True)
class DiskState:
    """The bytes of a file and its time stamp and size, which are quicker to compare."""

    data: bytes = b""
    stamp: Stamp | None = None

    @classmethod
    def read(cls, path: pathlib.Path) -> DiskState:
        """Read a file.

        Raises
        ------
        SceneError
            It is missing, unreadable or no regular file.
        """
        # Looked at first: who writes while this reads is noticed by what the file then holds.
        stamp = _stamp(path)
        return cls(read_file(path), stamp)

    def is_touched(self, path: pathlib.Path) -> bool:
        """Whether time stamp or size are others now. A file that is gone is not a touched one."""
        stamp = _stamp(path)
        return stamp is not None and stamp != self.stamp

    def expect_unchanged(self, path: pathlib.Path) -> None:
        """Raise SceneError where `path` holds other bytes now."""
        if self.is_changed(path):
            raise SceneError(f"{path}: changed on disk since it was read")

    def is_changed(self, path: pathlib.Path) -> bool:
        """Whether `path` holds other bytes now. A file that is gone is not a changed one."""
        if not self.is_touched(path):
            return False
        try:
            return read_plain(path) != self.data
        except OSError:
            return False


def _stamp(path: pathlib.Path) -> Stamp | None:
    try:
        return stamp_of(os.stat(path))
    except OSError:
        return None
