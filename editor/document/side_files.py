"""What a glTF file needs beside itself, found without decoding any of it."""

from __future__ import annotations

import pathlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from engine.assets.gltf.container import read_container
from engine.assets.gltf.limits import Budget, ImportLimits
from engine.assets.gltf.uris import MissingFileError, UriReader
from engine.errors import AssetError
from engine.plain_file import read_plain

_LISTS = ("buffers", "images")


@dataclass(frozen=True)
class SideFiles:
    """The files that a glTF file names.

    Attributes
    ----------
    found : tuple of pathlib.Path
        Those that are there.
    missing : tuple of (str, str)
        JSON pointer and words of those that are not.
    places : tuple of (str, pathlib.Path)
        The URI and the file of each that is there.
    """

    found: tuple[pathlib.Path, ...] = ()
    missing: tuple[tuple[str, str], ...] = ()
    places: tuple[tuple[str, pathlib.Path], ...] = field(default=(), repr=False)


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
        data = read_plain(source)
    except OSError as error:
        raise AssetError(f"{source}: can't be read: {error}") from error
    return list(named_side_files(described_by(data, source), source, root).found)


def described_by(data: bytes, source: pathlib.Path) -> dict[str, Any]:
    """Return the JSON of the bytes of a glTF file at `source`.

    Raises
    ------
    AssetError
        They are no glTF file.
    """
    try:
        return read_container(data).root
    except AssetError as error:
        raise AssetError(f"{source.name}: {error}") from error


def named_side_files(
    described: dict[str, Any], source: pathlib.Path, root: pathlib.Path
) -> SideFiles:
    """Return which files the JSON of a glTF file at `source` names, there or not.

    Raises
    ------
    AssetError
        It refers out of `root`.
    """
    try:
        uris = UriReader(source.parent, root, Budget(ImportLimits()))
        places: list[tuple[str, pathlib.Path]] = []
        missing: list[tuple[str, str]] = []
        for pointer, uri in _uris(described):
            try:
                places.append((uri, uris.find(uri, pointer)))
            except MissingFileError as error:
                missing.append((pointer, f"'{uri}' {error.reason}"))
    except AssetError as error:
        raise AssetError(f"{source.name}: {error}") from error
    found = dict.fromkeys(path for _, path in places)
    return SideFiles(tuple(found), tuple(missing), tuple(places))


def _uris(described: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for name in _LISTS:
        items = described.get(name)
        for place, item in enumerate(items if isinstance(items, list) else ()):
            uri = item.get("uri") if isinstance(item, dict) else None
            if isinstance(uri, str) and uri[:5].lower() != "data:":
                yield f"/{name}/{place}/uri", uri
