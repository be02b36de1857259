"""`FileWatch`: a thread that tells which files of a project are other ones now.

It sleeps until the system reports something, and then until what was reported has settled. Where
the system cannot report (too many folders, a file system without it) it looks at the files every
second or less often, so that looking stays under a hundredth of its time; and once, where more
happened at a time than the system keeps. A project folder that vanishes is waited for. Nothing that
happens on a disk ends the thread.
"""

import logging
import os
import threading
import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Literal

from engine.assets.watch.changes import FileChanges
from engine.assets.watch.names import is_ignored_below
from engine.assets.watch.settling import SettlingFiles
from engine.assets.watch.tree import LIMIT, Listing, stamp_of
from engine.errors import AssetError

if TYPE_CHECKING:
    from engine.assets.watch.events import FolderEvents

_log = logging.getLogger("cinder.assets")

WatchMode = Literal["starting", "events", "polling", "waiting", "closed"]
POLL_S = 1.0
_POLL_SHARE = 100.0
_CLOSING_S = 0.3


class FileWatch:
    """Watches a folder until it is closed.

    Parameters
    ----------
    root : path
    on_changes : callable
        Called with each batch, on the thread of the watch.
    on_mode : callable, optional
        Called with ``(mode, reason)`` when it goes over to another way of watching, on that thread.
    limit : int
        Files and folders that are followed as a whole; of more, those in `follow` are.
    poll_s : float
        The shortest time between two looks at files that the system does not report of.

    Attributes
    ----------
    root : str
        The folder, links resolved.
    mode : {"starting", "events", "polling", "waiting", "closed"}
        "waiting" is for a folder that is gone.
    """

    def __init__(
        self,
        root: str | os.PathLike[str],
        on_changes: Callable[[FileChanges], None],
        on_mode: Callable[[WatchMode, str], None] = lambda _mode, _reason: None,
        limit: int = LIMIT,
        poll_s: float = POLL_S,
    ) -> None:
        self.root = os.path.realpath(root)
        self.mode: WatchMode = "starting"
        self._on_changes = on_changes
        self._on_mode = on_mode
        self._limit = limit
        self._poll_s = poll_s
        self._events: FolderEvents | None = None
        self._files = SettlingFiles()
        self._identity: tuple[int, int] | None = None
        self._lock = threading.Lock()
        self._notes: dict[str, None] = {}
        self._followed: frozenset[str] = frozenset()
        self._must_verify = self._must_stop = False
        self._poll_at: float | None = None
        self._look_at: float | None = None
        self._awake = threading.Event()
        self._thread = threading.Thread(target=self._run, name="file watch", daemon=True)

    def start(self) -> None:
        """Begin; the files that there are then are the known ones."""
        self._thread.start()

    def follow(self, paths: Iterable[str]) -> None:
        """Name files that count whatever they are called, as what assets refer to does.

        Of a project that is too large to look at all of it, they are what is looked at.
        """
        with self._lock:
            self._followed = frozenset(paths)

    def verify(self) -> None:
        """Look whether the folder is still watched; it may have been moved, or a thread died."""
        self._must_verify = True
        self._awake.set()

    def close(self) -> None:
        """Stop; nothing is told any more. May be called from any thread but the watch's own."""
        self._must_stop = True
        self._awake.set()
        if self._thread.is_alive():
            # A disk may keep it waiting; it tells nothing any more and ends when that lets it.
            self._thread.join(_CLOSING_S)
        self.mode = "closed"

    # -- the thread --------------------------------------------------------------------------

    def _run(self) -> None:
        self._guarded(self._begin)
        while not self._must_stop:
            self._awake.wait(self._patience())
            self._awake.clear()
            if not self._must_stop:
                self._guarded(self._step)
        self._end_events()

    def _guarded(self, act: Callable[[], None]) -> None:
        """Do something; what nobody thought of is logged and must not end the thread."""
        try:
            act()
        except Exception:  # noqa: BLE001  a thread has nobody to raise to
            _log.exception("watching %s", self.root)

    def _step(self) -> None:
        with self._lock:
            notes, self._notes = self._notes, {}
            followed = self._followed
        now = time.monotonic()
        if self.root in notes:
            self._must_verify = True
        counts = (p for p in notes if p in followed or not is_ignored_below(p, self.root))
        self._take_notes([p for p in counts if p != self.root], now)
        if self._must_verify:
            self._must_verify = False
            self._check_root()
        if self._poll_at is not None and now >= self._poll_at:
            self._poll(now)
        if self._look_at is not None and now >= self._look_at:
            self._look_at = None
            self._compare(Listing(self.root, self._limit), now)
        changes = self._files.look(now)
        if changes and not self._must_stop:
            self._on_changes(changes)

    def _take_notes(self, paths: list[str], now: float) -> None:
        self._files.note_all(paths, now)
        if self._events is not None and any(map(os.path.isdir, paths)):
            try:
                self._events.expect_room()
            except AssetError as problem:
                self._end_events()
                self._go("polling", str(problem))

    def _patience(self) -> float | None:
        """Return how long there is nothing to do."""
        due = [t for t in (self._files.next_look(), self._poll_at, self._look_at) if t is not None]
        return max(0.0, min(due) - time.monotonic()) if due else None

    def _begin(self) -> None:
        """Start to watch, and take the files that there are as known, or compare with those."""
        self._end_events()
        self._identity = _identity(self.root)
        if self._identity is None:
            self._go("waiting", f"{self.root}: the project folder is not there")
            return
        problem = self._start_events()
        found = Listing(self.root, self._limit)
        if not found.is_whole:
            self._end_events()
            problem = f"{self.root} holds too many files to watch"
        if self.mode == "starting":
            self._files = SettlingFiles(found.files)
        else:
            self._compare(found, time.monotonic())
        self._go("polling" if problem else "events", problem)

    def _start_events(self) -> str:
        # Here and not above, so that importing the engine loads no library for it.
        from engine.assets.watch.events import FolderEvents

        try:
            self._events = FolderEvents(self.root, self._note, self._note_lost)
        except AssetError as problem:
            return str(problem)
        return ""

    def _end_events(self) -> None:
        events, self._events = self._events, None
        if events is not None:
            events.close()

    def _note(self, path: str) -> None:
        with self._lock:
            self._notes[path] = None
        self._awake.set()

    def _note_lost(self) -> None:
        """Have everything looked at once what is going on has had time to end."""
        with self._lock:
            if self._look_at is None:
                self._look_at = time.monotonic() + self._poll_s
        self._awake.set()

    def _go(self, mode: WatchMode, reason: str) -> None:
        self._poll_at = None if mode == "events" else time.monotonic() + self._poll_s
        if mode != self.mode and not self._must_stop:
            self.mode = mode
            self._on_mode(mode, reason)

    def _check_root(self) -> None:
        is_dead = self._events is not None and not self._events.is_alive
        if is_dead or _identity(self.root) != self._identity:
            self._begin()

    def _poll(self, now: float) -> None:
        """Look at everything; a folder that came back is watched again."""
        if self.mode == "waiting":
            self._poll_at = now + self._poll_s
            if _identity(self.root) is not None:
                self._begin()
            return
        self._check_root()
        if self.mode != "polling":
            return
        self._compare(Listing(self.root, self._limit), now)
        self._poll_at = now + max(self._poll_s, _POLL_SHARE * (time.monotonic() - now))

    def _compare(self, found: Listing, now: float) -> None:
        """Note what differs from what is known, of all files that count."""
        with self._lock:
            followed = self._followed
        if found.is_whole:
            followed = frozenset(p for p in followed if is_ignored_below(p, self.root))
        self._files.look_after(followed, now)
        if found.is_whole:
            stamps = {path: stamp_of(path) for path in followed}
            found.files.update((path, stamp) for path, stamp in stamps.items() if stamp)
        self._files.compare(found, self.root, now)


def _identity(folder: str) -> tuple[int, int] | None:
    try:
        status = os.stat(folder)
    except OSError:
        return None
    return status.st_dev, status.st_ino
