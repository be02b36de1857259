"""`FolderEvents`: what the operating system reports of a folder and everything below it.

watchdog does it, because its threads sleep until something happens; watchfiles looks twenty times
a second whether something did.
"""

import errno
import logging
import os
import tempfile
import threading
import warnings
from collections.abc import Callable

from watchdog.events import (
    DirCreatedEvent,
    DirDeletedEvent,
    DirMovedEvent,
    FileClosedEvent,
    FileCreatedEvent,
    FileDeletedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    FileSystemEvent,
    FileSystemEventHandler,
)
from watchdog.observers import Observer
from watchdog.utils import BaseThread

from engine.errors import AssetError

_KINDS: list[type[FileSystemEvent]] = [
    DirCreatedEvent,
    DirDeletedEvent,
    DirMovedEvent,
    FileClosedEvent,
    FileCreatedEvent,
    FileDeletedEvent,
    FileMovedEvent,
]
if os.name == "nt" or os.uname().sysname != "Linux":
    # Linux tells of the closing of a file that was written; elsewhere each write has to do.
    _KINDS.append(FileModifiedEvent)

# It warns of folders that come, go and come while it looks, and goes on all the same.
warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"watchdog\.observers")


class _LostEvents(logging.Handler):
    """Hears that the system dropped events, of which watchdog tells by a line of its log only.

    What else it says there, as of errors while it is being stopped, goes nowhere.
    """

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.listeners: set[Callable[[], None]] = set()

    def emit(self, record: logging.LogRecord) -> None:
        """Tell all who watch something; which folder it was is not known everywhere."""
        if "overflow" in record.msg:
            for tell in tuple(self.listeners):
                tell()


_lost = _LostEvents()
_watchdog = logging.getLogger("watchdog")
_watchdog.addHandler(_lost)
_watchdog.setLevel(logging.WARNING)
_watchdog.propagate = False

_FULL = (errno.ENOSPC, errno.EMFILE, errno.ENFILE)


class FolderEvents(FileSystemEventHandler):
    """Calls `note` with the path of whatever something happens to, on a thread of its own.

    It calls `lost` when there was more than the system keeps, and some of it was not noted.

    Raises
    ------
    AssetError
        The system cannot watch the folder: ``limit`` of watches, or it is gone or forbidden.
    """

    def __init__(self, folder: str, note: Callable[[str], None], lost: Callable[[], None]) -> None:
        self._note = note
        self._tell_lost = lost
        _lost.listeners.add(lost)
        before = set(threading.enumerate())
        try:
            self._observer = Observer()
        except OSError as error:
            _lost.listeners.discard(lost)
            raise _refusal(folder, error) from error
        try:
            self._observer.schedule(self, folder, recursive=True, event_filter=_KINDS)
            self._observer.start()
            self._threads = [
                thread
                for thread in threading.enumerate()
                if isinstance(thread, BaseThread) and thread not in before
            ]
            self.expect_room()
        except OSError as error:
            self.close()
            raise _refusal(folder, error) from error
        except AssetError:
            self.close()
            raise

    @property
    def is_alive(self) -> bool:
        """Whether everything that reports still runs; a fault in there would go unnoticed."""
        return all(thread.is_alive() for thread in self._threads)

    def on_any_event(self, event: FileSystemEvent) -> None:
        """Pass an event on."""
        for path in (event.src_path, event.dest_path):
            if path:
                self._note(os.fsdecode(path))

    def expect_room(self) -> None:
        """Find out whether the limit of watched folders is reached.

        A folder that cannot be watched for that is left out without a word.

        Raises
        ------
        AssetError
            It is.
        """
        with tempfile.TemporaryDirectory(prefix="cinder-watch-") as another:
            try:
                watch = self._observer.schedule(self, another, event_filter=[DirMovedEvent])
            except OSError as error:
                if error.errno in _FULL:
                    raise _refusal(another, error) from error
                return
            self._observer.unschedule(watch)

    def close(self) -> None:
        """Stop; no note comes after it."""
        self._note = lambda _path: None
        _lost.listeners.discard(self._tell_lost)
        # One that was refused never ran; it holds a thread and a handle of the system all the same.
        self._observer.stop()
        if self._observer.is_alive():
            self._observer.join()


def _refusal(folder: str, error: OSError) -> AssetError:
    if error.errno in _FULL:
        return AssetError("the system's limit of watched folders is reached")
    return AssetError(f"{folder}: cannot be watched ({error.strerror or error})")
