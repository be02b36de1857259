"""Whether folders came or went in a folder, asked of its time before it is read."""

import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from editor.panels.assets.project_listing import child_folders

__all__ = ["FolderListings"]

_SETTLED_NS: Final = 3_000_000_000
"""Times of folders are coarse, two seconds on some disks: what is younger is not relied on."""


class FolderListings:
    """Remembers at which time a folder held which others."""

    def __init__(self) -> None:
        self._seen: dict[str, tuple[int, tuple[str, ...]]] = {}

    def has_changed(self, folder: Path, names: Sequence[str]) -> bool:
        """Whether a folder holds others than those named; it is read only where it may."""
        key, shown = str(folder), tuple(names)
        try:
            modified = os.stat(folder).st_mtime_ns
        except OSError:
            modified = -1
        if modified >= 0 and self._seen.get(key) == (modified, shown):
            return False
        now = tuple(path.name for path in child_folders(folder))
        if now != shown:
            self._seen.pop(key, None)
            return True
        if 0 <= modified < time.time_ns() - _SETTLED_NS:
            self._seen[key] = modified, now
        return False
