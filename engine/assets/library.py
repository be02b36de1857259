"""`AssetLibrary`: the glTF assets of one project, loaded beside the program's work.

An entry stands for one file by the path that levels write. Worker threads read and decode; `poll`
takes the results in on the main thread and uploads them when a renderer is attached. A file that
changes on disk is loaded again, and the asset at hand stays until its successor is whole, so a half
written file or the gap of a replacing save never takes a prop away. The library knows nothing of
entities: who shows an asset asks `poll` which entries changed.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import wait as wait_for
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from engine.assets.gltf import GltfAsset, load_gltf
from engine.assets.import_cache import ImportCache, Signature
from engine.assets.upload import MeshStore, UploadedGltf, upload_gltf
from engine.errors import AssetError, EngineError

_log = logging.getLogger("cinder.assets")

AssetState = Literal["loading", "ready", "failed"]

_ABSENT = (-1, -1)


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What a worker hands over: an asset, or the words why there is none.

    `is_imported` tells that the asset comes from its own files, not from the cache.
    """

    asset: GltfAsset | None
    error: str
    signature: Signature
    is_imported: bool = False


@dataclass(eq=False, slots=True)
class AssetEntry:
    """One asset of the project and how far it is.

    Parameters
    ----------
    path : str
        As levels write it, relative to the project, with "/".
    state : {"loading", "ready", "failed"}
        A ready entry that is being loaded again, or whose newer file is broken, stays ready.
    asset : GltfAsset or None
        Set while ready.
    error : str
        Why it failed, or why the newest file could not be taken; empty otherwise.
    uploaded : UploadedGltf or None
        The ids in the attached renderer, all -1 when there is none; set while ready.
    version : int
        Grows whenever `asset` or `uploaded` becomes another object.
    """

    path: str
    state: AssetState = "loading"
    asset: GltfAsset | None = None
    error: str = ""
    uploaded: UploadedGltf | None = None
    version: int = 0
    _job: Future[_Outcome] | None = field(default=None, repr=False)
    _signature: Signature = field(default=(), repr=False)
    _missed: bool = field(default=False, repr=False)


class AssetLibrary:
    """The assets below one folder.

    Parameters
    ----------
    root : path
        The project's folder. Nothing outside it is read.
    workers : int
        Threads that load.
    cache_folder : path, optional
        Where imported assets are kept for the next time, instead of ``.cinder`` in a `root` that
        holds a project.
    """

    def __init__(
        self,
        root: str | os.PathLike[str],
        workers: int = 2,
        cache_folder: str | os.PathLike[str] | None = None,
    ) -> None:
        self.root = Path(root).resolve()
        self.cache = ImportCache(self.root, None if cache_folder is None else Path(cache_folder))
        self._uncooked: dict[str, tuple[GltfAsset, Signature]] = {}
        self._entries: dict[str, AssetEntry] = {}
        self._loading: dict[str, AssetEntry] = {}
        self._changed: dict[str, AssetEntry] = {}
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="asset")
        self._renderer: MeshStore | None = None
        self._retired: list[tuple[MeshStore | None, UploadedGltf]] = []

    def get(self, asset_path: str) -> AssetEntry:
        """Return the entry of an asset; the first request starts loading it."""
        entry = self._entries.get(asset_path)
        if entry is None:
            entry = self._entries[asset_path] = AssetEntry(asset_path)
            self._start(entry)
        return entry

    def entries(self) -> list[AssetEntry]:
        """Return every entry that was asked for."""
        return list(self._entries.values())

    def loading(self) -> list[AssetEntry]:
        """Return the entries that a worker is reading or `poll` has not taken in yet."""
        return list(self._loading.values())

    def resolve(self, asset_path: str) -> Path:
        """Return the file that a path of a level means.

        Raises
        ------
        AssetError
            The path is empty, malformed or leaves the project's folder.
        """
        if not asset_path:
            raise AssetError("asset: the path is empty")
        try:
            found = (self.root / asset_path).resolve()
        except (OSError, ValueError, RuntimeError) as error:
            raise AssetError(f"{asset_path!r}: not a usable path ({error})") from error
        if not found.is_relative_to(self.root):
            raise AssetError(f"{asset_path}: leaves the project folder {self.root}")
        return found

    def poll(self) -> list[AssetEntry]:
        """Take in what the workers finished; main thread only.

        Returns
        -------
        list of AssetEntry
            The entries whose state, asset, error or upload changed since the last call.
        """
        for entry in [e for e in self._loading.values() if e._job is None or e._job.done()]:
            del self._loading[entry.path]
            if entry._job is not None:
                outcome = entry._job.result()
                entry._job = None
                self._take(entry, outcome)
        if not self._loading:
            self._cook()
        if not self._changed:
            return []
        changed = list(self._changed.values())
        self._changed.clear()
        return changed

    def wait(self, timeout: float | None = None) -> None:
        """Block until no worker is reading; `poll` then takes everything in."""
        wait_for([e._job for e in self._loading.values() if e._job is not None], timeout)

    def check_for_changes(self, force: bool = False) -> list[AssetEntry]:
        """Load again what changed on disk since it was read.

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
        idle = [entry for entry in self._entries.values() if entry._job is None]
        started = [entry for entry in idle if force or self._is_stale(entry)]
        for entry in started:
            self._start(entry)
        return started

    def follow(self, moved: Mapping[str, str]) -> None:
        """Know files by what they are called now; nothing is read again.

        Parameters
        ----------
        moved : mapping of str to str
            From the old path of every file that was moved, side files too, to its new one, both
            relative to the project.
        """
        places = {str(self.root / old): str(self.root / new) for old, new in moved.items()}
        for entry in self._entries.values():
            entry._signature = tuple((places.get(p, p), t, n) for p, t, n in entry._signature)
            if entry.asset is not None:
                sides = (places.get(str(side), str(side)) for side in entry.asset.source_files)
                entry.asset.source_files[:] = map(Path, sides)
        for old, new in moved.items():
            if old in self._entries and new not in self._entries:
                entry = self._entries[new] = self._entries.pop(old)
                entry.path = new
                if self._loading.pop(old, None) is not None:
                    self._start(entry)
        again = [e for e in map(self._entries.get, moved.values()) if e is not None and e.error]
        for entry in again:
            self._start(entry)

    def attach(self, renderer: MeshStore | None) -> None:
        """Upload what is ready to `renderer` and use it from now on; None detaches."""
        if renderer is self._renderer:
            return
        for entry in self._entries.values():
            self._retire(entry)
        self.release_retired()
        self._renderer = renderer
        for entry in self._entries.values():
            if entry.asset is not None:
                self._accept(entry, entry.asset)

    def release_retired(self) -> None:
        """Free what replaced assets had uploaded; call once nothing draws with the old ids."""
        retired, self._retired = self._retired, []
        for renderer, uploaded in retired:
            uploaded.release(renderer)

    def close(self) -> None:
        """Stop the workers; what they are reading or cooking is dropped."""
        self.cache.close()
        self._pool.shutdown(wait=False, cancel_futures=True)
        for entry in self._loading.values():
            entry._job = None
        self._loading.clear()

    def _start(self, entry: AssetEntry) -> None:
        entry._missed = False
        entry._job = self._pool.submit(self._load, entry.path)
        self._loading[entry.path] = entry

    def _load(self, asset_path: str) -> _Outcome:
        started = time.time_ns()
        signature: Signature = ()
        try:
            path = self.resolve(asset_path)
            signature = _sign([path])
            cached = self.cache.load(asset_path)
            asset = load_gltf(str(path), root=self.root) if cached is None else cached
            if self._renderer is not None:
                for primitive in (part for mesh in asset.meshes for part in mesh.primitives):
                    primitive.mesh.build_lods()
        except EngineError as error:
            return _Outcome(None, str(error), signature)
        except Exception as error:  # noqa: BLE001  a fault of the importer must not end the program
            _log.exception("loading %s", asset_path)
            return _Outcome(None, f"{asset_path}: {type(error).__name__}: {error}", signature)
        sides = [side for side in asset.source_files if Path(side) != path]
        return _Outcome(asset, "", signature + _sign(sides, started), cached is None)

    def _take(self, entry: AssetEntry, outcome: _Outcome) -> None:
        entry._signature = outcome.signature
        is_news = outcome.asset is not None or outcome.error != entry.error
        entry.error = outcome.error
        if is_news:
            self._changed[entry.path] = entry
        if outcome.asset is not None:
            self._uncooked.pop(entry.path, None)
            if outcome.is_imported:
                self._uncooked[entry.path] = outcome.asset, outcome.signature
            self._retire(entry)
            self._accept(entry, outcome.asset)
        elif entry.asset is None:
            entry.state = "failed"

    def _cook(self) -> None:
        """Have what was imported kept, now that nobody waits for an import."""
        waiting, self._uncooked = self._uncooked, {}
        for path, (asset, signature) in waiting.items():
            self.cache.store(path, asset, signature)

    def _accept(self, entry: AssetEntry, asset: GltfAsset) -> None:
        """Make `asset` the entry's, uploaded; a renderer that refuses it fails the entry."""
        entry.version += 1
        self._changed[entry.path] = entry
        try:
            entry.uploaded = upload_gltf(self._renderer, None, asset)
        except EngineError as error:
            entry.asset, entry.state, entry.error = None, "failed", f"{entry.path}: {error}"
            return
        entry.asset, entry.state = asset, "ready"

    def _retire(self, entry: AssetEntry) -> None:
        if entry.uploaded is not None:
            self._retired.append((self._renderer, entry.uploaded))
            entry.uploaded = None

    def _is_stale(self, entry: AssetEntry) -> bool:
        now = _sign([path for path, _, _ in entry._signature])
        is_there = bool(now) and now[0][1:] != _ABSENT
        if is_there:
            entry._missed = False
            # What a broken file is made of is not known, so it is tried again.
            return now != entry._signature or bool(entry.error)
        if entry.asset is None:
            return False
        if entry._missed and not entry.error:
            entry.error = f"{entry.path}: the file is gone; showing what was last read"
            self._changed[entry.path] = entry
        entry._missed = True
        return False


def _sign(paths: Iterable[str | os.PathLike[str]], started_ns: int | None = None) -> Signature:
    """Describe files as they are; one written after `started_ns` counts as not read."""
    signed = []
    for path in paths:
        modified, size = _stat(path)
        if started_ns is not None and modified > started_ns:
            modified = -2
        signed.append((str(path), modified, size))
    return tuple(signed)


def _stat(path: str | os.PathLike[str]) -> tuple[int, int]:
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return _ABSENT
    return found.st_mtime_ns, found.st_size
