"""`AssetLibrary`: the glTF assets of one project, loaded beside the program's work.

An entry stands for one file by the path that levels write. Worker threads read and decode; `poll`
takes the results in on the main thread and uploads them when a renderer is attached. A file that
changes on disk is loaded again, and the asset at hand stays until its successor is whole, so a half
written file or the gap of a replacing save never takes a prop away. The library knows nothing of
entities: who shows an asset asks `poll` which entries changed.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import TypeVar, cast

from engine.assets.asset_entry import AssetEntry
from engine.assets.asset_reading import AssetReader
from engine.assets.cooked_assets import CookedAssets
from engine.assets.entry_files import EntryFiles
from engine.assets.entry_loads import EntryLoads, Imported
from engine.assets.errands import Errand, Errands
from engine.assets.import_cache import ImportCache
from engine.assets.jobs import JobSystem
from engine.assets.record_uploads import CookedStore
from engine.assets.reimports import Reimport, Reimports
from engine.assets.stores import MeshStore
from engine.assets.watch.changes import FileChanges
from engine.errors import AssetError, FileError
from engine.plain_file import is_below, real_path

__all__ = ["AssetEntry", "AssetLibrary"]

R = TypeVar("R")
# Much less makes many small batches, each with its share of work; much more is felt.
_UPLOAD_SECONDS = 0.016


class AssetLibrary(CookedAssets):
    """The assets below one folder: glTF files by their paths, cooked ones by logical path.

    Cooked assets are those that the folder's manifest lists; `load_mesh` and its like, `update`,
    `state` and `release` are what `AssetServer` has.

    Parameters
    ----------
    root : path
        The project's folder. Nothing outside it is read.
    workers : int
        Threads that load.
    cache_folder : path, optional
        Where imported assets are kept for the next time, instead of ``.cinder`` in a project and
        the user's cache for a `root` that is none.

    Attributes
    ----------
    holds_reloads : bool
        Newer versions of what is shown wait while it is set; what loads for the first time
        does not.
    """

    def __init__(
        self,
        root: str | os.PathLike[str],
        workers: int = 2,
        cache_folder: str | os.PathLike[str] | None = None,
    ) -> None:
        self.root = Path(root).resolve()
        # A project may well hold more assets than anybody would queue jobs otherwise.
        super().__init__(JobSystem(workers, job_capacity=1 << 20), None, self.root)
        self.cache = ImportCache(self.root, None if cache_folder is None else Path(cache_folder))
        self._reader = AssetReader(self.root, self.cache, self.resolve)
        self._entries: dict[str, AssetEntry] = {}
        self._noted: dict[str, AssetEntry] = {}
        self.holds_reloads = False
        self._reimports = Reimports()
        self._errands = Errands()
        self._loads = EntryLoads(self._jobs, self._reader, self._keep)
        self._entry_files = EntryFiles(self.root, self._loads.note)
        self._level = 0
        self._is_awaited = False

    def get(self, asset_path: str) -> AssetEntry:
        """Return the entry of an asset; the first request starts loading it."""
        entry = self._entries.get(asset_path)
        if entry is None:
            entry = self._entries[asset_path] = AssetEntry(asset_path)
            self._loads.start(entry)
        entry.reading.last_level = self._level
        return entry

    def begin_level(self) -> None:
        """Note that another level begins; let go of what the one before did not ask for.

        What that one used stays for now: levels of a project share most of it.
        """
        unused = [e for e in self._entries.values() if e.reading.last_level < self._level]
        for entry in filter(self._loads.is_at_rest, unused):
            self._loads.forget(entry)
            del self._entries[entry.path]
        self._level += 1

    def entry_of(self, file: Path) -> AssetEntry | None:
        """Return the entry of a file that was asked for, None for others; nothing is loaded."""
        if not file.is_relative_to(self.root):
            return None
        return self._entries.get(file.relative_to(self.root).as_posix())

    def entries(self) -> list[AssetEntry]:
        """Return every entry that was asked for."""
        return list(self._entries.values())

    def loading(self) -> list[AssetEntry | Errand]:
        """Return what a worker is at, or `poll` has not taken in yet."""
        return [*self._loads.loading(), *self._errands.under_way()]

    def submit(self, asset_path: str, work: Callable[[], R]) -> Future[R]:
        """Have other work on a file done by the workers; it counts as loading until `poll`."""
        return self._errands.submit(asset_path, work)

    @property
    def is_uploading(self) -> bool:
        """Whether the next `poll` has something for the renderer."""
        return self._loads.is_uploading

    def resolve(self, asset_path: str) -> Path:
        """Return the file that a path of a level means.

        Raises
        ------
        AssetError
            The path is empty, malformed or leaves the project's folder.
        """
        if not asset_path:
            raise AssetError("no file is named; choose one")
        try:
            found = real_path(os.path.join(self.root, asset_path))
        except (OSError, ValueError) as error:
            raise AssetError(f"{asset_path!r}: not a usable path ({error})") from error
        if not is_below(found, self.root):
            raise FileError(asset_path, f"leaves the project folder {self.root}")
        return Path(found)

    def poll(self) -> list[AssetEntry]:
        """Take in what the workers finished; main thread only.

        What goes to the renderer goes there for some milliseconds; the next call goes on, unless
        `wait` was called before: then it is all done at once.

        Returns
        -------
        list of AssetEntry
            The entries whose state, asset, error or upload changed since the last call.
        """
        self._loads.hold(self.holds_reloads)
        seconds = float("inf") if self._is_awaited else _UPLOAD_SECONDS
        self._is_awaited = False
        self._loads.proceed(seconds)
        self._end_reimports()
        self._loads.finish()
        self._errands.forget_done()
        changed = self._loads.take_changed()
        self._noted.update((entry.path, entry) for entry in changed)
        return changed

    def take_changed(self) -> list[AssetEntry]:
        """Return the entries that `poll` returned since the last call."""
        noted = list(self._noted.values())
        self._noted.clear()
        return noted

    def take_reloaded(self) -> list[AssetEntry]:
        """Return the entries that came to show other contents of their file since the last call."""
        return self._loads.take_reloaded()

    def wait(self, timeout: float | None = None) -> None:
        """Block until no worker is reading; `poll` then takes everything in."""
        end = None if timeout is None else time.monotonic() + timeout

        def left() -> float | None:
            return None if end is None else max(end - time.monotonic(), 0.0)

        self._loads.wait(left)
        self._errands.wait(left())
        self._is_awaited = True

    def take_all(self) -> None:
        """Block until everything is read and uploaded, one beside the other; `poll` tells of it."""
        self._loads.hold(self.holds_reloads)
        while self._loads.wait_some():
            self._loads.proceed(float("inf"))
        self.wait()

    def check_for_changes(self, force: bool = False) -> list[AssetEntry]:
        """Load again what changed on disk since it was read, or could not be read.

        Parameters
        ----------
        force : bool
            Load everything again, changed or not.

        Returns
        -------
        list of AssetEntry
            The entries that are being loaded again. A file that is gone is reported, through
            `poll`, only when a second check finds it gone still: saving programs delete and
            write again.
        """
        self.reload_changed(retries_failed=True)
        idle = [entry for entry in self._entries.values() if not entry.is_being_read]
        started = [entry for entry in idle if force or self._entry_files.is_stale(entry)]
        for entry in started:
            self._loads.start(entry, is_forced=force)
        return started

    def import_again(self, asset_paths: Iterable[str]) -> None:
        """Import files themselves, whatever the cache has of them; `take_reimports` tells the end.

        What is shown stays until its successor is whole, and for good where that is broken. A file
        that nobody shows is read for the cache.
        """
        for path in asset_paths:
            if path in self._reimports.under_way:
                continue
            self.cache.drop(path)
            self._loads.imported.pop(path, None)
            entry = self._entries.get(path)
            if entry is None:
                read = partial(self._reader.read, path, None, is_fresh=True)
                self._reimports.begin_alone(path, self._errands.submit(path, read))
                continue
            self._reimports.asked.add(path)
            entry.reading.is_fresh = True
            self._loads.start_or_repeat(entry)

    @property
    def importing_again(self) -> frozenset[str]:
        """The files that are being imported again."""
        return self._reimports.under_way

    def take_reimports(self) -> list[Reimport]:
        """Return what came of files that were imported again since the last call."""
        return self._reimports.take()

    def _end_reimports(self) -> None:
        for path in list(self._reimports.asked):
            entry = self._entries.get(path)
            if entry is None:
                self._reimports.asked.discard(path)
            elif self._loads.is_at_rest(entry):
                is_shown = bool(entry.error) and entry.asset is not None
                done = Reimport(path, entry.asset, entry.error, is_shown)
                self._reimports.end(done)
        for path, outcome in self._reimports.take_alone():
            if outcome.asset is not None and path not in self._entries:
                imported = Imported(outcome.asset, outcome.signature, outcome.digests)
                self._loads.imported[path] = imported
            self._reimports.end(Reimport(path, outcome.asset, outcome.error))

    def files_changed(self, changes: FileChanges) -> list[AssetEntry]:
        """Load again what is made of files that are other ones now, or are gone.

        One that is being loaded is loaded once more afterwards, so the newest contents win.

        Returns
        -------
        list of AssetEntry
            The entries that are being loaded again, will be, or turn out to be gone.
        """
        touched = [e for e in self._entries.values() if self._entry_files.is_touched(e, changes)]
        for entry in touched:
            is_readable = entry.is_being_read or entry.asset is None
            if is_readable or not self._entry_files.is_gone(entry):
                self._loads.start_or_repeat(entry)
        return touched

    def sources(self) -> set[str]:
        """Return the files that entries and cooked assets are made of."""
        return self.cooked_sources().union(
            *(self._entry_files.sources(entry) for entry in self._entries.values())
        )

    def follow(self, moved: Mapping[str, str]) -> None:
        """Know files by what they are called now; nothing is read again.

        Parameters
        ----------
        moved : mapping of str to str
            From the old path of every file that was moved, side files too, to its new one, both
            relative to the project.
        """
        self._entry_files.follow(self._entries.values(), moved)
        for old, new in moved.items():
            if old in self._entries and new not in self._entries:
                entry = self._entries[new] = self._entries.pop(old)
                entry.path = new
                self._loads.follow(old, entry)
        again = [e for e in map(self._entries.get, moved.values()) if e is not None and e.error]
        for entry in again:
            self._loads.start(entry)

    def attach(self, renderer: MeshStore | None) -> None:
        """Upload what is ready to `renderer` and use it from now on; None detaches."""
        if renderer is self._loads.renderer:
            return
        self.use_renderer(cast("CookedStore | None", renderer))
        self._loads.attach(renderer, self.entries())

    def release_retired(self) -> None:
        """Free what replaced assets had uploaded; call once nothing draws with the old ids."""
        self._loads.release_retired()

    def close(self) -> None:
        """Stop the workers; what they are reading or cooking is dropped."""
        self.cache.close()
        self.release_all()
        self._jobs.close(wait=False)
        self._loads.close()
        self._reimports.forget()
        self._errands.close()

    def _keep(self, asset_path: str, imported: Imported) -> None:
        self.cache.store(asset_path, *imported)
