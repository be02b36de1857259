"""`EntryLoads`: the loads of a library's entries, from the first read to the last upload.

A worker reads; what it gives is taken in on the main thread and handed to the renderer, where there
is one. What was good stays until its successor is whole.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from engine.assets.asset_entry import AssetEntry, LoadJob, LoadOutcome, Signature
from engine.assets.asset_reading import AssetReader, Known, lost_picture
from engine.assets.contents import Digests
from engine.assets.entry_uploads import EntryUploads
from engine.assets.gltf import GltfAsset
from engine.assets.jobs import JobSystem
from engine.assets.stores import MeshStore
from engine.assets.upload_queue import FinishedUpload
from engine.assets.upload_steps import PreparedMeshes

# Threads that take turns at every small thing get less done than one after the other; what takes
# longer than this to read is still uploaded beside the reading.
_GATHER_SECONDS = 0.04


class Imported(NamedTuple):
    """An asset that was imported, what its files looked like and what they held."""

    asset: GltfAsset
    signature: Signature
    digests: Digests


class EntryLoads:
    """Loads of one library.

    Parameters
    ----------
    jobs : JobSystem
    reader : AssetReader
    keep : callable
        Called with the path of an asset and what importing it gave, once nobody waits for a load.

    Attributes
    ----------
    imported : dict of str to Imported
        What is to be kept, by asset path.
    """

    def __init__(
        self, jobs: JobSystem, reader: AssetReader, keep: Callable[[str, Imported], None]
    ) -> None:
        self._jobs = jobs
        self._reader = reader
        self._keep = keep
        self._uploads = EntryUploads()
        self._loading: dict[str, AssetEntry] = {}
        self._held: dict[str, AssetEntry] = {}
        self._changed: dict[str, AssetEntry] = {}
        self._reloaded: dict[str, AssetEntry] = {}
        self.imported: dict[str, Imported] = {}

    # -- what there is -----------------------------------------------------------------------

    def loading(self) -> list[AssetEntry]:
        """Return what is being read or uploaded, or is not taken in yet; not what is held."""
        return list(self._loading.values())

    @property
    def is_uploading(self) -> bool:
        """Whether the renderer is to get something."""
        return bool(self._uploads)

    def is_at_rest(self, entry: AssetEntry) -> bool:
        """Whether an entry is neither being read nor uploaded."""
        return entry.reading.job is None and entry not in self._uploads

    # -- beginning and ending ----------------------------------------------------------------

    def start(self, entry: AssetEntry, is_forced: bool = False) -> None:
        """Begin to read an entry, also one whose files look as they did where `is_forced`."""
        reading = entry.reading
        reading.is_missed = False
        is_fresh, reading.is_fresh = reading.is_fresh, False
        is_known = entry.asset is not None and not entry.error and not (is_forced or is_fresh)
        # A version that is still being uploaded is not what is known.
        is_known = is_known and entry not in self._uploads
        known = (reading.signature, reading.digests) if is_known else None
        job = LoadJob()
        work = partial(self._run, job, entry.path, known, is_fresh)
        if self._jobs.submit(work, job.counter):
            reading.job = job
            self._loading[entry.path] = entry

    def start_or_repeat(self, entry: AssetEntry) -> None:
        """Begin to read an entry; one that is being read is read once more afterwards."""
        if entry.reading.job is not None:
            entry.reading.is_repeated = True
        else:
            self.start(entry)

    def forget(self, entry: AssetEntry) -> None:
        """Let go of an entry that is at rest."""
        self._uploads.retire(entry)
        self._held.pop(entry.path, None)
        self.imported.pop(entry.path, None)

    def follow(self, old: str, entry: AssetEntry) -> None:
        """Know an entry by the path that it has now; what was being read is read again."""
        is_held = self._held.pop(old, None) is not None
        if self._loading.pop(old, None) is not None or is_held:
            self.start(entry)

    def close(self) -> None:
        """Drop what is under way."""
        self._uploads.cancel_all()
        for entry in (*self._loading.values(), *self._held.values()):
            entry.reading.job, entry.reading.is_repeated = None, False
        self._loading.clear()
        self._held.clear()

    # -- going on ----------------------------------------------------------------------------

    def hold(self, holds_reloads: bool) -> None:
        """Put newer versions of what is shown aside while they have to wait, and back after."""
        self._loading.update(self._held)
        self._held.clear()
        if holds_reloads:
            self._held = {p: e for p, e in self._loading.items() if e.asset is not None}
            for path in self._held:
                del self._loading[path]

    def proceed(self, seconds: float) -> None:
        """Take in what was read, and upload for some time."""
        for entry in list(self._loading.values()):
            job = entry.reading.job
            if job is not None and job.outcome is not None:
                self._take_in(entry, job.outcome)
        for finished in self._uploads.proceed(seconds, list(self._held.values())):
            self._accept(finished)

    def finish(self) -> None:
        """Forget what is done; when that is all of it, have what was imported kept."""
        for path in [p for p, entry in self._loading.items() if self.is_at_rest(entry)]:
            del self._loading[path]
        if not self._loading:
            waiting, self.imported = self.imported, {}
            for path, imported in waiting.items():
                self._keep(path, imported)

    def wait_some(self) -> bool:
        """Block until all is read, or some of it a little later; False where none is reading."""
        counters = [job.counter for job in self._reading()]
        if counters:
            self._jobs.wait_any(counters)
            self._jobs.wait_all(counters, _GATHER_SECONDS)
        return bool(counters)

    def wait(self, left: Callable[[], float | None]) -> None:
        """Block until no worker is reading; `left` tells for how many seconds more."""
        for job in self._reading():
            self._jobs.wait(job.counter, left(), helps=False)

    def note(self, entry: AssetEntry) -> None:
        """Have an entry told of as changed."""
        self._changed[entry.path] = entry

    def take_changed(self) -> list[AssetEntry]:
        """Return the entries that are others, or otherwise broken, since the last call."""
        changed = list(self._changed.values())
        self._changed.clear()
        return changed

    def take_reloaded(self) -> list[AssetEntry]:
        """Return the entries that came to show other contents of their file since the last call."""
        shown = {p: e for p, e in self._reloaded.items() if self.is_at_rest(e)}
        for path in shown:
            del self._reloaded[path]
        return [e for e in shown.values() if e.state == "ready" and not e.error]

    # -- the renderer ------------------------------------------------------------------------

    def attach(self, renderer: MeshStore | None, entries: list[AssetEntry]) -> None:
        """Upload what is ready to another renderer and use it from now on; None detaches."""
        waiting = self._uploads.attach(renderer, entries)
        for entry in entries:
            if entry.asset is not None:
                self._accept(self._uploads.upload(entry, entry.asset))
        for entry, asset in waiting:
            self._hand_over(entry, asset)

    @property
    def renderer(self) -> MeshStore | None:
        """Where uploads go."""
        return self._uploads.renderer

    def release_retired(self) -> None:
        """Free what replaced assets had uploaded."""
        self._uploads.release_retired()

    # -- inside ------------------------------------------------------------------------------

    def _reading(self) -> list[LoadJob]:
        jobs = (entry.reading.job for entry in self._loading.values())
        return [job for job in jobs if job is not None]

    def _run(self, job: LoadJob, asset_path: str, known: Known | None, is_fresh: bool) -> None:
        preparation = self._uploads.preparation
        job.outcome = self._reader.read(asset_path, preparation, known, is_fresh=is_fresh)

    def _take_in(self, entry: AssetEntry, outcome: LoadOutcome) -> None:
        """Take in what a worker read; where the files changed meanwhile, have them read again."""
        reading = entry.reading
        reading.job = None
        again, reading.is_repeated = reading.is_repeated, False
        if outcome.asset is not None or not again:
            self._take(entry, outcome)
        if again:
            self.start(entry)

    def _take(self, entry: AssetEntry, outcome: LoadOutcome) -> None:
        entry.reading.signature = outcome.signature
        entry.is_lost = False
        if outcome.is_same:
            return
        new, error = outcome.asset, outcome.error
        if new is not None and entry.asset is not None:
            error = lost_picture(entry.asset, new)
            if error:
                new, error = None, f"{entry.path}: {error}; showing what was last read"
        is_other = outcome.digests != entry.reading.digests or not outcome.digests
        if new is not None and is_other and (entry.asset is not None or entry.error):
            self._reloaded[entry.path] = entry
        if error != entry.error:
            self.note(entry)
        entry.error = error
        if new is not None:
            self.imported.pop(entry.path, None)
            if outcome.is_imported:
                self.imported[entry.path] = Imported(new, outcome.signature, outcome.digests)
            entry.reading.digests = outcome.digests
            self._hand_over(entry, new, outcome.prepared)
        elif entry.asset is None:
            entry.state = "failed"

    def _hand_over(
        self, entry: AssetEntry, asset: GltfAsset, prepared: PreparedMeshes | None = None
    ) -> None:
        """Begin to upload an asset, or take it as it is where there is no renderer."""
        if self._uploads.begin(entry, asset, prepared):
            self._loading[entry.path] = entry
        else:
            self._accept(self._uploads.upload(entry, asset))

    def _accept(self, finished: FinishedUpload) -> None:
        self._uploads.accept(finished)
        self.note(finished.entry)
