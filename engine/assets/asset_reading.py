"""The half of the asset library that runs on worker threads: from an asset path to an outcome.

Nothing here touches entries. What a worker needs to know of the version at hand it is given, so
that a file that was only touched costs no import.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from engine.assets.asset_entry import LoadOutcome, Signature, sign
from engine.assets.contents import Digests, begin_reading, digests_of, untouched_since
from engine.assets.gltf import GltfAsset, load_gltf
from engine.assets.import_cache import ImportCache
from engine.assets.upload_steps import MeshPreparation
from engine.collector import paused_collector
from engine.errors import EngineError, FileError

_log = logging.getLogger("cinder.assets")
_TURN_SECONDS = 0.02

Known = tuple[Signature, Digests]
"""What the files of the version at hand looked like, and what they held."""


class AssetReader:
    """Reads assets below one folder.

    Parameters
    ----------
    root : Path
    cache : ImportCache
    resolve : callable
        From an asset path to the file's; raises AssetError where it means none.
    """

    def __init__(self, root: Path, cache: ImportCache, resolve: Callable[[str], Path]) -> None:
        self._root = root
        self._cache = cache
        self._resolve = resolve
        self._turn = threading.Lock()

    def read(
        self,
        asset_path: str,
        prepare: MeshPreparation | None,
        known: Known | None = None,
        *,
        is_fresh: bool = False,
    ) -> LoadOutcome:
        """Read an asset; it never raises.

        Parameters
        ----------
        asset_path : str
        prepare : MeshPreparation, optional
            Makes levels of detail, and what else will be needed to draw it.
        known : Known, optional
            The version at hand; files that hold what that was made of are not read again.
        is_fresh : bool
            Import the file itself, whatever the cache has.
        """
        signature: Signature = ()
        try:
            if known is not None and (same := _as_known(str(self._resolve(asset_path)), *known)):
                return same
            if not is_fresh and (kept := self._read_kept(asset_path, prepare)):
                return kept
            started = time.time_ns()
            path = self._resolve(asset_path)
            began = begin_reading(str(path))
            signature = sign([path])
            with paused_collector():
                asset = load_gltf(str(path), root=self._root)
                prepared = None if prepare is None else prepare(asset)
        except EngineError as error:
            # Packs share names: the path that levels write tells more than that of the file.
            named = FileError(asset_path, error.problem) if isinstance(error, FileError) else error
            return LoadOutcome(None, str(named), signature)
        except Exception as error:  # noqa: BLE001  a fault of the importer must not end the program
            _log.exception("loading %s", asset_path)
            return LoadOutcome(None, f"{asset_path}: {type(error).__name__}: {error}", signature)
        signature += sign(_sides(asset, path), started)
        files = [file for file, _, _ in signature]
        digests = digests_of(files)
        digests = digests if untouched_since(files, began) else ()
        return LoadOutcome(asset, "", signature, True, digests, prepared=prepared)

    def _read_kept(self, asset_path: str, prepare: MeshPreparation | None) -> LoadOutcome | None:
        """Return what the cache has of an asset; None where it has to be imported.

        One thread after the other: most take a few milliseconds, nearly all of them with the
        interpreter, and threads that take turns at it need half as much time again. Nobody waits
        for a large one.
        """
        with _in_turn(self._turn), paused_collector():
            started = time.time_ns()
            path = self._resolve(asset_path)
            began = begin_reading(str(path))
            signature = sign([path])
            cached = self._cache.load(asset_path, str(path))
            if cached is None:
                return None
            prepared = None if prepare is None else prepare(cached.asset)
            signature += sign(_sides(cached.asset, path), started)
            is_sure = untouched_since([file for file, _, _ in signature], began)
            digests = cached.digests if is_sure else ()
            return LoadOutcome(cached.asset, "", signature, digests=digests, prepared=prepared)


@contextmanager
def _in_turn(turn: threading.Lock) -> Iterator[None]:
    """Wait a little for a lock, and go on without it where it is held for longer."""
    is_held = turn.acquire(timeout=_TURN_SECONDS)
    try:
        yield
    finally:
        if is_held:
            turn.release()


def _sides(asset: GltfAsset, path: Path) -> list[str]:
    """Return what an asset is made of besides its own file, there or missing."""
    found = [side for side in map(str, asset.source_files) if side != str(path)]
    return [*found, *map(os.path.realpath, asset.missing_files)]


def _as_known(path: str, signature: Signature, digests: Digests) -> LoadOutcome | None:
    """Return the outcome for a file at `path` that holds what it held; None for another."""
    files = [file for file, _, _ in signature]
    now = sign(files)
    if not digests or files[0] != path or digests_of(files) != digests:
        return None
    return LoadOutcome(None, "", now, digests=digests, is_same=True)


def lost_picture(old: GltfAsset, new: GltfAsset) -> str:
    """Return what is said of a picture that was there in `old` and can't be read in `new`."""
    for index, (before, after) in enumerate(zip(old.images, new.images, strict=False)):
        if after.missing and not before.missing and before.name == after.name:
            pointer = f"/images/{index}"
            said = (w for w in new.warnings if w.split(": ")[0].startswith(pointer))
            return next(said, f"{pointer}: cannot be read").removesuffix("; a checker is shown")
    return ""
