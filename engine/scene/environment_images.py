"""`EnvironmentImages`: the environment images that levels name, read once per version of the file.

Reading takes seconds for a large image, so it is an errand of the asset library's workers where
there is one; until it is done, and when the newest file is broken, the last good image stays.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from engine.assets.light import read_light
from engine.assets.watch.changes import FileChanges
from engine.errors import AssetError, FileError
from engine.render.scene import EnvironmentMap, PrefilteredMap
from engine.scene.default_environment import default_environment
from engine.scene.light_cache import LightCache

_KEPT = 4
_log = logging.getLogger("cinder.assets")

Stamp = tuple[int, int]
"""Modification time in ns and size; (-1, -1) when there is no such file."""
Submit = Callable[[str, Callable[[], EnvironmentMap]], "Future[EnvironmentMap]"]

_ABSENT = (-1, -1)


@dataclass(eq=False)
class _Entry:
    """One asset path: the last good image, what its file was, and what is being read."""

    image: EnvironmentMap | None = None
    stamp: Stamp | None = None
    job: Future[EnvironmentMap] | None = field(default=None, repr=False)
    again: bool = False


class EnvironmentImages:
    """Reads environment images of a project.

    Parameters
    ----------
    resolve
        From an asset path to the file's; raises AssetError for a path outside of the project.
    submit
        Has work done elsewhere, by the asset path it is for; None does it at once.
    cache
        Reads a file, or what was kept of it; None reads files only.

    Attributes
    ----------
    version
        Grows whenever an image or a problem became another one.
    problems
        By asset path, why its newest file can't be shown.
    """

    def __init__(
        self,
        resolve: Callable[[str], Path],
        submit: Submit | None = None,
        cache: LightCache | None = None,
    ) -> None:
        self._resolve = resolve
        self._submit = submit
        self._cache = cache
        self._entries: dict[str, _Entry] = {}
        self.version = 0
        self.problems: dict[str, str] = {}
        self._news: dict[str, bool] = {}

    @property
    def default(self) -> PrefilteredMap:
        """What lights a level whose sky does and that names no image."""
        return default_environment()

    def get(self, asset_path: str) -> EnvironmentMap | None:
        """Return the last good image of a path, None when there is none (yet).

        The disk is looked at for a path that was not asked for lately; of what changes there tell
        `files_changed` and `check_for_changes`, so that asking at every edit costs nothing.
        """
        entry = self._entries.pop(asset_path, None) or _Entry()
        self._entries[asset_path] = entry
        if entry.stamp is None and entry.job is None:
            self._follow(asset_path, entry)
        for path in [p for p, e in self._entries.items() if e.job is None][:-_KEPT]:
            del self._entries[path]
            self.problems.pop(path, None)
        return entry.image

    def check_for_changes(self, force: bool = False) -> int:
        """Read again what changed on disk, or everything; return how many images that is."""
        before = self._reading()
        for asset_path, entry in list(self._entries.items()):
            if force and entry.job is None:
                entry.stamp = None
            self._follow(asset_path, entry)
        return self._reading() - before

    def files_changed(self, changes: FileChanges) -> int:
        """Read again the images whose files are other ones now; return how many."""
        touched = [
            (asset_path, entry)
            for asset_path, entry in self._entries.items()
            if changes.touches(self._files(asset_path))
        ]
        for asset_path, entry in touched:
            if entry.job is not None:
                entry.again = True
            else:
                # One that was read after it was written, as a new one mostly is, is not read again.
                self._follow(asset_path, entry)
        return len(touched)

    def read_again(self, asset_path: str) -> bool:
        """Read an image itself, whatever was kept of it; False where none of that path is used."""
        entry = self._entries.get(asset_path)
        if entry is None:
            return False
        if self._cache is not None:
            self._cache.drop(asset_path)
        if entry.job is not None:
            entry.again = True
        else:
            entry.stamp = None
            self._follow(asset_path, entry)
        return True

    def is_reading(self, asset_path: str) -> bool:
        """Whether an image is being read."""
        entry = self._entries.get(asset_path)
        return entry is not None and entry.job is not None

    def sources(self) -> set[str]:
        """Return the files of the images."""
        return {file for asset_path in self._entries for file in self._files(asset_path)}

    def take_news(self) -> dict[str, bool]:
        """Return the images that are others or otherwise broken since the last call.

        The values tell which of them replaced what was read before.
        """
        news, self._news = self._news, {}
        return news

    def poll(self) -> bool:
        """Take in what was read since; whether something is another than before."""
        before = self.version
        for asset_path, entry in self._entries.items():
            if entry.job is not None and entry.job.done():
                self._take(asset_path, entry, entry.job)
        return self.version != before

    def _files(self, asset_path: str) -> list[str]:
        try:
            return [str(self._resolve(asset_path))]
        except AssetError:
            return []

    def _reading(self) -> int:
        return sum(entry.job is not None for entry in self._entries.values())

    def _follow(self, asset_path: str, entry: _Entry) -> None:
        """Start reading a file that is another than the one that was read."""
        try:
            path = self._resolve(asset_path)
            found = path.stat()
            stamp = (found.st_mtime_ns, found.st_size)
        except (AssetError, OSError) as problem:
            if entry.stamp != _ABSENT and entry.job is None:
                entry.stamp = _ABSENT
                told = problem if isinstance(problem, AssetError) else _lost(asset_path, problem)
                self._miss(asset_path, told)
            return
        if stamp == entry.stamp or entry.job is not None:
            return
        entry.stamp = stamp

        def read() -> EnvironmentMap:
            if self._cache is not None:
                return self._cache.read(path, asset_path)
            return EnvironmentMap(read_light(path), asset_path)

        if self._submit is None:
            self._take(asset_path, entry, _done_now(read))
        else:
            entry.job = self._submit(asset_path, read)

    def _take(self, asset_path: str, entry: _Entry, job: Future[EnvironmentMap]) -> None:
        entry.job = None
        if job.cancelled():
            entry.stamp = None
            return
        problem = job.exception()
        if problem is None:
            self._show(asset_path, entry, job.result())
        elif isinstance(problem, AssetError | MemoryError):
            self._miss(asset_path, problem)
        else:
            raise problem
        if entry.again:
            entry.again, entry.stamp = False, None
            self._follow(asset_path, entry)

    def _show(self, asset_path: str, entry: _Entry, image: EnvironmentMap) -> None:
        was_broken = self.problems.pop(asset_path, None) is not None
        old = entry.image
        self.version += 1
        is_other = old is None or not np.array_equal(old.pixels, image.pixels)
        if is_other:
            # What is the same light stays the same object, which the renderer has by now.
            entry.image = image
        self._news[asset_path] = is_other and (old is not None or was_broken)

    def _miss(self, asset_path: str, problem: BaseException) -> None:
        told = problem.problem if isinstance(problem, FileError) else str(problem)
        text = f"environment image {asset_path}: {told or 'too large for the memory'}"
        self.problems[asset_path] = text
        self._news[asset_path] = False
        self.version += 1
        _log.warning("%s", text)


def _lost(asset_path: str, problem: OSError) -> FileError:
    return FileError(asset_path, problem.strerror or str(problem))


def _done_now(work: Callable[[], EnvironmentMap]) -> Future[EnvironmentMap]:
    done: Future[EnvironmentMap] = Future()
    try:
        done.set_result(work())
    except Exception as problem:  # noqa: BLE001  handed over, as by any worker
        done.set_exception(problem)
    return done
