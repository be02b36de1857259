"""`EntryFiles`: what has become of the files that the entries of a library are made of."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from engine.assets.asset_entry import ABSENT, AssetEntry, sign
from engine.assets.watch.changes import FileChanges


class EntryFiles:
    """Looks at the files of entries below one folder.

    Parameters
    ----------
    root : Path
    tell : callable
        Called with an entry that has another error.
    """

    def __init__(self, root: Path, tell: Callable[[AssetEntry], None]) -> None:
        self._root = root
        self._tell = tell

    def sources(self, entry: AssetEntry) -> list[str]:
        """Return the files of an entry, also by the path that links may lead elsewhere from."""
        return [self._named(entry), *(path for path, _, _ in entry.reading.signature)]

    def _named(self, entry: AssetEntry) -> str:
        return os.path.normpath(self._root / entry.path) if "\0" not in entry.path else ""

    def is_touched(self, entry: AssetEntry, changes: FileChanges) -> bool:
        """Whether files that changed mean that an entry is another one now, or may be."""
        if entry.error or entry.state == "failed":
            # What a broken file is made of is not known, so anything may mend it.
            return bool(changes.changed)
        if not changes.touches(self.sources(entry)):
            return False
        is_other = entry.is_being_read or entry.is_gone or bool(entry.reading.digests)
        return is_other or self.is_stale(entry)

    def is_stale(self, entry: AssetEntry) -> bool:
        """Whether the files of an entry are not as they were read.

        A file that is gone is told of only when it is found gone twice.
        """
        if entry.state == "failed":
            # Where a link led may be nowhere any more, or at another file.
            return os.path.exists(self._named(entry))
        now = sign([path for path, _, _ in entry.reading.signature])
        is_there = bool(now) and now[0][1:] != ABSENT
        if is_there:
            entry.reading.is_missed = False
            # What a broken file is made of is not known, so it is tried again.
            return now != entry.reading.signature or bool(entry.error)
        if entry.asset is None:
            return False
        if entry.reading.is_missed:
            self._tell_of_loss(entry)
        entry.reading.is_missed = True
        return False

    def is_gone(self, entry: AssetEntry) -> bool:
        """Whether the file of an entry is gone; say so once."""
        if entry.is_gone:
            self._tell_of_loss(entry)
        return entry.is_gone

    def _tell_of_loss(self, entry: AssetEntry) -> None:
        if not entry.error:
            entry.error = f"{entry.path}: the file is gone; showing what was last read"
            entry.is_lost = True
            self._tell(entry)

    def follow(self, entries: Iterable[AssetEntry], moved: Mapping[str, str]) -> None:
        """Know the files of entries by what they are called now; see `AssetLibrary.follow`."""
        places = {str(self._root / old): str(self._root / new) for old, new in moved.items()}
        for entry in entries:
            reading = entry.reading
            reading.signature = tuple((places.get(p, p), t, n) for p, t, n in reading.signature)
            if entry.asset is not None:
                sides = (places.get(str(side), str(side)) for side in entry.asset.source_files)
                entry.asset.source_files[:] = map(Path, sides)
