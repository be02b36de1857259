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

from engine.assets.asset_entry import (
    AssetEntry,
    LoadJob,
    LoadOutcome,
    Signature,
)
from engine.assets.asset_reading import AssetReader, Known, lost_picture
from engine.assets.contents import Digests
from engine.assets.cooked_assets import CookedAssets
from engine.assets.entry_files import EntryFiles
from engine.assets.entry_uploads import EntryUploads
from engine.assets.errands import Errand, Errands
from engine.assets.gltf import GltfAsset
from engine.assets.import_cache import ImportCache
from engine.assets.jobs import JobSystem
from engine.assets.record_uploads import CookedStore
from engine.assets.reimports import Reimport, Reimports
from engine.assets.stores import MeshStore
from engine.assets.upload_queue import FinishedUpload
from engine.assets.upload_steps import PreparedMeshes
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
        self._uncooked: dict[str, tuple[GltfAsset, Signature, Digests]] = {}
        self._entries: dict[str, AssetEntry] = {}
        self._loading: dict[str, AssetEntry] = {}
        self._changed: dict[str, AssetEntry] = {}
        self._held: dict[str, AssetEntry] = {}
        self._noted: dict[str, AssetEntry] = {}
        self._reloaded: dict[str, AssetEntry] = {}
        self.holds_reloads = False
        self._reimports = Reimports()
        self._errands = Errands()
        self._entry_uploads = EntryUploads()
        self._entry_files = EntryFiles(self.root, self._note_change)
        self._level = 0
        self._is_awaited = False

    def get(self, asset_path: str) -> AssetEntry:
        """Return the entry of an asset; the first request starts loading it."""
        entry = self._entries.get(asset_path)
        if entry is None:
            entry = self._entries[asset_path] = AssetEntry(asset_path)
            self._start(entry)
        entry._last_level = self._level
        return entry

    def begin_level(self) -> None:
        """Note that another level begins; let go of what the one before did not ask for.

        What that one used stays for now: levels of a project share most of it.
        """
        unused = [e for e in self._entries.values() if e._last_level < self._level]
        for entry in unused:
            if entry._job is None and entry not in self._entry_uploads:
                self._entry_uploads.retire(entry)
                del self._entries[entry.path]
                self._held.pop(entry.path, None)
                self._uncooked.pop(entry.path, None)
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
        return [*self._loading.values(), *self._errands.under_way()]

    def submit(self, asset_path: str, work: Callable[[], R]) -> Future[R]:
        """Have other work on a file done by the workers; it counts as loading until `poll`."""
        return self._errands.submit(asset_path, work)

    @property
    def is_uploading(self) -> bool:
        """Whether the next `poll` has something for the renderer."""
        return bool(self._entry_uploads)

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
        self._hold()
        seconds = float("inf") if self._is_awaited else _UPLOAD_SECONDS
        self._is_awaited = False
        self._proceed(seconds)
        for entry in list(self._loading.values()):
            if entry._job is None and entry not in self._entry_uploads:
                del self._loading[entry.path]
        self._end_reimports()
        if not self._loading:
            self._cook()
        self._errands.forget_done()
        if not self._changed:
            return []
        changed = list(self._changed.values())
        self._noted.update(self._changed)
        self._changed.clear()
        return changed

    def _proceed(self, seconds: float) -> None:
        """Take in what was read, and upload for some time."""
        for entry in list(self._loading.values()):
            if entry._job is not None and entry._job.outcome is not None:
                self._take_in(entry, entry._job.outcome)
        for finished in self._entry_uploads.proceed(seconds, list(self._held.values())):
            self._accept(finished)

    def _hold(self) -> None:
        """Put newer versions of what is shown aside while they have to wait, and back after."""
        self._loading.update(self._held)
        self._held.clear()
        if self.holds_reloads:
            self._held = {p: e for p, e in self._loading.items() if e.asset is not None}
            for path in self._held:
                del self._loading[path]

    def take_changed(self) -> list[AssetEntry]:
        """Return the entries that `poll` returned since the last call."""
        noted = list(self._noted.values())
        self._noted.clear()
        return noted

    def take_reloaded(self) -> list[AssetEntry]:
        """Return the entries that came to show other contents of their file since the last call."""
        shown = {
            p: e
            for p, e in self._reloaded.items()
            if e._job is None and e not in self._entry_uploads
        }
        for path in shown:
            del self._reloaded[path]
        return [e for e in shown.values() if e.state == "ready" and not e.error]

    def wait(self, timeout: float | None = None) -> None:
        """Block until no worker is reading; `poll` then takes everything in."""
        end = None if timeout is None else time.monotonic() + timeout
        for job in [e._job for e in self._loading.values() if e._job is not None]:
            left = None if end is None else max(end - time.monotonic(), 0.0)
            self._jobs.wait(job.counter, left, helps=False)
        self._errands.wait(None if end is None else max(end - time.monotonic(), 0.0))
        self._is_awaited = True

    def take_all(self) -> None:
        """Block until everything is read and uploaded, one beside the other; `poll` tells of it."""
        self._hold()
        while jobs := [e._job for e in self._loading.values() if e._job is not None]:
            self._jobs.wait_any([job.counter for job in jobs])
            self._proceed(float("inf"))
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
        idle = [entry for entry in self._entries.values() if entry._job is None]
        started = [entry for entry in idle if force or self._entry_files.is_stale(entry)]
        for entry in started:
            self._start(entry, is_forced=force)
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
            self._uncooked.pop(path, None)
            entry = self._entries.get(path)
            if entry is None:
                read = partial(self._reader.read, path, None, is_fresh=True)
                self._reimports.begin_alone(path, self._errands.submit(path, read))
                continue
            self._reimports.asked.add(path)
            entry._is_fresh = True
            if entry._job is not None:
                entry._again = True
            else:
                self._start(entry)

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
            elif entry._job is None and entry not in self._entry_uploads:
                is_shown = bool(entry.error) and entry.asset is not None
                done = Reimport(path, entry.asset, entry.error, is_shown)
                self._reimports.end(done)
        for path, outcome in self._reimports.take_alone():
            if outcome.asset is not None and path not in self._entries:
                self._uncooked[path] = outcome.asset, outcome.signature, outcome.digests
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
            if entry._job is not None:
                entry._again = True
            elif entry.asset is None or not self._entry_files.is_gone(entry):
                self._start(entry)
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
                is_held = self._held.pop(old, None) is not None
                if self._loading.pop(old, None) is not None or is_held:
                    self._start(entry)
        again = [e for e in map(self._entries.get, moved.values()) if e is not None and e.error]
        for entry in again:
            self._start(entry)

    def attach(self, renderer: MeshStore | None) -> None:
        """Upload what is ready to `renderer` and use it from now on; None detaches."""
        if renderer is self._entry_uploads.renderer:
            return
        waiting = self._entry_uploads.attach(renderer, self._entries.values())
        self.use_renderer(cast("CookedStore | None", renderer))
        for entry in self._entries.values():
            if entry.asset is not None:
                self._accept(self._entry_uploads.upload(entry, entry.asset))
        for entry, asset in waiting:
            self._hand_over(entry, asset)

    def release_retired(self) -> None:
        """Free what replaced assets had uploaded; call once nothing draws with the old ids."""
        self._entry_uploads.release_retired()

    def close(self) -> None:
        """Stop the workers; what they are reading or cooking is dropped."""
        self.cache.close()
        self.release_all()
        self._jobs.close(wait=False)
        self._entry_uploads.cancel_all()
        self._reimports.forget()
        for entry in (*self._loading.values(), *self._held.values()):
            entry._job, entry._again = None, False
        self._loading.clear()
        self._held.clear()
        self._errands.close()

    def _start(self, entry: AssetEntry, is_forced: bool = False) -> None:
        entry._missed = False
        is_fresh, entry._is_fresh = entry._is_fresh, False
        is_known = entry.asset is not None and not entry.error and not (is_forced or is_fresh)
        # A version that is still being uploaded is not what is known.
        is_known = is_known and entry not in self._entry_uploads
        known = (entry._signature, entry._digests) if is_known else None
        job = LoadJob()
        work = partial(self._run, job, entry.path, known, is_fresh)
        if self._jobs.submit(work, job.counter):
            entry._job = job
            self._loading[entry.path] = entry

    def _run(self, job: LoadJob, asset_path: str, known: Known | None, is_fresh: bool) -> None:
        job.outcome = self._reader.read(
            asset_path, self._entry_uploads.preparation, known, is_fresh=is_fresh
        )

    def _take_in(self, entry: AssetEntry, outcome: LoadOutcome) -> None:
        """Take in what a worker read; where the files changed meanwhile, have them read again."""
        entry._job = None
        again, entry._again = entry._again, False
        if outcome.asset is not None or not again:
            self._take(entry, outcome)
        if again:
            self._start(entry)

    def _take(self, entry: AssetEntry, outcome: LoadOutcome) -> None:
        entry._signature = outcome.signature
        entry.is_lost = False
        if outcome.is_same:
            return
        new, error = outcome.asset, outcome.error
        if new is not None and entry.asset is not None:
            error = lost_picture(entry.asset, new)
            if error:
                new, error = None, f"{entry.path}: {error}; showing what was last read"
        is_other = outcome.digests != entry._digests or not outcome.digests
        if new is not None and is_other and (entry.asset is not None or entry.error):
            self._reloaded[entry.path] = entry
        if error != entry.error:
            self._changed[entry.path] = entry
        entry.error = error
        if new is not None:
            self._uncooked.pop(entry.path, None)
            if outcome.is_imported:
                self._uncooked[entry.path] = new, outcome.signature, outcome.digests
            entry._digests = outcome.digests
            self._hand_over(entry, new, outcome.prepared)
        elif entry.asset is None:
            entry.state = "failed"

    def _cook(self) -> None:
        """Have what was imported kept, now that nobody waits for an import."""
        waiting, self._uncooked = self._uncooked, {}
        for path, (asset, signature, digests) in waiting.items():
            self.cache.store(path, asset, signature, digests)

    def _hand_over(
        self, entry: AssetEntry, asset: GltfAsset, prepared: PreparedMeshes | None = None
    ) -> None:
        """Begin to upload an asset, or take it as it is where there is no renderer."""
        if self._entry_uploads.begin(entry, asset, prepared):
            self._loading[entry.path] = entry
        else:
            self._accept(self._entry_uploads.upload(entry, asset))

    def _accept(self, finished: FinishedUpload) -> None:
        self._entry_uploads.accept(finished)
        self._note_change(finished.entry)

    def _note_change(self, entry: AssetEntry) -> None:
        self._changed[entry.path] = entry
