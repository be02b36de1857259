"""`MoveIntent`: what a step is about to do to the files of a project, kept while it does it.

A step that moves files touches many of them, one after the other. Before the first one is touched
all of it is written down in the user's data folder, so that the next session can finish what was
cut short. No content is kept: what a level becomes follows from what it holds, and digests tell
whether it came out right.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import pathlib
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

from editor.model.file_moves import FileMoves, Pairs
from editor.model.folders import data_folder
from engine.errors import SceneError
from engine.plain_file import open_plain
from engine.scene.levels.asset_references import Place
from engine.scene.levels.atomic_file import temporary_of, write_file

SUFFIX = ".intent"
DONE_SUFFIX = ".done"
LARGEST_RECORD = 64 * 1024 * 1024
MOST_PATHS = 100_000
_VERSION = 1
_HEX = re.compile(r"[0-9a-f]{32}")
_JOURNAL = re.compile(r"(?:[0-9a-f]{32}\.journal)?")
_STALE_S = 3600.0


@dataclass(frozen=True)
class Rewrite:
    """One level, or project.json, that gets other names for its files.

    Attributes
    ----------
    old, new : str
        Its path before and after, relative to the project.
    before, after : str
        Digests of its bytes.
    places : tuple of Place, or None
        The only ones that change; None where every one does that names what is renamed.
    """

    old: str
    new: str
    before: str
    after: str
    places: tuple[Place, ...] | None = None


@dataclass(frozen=True)
class MoveIntent:
    """All that a step does to the disk.

    Attributes
    ----------
    token : str
        32 hex digits, part of the name of every temporary file that the step makes.
    moves : FileMoves
    rewrites : tuple of Rewrite
    dropped : tuple of (original, copy)
        Copies that go, where they still hold the same.
    journal : str
        Name of the journal of the session that makes the step; empty where it keeps none.
    """

    token: str
    moves: FileMoves
    rewrites: tuple[Rewrite, ...] = ()
    dropped: Pairs = ()
    journal: str = ""

    @property
    def path(self) -> pathlib.Path:
        return intent_folder() / f"{self.token}{SUFFIX}"

    @property
    def what(self) -> str:
        """A few words for a person."""
        pairs = self.moves.moved or self.moves.renamed or self.moves.copied
        more = f" and {len(pairs) - 1} more" if len(pairs) > 1 else ""
        return " to ".join(pairs[0]) + more if pairs else "files"

    def write(self) -> None:
        """Have it on the disk before anything else; raises SceneError."""
        data = self.to_bytes()
        if len(data) > LARGEST_RECORD:
            raise SceneError(f"{self.path}: would be {len(data)} bytes, {LARGEST_RECORD} at most")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise SceneError(f"{self.path.parent}: can't be made: {error.strerror}") from error
        write_file(self.path, data)

    def drop(self) -> None:
        """Forget it: the step is whole, or nothing of it happened."""
        with contextlib.suppress(OSError):
            self.path.unlink(missing_ok=True)

    def temporaries(self) -> Iterator[str]:
        """Yield the temporary files that a step may leave, relative to the project."""
        paths = [path for r in self.rewrites for path in (r.old, r.new)]
        for path in dict.fromkeys((*paths, *(target for _, target in self.moves.copied))):
            yield (
                pathlib.PurePosixPath(path)
                .with_name(temporary_of(pathlib.PurePosixPath(path).name, self.token))
                .as_posix()
            )

    def paths(self) -> Iterator[str]:
        """Yield every path that is touched, relative to the project."""
        for pair in (*self.moves.moved, *self.moves.copied, *self.dropped):
            yield from pair
        for rewrite in self.rewrites:
            yield from (rewrite.old, rewrite.new)

    def to_bytes(self) -> bytes:
        """Return it as a file: a digest, then JSON."""
        rewrites = [[r.old, r.new, r.before, r.after, _packed(r.places)] for r in self.rewrites]
        fields = [_VERSION, self.token, self.moves.to_text(), rewrites, self.dropped, self.journal]
        body = json.dumps(fields).encode()
        return digest(body).encode() + b"\n" + body

    @classmethod
    def from_bytes(cls, data: bytes) -> MoveIntent:
        """Read what `to_bytes` returned.

        Raises
        ------
        SceneError
            It is damaged, or names something that lies outside of the project.
        """
        told, _, body = data.partition(b"\n")
        if told != digest(body).encode():
            raise SceneError("expected a whole record of moved files, found a damaged one")
        try:
            version, token, moves, rewrites, dropped, journal = json.loads(body)
            intent = cls(
                str(token),
                FileMoves.from_text(moves),
                tuple(_rewrite(*fields) for fields in rewrites),
                tuple((str(a), str(b)) for a, b in dropped),
                str(journal),
            )
        except (ValueError, TypeError, OverflowError, RecursionError) as error:
            raise SceneError(f"expected a record of moved files, found: {error}") from error
        if version != _VERSION or not _HEX.fullmatch(intent.token):
            raise SceneError(f"expected a record of version {_VERSION}, found {version!r:.40}")
        _check(intent)
        return intent


def intent_folder() -> pathlib.Path:
    """Return the folder of all records."""
    return data_folder() / "moves"


def digest(data: bytes) -> str:
    """Return the digest of a file's bytes, 32 hex digits."""
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def read_intent(path: pathlib.Path) -> MoveIntent:
    """Read a record; raises SceneError where it is damaged, hostile or huge, or OSError."""
    with open_plain(path) as file:
        data = file.read(LARGEST_RECORD + 1)
    if len(data) > LARGEST_RECORD:
        raise SceneError(f"{path}: expected {LARGEST_RECORD} bytes at most, found more")
    try:
        intent = MoveIntent.from_bytes(data)
    except SceneError as error:
        raise SceneError(f"{path}: {error}") from error
    if intent.token != path.stem:
        raise SceneError(f"{path}: expected the record {path.stem}, found {intent.token}")
    return intent


def remove_stale_temporaries() -> None:
    """Remove what writing a record left that was cut short itself."""
    with contextlib.suppress(OSError):
        for path in intent_folder().glob(".*.tmp"):
            if time.time() - path.stat().st_mtime > _STALE_S:
                path.unlink()


def _packed(places: tuple[Place, ...] | None) -> list[list[int | str]] | None:
    return None if places is None else [[p.entity, p.component, p.field] for p in places]


def _rewrite(old: str, new: str, before: str, after: str, places: object) -> Rewrite:
    rewrite = Rewrite(str(old), str(new), str(before), str(after))
    if places is None:
        return rewrite
    if not isinstance(places, list):
        raise ValueError("places are a list")
    return replace(rewrite, places=tuple(Place(int(e), str(c), str(f)) for e, c, f in places))


def _check(intent: MoveIntent) -> None:
    paths = list(intent.paths())
    if len(paths) > MOST_PATHS:
        raise SceneError(f"expected {MOST_PATHS} paths at most, found {len(paths)}")
    for path in paths:
        parts = path.split("/")
        if any(part in ("", ".", "..") or part.startswith(".") for part in parts):
            raise SceneError(f"expected a path in the project, found {path[:200]!r}")
        if "\x00" in path:
            raise SceneError(f"expected a path in the project, found {path[:200]!r}")
    if not os.path.isabs(intent.moves.root) or "\x00" in intent.moves.root:
        raise SceneError(f"expected the folder of a project, found {intent.moves.root[:200]!r}")
    if not _JOURNAL.fullmatch(intent.journal):
        raise SceneError(f"expected the name of a journal, found {intent.journal[:200]!r}")
