"""`UploadQueue`: uploads under way, continued for as long as a frame can spare."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from time import perf_counter

from engine.assets.asset_entry import AssetEntry
from engine.assets.gltf.asset import GltfAsset
from engine.assets.replace import GltfReplacement, can_replace
from engine.assets.stores import MeshStore, ReplacingStore, UploadedGltf
from engine.assets.upload_steps import GltfUpload, PreparedMeshes
from engine.errors import DeviceLostError, EngineError


@dataclass(frozen=True, slots=True)
class FinishedUpload:
    """An asset that is in the renderer, or, with `uploaded` None, the words why it is not.

    `uploaded` is the entry's own where the ids stayed; then `unused` is what of them is left over.
    With `is_spoilt` the entry's own are neither the older version nor the newer one.
    """

    entry: AssetEntry
    asset: GltfAsset
    uploaded: UploadedGltf | None
    error: str = ""
    unused: UploadedGltf | None = None
    is_spoilt: bool = False


@dataclass(slots=True)
class _Begun:
    entry: AssetEntry
    asset: GltfAsset
    upload: GltfUpload | GltfReplacement
    steps: Iterator[None]


class UploadQueue:
    """Uploads of one library, one after the other."""

    def __init__(self) -> None:
        self._begun: dict[int, _Begun] = {}

    def __bool__(self) -> bool:
        return bool(self._begun)

    def __contains__(self, entry: AssetEntry) -> bool:
        return id(entry) in self._begun

    def begin(
        self,
        renderer: MeshStore,
        entry: AssetEntry,
        asset: GltfAsset,
        prepared: PreparedMeshes | None = None,
    ) -> None:
        """Upload `asset` for `entry`, instead of what was being uploaded for it.

        It gets the ids of the version at hand where that has the same structure.
        """
        self.cancel(entry)
        upload = _upload(renderer, entry, asset, prepared)
        self._begun[id(entry)] = _Begun(entry, asset, upload, upload.steps())

    def cancel(self, entry: AssetEntry) -> None:
        """Give back what was uploaded for an entry that is not ready."""
        begun = self._begun.pop(id(entry), None)
        if begun is not None:
            begun.steps.close()  # type: ignore[attr-defined]
            begun.upload.cancel()

    def cancel_all(self) -> list[tuple[AssetEntry, GltfAsset]]:
        """Give back everything; return what was to be uploaded."""
        waiting = [(begun.entry, begun.asset) for begun in self._begun.values()]
        for entry, _ in waiting:
            self.cancel(entry)
        return waiting

    def proceed(
        self, seconds: float, held: Collection[AssetEntry] = ()
    ) -> Iterator[FinishedUpload]:
        """Go on until the time is over, but by one step at least; yield what is finished.

        The entries of `held` wait.

        Raises
        ------
        DeviceLostError
            The renderer is of no more use; what is not finished is still to be uploaded.
        """
        end = perf_counter() + seconds
        while begun := next((b for b in self._begun.values() if b.entry not in held), None):
            error = _go_on(begun.steps, end)
            if error is not None:
                del self._begun[id(begun.entry)]
                uploaded = None if error else begun.upload.uploaded
                unused, is_spoilt = begun.upload.unused, begun.upload.is_spoilt
                yield FinishedUpload(begun.entry, begun.asset, uploaded, error, unused, is_spoilt)
            if perf_counter() >= end:
                return


def _upload(
    renderer: MeshStore, entry: AssetEntry, asset: GltfAsset, prepared: PreparedMeshes | None
) -> GltfUpload | GltfReplacement:
    old, uploaded = entry.asset, entry.uploaded
    if old is None or uploaded is None or not isinstance(renderer, ReplacingStore):
        return GltfUpload(renderer, None, asset, prepared=prepared)
    if not can_replace(renderer, uploaded, old, asset):
        return GltfUpload(renderer, None, asset, prepared=prepared)
    return GltfReplacement(renderer, uploaded, old, asset, prepared)


def _go_on(steps: Iterator[None], end: float) -> str | None:
    """Take steps until the time is over, one at least; None unless that was all of them.

    Then the words why the last one failed, empty where none did.
    """
    try:
        for _ in steps:
            if perf_counter() >= end:
                return None
    except DeviceLostError:
        # Nothing is wrong with the asset: it waits for another renderer.
        raise
    except EngineError as error:
        return str(error)
    return ""
