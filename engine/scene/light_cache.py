"""`LightCache`: environment images as a renderer takes them, kept beside what importing gave.

Decoding a large image and making its levels takes seconds; what came of it is read in a moment. It
is good as long as the file's content and the decoders are what they were and nothing of it was
damaged; else it is as good as absent. A folder that can't be written to keeps nothing.
"""

from __future__ import annotations

import hashlib
import logging
import os
import zlib
from contextlib import suppress
from pathlib import Path

import numpy as np

from engine.assets.atomic_file import write_atomically
from engine.assets.cache_folder import CachePlace, cache_place
from engine.assets.ktx2.light import PackedLight, packed_light_bytes, read_packed_light
from engine.assets.light import read_light
from engine.errors import AssetError, FileError
from engine.plain_file import open_plain
from engine.render.scene import EnvironmentMap

VERSION = 1
"""Grows when the same file comes to other light."""
_SUFFIX = ".light.ktx2"
_KEPT = 16
_log = logging.getLogger("cinder.assets")


class LightCache:
    """Reads environment images of one project, or of a folder that is none.

    Parameters
    ----------
    root : pathlib.Path
        What asset paths are relative to.
    folder : pathlib.Path, optional
        Where light is kept, instead of where `cache_place` says.
    """

    def __init__(self, root: Path, folder: Path | None = None) -> None:
        self._root = root
        self._named_folder = folder

    def read(self, path: Path, asset_path: str) -> EnvironmentMap:
        """Return the light of a file; on any thread.

        Raises
        ------
        AssetError
            The file cannot be read, or is no such image.
        """
        place = cache_place(self._root, self._named_folder)
        if place is None:
            return EnvironmentMap(read_light(path), asset_path)
        source, entry = _content(path), _entry(place, asset_path)
        with suppress(AssetError):
            kept = read_packed_light(entry)
            if kept.source == _sealed(source, kept):
                with suppress(OSError):
                    os.utime(entry)
                levels = [level[0] for level in kept.levels]
                return EnvironmentMap.of_levels(levels, kept.irradiance, asset_path)
        image = EnvironmentMap(read_light(path), asset_path)
        # A file that changed while it was read is not what the light is of.
        if _content(path) == source:
            _store(place, entry, image, source)
        return image

    def drop(self, asset_path: str) -> None:
        """Forget the light of a file."""
        place = cache_place(self._root, self._named_folder)
        if place is not None:
            with suppress(OSError):
                _entry(place, asset_path).unlink(missing_ok=True)


def _entry(place: CachePlace, asset_path: str) -> Path:
    return place.file(asset_path, "light", _SUFFIX)


def _store(place: CachePlace, entry: Path, image: EnvironmentMap, source: str) -> None:
    levels = [level[None] for level in image.levels]
    packed = PackedLight(levels, image.irradiance)
    packed = packed._replace(source=_sealed(source, packed))
    try:
        place.make()
        write_atomically(entry, packed_light_bytes(packed))
        kept = sorted(place.folder.glob(f"*{_SUFFIX}"), key=lambda file: file.lstat().st_mtime)
        for old in kept[:-_KEPT]:
            # Another program may be reading it, which only Windows minds.
            with suppress(OSError):
                old.unlink(missing_ok=True)
    except (AssetError, OSError) as problem:
        _log.info("environment image %s: is not kept: %s", image.name, problem)


def _sealed(source: str, light: PackedLight) -> str:
    """Return the words for light of `source`, which are others when any of it is damaged."""
    seal = 0
    for level in (*light.levels, light.irradiance):
        seal = zlib.crc32(
            np.ascontiguousarray(level).data, zlib.crc32(repr(level.shape).encode(), seal)
        )
    return f"{source} {seal:08x}"


def _content(path: Path) -> str:
    try:
        with open_plain(path) as file:
            digest = hashlib.file_digest(file, "blake2b").hexdigest()
    except OSError as problem:
        raise FileError(path.name, problem.strerror or str(problem)) from problem
    return f"{VERSION} {path.suffix.lower()} {digest}"
