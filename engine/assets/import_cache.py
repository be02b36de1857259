"""`ImportCache`: what importing gave, kept so that it opens quicker next time.

An asset is one ``.casset`` file, written whole or not at all, so several programs may share the
folder and anybody may delete it at any time. It is good as long as the file, its side files and
the importer are what they were, by content; anything else about it (damaged, cut, of another
version) makes it as good as absent. A folder that cannot be written to is told of once.
"""

import logging
import os
import secrets
import stat
import sys
import threading
import time
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import NamedTuple

from engine.assets.asset_entry import Signature
from engine.assets.cache_folder import CachePlace, cache_place
from engine.assets.cache_origin import FilesAsRead, is_current, origin_of
from engine.assets.contents import Digests
from engine.assets.cooked.asset_layout import AssetOrigin
from engine.assets.cooked.asset_read import CookedAssetFile
from engine.assets.cooked.asset_write import write_asset
from engine.assets.gltf.asset import GltfAsset
from engine.assets.jobs import JobCounter, JobSystem
from engine.errors import AssetError
from engine.plain_file import open_plain

MOST_BYTES = 8 << 30

_log = logging.getLogger("cinder.assets")
_SUFFIX = ".casset"
_OLD_PART_SECONDS = 3600.0
# How far the clock of a file server may be ahead.
_SKEW_SECONDS = 600.0
# The first pictures of a level go before; who looks into a project and leaves keeps nothing.
_REST_SECONDS = 2.0
_NICENESS = 10
# How long closing waits for a file that is being written to be given up and removed.
_CLOSING_SECONDS = 0.2


class _CancelledError(Exception):
    """The program is closing; what was begun is given up."""


class CachedAsset(NamedTuple):
    """An asset and the digests of its files: the file, its side files, those that are missing."""

    asset: GltfAsset
    digests: Digests


class ImportCache:
    """The cooked assets of one project, or of a folder that is none.

    Parameters
    ----------
    root : pathlib.Path
        What asset paths are relative to.
    folder : pathlib.Path, optional
        Where cooked assets go, instead of where `cache_place` says.
    most_bytes : int
        How much the folder may hold. What was not used for longest goes; when all of it is in use,
        nothing more is kept.
    """

    def __init__(
        self, root: Path, folder: Path | None = None, most_bytes: int = MOST_BYTES
    ) -> None:
        self._root = root
        self._named_folder = folder
        self._most_bytes = most_bytes
        # File systems tell times of a coarse clock, which is behind.
        self._started = time.time() - 5.0
        self._is_off = False
        self._is_closed = False
        self._is_writing = False
        self._hurries = threading.Event()
        self._jobs: JobSystem | None = None
        self._counter = JobCounter()

    # -- any thread --------------------------------------------------------------------------

    def load(self, asset_path: str, file: str = "") -> CachedAsset | None:
        """Return an asset as it was imported last; None where it has to be imported.

        `file` is where that path leads, as `real_path` gives it; it is asked for where it is empty.
        """
        place = self._place()
        if place is None:
            return None
        entry = _entry(place, asset_path)
        try:
            with open_plain(entry) as opened:
                cooked = CookedAssetFile(opened)
                if not is_current(cooked.origin, place.name(asset_path), self._root, file):
                    return None
                digests = tuple(digest for _, digest in cooked.origin.sources)
                found = CachedAsset(cooked.read(self._root), digests)
        except FileNotFoundError:
            return None
        except (AssetError, OSError, MemoryError) as problem:
            _log.info("%s: is imported again: %s", asset_path, problem)
            return None
        except Exception:  # noqa: BLE001  a cache is no reason to fail
            _log.exception("%s: is imported again", asset_path)
            return None
        with suppress(OSError):
            os.utime(entry)
        return found

    # -- main thread -------------------------------------------------------------------------

    def store(
        self, asset_path: str, asset: GltfAsset, signature: Signature, digests: Digests = ()
    ) -> None:
        """Cook an imported asset in the background, in a while.

        Parameters
        ----------
        asset_path : str
            As levels write it.
        asset : GltfAsset
        signature : Signature
            Its files as they were when they were read; files that have changed since are not what
            the asset was made of, and nothing is kept.
        digests : Digests
            What they held, where that is known: not every change shows otherwise.
        """
        if self._is_off or self._is_closed:
            return
        if self._jobs is None:
            self._jobs = JobSystem(1, job_capacity=1 << 20)
        due = time.monotonic() + _REST_SECONDS
        files = FilesAsRead(signature, digests)
        self._jobs.submit(partial(self._cook, asset_path, asset, files, due), self._counter)

    def drop(self, asset_path: str) -> None:
        """Forget what importing an asset gave."""
        place = self._place()
        if place is not None:
            with suppress(OSError):
                _entry(place, asset_path).unlink(missing_ok=True)

    def wait(self) -> None:
        """Return when everything that was to be kept is."""
        self._hurries.set()
        if self._jobs is not None:
            self._jobs.wait(self._counter, helps=False)
        if not self._is_closed:
            self._hurries.clear()

    def close(self) -> None:
        """Give up what is being cooked; nobody waits for it to be done."""
        self._is_closed = True
        self._hurries.set()
        if self._jobs is not None:
            self._jobs.close(wait=False)
            if self._is_writing:
                self._jobs.wait(self._counter, _CLOSING_SECONDS, helps=False)

    # -- inside ------------------------------------------------------------------------------

    def _place(self) -> CachePlace | None:
        # A folder may become a project, or cease to be one, at any time.
        return cache_place(self._root, self._named_folder)

    def _proceed(self) -> None:
        if self._is_closed:
            raise _CancelledError

    def _cook(self, asset_path: str, asset: GltfAsset, files: FilesAsRead, due: float) -> None:
        if self._is_off:
            return
        self._hurries.wait(max(due - time.monotonic(), 0.0))
        _yield_to_others()
        place = self._place()
        if place is None:
            return
        try:
            self._proceed()
            origin = origin_of(place.name(asset_path), asset, files, self._root)
            if origin is not None:
                self._write(place, _entry(place, asset_path), asset, origin)
        except _CancelledError:
            return
        except (AssetError, FileNotFoundError) as problem:
            # The folder was deleted meanwhile, which anybody may do.
            _log.info("%s: is not kept: %s", asset_path, problem)
        except OSError as problem:
            self._give_up(place.folder, problem.strerror or str(problem))
        except Exception as problem:  # noqa: BLE001  a cache is no reason to fail
            self._give_up(place.folder, f"{type(problem).__name__}: {problem}")

    def _write(self, place: CachePlace, entry: Path, asset: GltfAsset, origin: AssetOrigin) -> None:
        place.make()
        part = entry.with_name(f".{entry.name}.{secrets.token_hex(4)}.part")
        self._is_writing = True
        try:
            with open(part, "wb") as file:
                write_asset(asset, origin, file, self._proceed)
            _put_in_place(part, entry)
        finally:
            with suppress(OSError):
                part.unlink(missing_ok=True)
            self._is_writing = False
        self._prune(entry)

    def _prune(self, newest: Path) -> None:
        """Keep the entry's folder within its bounds."""
        entries: list[tuple[float, int, Path]] = []
        now = time.time()
        with os.scandir(newest.parent) as found:
            for item in found:
                try:
                    status = item.stat(follow_symlinks=False)
                except OSError:
                    # Another program took it away meanwhile.
                    continue
                if stat.S_ISDIR(status.st_mode):
                    continue
                # A time to come is of a clock that went wrong, and tells nothing.
                used = status.st_mtime if status.st_mtime < now + _SKEW_SECONDS else 0.0
                if item.name.endswith(_SUFFIX):
                    entries.append((used, status.st_size, Path(item.path)))
                elif item.name.endswith(".part") and used < now - _OLD_PART_SECONDS:
                    _remove(Path(item.path))
        excess = sum(size for _, size, _ in entries) - self._most_bytes
        for used, size, path in sorted(entries):
            if excess <= 0:
                return
            if used < self._started and _remove(path):
                excess -= size
        if excess > 0:
            newest.unlink(missing_ok=True)
            self._is_off = True
            _log.info("the import cache is full; nothing more is kept in this session")

    def _give_up(self, folder: Path, problem: str) -> None:
        self._is_off = True
        _log.warning(
            "The import cache %s cannot be written (%s). Assets are imported anew each time.",
            folder,
            problem,
        )


def _entry(place: CachePlace, asset_path: str) -> Path:
    return place.file(asset_path, "asset", _SUFFIX)


def _put_in_place(part: Path, entry: Path) -> None:
    """Let a file that is whole take the place of an entry."""
    try:
        os.replace(part, entry)
    except OSError:
        if not os.path.lexists(entry):
            raise
    else:
        return
    # Not every file system puts one file in the place of another, nor while that is being read.
    try:
        entry.unlink()
        os.replace(part, entry)
    except OSError as problem:
        raise AssetError(f"what is kept of it can't be replaced ({problem})") from None


def _remove(path: Path) -> bool:
    """Remove a file; False where another program holds it, which only Windows minds."""
    try:
        path.unlink(missing_ok=True)
    except OSError:
        return False
    return True


def _yield_to_others() -> None:
    """Let the system prefer every other thread; Linux alone knows priorities of threads."""
    if sys.platform == "linux" and threading.current_thread() is not threading.main_thread():
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICENESS)
