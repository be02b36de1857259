"""The journal: what was done to a level since it was last saved, on disk as soon as it is done.

A journal is a file of frames, each with its size and a checksum: first a header that says which
level it belongs to, then one entry for every step of the history that was made, taken back or
carried out again. A process that dies leaves it behind; replayed on the level as it was saved, it
brings back everything up to the last whole entry. What a crash tore off the end is cut.

What an entry holds is not known here: `replay` makes commands through a function that it is given.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import pathlib
import struct
import weakref
import zlib
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field, replace
from enum import IntEnum
from typing import TypeVar

from editor.model.history import Command, CommandHistory
from engine.errors import EngineError, SceneError
from engine.file_lock import try_lock
from engine.plain_file import open_plain, read_plain

C = TypeVar("C")

MAGIC = b"CJRN\x01\x00\x00\x00"
DEFAULT_LIMIT = 64 * 1024 * 1024
LARGEST_FILE = 1 << 30
_LONGEST_HEADER = 1 << 16
_OPEN = os.O_RDWR | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
_FRAME = struct.Struct("<II")


class EntryKind(IntEnum):
    """What happened.

    STATE stands for everything before it. SAVE says that the level is about to be written to its
    file; it is no step.
    """

    STEP = 1
    UNDO = 2
    REDO = 3
    STATE = 4
    SAVE = 5


@dataclass(frozen=True)
class Entry:
    """One frame behind the header.

    Attributes
    ----------
    kind : EntryKind
    affects_level : bool
        Whether what a save would write changed.
    payload : bytes
        What a STEP or STATE did, or a SAVE wrote.
    """

    kind: EntryKind
    affects_level: bool = True
    payload: bytes = b""

    def to_bytes(self) -> bytes:
        return bytes((self.kind, self.affects_level)) + self.payload

    @classmethod
    def from_bytes(cls, data: bytes) -> Entry:
        """Raise SceneError where `data` is no entry."""
        if len(data) < 2 or data[0] not in set(EntryKind) or data[1] > 1:
            raise SceneError("journal: expected an entry, found something else")
        return cls(EntryKind(data[0]), bool(data[1]), data[2:])


@dataclass(frozen=True)
class JournalHeader:
    """Which level a journal continues.

    Attributes
    ----------
    name : str
        What the level was called.
    level : str
        Its file; empty before its first save.
    base : str
        The file that was opened, which is another one for a level that was never saved; empty
        for a level that was begun from nothing.
    root : str
        The project's folder.
    is_scratch : bool
        Whether `root` is a scratch project, which goes with the journal.
    size, modified : int
        Bytes and time stamp (ns) of `base` when the journal began.
    copy : str
        The name of a file beside the journal that holds a copy of `base` as it was; it may be
        missing.
    pid : int
    host : str
    started : float
        Seconds since the epoch.
    selection : str
        File indices of what was selected when the journal began, with spaces between them.
    replaces : str
        The file name of a journal of which this one holds everything, too.
    """

    name: str = ""
    level: str = ""
    base: str = ""
    root: str = ""
    is_scratch: bool = False
    size: int = 0
    modified: int = 0
    copy: str = ""
    pid: int = 0
    host: str = ""
    started: float = 0.0
    selection: str = ""
    replaces: str = ""

    def to_bytes(self) -> bytes:
        return json.dumps(asdict(self)).encode()

    @classmethod
    def from_bytes(cls, data: bytes) -> JournalHeader:
        """Raise SceneError where `data` is no header; unknown keys are passed over."""
        try:
            stored = json.loads(data)
        except (ValueError, RecursionError) as error:
            raise SceneError(f"journal: its header can't be read: {error}") from error
        default = asdict(cls())
        if not isinstance(stored, dict):
            raise SceneError("journal: expected an object as its header")
        values = {k: v for k, v in stored.items() if k in default}
        for name, value in values.items():
            if type(value) is not type(default[name]):
                raise SceneError(f"journal: header field {name} is of the wrong kind")
            if isinstance(value, str) and not _can_be_a_path(value):
                raise SceneError(f"journal: header field {name} holds what no file is called")
        return cls(**values)


def _can_be_a_path(text: str) -> bool:
    try:
        return b"\0" not in os.fsencode(text)
    except UnicodeEncodeError:
        return False


class JournalWriter:
    """Appends entries to a journal; it holds the file locked, so that others leave it alone.

    One that is dropped without `close` leaves the journal behind.

    Attributes
    ----------
    path : pathlib.Path
    size : int
        Bytes of whole frames.
    """

    def __init__(self, path: pathlib.Path, handle: int, size: int) -> None:
        self.path = path
        self.size = size
        self._handle = handle
        self._close = weakref.finalize(self, os.close, handle)
        self._close.atexit = False

    @classmethod
    def create(
        cls, path: pathlib.Path, header: JournalHeader, entries: Iterable[Entry] = ()
    ) -> JournalWriter:
        """Begin a journal.

        Raises
        ------
        OSError
            The file can't be written; then it is not there.
        """
        path.parent.mkdir(parents=True, exist_ok=True)
        writer = cls(path, os.open(path, _OPEN | os.O_CREAT | os.O_EXCL, 0o600), 0)
        try:
            try_lock(writer._handle)
            writer._write(MAGIC + _framed(header.to_bytes()))
            for entry in entries:
                writer.append(entry)
        except BaseException:
            writer.close()
            raise
        return writer

    @classmethod
    def resume(cls, journal: StoredJournal, count: int) -> JournalWriter | None:
        """Go on behind the first `count` entries of a journal that was left behind.

        What stands behind them is cut. None while another editor uses the journal.

        Raises
        ------
        OSError
            The file can't be written.
        """
        writer = cls(journal.path, os.open(journal.path, _OPEN), journal.ends[count])
        if not try_lock(writer._handle):
            writer.close(keep=True)
            return None
        writer._cut()
        return writer

    def append(self, entry: Entry) -> None:
        """Write an entry through to the system, where it outlives this process.

        Raises
        ------
        OSError
            It can't be written; what was written of it is cut again where that is possible.
        """
        try:
            self._write(_framed(entry.to_bytes()))
        except BaseException:
            with contextlib.suppress(OSError):
                self._cut()
            raise

    def sync(self) -> None:
        """Have the system put everything on the disk, where it outlives a power failure."""
        with contextlib.suppress(OSError):
            os.fsync(self._handle)

    def close(self, *, keep: bool = False) -> None:
        """Let go of the journal; without `keep` it is not needed any more and goes."""
        self._close()
        if not keep:
            with contextlib.suppress(OSError):
                self.path.unlink()

    def _write(self, data: bytes) -> None:
        written = 0
        while written < len(data):
            written += os.write(self._handle, memoryview(data)[written:])
        self.size += len(data)

    def _cut(self) -> None:
        """Drop what stands behind the last whole frame."""
        os.ftruncate(self._handle, self.size)
        os.lseek(self._handle, self.size, os.SEEK_SET)


def _framed(data: bytes) -> bytes:
    return _FRAME.pack(len(data), zlib.crc32(data)) + data


@dataclass(frozen=True)
class StoredJournal:
    """A journal as it was read.

    Attributes
    ----------
    path : pathlib.Path
    header : JournalHeader
    entries : list of Entry
        All that are whole.
    ends : list of int
        Offset of the end of the header, then of each entry.
    is_torn : bool
        Whether something behind them had to be left out.
    """

    path: pathlib.Path
    header: JournalHeader
    entries: list[Entry] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    is_torn: bool = False


def read_journal(path: pathlib.Path) -> StoredJournal:
    """Read a journal as far as it is whole.

    Raises
    ------
    SceneError
        It can't be read, or already its beginning is not that of a journal.
    """
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise SceneError(f"{path}: too large for a journal")
        data = read_plain(path)
    except OSError as error:
        raise SceneError(f"{path}: can't be read: {error}") from error
    header, at = _frame_at(data, len(MAGIC))
    if not data.startswith(MAGIC) or header is None:
        raise SceneError(f"{path}: expected a journal, found something else")
    journal = StoredJournal(path, JournalHeader.from_bytes(header), [], [at])
    while True:
        frame, at = _frame_at(data, journal.ends[-1])
        if frame is None:
            break
        try:
            journal.entries.append(Entry.from_bytes(frame))
        except SceneError:
            break
        journal.ends.append(at)
    return replace(journal, is_torn=journal.ends[-1] < len(data))


def read_header(path: pathlib.Path) -> JournalHeader:
    """Read which level a journal continues, without its entries.

    Raises
    ------
    SceneError
        It can't be read, or is none.
    """
    try:
        with open_plain(path) as file:
            data = file.read(_LONGEST_HEADER)
    except OSError as error:
        raise SceneError(f"{path}: can't be read: {error}") from error
    header, _ = _frame_at(data, len(MAGIC))
    if not data.startswith(MAGIC) or header is None:
        raise SceneError(f"{path}: expected a journal, found something else")
    return JournalHeader.from_bytes(header)


def _frame_at(data: bytes, at: int) -> tuple[bytes | None, int]:
    """Return the frame at an offset and the offset behind it; None where none is whole."""
    if at + _FRAME.size > len(data):
        return None, at
    size, checksum = _FRAME.unpack_from(data, at)
    start = at + _FRAME.size
    frame = data[start : start + size]
    if len(frame) < size or zlib.crc32(frame) != checksum:
        return None, at
    return frame, start + size


def is_in_use(path: pathlib.Path) -> bool:
    """Whether a living editor writes this journal."""
    try:
        with open(path, "r+b", buffering=0) as file:
            return not try_lock(file.fileno())
    except OSError as error:
        # Nobody writes to a disk that can only be read.
        return error.errno != errno.EROFS


def replay(
    entries: Iterable[Entry],
    history: CommandHistory[C],
    make: Callable[[Entry], Command[C]],
    on_save: Callable[[bytes], None] = lambda _payload: None,
) -> tuple[int, EngineError | None]:
    """Carry out entries on the level that they were made on.

    Parameters
    ----------
    entries : iterable of Entry
    history : CommandHistory
        Where the steps go; taking steps back and doing them again are done there too.
    make : callable
        Makes the command that a STEP or STATE stands for.
    on_save : callable
        Called with the payload of a SAVE.

    Returns
    -------
    count : int
        How many entries were carried out.
    error : EngineError or None
        Why the next one could not be.
    """
    count = 0
    for entry in entries:
        try:
            if entry.kind is EntryKind.UNDO:
                history.undo()
            elif entry.kind is EntryKind.REDO:
                history.redo()
            elif entry.kind is EntryKind.SAVE:
                on_save(entry.payload)
            else:
                history.push(make(entry))
        except EngineError as error:
            return count, error
        count += 1
    return count, None
