"""What a file held when it was last read or written, to notice when somebody else changes it."""

from __future__ import annotations

import os
import pathlib
from dataclasses import dataclass


@dataclass(frozen=True)
class DiskState:
    """The bytes of a file and its time stamp and size, which are quicker to compare."""

    data: bytes = b""
    stamp: tuple[int, int] | None = None

    @classmethod
    def of(cls, path: pathlib.Path, data: bytes) -> DiskState:
        """Return the state of a file that was just found, or left, holding `data`."""
        return cls(data, _stamp(path))

    def is_touched(self, path: pathlib.Path) -> bool:
        """Whether time stamp or size are others now. A file that is gone is not a touched one."""
        stamp = _stamp(path)
        return stamp is not None and stamp != self.stamp

    def is_changed(self, path: pathlib.Path) -> bool:
        """Whether `path` holds other bytes now. A file that is gone is not a changed one."""
        if not self.is_touched(path):
            return False
        try:
            return path.read_bytes() != self.data
        except OSError:
            return False


def _stamp(path: pathlib.Path) -> tuple[int, int] | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size
