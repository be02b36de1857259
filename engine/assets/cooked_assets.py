"""Cooked files loaded by jobs, counted, shared, reloaded in place.

`load_*` counts a reference and starts a job; `update`, once per frame, takes what the jobs read and
hands it to the renderer. A material pulls in the textures that it names and is ready when they are.
Everything but the reading happens on the thread that owns the renderer; there are no locks. A
reload that fails leaves what was good in use; of overlapping reloads the newest wins.
"""

import copy
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from engine.assets.asset_loading import KIND_OF_SUFFIX, LoadSlot, file_stamp, load_job
from engine.assets.asset_records import AssetRecord, AssetState, MaterialVersion
from engine.assets.cook_folder import CookFolder
from engine.assets.cooked.clip import Clip
from engine.assets.cooked.mesh import CookedMesh
from engine.assets.jobs import JobSystem
from engine.assets.ktx2 import LoadedTexture
from engine.assets.record_uploads import CookedStore, RecordUploads
from engine.assets.watch.changes import FileChanges
from engine.errors import AssetError, EngineError

_RELEASE_ORDER = ("material", "mesh", "clip", "texture")


class CookedAssets:
    """Loads assets by logical path from a folder that `cinder-cook` filled.

    Parameters
    ----------
    jobs : JobSystem
        Reads files; when its table is full a load runs at once on the calling thread.
    renderer : CookedStore or None
        None uploads nothing; mesh, material and texture ids are -1.
    root : path
        The folder with the manifest.
    """

    def __init__(
        self, jobs: JobSystem, renderer: CookedStore | None, root: str | os.PathLike[str]
    ) -> None:
        self._jobs = jobs
        self._folder = CookFolder(Path(root))
        self._index_of: dict[str, int] = {}
        self._slots: list[LoadSlot] = []
        self._finishers: dict[str, Callable[[AssetRecord, Any], None]] = {
            "mesh": self._finish_mesh,
            "texture": self._finish_texture,
            "clip": self._finish_clip,
            "material": self._begin_material,
        }
        self.records: list[AssetRecord] = []
        self._uploads = RecordUploads(self.records, renderer)

    def load_mesh(self, logical: str) -> int:
        """Count a reference of a mesh and return its index; see `load_material`."""
        return self._load_kind("mesh", logical)

    def load_clip(self, logical: str) -> int:
        """Count a reference of an animation clip and return its index; see `load_material`."""
        return self._load_kind("clip", logical)

    def load_texture(self, logical: str) -> int:
        """Count a reference of a texture and return its index; see `load_material`."""
        return self._load_kind("texture", logical)

    def load_material(self, logical: str) -> int:
        """Count a reference of a material and return its index into `records`.

        The same path gives the same index until its last reference is released. One whose load
        failed starts loading again.

        Raises
        ------
        AssetError
            The manifest has no such path, or it is of another kind (``is a mesh, not a clip``).
        """
        return self._load_kind("material", logical)

    def state(self, index: int) -> AssetState:
        """Return where an asset stands."""
        return self._record(index).state

    def error(self, index: int) -> str:
        """Return the message of a load that failed, empty when none did."""
        return self._record(index).error

    def mesh_index(self, index: int) -> int:
        """Return the renderer's id of a mesh; AssetError until it is ready."""
        return self._ready("mesh", index).mesh  # type: ignore[return-value]

    def material_index(self, index: int) -> int:
        """Return the renderer's id of a material; AssetError until it is ready."""
        return self._ready("material", index).material  # type: ignore[return-value]

    def texture_view(self, index: int) -> Any:
        """Return the view of a texture, another one after a reload; AssetError until ready."""
        return self._ready("texture", index).view

    def clip(self, index: int) -> Clip:
        """Return a copy of a clip; AssetError until it is ready."""
        return copy.deepcopy(self._ready("clip", index).clip)  # type: ignore[return-value]

    def live_count(self) -> int:
        """Return how many records have a reference."""
        return sum(record.refs > 0 for record in self.records)

    def update(self) -> None:
        """Take what jobs have read since the last call; uploads happen here."""
        for slot in [slot for slot in self._slots if slot.done]:
            self._slots.remove(slot)
            self._finish(slot)
        for record in self.records:
            if record.pending is not None:
                self._try_material(record, record.pending)

    def wait_all(self) -> None:
        """Update until nothing is loading; for tests and loading screens."""
        while self._slots or any(record.pending is not None for record in self.records):
            for slot in list(self._slots):
                self._jobs.wait(slot.counter)
            self.update()

    def reload_changed(self, retries_failed: bool = False) -> int:
        """Reload each ready asset whose file is another than when its load began.

        So is a material whose reload failed by a texture that is another one now.

        Parameters
        ----------
        retries_failed : bool
            Try what never was ready as well, once its file is another one.

        Returns
        -------
        int
            How many reloads were started.
        """
        started = 0
        for index, record in enumerate(self.records):
            is_wanted = record.state is AssetState.READY or (
                retries_failed and record.state is AssetState.FAILED
            )
            if record.refs > 0 and is_wanted and record.is_outdated():
                record.reloads += 1
                self._start_load(index)
                started += 1
        return started

    def cooked_changed(self, changes: FileChanges) -> int:
        """Load again what is referenced and whose file is another one now; return how many.

        What is being loaded already is loaded anew, and what failed gets another try.
        """
        started = 0
        for index, record in enumerate(self.records):
            if record.refs <= 0 or not changes.touches(record.sources()):
                continue
            is_ready = record.state is AssetState.READY
            if record.is_outdated() if is_ready else os.path.exists(record.path):
                record.reloads += 1
                self._start_load(index)
                started += 1
        return started

    def cooked_sources(self) -> set[str]:
        """Return the files that what is referenced is read again for."""
        return {file for record in self.records if record.refs > 0 for file in record.sources()}

    @property
    def is_reading_cooked(self) -> bool:
        """Whether jobs are reading, or `update` has something to take in."""
        return bool(self._slots) or any(record.pending is not None for record in self.records)

    def release(self, index: int) -> None:
        """Give back one reference; the last one frees what the renderer holds.

        Waits for a load of the asset that is still running.

        Raises
        ------
        AssetError
            ``released too often``: there is no reference left.
        """
        record = self._record(index)
        if record.refs <= 0:
            raise AssetError(f"{record.logical}: released too often")
        record.refs -= 1
        if record.refs == 0:
            self._free(index)

    def use_renderer(self, renderer: CookedStore | None) -> None:
        """Upload everything to another renderer from now on; None detaches.

        What is referenced is loaded again and is not ready until then.
        """
        if renderer is self._uploads.renderer:
            return
        live = [(index, record) for index, record in enumerate(self.records) if record.refs > 0]
        for kind in _RELEASE_ORDER:
            for _, record in live:
                if record.kind == kind:
                    self._uploads.remove(record)
        self._uploads.renderer = renderer
        for index, record in live:
            if record.state is not AssetState.FAILED:
                record.state = AssetState.LOADING
                self._start_load(index)

    def release_all(self) -> None:
        """Wait for every job and free everything."""
        for kind in _RELEASE_ORDER:
            for index, record in enumerate(self.records):
                if record.kind == kind and record.refs > 0:
                    record.refs = 0
                    self._free(index)

    def _record(self, index: int) -> AssetRecord:
        if not 0 <= index < len(self.records):
            raise AssetError(f"asset {index}: out of range of {len(self.records)} records")
        return self.records[index]

    def _ready(self, kind: str, index: int) -> AssetRecord:
        record = self._record(index)
        _check_kind(record.logical, record.kind, kind)
        if record.state is not AssetState.READY:
            reason = record.error or "not ready, still loading"
            raise AssetError(f"{record.logical}: {reason}")
        return record

    def _load_kind(self, kind: str, logical: str) -> int:
        index = self._index_of.get(logical)
        if index is None:
            path = self._folder.path_of(logical)
            _check_kind(logical, KIND_OF_SUFFIX.get(path.suffix, path.suffix), kind)
            index = self._index_of[logical] = len(self.records)
            self.records.append(AssetRecord(kind, logical, path, refs=1))
            self._start_load(index)
            return index
        record = self.records[index]
        _check_kind(logical, record.kind, kind)
        record.refs += 1
        if record.state is AssetState.FAILED:
            self._start_load(index)
        return index

    def _start_load(self, index: int) -> None:
        record = self.records[index]
        record.generation += 1
        record.waits_for = {}
        # Before reading, so that what is written meanwhile counts as a change.
        record.stamp = file_stamp(record.path)
        if record.state is not AssetState.READY:
            record.state, record.error = AssetState.LOADING, ""
        slot = LoadSlot(index, record.generation)
        self._slots.append(slot)
        bc7 = self._uploads.prefers_bc7
        job = load_job(slot, record.kind, record.logical, record.path, bc7)
        if not self._jobs.submit(job, slot.counter):
            job()

    def _finish(self, slot: LoadSlot) -> None:
        record = self.records[slot.index]
        if slot.generation != record.generation:
            return
        if slot.error:
            self._supersede(record, None)
            if not slot.was_read:
                # The next look tries again, whether or not the file is another one then.
                record.stamp = None
            self._fail(record, slot.error)
            return
        try:
            self._finishers[record.kind](record, slot.payload)
        except EngineError as error:
            self._fail(record, str(error))

    def _fail(self, record: AssetRecord, message: str) -> None:
        record.error = message
        if record.state is not AssetState.READY:
            record.state = AssetState.FAILED

    def _succeed(self, record: AssetRecord) -> None:
        record.state, record.error = AssetState.READY, ""

    def _finish_mesh(self, record: AssetRecord, mesh: CookedMesh) -> None:
        self._uploads.put_mesh(record, mesh)
        self._succeed(record)

    def _finish_clip(self, record: AssetRecord, clip: Clip) -> None:
        record.clip = clip
        self._succeed(record)

    def _finish_texture(self, record: AssetRecord, loaded: LoadedTexture) -> None:
        self._uploads.put_texture(record, loaded)
        self._succeed(record)

    def _begin_material(self, record: AssetRecord, cooked: Any) -> None:
        """Take references of the textures that a material names, the old ones' being kept."""
        version = MaterialVersion(cooked, {})
        try:
            for image in cooked.images():
                version.textures[image] = self._load_kind("texture", image)
        except AssetError:
            self._drop(version)
            record.waits_for = {self._folder.manifest_path: self._folder.manifest_stamp}
            raise
        self._supersede(record, version)

    def _supersede(self, record: AssetRecord, version: MaterialVersion | None) -> None:
        """Let a newer version wait for its textures in place of an older one."""
        old, record.pending = record.pending, version
        if old is not None:
            self._drop(old)

    def _try_material(self, record: AssetRecord, version: MaterialVersion) -> None:
        """Finish a material whose textures are all ready, or fail it with the first that failed."""
        textures = [self.records[index] for index in version.textures.values()]
        failed = next((t for t in textures if t.state is AssetState.FAILED), None)
        if failed is None and any(t.state is not AssetState.READY for t in textures):
            return
        record.pending = None
        try:
            if failed is not None:
                record.waits_for = {texture.path: texture.stamp for texture in textures}
                raise AssetError(f"{failed.logical}: {failed.error}")
            self._uploads.put_material(record, version)
        except EngineError as error:
            self._drop(version)
            self._fail(record, str(error))
            return
        old, record.current = record.current, version
        if old is not None:
            self._drop(old)
        self._succeed(record)

    def _drop(self, version: MaterialVersion) -> None:
        """Give back a material's references of its textures."""
        for index in version.textures.values():
            record = self.records[index]
            if record.refs > 0:
                self.release(index)

    def _free(self, index: int) -> None:
        record = self.records[index]
        for slot in [slot for slot in self._slots if slot.index == index]:
            self._jobs.wait(slot.counter)
            self._slots.remove(slot)
        del self._index_of[record.logical]
        record.state, record.error = AssetState.FAILED, "released"
        self._uploads.remove(record)
        record.clip = None
        versions = [v for v in (record.current, record.pending) if v is not None]
        record.current = record.pending = None
        # After the material, which binds them.
        for version in versions:
            self._drop(version)


def _check_kind(logical: str, found: str, wanted: str) -> None:
    if found != wanted:
        raise AssetError(f"{logical} is a {found}, not a {wanted}")
