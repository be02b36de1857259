"""What a glTF file needs beside itself, found without decoding any of it."""

from __future__ import annotations

import pathlib

from engine.assets.gltf.container import read_container
from engine.assets.gltf.limits import Budget, ImportLimits
from engine.assets.gltf.uris import MissingFileError, UriReader
from engine.errors import AssetError

_LISTS = ("buffers", "images")


def side_files(source: pathlib.Path, root: pathlib.Path) -> list[pathlib.Path]:
    """Return the files that a glTF file names and that are there.

    Whether the file as a whole is sound shows only when it is loaded.

    Parameters
    ----------
    source : pathlib.Path
    root : pathlib.Path
        The folder that it may not refer out of.

    Raises
    ------
    AssetError
        It is no glTF file, or refers out of `root`.
    """
    limits = ImportLimits()
    try:
        if source.stat().st_size > limits.total_bytes:
            raise AssetError(f"{source.name}: larger than {limits.total_bytes} bytes")
        data = source.read_bytes()
    except OSError as error:
        raise AssetError(f"{source}: can't be read: {error}") from error
    try:
        described = read_container(data).root
        uris = UriReader(source.parent, root, Budget(limits))
        for name in _LISTS:
            items = described.get(name)
            for place, item in enumerate(items if isinstance(items, list) else ()):
                uri = item.get("uri") if isinstance(item, dict) else None
                if isinstance(uri, str) and uri[:5].lower() != "data:":
                    _visit(uris, uri, f"/{name}/{place}/uri")
    except AssetError as error:
        raise AssetError(f"{source.name}: {error}") from error
    return uris.files


def _visit(uris: UriReader, uri: str, pointer: str) -> None:
    try:
        uris.read(uri, pointer)
    except MissingFileError:
        return
