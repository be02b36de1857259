"""Reading and writing the documents that commands work on."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from engine.scene.document import (
    MAGIC,
    SceneDoc,
    read_binary,
    read_text,
    write_binary,
    write_text,
)
from engine.scene.document.merge_text import text_from_source, without_trailing
from engine.scene.levels.atomic_file import read_file, write_file
from engine.scene.levels.scene_file import is_binary, naming

_LONG_WORK = 4 << 20


@dataclass
class Source:
    """A document and the file that it was read from."""

    path: str
    data: bytes
    doc: SceneDoc

    @property
    def is_binary(self) -> bool:
        return self.data.startswith(MAGIC)


def read_source(path: str, *, may_be_empty: bool = False) -> Source:
    """Read a document, of whichever format it is; git's temporary files have no suffix.

    Parameters
    ----------
    path : str
    may_be_empty : bool
        Whether a file without a single byte is a document without entities.

    Raises
    ------
    SceneError
        The file is missing or malformed.
    """
    data = read_file(path)
    if may_be_empty and not data:
        return Source(path, data, SceneDoc())
    with naming(path), progress(f"reading {path}", len(data)):
        doc = read_binary(data) if data.startswith(MAGIC) or is_binary(path) else read_text(data)
    return Source(path, data, doc)


def write_document(path: str, doc: SceneDoc, *, binary: bool | None = None) -> int:
    """Write a document in canonical form; return the number of bytes.

    Raises
    ------
    SceneError
        It holds what no file can, or the file can't be written.
    """
    with naming(path), progress(f"writing {path}", len(doc) << 8):
        as_binary = is_binary(path) if binary is None else binary
        data = write_binary(doc) if as_binary else write_text(doc).encode()
    write_file(path, data)
    return len(data)


def rewrite(path: str, source: Source, stored: SceneDoc, doc: SceneDoc) -> None:
    """Write a document that came of `source`: in its format, unchanged lines as they are.

    Raises
    ------
    SceneError
        It holds what no file can, or the file can't be written.
    """
    if source.is_binary or is_binary(path) or not source.data:
        columns = without_trailing(stored.to_columns(), doc.to_columns())
        trimmed = SceneDoc.from_columns(doc.version, columns)
        write_document(path, trimmed, binary=source.is_binary or is_binary(path))
        return
    with naming(path):
        data = text_from_source(source.data, stored, doc)
    write_file(path, data)


@contextmanager
def progress(what: str, size: int) -> Iterator[None]:
    """Say what takes long, and how long it took, when somebody is watching."""
    is_shown = size >= _LONG_WORK and sys.stderr.isatty()
    start = time.perf_counter()
    if is_shown:
        print(f"{what} ...", end="", file=sys.stderr, flush=True)
    try:
        yield
    finally:
        if is_shown:
            print(f" {time.perf_counter() - start:.1f} s", file=sys.stderr)
