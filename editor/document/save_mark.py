"""What a journal says of a save right before the level's file is replaced.

A process may end between that and the moment when its journal goes. The next one has to know then
that the work is in the file: carried out again, it would stand beside what the file holds already.
"""

from __future__ import annotations

import hashlib
import json
import os
import pathlib
from dataclasses import asdict, dataclass

from editor.model.journal import EntryKind, StoredJournal
from engine.errors import SceneError
from engine.plain_file import read_plain


@dataclass(frozen=True)
class SaveMark:
    """A save that may have reached the disk.

    Attributes
    ----------
    path : str
        The file.
    size : int
        Bytes that it holds then.
    digest : str
        Their SHA-256.
    keys : tuple of int
        What the journal calls the entities that the save gave file indices, in their order behind
        those of the file that the journal continues; 0 for none.
    """

    path: str
    size: int
    digest: str
    keys: tuple[int, ...] = ()

    @classmethod
    def of(cls, path: pathlib.Path, data: bytes, keys: tuple[int, ...]) -> SaveMark:
        return cls(str(path), len(data), hashlib.sha256(data).hexdigest(), keys)

    def to_bytes(self) -> bytes:
        return json.dumps(asdict(self)).encode()

    @classmethod
    def from_bytes(cls, data: bytes) -> SaveMark:
        """Raise SceneError where `data` is no mark."""
        try:
            stored = json.loads(data)
            path, size, digest = stored["path"], stored["size"], stored["digest"]
            keys = tuple(stored["keys"])
        except (ValueError, RecursionError, TypeError, KeyError) as error:
            raise SceneError(f"journal: expected what a save wrote ({error})") from error
        is_right = type(path) is str and type(size) is int and type(digest) is str
        if not is_right or any(type(key) is not int for key in keys):
            raise SceneError("journal: what a save wrote is of the wrong kind")
        return cls(path, size, digest, keys)

    @property
    def is_on_disk(self) -> bool:
        """Whether the file holds what was saved."""
        try:
            if os.stat(self.path).st_size != self.size:
                return False
            return hashlib.sha256(read_plain(pathlib.Path(self.path))).hexdigest() == self.digest
        except (OSError, ValueError):
            return False


def is_saved(journal: StoredJournal) -> bool:
    """Whether everything that a journal holds is in the level's file."""
    for entry in reversed(journal.entries):
        if entry.kind is EntryKind.SAVE:
            try:
                return SaveMark.from_bytes(entry.payload).is_on_disk
            except SceneError:
                return False
        if entry.affects_level:
            return False
    return False
