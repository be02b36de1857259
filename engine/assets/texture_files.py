"""`TextureFiles`: pictures of a project that are named on their own, not by a glTF file.

A file is read and decoded by a worker and uploaded on the main thread, once for colours (sRGB) and
once for numbers where both are asked for. A file that is missing or broken shows a checker; one
that becomes so keeps the last picture. Who needs them says so anew each time; the rest is freed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import wait as wait_for
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from engine.assets.gltf.pictures import Picture, Pixels
from engine.assets.image import checker_pixels
from engine.assets.upload import MeshStore
from engine.assets.watch.changes import FileChanges
from engine.errors import AssetError, EngineError, FileError
from engine.plain_file import read_plain

MAX_BYTES = 1 << 30
"""Most bytes that one picture may take decoded."""

Stamp = tuple[int, int]
_ABSENT = (-1, -1)


@dataclass(frozen=True, slots=True)
class _Outcome:
    pixels: Pixels | None
    error: str
    stamp: Stamp


@dataclass(eq=False, slots=True)
class _Entry:
    """One file: its pixels, what is wrong with it, and its ids by colour space."""

    path: str
    pixels: Pixels | None = None
    error: str = ""
    stamp: Stamp = _ABSENT
    job: Future[_Outcome] | None = None
    again: bool = False
    ids: dict[bool, int] = field(default_factory=dict)


class TextureFiles:
    """Reads pictures and keeps them in a renderer.

    Parameters
    ----------
    resolve : callable
        From an asset path to the file's; raises AssetError for a path outside of the project.
    """

    def __init__(self, resolve: Callable[[str], Path]) -> None:
        self._resolve = resolve
        self._entries: dict[str, _Entry] = {}
        self._renderer: MeshStore | None = None
        self._pool: ThreadPoolExecutor | None = None
        self._retired: list[tuple[MeshStore, int]] = []
        self._news: dict[str, bool] = {}

    def get(self, path: str, srgb: bool) -> int:
        """Return the renderer's id of a picture.

        Returns
        -------
        int
            -1 while the file is read for the first time, for one that is not in use, and without a
            renderer.
        """
        entry = self._entries.get(path)
        if entry is None or self._renderer is None or (entry.pixels is None and not entry.error):
            return -1
        if srgb not in entry.ids:
            pixels = checker_pixels() if entry.pixels is None else entry.pixels
            entry.ids[srgb] = self._renderer.resources.add_texture(pixels, srgb, path)
        return entry.ids[srgb]

    def pixels(self, path: str) -> Pixels | None:
        """Return what was read last of a picture in use, (h, w, 4) uint8; None for nothing yet."""
        entry = self._entries.get(path)
        return entry.pixels if entry is not None else None

    def problem(self, path: str) -> str:
        """Return what is wrong with a file that was asked for; empty for nothing."""
        entry = self._entries.get(path)
        return entry.error if entry is not None else ""

    def poll(self) -> bool:
        """Take in what the workers finished, on the main thread; whether an id or error changed."""
        changed = False
        for entry in self._entries.values():
            if entry.job is not None and entry.job.done():
                outcome, entry.job = entry.job.result(), None
                changed |= self._take(entry, outcome)
                if entry.again:
                    self._start(entry)
        return changed

    def take_news(self) -> dict[str, bool]:
        """Return the pictures that are others or otherwise broken since the last call.

        The values tell which of them replaced what was read before.
        """
        news, self._news = self._news, {}
        return news

    def wait(self) -> None:
        """Block until no worker is reading; `poll` then takes everything in."""
        wait_for([e.job for e in self._entries.values() if e.job is not None])

    def is_loading(self) -> bool:
        """Whether a worker is reading something."""
        return bool(self.loading())

    def loading(self) -> list[str]:
        """Return what a worker is reading, or `poll` has not taken in yet."""
        return [path for path, entry in self._entries.items() if entry.job is not None]

    def check_for_changes(self) -> bool:
        """Read again what is another file now; whether there was any."""
        stale = [e for e in self._entries.values() if e.job is None and self._is_stale(e)]
        for entry in stale:
            self._start(entry)
        return bool(stale)

    def files_changed(self, changes: FileChanges) -> int:
        """Read again the pictures whose files are other ones now; return how many."""
        touched = [e for e in self._entries.values() if changes.touches(self._files(e))]
        for entry in touched:
            if entry.job is None:
                self._start(entry)
            else:
                entry.again = True
        return len(touched)

    def read_again(self, path: str) -> bool:
        """Read a picture, changed or not; False where none of that path is in use."""
        entry = self._entries.get(path)
        if entry is None:
            return False
        if entry.job is None:
            self._start(entry)
        else:
            entry.again = True
        return True

    def is_reading(self, path: str) -> bool:
        """Whether a picture is being read."""
        entry = self._entries.get(path)
        return entry is not None and entry.job is not None

    def sources(self) -> set[str]:
        """Return the files of the pictures in use."""
        return {file for entry in self._entries.values() for file in self._files(entry)}

    def _files(self, entry: _Entry) -> list[str]:
        try:
            return [str(self._resolve(entry.path))]
        except (EngineError, OSError):
            return []

    def use(self, paths: Iterable[str]) -> None:
        """Have these pictures and no others; new ones begin to be read."""
        wanted = set(paths)
        for path in self._entries.keys() - wanted:
            self._retire(self._entries.pop(path))
        for path in sorted(wanted - self._entries.keys()):
            entry = self._entries[path] = _Entry(path)
            self._start(entry)

    def attach(self, renderer: MeshStore | None) -> None:
        """Use another renderer from now on; what the old one held is freed."""
        if renderer is self._renderer:
            return
        for entry in self._entries.values():
            self._retire(entry)
        self.release_retired()
        self._renderer = renderer

    def release_retired(self) -> None:
        """Free what was replaced; call once nothing draws with the old ids."""
        retired, self._retired = self._retired, []
        for renderer, texture in retired:
            renderer.resources.remove_texture(texture)

    def close(self) -> None:
        """Stop the workers and free everything."""
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
        self._entries, entries = {}, self._entries
        for entry in entries.values():
            self._retire(entry)
        self.release_retired()

    def _start(self, entry: _Entry) -> None:
        if self._pool is None:
            self._pool = ThreadPoolExecutor(1, "texture")
        entry.again = False
        entry.job = self._pool.submit(self._load, entry.path)

    def _load(self, path: str) -> _Outcome:
        stamp = _ABSENT
        try:
            file = self._resolve(path)
            stamp = _stamp(file)
            picture = Picture(read_plain(file))
            if picture.byte_count > MAX_BYTES:
                raise AssetError(f"{picture.size[0]} x {picture.size[1]} pixels are too many")
            return _Outcome(picture.decode(), "", stamp)
        except FileNotFoundError:
            return _Outcome(None, f"{path}: there is no such file", stamp)
        except OSError as error:
            return _Outcome(None, f"{path}: can't be read: {error.strerror}", stamp)
        except MemoryError:
            return _Outcome(None, f"{path}: too large for the memory", stamp)
        except EngineError as error:
            problem = error.problem if isinstance(error, FileError) else str(error)
            return _Outcome(None, f"{path}: {problem}", stamp)

    def _take(self, entry: _Entry, outcome: _Outcome) -> bool:
        entry.stamp = outcome.stamp
        is_other = outcome.pixels is not None and (
            entry.pixels is None or not np.array_equal(outcome.pixels, entry.pixels)
        )
        is_news = is_other or outcome.error != entry.error
        if is_news:
            self._news[entry.path] = is_other and (entry.pixels is not None or bool(entry.error))
        entry.error = outcome.error
        if is_other:
            entry.pixels = outcome.pixels
            self._retire(entry)
        return is_news

    def _retire(self, entry: _Entry) -> None:
        if self._renderer is not None:
            self._retired += [(self._renderer, texture) for texture in entry.ids.values()]
        entry.ids.clear()

    def _is_stale(self, entry: _Entry) -> bool:
        try:
            now = _stamp(self._resolve(entry.path))
        except (EngineError, OSError):
            now = _ABSENT
        return now != entry.stamp


def _stamp(file: Path) -> Stamp:
    found = os.stat(file)
    return found.st_mtime_ns, found.st_size
