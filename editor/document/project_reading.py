"""Reading what lies in a project: the contents of its files, and which files they name."""

from __future__ import annotations

import hashlib
import os
import pathlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass

from editor.document.side_files import described_by, named_side_files
from engine.assets.gltf.container import GLTF_SUFFIXES
from engine.assets.gltf.drawn_triangles import drawn_triangles
from engine.errors import EngineError
from engine.plain_file import open_plain, read_plain
from engine.project import PROJECT_FILE
from engine.scene import read_binary, read_text
from engine.scene.levels.asset_references import FILE_SUFFIXES, AssetFields, named_files
from engine.scene.levels.scene_file import LEVEL_SUFFIXES

MOST_FILES = 50_000
_KINDS = (*FILE_SUFFIXES, ".bin")
LARGE_LEVEL = 4 * 1024 * 1024
_SUFFIXES = "|".join(re.escape(suffix) for suffix in FILE_SUFFIXES)
_QUOTED_FILE = re.compile(rb'="([^"\\\n]{1,4096}(?:%s))"' % _SUFFIXES.encode(), re.IGNORECASE)

Stamp = tuple[int, int]
"""Size and modification time in ns."""


@dataclass(frozen=True)
class FileContent:
    """What one file of the project holds.

    Attributes
    ----------
    stamp : Stamp
        When it was read.
    digest : str
        Of its bytes.
    sides : tuple of str
        The files that it names by their place, relative to the project: those of a glTF.
    missing : tuple of (str, str)
        Of a glTF: JSON pointer and words of the files that are not there.
    uses : mapping of str to int
        Of a level: the files that it names and how many of its entities do.
    error : str
        Why it could not be understood; empty otherwise.
    triangles : int
        Of a glTF: how many it draws; -1 of anything else.
    """

    stamp: Stamp
    digest: str
    sides: tuple[str, ...] = ()
    missing: tuple[tuple[str, str], ...] = ()
    uses: Mapping[str, int] | None = None
    error: str = ""
    triangles: int = -1


Files = dict[str, FileContent]


def read_project(
    root: pathlib.Path, known: Mapping[str, FileContent], fields: AssetFields
) -> Files:
    """Return what lies in a project; files that are as they were known are not read again."""
    found: Files = {}

    def look_at(path: str, stamp: Stamp) -> None:
        before = known.get(path)
        if before is not None and before.stamp == stamp and _is_as_named(root, before):
            found[path] = before
            return
        content = _read(root, path, stamp, before, fields)
        if content is not None:
            found[path] = content

    for path, stamp in _walk(root):
        look_at(path, stamp)
    # Whatever they are called: a buffer may be data.dat, a picture may have no suffix at all.
    named = dict.fromkeys(side for content in found.values() for side in content.sides)
    for path in named:
        with suppress(OSError):
            if path not in found and os.path.isfile(root / path):
                look_at(path, _stamp(os.stat(root / path)))
    return found


def _is_as_named(root: pathlib.Path, content: FileContent) -> bool:
    """Whether the side files that were there still are; those that were not are looked for."""
    return not content.missing and all(os.path.isfile(root / side) for side in content.sides)


def _stamp(status: os.stat_result) -> Stamp:
    return status.st_size, status.st_mtime_ns


def _walk(root: pathlib.Path) -> Iterable[tuple[str, Stamp]]:
    """Yield the files that count, by path; hidden folders and projects inside are left out."""
    stack, count = [root], 0
    while stack and count < MOST_FILES:
        folder = stack.pop()
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError:
            continue
        if folder != root and any(entry.name == PROJECT_FILE for entry in entries):
            continue
        for entry in entries:
            if entry.name.startswith((".", "__")):
                continue
            try:
                if entry.is_dir(follow_symlinks=False):
                    stack.append(pathlib.Path(entry.path))
                elif entry.name.lower().endswith(_KINDS) and entry.is_file():
                    count += 1
                    path = os.path.relpath(entry.path, root).replace(os.sep, "/")
                    yield path, _stamp(entry.stat())
            except OSError:
                continue


def _read(
    root: pathlib.Path,
    path: str,
    stamp: Stamp,
    before: FileContent | None,
    fields: AssetFields,
) -> FileContent | None:
    """Read one file; None where it can't be."""
    file = root / path
    lower = path.lower()
    try:
        if not lower.endswith((*GLTF_SUFFIXES, *LEVEL_SUFFIXES)):
            with open_plain(file) as stream:
                digest = hashlib.file_digest(stream, lambda: hashlib.blake2b(digest_size=16))
            return FileContent(stamp, digest.hexdigest())
        data = read_plain(file)
    except OSError:
        return None
    is_same = before is not None and before.stamp == stamp
    digest_text = before.digest if is_same and before is not None else _digest(data)
    try:
        if lower.endswith(LEVEL_SUFFIXES):
            return FileContent(stamp, digest_text, uses=_uses(data, lower, fields))
        described = described_by(data, file)
        named = named_side_files(described, file, root)
        sides = tuple(side.relative_to(root).as_posix() for side in named.found)
        triangles = drawn_triangles(described)
        return FileContent(stamp, digest_text, sides, named.missing, triangles=triangles)
    except (EngineError, MemoryError, RecursionError) as error:
        empty: dict[str, int] | None = {} if lower.endswith(LEVEL_SUFFIXES) else None
        return FileContent(stamp, digest_text, uses=empty, error=str(error))


def _uses(data: bytes, name: str, fields: AssetFields) -> dict[str, int]:
    """Return the files that a level names.

    A large text is not read as records, which would hold up the program for as long: every quoted
    string that ends like a file counts.
    """
    if name.endswith(".scene") and len(data) > LARGE_LEVEL:
        found = Counter(match[1] for match in _QUOTED_FILE.finditer(data))
        return {text.decode(errors="replace"): count for text, count in found.items()}
    doc = read_binary(data) if name.endswith(".cscn") else read_text(data)
    return dict(named_files(doc, fields))


def _digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()
