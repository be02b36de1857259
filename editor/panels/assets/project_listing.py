"""What the assets panel lists: folders and files of a project, read when they are looked at."""

import os
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from editor.commands.naming import asset_title

__all__ = [
    "AssetItem",
    "AssetQuery",
    "child_folders",
    "has_folders",
    "list_folder",
    "search_folder",
    "search_known",
    "size_text",
]

_KINDS: Final = {
    ".glb": "model",
    ".gltf": "model",
    ".scene": "level",
    ".cscn": "level",
    ".hdr": "image",
    ".exr": "image",
    ".png": "image",
    ".jpg": "image",
    ".jpeg": "image",
    ".webp": "image",
    ".ktx2": "image",
}
_MOST_FOUND: Final = 2000
_MOST_LOOKED_AT: Final = 50_000

Accepts = Callable[[str, str], bool]


def size_text(count: int) -> str:
    """Return a number of bytes in words."""
    if count < 1000:
        return f"{count} B"
    return f"{count / 1e6:.2f} MB" if count >= 1e5 else f"{count / 1e3:.1f} kB"


@dataclass(frozen=True)
class AssetItem:
    """One tile.

    Attributes
    ----------
    kind
        "folder", "model", "level" or "image".
    asset
        Path relative to the project, with "/".
    modified
        Time of the last change, ns.
    size
        Bytes.
    triangles
        How many a model draws; -1 where that is not known.
    """

    kind: str
    path: Path
    asset: str
    modified: int = 0
    size: int = 0
    triangles: int = -1

    @property
    def title(self) -> str:
        """The name under the tile."""
        return self.path.name if self.kind == "folder" else asset_title(self.path.name)

    @property
    def facts(self) -> dict[str, str]:
        """What a list tells beside the name, in words, by column."""
        kind = {"kind": self.kind.capitalize()}
        if self.kind == "folder":
            return kind
        when = time.strftime("%d %b %Y, %H:%M", time.localtime(self.modified / 1e9)).lstrip("0")
        triangles = f"{self.triangles:,}" if self.triangles >= 0 else ""
        return {**kind, "size": size_text(self.size), "triangles": triangles, "modified": when}

    @property
    def ending(self) -> str:
        """What of the file's name is not in its title."""
        return self.path.name[len(self.title) :]


@dataclass(frozen=True)
class AssetQuery:
    """What a search asks for.

    Attributes
    ----------
    words
        All of them are in the path.
    kinds
        One of them is the kind, by its beginning; empty for all.
    unused, favourite
        Only what nothing uses; only what is marked.
    """

    words: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    unused: bool = False
    favourite: bool = False

    @classmethod
    def of(cls, text: str, *, unused: bool = False, favourite: bool = False) -> "AssetQuery":
        """Read what was typed: words, ``t:model`` for a kind, ``is:unused``, ``is:favourite``."""
        words, kinds = [], []
        for word in text.lower().split():
            key, colon, value = word.partition(":")
            if colon and key == "t":
                kinds += [value] if value else []
            elif colon and key == "is" and value and "unused".startswith(value):
                unused = True
            elif colon and key == "is" and value and "favourite".startswith(value):
                favourite = True
            else:
                words.append(word)
        return cls(tuple(words), tuple(kinds), unused, favourite)

    @property
    def is_empty(self) -> bool:
        """Whether it asks for nothing in particular."""
        return self == AssetQuery()

    @property
    def asks_for_folders(self) -> bool:
        """Whether folders fit, too."""
        return any("folder".startswith(kind) for kind in self.kinds)

    def matches(self, asset: str, kind: str) -> bool:
        """Whether words and kinds fit; who uses or marked it is not known here."""
        if self.kinds and not any(kind.startswith(wanted) for wanted in self.kinds):
            return False
        lower = asset.lower()
        return all(word in lower for word in self.words)


def _visible(name: str) -> bool:
    return not name.startswith((".", "__"))


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            found = [entry for entry in entries if _visible(entry.name)]
    except OSError:
        return []
    return sorted(found, key=lambda entry: entry.name.lower())


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False


def child_folders(folder: Path) -> list[Path]:
    """Return the folders in a folder, by name."""
    return [Path(entry.path) for entry in _entries(folder) if _is_folder(entry)]


def has_folders(folder: Path) -> bool:
    """Whether a folder holds others."""
    return any(_is_folder(entry) for entry in _entries(folder))


def _item(entry: os.DirEntry[str], root: Path) -> AssetItem | None:
    path = Path(entry.path)
    kind = "folder" if _is_folder(entry) else _KINDS.get(path.suffix.lower(), "")
    if not kind:
        return None
    asset = path.relative_to(root).as_posix()
    if kind == "folder":
        return AssetItem(kind, path, asset)
    try:
        status = entry.stat()
    except OSError:
        return None
    return AssetItem(kind, path, asset, status.st_mtime_ns, status.st_size)


def list_folder(root: Path, folder: Path) -> list[AssetItem]:
    """Return what is in one folder by name, folders first."""
    items = [item for entry in _entries(folder) if (item := _item(entry, root)) is not None]
    return sorted(items, key=lambda item: item.kind != "folder")


def _walk(folder: Path) -> Iterator[os.DirEntry[str]]:
    stack = [folder]
    looked_at = 0
    while stack and looked_at < _MOST_LOOKED_AT:
        for entry in _entries(stack.pop()):
            looked_at += 1
            if _is_folder(entry):
                stack.append(Path(entry.path))
            yield entry


def search_folder(
    root: Path, folder: Path, query: AssetQuery, accepts: Accepts = lambda _asset, _kind: True
) -> list[AssetItem]:
    """Return what fits below a folder; folders only where they are asked for.

    Parameters
    ----------
    accepts
        What else is asked of a path and its kind.
    """
    found: list[AssetItem] = []
    for entry in _walk(folder):
        item = _item(entry, root)
        is_meant = item is not None and (item.kind != "folder" or bool(query.kinds))
        if item is not None and is_meant and query.matches(item.asset, item.kind):
            if not accepts(item.asset, item.kind):
                continue
            found.append(item)
            if len(found) >= _MOST_FOUND:
                break
    return sorted(found, key=lambda item: item.asset.lower())


def search_known(
    root: Path,
    stamps: Mapping[str, tuple[int, int]],
    query: AssetQuery,
    accepts: Accepts = lambda _asset, _kind: True,
) -> list[AssetItem]:
    """Return which of the files that are known fit, without a look at the disk.

    Parameters
    ----------
    stamps
        Size and time of the last change, ns, of each file, by its path below the root.
    accepts
        What else is asked of a path and its kind.
    """
    found: list[AssetItem] = []
    for asset, (size, modified) in stamps.items():
        kind = _KINDS.get(os.path.splitext(asset)[1].lower(), "")
        if kind and query.matches(asset, kind) and accepts(asset, kind):
            found.append(AssetItem(kind, root / asset, asset, modified, size))
            if len(found) >= _MOST_FOUND:
                break
    return sorted(found, key=lambda item: item.asset.lower())
