"""`ImportCache`: what importing gave, kept beside a project, so that it opens quicker next time.

An asset is one ``.casset`` file, written whole or not at all, so several programs may share the
folder and anybody may delete it at any time. It is good as long as the file, its side files and
the importer are what they were, by content; anything else about it (damaged, cut, of another
version) makes it as good as absent. A folder that cannot be written to is told of once.
"""

import hashlib
import logging
import os
import secrets
import sys
import threading
import time
from contextlib import suppress
from functools import cache, partial
from itertools import repeat
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

import PIL

import engine.assets
import engine.math
from engine.assets.asset_entry import Signature
from engine.assets.asset_ids import asset_file_name
from engine.assets.cache_folder import CACHE_FOLDER, make_cache_folder
from engine.assets.contents import NO_STAMP, Digests, digest_of, has_stamp, lasting_stamp
from engine.assets.cooked.asset_layout import AssetOrigin
from engine.assets.cooked.asset_read import CookedAssetFile
from engine.assets.cooked.asset_write import ASSET_VERSION, write_asset
from engine.assets.gltf.asset import GltfAsset
from engine.assets.jobs import JobCounter, JobSystem
from engine.errors import AssetError
from engine.plain_file import open_plain
from engine.project import PROJECT_FILE

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
    """The cooked assets of one project.

    Parameters
    ----------
    root : pathlib.Path
        The project's folder. Nothing is kept unless it holds project.json.
    folder : pathlib.Path, optional
        Where cooked assets go instead of ``.cinder`` below `root`; then nothing is asked of `root`.
    most_bytes : int
        How much the folder may hold. What was not used for longest goes; when all of it is in use,
        nothing more is kept.
    """

    def __init__(
        self, root: Path, folder: Path | None = None, most_bytes: int = MOST_BYTES
    ) -> None:
        self._root = root
        self._is_own = folder is None
        self._folder = root / CACHE_FOLDER if folder is None else folder
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

    def load(self, asset_path: str) -> CachedAsset | None:
        """Return an asset as it was imported last; None where it has to be imported."""
        if not self._is_wanted():
            return None
        entry = self._entry(asset_path)
        try:
            with open_plain(entry) as file:
                cooked = CookedAssetFile(file)
                if not self._is_current(cooked.origin, asset_path):
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
        if self._is_off or self._is_closed or not self._is_wanted():
            return
        if self._jobs is None:
            self._jobs = JobSystem(1, job_capacity=1 << 20)
        due = time.monotonic() + _REST_SECONDS
        files = _Files(signature, digests)
        self._jobs.submit(partial(self._cook, asset_path, asset, files, due), self._counter)

    def drop(self, asset_path: str) -> None:
        """Forget what importing an asset gave."""
        with suppress(OSError):
            self._entry(asset_path).unlink(missing_ok=True)

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

    def _is_wanted(self) -> bool:
        return not self._is_own or os.path.isfile(self._root / PROJECT_FILE)

    def _entry(self, asset_path: str) -> Path:
        return self._folder / asset_file_name(f"{_prefix(asset_path)}#asset", _SUFFIX)

    def _is_current(self, origin: AssetOrigin, asset_path: str) -> bool:
        if origin.prefix != _prefix(asset_path) or origin.cooker != cooker() or not origin.sources:
            return False
        stamps = [*origin.stamps, *repeat(NO_STAMP, len(origin.sources) - len(origin.stamps))]
        for (path, digest), stamp in zip(origin.sources, stamps, strict=False):
            file = self._root / path
            if not digest:
                if os.path.lexists(file):
                    return False
            elif not _is_inside(file, self._root) or (
                not has_stamp(file, stamp) and _digest(file) != digest
            ):
                return False
        return True

    def _proceed(self) -> None:
        if self._is_closed:
            raise _CancelledError

    def _cook(self, asset_path: str, asset: GltfAsset, files: "_Files", due: float) -> None:
        if self._is_off:
            return
        self._hurries.wait(max(due - time.monotonic(), 0.0))
        _yield_to_others()
        try:
            self._proceed()
            origin = _origin(asset_path, asset, files, self._root)
            if origin is not None:
                self._write(asset_path, asset, origin)
        except _CancelledError:
            return
        except (AssetError, FileNotFoundError) as problem:
            # The folder was deleted meanwhile, which anybody may do.
            _log.info("%s: is not kept: %s", asset_path, problem)
        except OSError as problem:
            self._give_up(problem.strerror or str(problem))
        except Exception as problem:  # noqa: BLE001  a cache is no reason to fail
            self._give_up(f"{type(problem).__name__}: {problem}")

    def _write(self, asset_path: str, asset: GltfAsset, origin: AssetOrigin) -> None:
        entry = self._entry(asset_path)
        if self._is_own:
            make_cache_folder(self._root)
        else:
            self._folder.mkdir(parents=True, exist_ok=True)
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
        """Keep the folder within its bounds."""
        entries: list[tuple[float, int, Path]] = []
        now = time.time()
        with os.scandir(self._folder) as found:
            for item in found:
                if item.is_dir(follow_symlinks=False):
                    continue
                status = item.stat(follow_symlinks=False)
                # A time to come is of a clock that went wrong, and tells nothing.
                used = status.st_mtime if status.st_mtime < now + _SKEW_SECONDS else 0.0
                if item.name.endswith(_SUFFIX):
                    entries.append((used, status.st_size, Path(item.path)))
                elif item.name.endswith(".part") and used < now - _OLD_PART_SECONDS:
                    Path(item.path).unlink(missing_ok=True)
        excess = sum(size for _, size, _ in entries) - self._most_bytes
        for used, size, path in sorted(entries):
            if excess <= 0:
                return
            if used < self._started:
                path.unlink(missing_ok=True)
                excess -= size
        if excess > 0:
            newest.unlink(missing_ok=True)
            self._is_off = True
            _log.info("the import cache is full; nothing more is kept in this session")

    def _give_up(self, problem: str) -> None:
        self._is_off = True
        _log.warning(
            "The import cache %s cannot be written (%s). Assets are imported anew each time.",
            self._folder,
            problem,
        )


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


def _prefix(asset_path: str) -> str:
    return quote(asset_path, safe="", errors="surrogatepass")


@cache
def cooker() -> str:
    """Return what names the importer: its format, its code and the decoder of pictures.

    The code is part of it because every change may give another asset of the same file.
    """
    code = hashlib.sha256()
    folder = Path(engine.assets.__file__).parent
    for path in (*sorted(folder.rglob("*.py")), Path(engine.math.__file__)):
        if os.path.isfile(path):
            code.update(path.read_bytes())
    return f"{ASSET_VERSION} {code.hexdigest()[:16]} {PIL.__version__}"


def _digest(path: Path) -> str:
    try:
        return digest_of(path)
    except (OSError, ValueError):
        return ""


def _is_inside(path: Path, root: Path) -> bool:
    try:
        # Not by `Path`, which takes longer than the look at the disk.
        found = os.path.normcase(os.path.realpath(path))
        return found.startswith(os.path.join(os.path.normcase(root), ""))
    except (OSError, ValueError, RuntimeError):
        return False


class _Files(NamedTuple):
    """The files of an asset as they were when it was read."""

    signature: Signature
    digests: Digests

    def are_other(self, found: dict[str, str]) -> bool:
        """Whether they are other ones now; `found` has what some of them hold."""
        if any(_stamp(path) != (modified, size) for path, modified, size in self.signature):
            return True
        held = zip(self.signature, self.digests, strict=False)
        return any(found.get(path, digest) != digest for (path, _, _), digest in held)


def _origin(asset_path: str, asset: GltfAsset, files: _Files, root: Path) -> AssetOrigin | None:
    """Return what the asset was made of; None when its files are not what was read."""
    if files.are_other({}):
        return None
    stamps = [lasting_stamp(file) for file in asset.source_files]
    found = [(file, _digest(file)) for file in asset.source_files]
    if files.are_other({str(file): digest for file, digest in found}):
        return None
    if any(not digest for _, digest in found):
        return None
    stamps = [
        stamp if has_stamp(file, stamp) else NO_STAMP
        for file, stamp in zip(asset.source_files, stamps, strict=True)
    ]
    found += [(file, "") for file in asset.missing_files]
    sources = [(_relative(file, root), digest) for file, digest in found]
    return AssetOrigin(_prefix(asset_path), cooker(), sources, stamps)


def _stamp(path: str) -> tuple[int, int]:
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return -1, -1
    return status.st_mtime_ns, status.st_size


def _relative(file: Path, root: Path) -> str:
    inside = file.is_relative_to(root)
    return (
        file.relative_to(root).as_posix()
        if inside
        else Path(os.path.relpath(file, root)).as_posix()
    )


def _yield_to_others() -> None:
    """Let the system prefer every other thread; Linux alone knows priorities of threads."""
    if sys.platform == "linux" and threading.current_thread() is not threading.main_thread():
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICENESS)
