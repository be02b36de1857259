"""Reading and writing the documents that commands work on."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO

from engine.scene.document import (
    MAGIC,
    SceneDoc,
    read_binary,
    read_text,
    write_binary,
    write_text,
)
from engine.scene.document.binary_write import binary_body, binary_header
from engine.scene.document.checks import check_writable
from engine.scene.document.chunks import Chunk, join_chunks, read_chunks
from engine.scene.document.merge_text import text_from_source, without_trailing
from engine.scene.document.text_write import text_body, text_header
from engine.scene.levels.atomic_file import read_file, reading, replacing, write_file
from engine.scene.levels.scene_file import is_binary, naming

LONG_WORK = 4 << 20
"""Bytes from which on a file is read in pieces, and progress is shown."""


@dataclass
class Source:
    """A document and the file that it was read from."""

    path: str
    data: bytes
    doc: SceneDoc

    @property
    def is_binary(self) -> bool:
        """Whether the file is of the binary format."""
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
    with naming(path), progress(f"reading {path}", len(data)) as report:
        return Source(path, data, _parse(path, data, report))


def _parse(path: str, data: bytes, report: Callable[[int], None]) -> SceneDoc:
    if len(data) < LONG_WORK:
        as_binary = data.startswith(MAGIC) or is_binary(path)
        return read_binary(data) if as_binary else read_text(data)
    chunks = _reporting(read_chunks(BytesIO(data), binary=is_binary(path)), report)
    return SceneDoc.from_columns(*join_chunks(chunks))


def _reporting(chunks: Iterator[Chunk], report: Callable[[int], None]) -> Iterator[Chunk]:
    for chunk in chunks:
        report(chunk.end)
        yield chunk


def stream(path: str) -> Iterator[Chunk]:
    """Read a document piece by piece, without holding all of it.

    Raises
    ------
    SceneError
        The file is missing or malformed.
    """
    with (
        naming(path),
        reading(path) as (file, size),
        progress(f"reading {path}", size) as report,
    ):
        yield from _reporting(read_chunks(file, binary=is_binary(path)), report)


def write_stream(path: str, chunks: Iterator[Chunk]) -> tuple[int, int]:
    """Write a document piece by piece in canonical form; return its entities and bytes.

    Raises
    ------
    SceneError
        It can't be read or written; what was there stays.
    """
    as_binary = is_binary(path)
    count = version = 0
    with replacing(path) as file:
        for number, chunk in enumerate(chunks):
            count, version = chunk.first + chunk.columns.entity_count, chunk.version
            if not number:
                # The number of entities is known when the last one was read.
                header = binary_header(version, 0) if as_binary else text_header(version).encode()
                file.write(header)
            with naming(path):
                check_writable(version, chunk.columns)
                first, columns = chunk.first, chunk.columns
                body = binary_body(columns) if as_binary else text_body(columns, first).encode()
            file.write(body)
        size = file.tell()
        if as_binary:
            file.seek(0)
            file.write(binary_header(version, count))
    return count, size


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
def progress(what: str, size: int) -> Iterator[Callable[[int], None]]:
    """Say what takes long, how far it is and how long it took, when somebody is watching.

    Gives a function that takes how much of `size` was done.
    """
    is_shown = size >= LONG_WORK and sys.stderr.isatty()
    start = time.perf_counter()

    def report(done: int) -> None:
        if is_shown:
            share = f"{min(100 * done // size, 100):3d} %"
            print(f"\r{what} ... {share}", end="", file=sys.stderr, flush=True)

    if is_shown:
        print(f"{what} ...", end="", file=sys.stderr, flush=True)
    try:
        yield report
    finally:
        if is_shown:
            seconds = f"{time.perf_counter() - start:.1f} s"
            print(f"\r{what} ... {seconds}", file=sys.stderr)
