"""`SettlingFiles`: from raw notes that something happened to files that are done changing.

A program that saves writes in pieces, or writes beside and renames, or deletes and writes anew. A
file counts once its stamp has stood for a moment and it looks whole; one that is gone, once it has
stayed away a little longer. What belongs together comes in one batch: nothing is told while more
and more files are being noted. The clock is the caller's.
"""

import os
from collections.abc import Collection, Iterable, Mapping, Set
from dataclasses import dataclass

from engine.assets.watch.changes import FileChanges, folders_above
from engine.assets.watch.tree import Listing, Stamp, stamp_of
from engine.assets.watch.wholeness import looks_whole

SETTLE_S = 0.05
"""A stamp that stands this long is settled."""
GONE_S = 0.35
"""A file that stays away this long is gone."""
PATIENCE_S = 1.2
"""A file that does not look whole is told of all the same when nothing happens to it any more."""
HOLD_S = 0.2
"""The longest that a settled file waits for one that is still being written."""
BURST_S = 2.0
"""The longest that a settled file waits while others are being noted."""


@dataclass(slots=True)
class _Pending:
    stamp: Stamp | None
    since: float
    is_whole: bool | None = None
    settled_at: float | None = None


class SettlingFiles:
    """Files that something happened to.

    Parameters
    ----------
    known : dict of str to Stamp, optional
        The files that there are.
    """

    def __init__(self, known: dict[str, Stamp] | None = None) -> None:
        self.known = known if known is not None else {}
        self._pending: dict[str, _Pending] = {}
        self._noted_at = float("-inf")

    def note(self, path: str, now: float) -> None:
        """Take in that something happened to a file or a folder with all below it."""
        self.note_all([path], now)

    def note_all(self, paths: Collection[str], now: float) -> None:
        """Take in that something happened to files and to folders with all below them.

        However many folders come or go at once, what is known is gone through once.
        """
        folders = {p for p in paths if os.path.isdir(p) and not os.path.islink(p)}
        gone = set()
        for path in (p for p in paths if p not in folders):
            stamp = stamp_of(path)
            if stamp is None and path not in self.known:
                gone.add(path)
            self._put(path, stamp, now)
        tops = {p for p in folders if folders.isdisjoint(folders_above(p))}
        found: dict[str, Stamp] = {}
        for folder in tops:
            found.update(Listing(folder).files)
        for path, stamp in found.items():
            if self.known.get(path) != stamp:
                self._put(path, stamp, now)
        if tops or gone:
            self._note_lost(tops, gone, found, now)

    def _note_lost(
        self, folders: Set[str], gone: Set[str], found: Mapping[str, Stamp], now: float
    ) -> None:
        """Note what is known below folders and was not `found` there, or is below what is gone."""
        for path in [p for p in self.known if p not in found]:
            above = set(folders_above(path))
            if gone.isdisjoint(above) and folders.isdisjoint(above):
                continue
            stamp = stamp_of(path)
            if stamp != self.known[path] or not gone.isdisjoint(above):
                self._put(path, stamp, now)

    def compare(self, found: Listing, folder: str, now: float) -> None:
        """Note what differs between what is known below a folder and what was found there."""
        prefix = folder.rstrip(os.sep) + os.sep
        for path, stamp in found.files.items():
            if self.known.get(path) != stamp:
                self._put(path, stamp, now)
        for path, known in self.known.items():
            if path not in found.files and path.startswith(prefix):
                stamp_now = None if found.is_whole else stamp_of(path)
                if stamp_now != known:
                    self._put(path, stamp_now, now)

    def look_after(self, paths: Iterable[str], now: float) -> None:
        """Note those of `paths` that are other ones than is known; what is new becomes known."""
        for path in paths:
            stamp = stamp_of(path)
            if path not in self.known and stamp is not None:
                self.known[path] = stamp
            elif self.known.get(path) != stamp:
                self._put(path, stamp, now)

    def look(self, now: float) -> FileChanges:
        """Return what has settled; empty while there is something to wait for."""
        for path, pending in list(self._pending.items()):
            self._look_at(path, pending, now)
        settled = {p: f for p, f in self._pending.items() if f.settled_at is not None}
        if not settled or now < self._told_at(settled):
            return FileChanges()
        for path in settled:
            del self._pending[path]
        changed, removed = [], []
        for path, pending in settled.items():
            if pending.stamp is not None:
                self.known[path] = pending.stamp
                changed.append(path)
            else:
                # Also what was never told of: somebody may have read it while it was there.
                self.known.pop(path, None)
                removed.append(path)
        return FileChanges(tuple(changed), tuple(removed))

    def next_look(self) -> float | None:
        """Return when `look` may have something to say; None while nothing is pending."""
        times = [f.since + _wait(f) for f in self._pending.values() if f.settled_at is None]
        settled = {p: f for p, f in self._pending.items() if f.settled_at is not None}
        if settled:
            times.append(self._told_at(settled))
        return min(times, default=None)

    def _put(self, path: str, stamp: Stamp | None, now: float) -> None:
        pending = self._pending.get(path)
        if pending is None:
            self._pending[path] = _Pending(stamp, now)
            self._noted_at = now
        elif pending.stamp != stamp:
            self._pending[path] = _Pending(stamp, now)

    def _look_at(self, path: str, pending: _Pending, now: float) -> None:
        if now < pending.since + _wait(pending):
            return
        stamp = stamp_of(path)
        if stamp != pending.stamp:
            self._pending[path] = _Pending(stamp, now)
            return
        if pending.is_whole is None:
            pending.is_whole = stamp is None or looks_whole(path)
        if pending.settled_at is None and now >= pending.since + _wait(pending):
            pending.settled_at = now

    def _told_at(self, settled: dict[str, _Pending]) -> float:
        """Return when the settled files are to be told of."""
        first = min(f.settled_at for f in settled.values() if f.settled_at is not None)
        if len(settled) == len(self._pending):
            return first
        return min(max(first + HOLD_S, self._noted_at + SETTLE_S), first + BURST_S)


def _wait(pending: _Pending) -> float:
    """Return how long a stamp has to stand."""
    if pending.stamp is None:
        return GONE_S
    return PATIENCE_S if pending.is_whole is False else SETTLE_S
