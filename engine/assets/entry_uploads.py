"""`EntryUploads`: what the entries of a library have in a renderer, and what is on its way."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from engine.assets.asset_entry import AssetEntry
from engine.assets.gltf.asset import GltfAsset
from engine.assets.stores import MeshStore, UploadedGltf
from engine.assets.upload import upload_gltf
from engine.assets.upload_queue import FinishedUpload, UploadQueue
from engine.assets.upload_steps import MeshPreparation, PreparedMeshes
from engine.errors import EngineError


class EntryUploads:
    """Uploads of one library: under way, in use, and no longer of use.

    Attributes
    ----------
    renderer : MeshStore or None
        Where to; None means that there are no ids but -1.
    preparation : MeshPreparation or None
        What workers prepare meshes with; None without a renderer.
    """

    def __init__(self) -> None:
        self.renderer: MeshStore | None = None
        self.preparation: MeshPreparation | None = None
        self._queue = UploadQueue()
        self._version = 0
        self._retired: list[tuple[MeshStore | None, UploadedGltf]] = []

    def __bool__(self) -> bool:
        return bool(self._queue)

    def __contains__(self, entry: AssetEntry) -> bool:
        return entry in self._queue

    def attach(
        self, renderer: MeshStore | None, entries: Iterable[AssetEntry]
    ) -> list[tuple[AssetEntry, GltfAsset]]:
        """Use another renderer; free what `entries` have in the one before.

        Returns
        -------
        list of (AssetEntry, GltfAsset)
            What was on its way.
        """
        waiting = self.cancel_all()
        for entry in entries:
            self.retire(entry)
        self.release_retired()
        self.renderer = renderer
        self.preparation = None if renderer is None else MeshPreparation(renderer)
        return waiting

    def begin(
        self, entry: AssetEntry, asset: GltfAsset, prepared: PreparedMeshes | None = None
    ) -> bool:
        """Begin to upload an asset, for `proceed` to go on; False without a renderer."""
        if self.renderer is not None:
            self._queue.begin(self.renderer, entry, asset, prepared)
        return self.renderer is not None

    def upload(self, entry: AssetEntry, asset: GltfAsset) -> FinishedUpload:
        """Upload an asset at once; without a renderer its ids are -1."""
        try:
            return FinishedUpload(entry, asset, upload_gltf(self.renderer, None, asset))
        except EngineError as error:
            return FinishedUpload(entry, asset, None, str(error))

    def proceed(self, seconds: float, held: Collection[AssetEntry]) -> Iterator[FinishedUpload]:
        """Go on for some time; see `UploadQueue.proceed`."""
        return self._queue.proceed(seconds, held)

    def cancel_all(self) -> list[tuple[AssetEntry, GltfAsset]]:
        """Give back what is not whole; return what was to be uploaded."""
        return self._queue.cancel_all()

    def accept(self, finished: FinishedUpload) -> None:
        """Make an asset the entry's; one that the renderer refuses leaves the older one, if any."""
        entry = finished.entry
        if finished.uploaded is None:
            entry.reading.digests = ()
        if finished.uploaded is None and entry.uploaded is not None and not finished.is_spoilt:
            entry.error = f"{entry.path}: {finished.error}"
            return
        if finished.unused is not None:
            self._retired.append((self.renderer, finished.unused))
        else:
            self.retire(entry)
        self._version += 1
        entry.version = self._version
        entry.uploaded = finished.uploaded
        if finished.uploaded is None:
            entry.asset, entry.state = None, "failed"
            entry.error = f"{entry.path}: {finished.error}"
        else:
            entry.asset, entry.state = finished.asset, "ready"

    def retire(self, entry: AssetEntry) -> None:
        """Take an entry's upload away from it; it is freed when nothing draws with it."""
        if entry.uploaded is not None:
            self._retired.append((self.renderer, entry.uploaded))
            entry.uploaded = None

    def release_retired(self) -> None:
        """Free what was retired."""
        retired, self._retired = self._retired, []
        for renderer, uploaded in retired:
            uploaded.release(renderer)
